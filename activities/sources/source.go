// Package sources turns folders, repositories, pages and uploads into
// documents. It reads, it never writes, and it accounts for every entry: read,
// or skipped with a reason.
//
// # What is in scope
//
// A [Selection] names a source of the worker's configuration, a folder within
// it, and globs (see package folder). Everything below that folder which the
// globs do not leave out is in scope, and counts in the manifest as one read or
// one skipped. What the globs leave out is out of scope and not listed.
//
// # What is read
//
// Regular, non-empty files of a claimed format (see [text.MediaType]) whose
// names, and the names of the folders they are in, do not begin with a dot, and
// of which [text.Decode] makes text. Links are never followed.
//
// # One list
//
// A [Collector] first lists everything, keeps the list, and then reads file by
// file what is on it. So a collection is of one moment: a file that changes
// after it was listed is skipped as changed, and one that is added is not
// there. Pages of a web server, which keeps no moment, are what they were when
// they were read, each of them once. An attempt that goes on where a killed one was goes on over the same
// list, and comes to the manifest that the first would have come to.
//
// # Order
//
// Selections in the order given; in each, files bytewise by path. Two runs
// over the same files list them alike on every machine.
package sources

import (
	"context"
	"errors"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
)

// Source is where documents come from. What a task selects of it is a
// [Selection].
type Source interface {
	// Kind is the word of a task for sources like this one: "dir", "git", "http"
	// or "upload".
	Kind() string
	// Open takes hold of what the source has.
	Open(ctx context.Context, o Opening) (Tree, error)
}

// Opening is how a source is opened.
type Opening struct {
	// Moment is what Tree.Moment said when the list was made that is to be read;
	// empty for what the source has now. When it is not to be had any more, the
	// error is ErrGone, and everything is listed anew.
	Moment string
	Store  Store
}

// ErrGone says that what was listed cannot be read any more as it was.
var ErrGone = errors.New("what was listed is gone")

// Tree is what one source holds at one moment.
//
// Its errors are *folder.Problem, whose reason goes on from the source's name,
// *folder.Unavailable, *faults.Fault and the context's.
type Tree interface {
	// Moment is for Opening.Moment.
	Moment() string
	// Origin says where the tree comes from; nil when its source's name says all.
	Origin() *Origin
	// List tells visit of everything in scope, in the order of the manifest, and
	// ends with visit's first error. It keeps no more than limit items.
	List(ctx context.Context, scope folder.Scope, limit int, visit func(Item) error) error
	// Read returns the bytes of a listed item that is not skipped, and writes into
	// the item what only reading shows. A *Skip says why they cannot be had: also
	// that an item of UnknownSize has more than limit of them.
	Read(ctx context.Context, item *Item, limit int64) ([]byte, error)
	Close() error
}

// Item is one entry of a list.
type Item struct {
	// Path is slash-separated, relative to the source, and in the form of
	// [folder.EscapePath]. A folder's, which is listed only when it is skipped,
	// ends in a slash.
	Path    string `json:"path"`
	Size    int64  `json:"size"`              // in bytes, or UnknownSize
	Skipped string `json:"skipped,omitempty"` // why it is not read
	Files   int    `json:"files,omitempty"`   // as in Entry
	// Mark is what its tree knows it again by.
	Mark string `json:"mark,omitempty"`
	// MediaType, where the source says it; the name decides otherwise.
	MediaType string `json:"media_type,omitempty"`
	// Charset, where the source says it (see text.DecodeAs); the bytes decide
	// otherwise.
	Charset string `json:"charset,omitempty"`
	// Digest is the address of its bytes, when they are in the store already.
	Digest       plan.Digest `json:"digest,omitzero"`
	ETag         string      `json:"etag,omitempty"`
	LastModified string      `json:"last_modified,omitempty"`
}

// UnknownSize is the size of an item of which nothing but its name is known
// before it is read.
const UnknownSize = -1

// Skip is the reason why one item is not read, and the others are.
type Skip struct{ Reason string }

func (s *Skip) Error() string { return s.Reason }

// Store keeps bytes at the address of their digest.
type Store interface {
	// Put may keep data.
	Put(ctx context.Context, data []byte) (plan.Digest, error)
	// Get returns at most limit bytes. A Permanent fault says that they are not
	// there, or are others.
	Get(ctx context.Context, digest plan.Digest, limit int64) ([]byte, error)
}

// Selection is what a task wants of one source.
type Selection struct {
	Name   string // of the source, as its documents carry it
	Source Source
	// Path is a folder within the source, in the form of [folder.EscapePath]; ""
	// is all of it.
	Path string
	// Include and Exclude are globs relative to Path (see [folder.Globs]).
	// Without Include, every file is included. Exclude wins.
	Include, Exclude []string
}

// Limits bound one collection, all its selections together.
type Limits struct {
	MaxFileBytes  int64 // a larger file is skipped
	MaxTotalBytes int64 // a file that does not fit into what is left of it is skipped
	MaxEntries    int   // more stop the collection
}
