// Package sources turns folders into documents. It reads, it never writes,
// and it accounts for every entry: read, or skipped with a reason.
//
// # What is in scope
//
// A [Selection] names a root of the worker's configuration, a folder within
// it, and globs. Everything below that folder which the globs do not leave out
// is in scope, and for each such file
//
//	find FOLDER -mindepth 1 ! -type d | wc -l
//
// counts, the manifest counts one read or one skipped. What the globs leave
// out is out of scope and not listed.
//
// # What is read
//
// Regular, non-empty files of a claimed format (see [MediaType]) whose names,
// and the names of the folders they are in, do not begin with a dot. Links are
// never followed, wherever they lead; what is not a regular file is never
// opened. Every path is resolved below the root by [os.Root], and a file is
// read only when what was opened is what was listed, so that a file swapped
// for a link in between is not read either.
//
// # Order
//
// Selections in the order given; in each, files bytewise by path. Two runs
// over the same files list them alike on every machine.
package sources

import "github.com/holdpoint/holdpoint/approvals/plan"

// Entry is one thing found in a source, in the manifest's order.
type Entry struct {
	Source string `json:"source"` // name of the root
	// Path is slash-separated and relative to the source, in the form of
	// [EscapePath]. A skipped folder's path ends in a slash.
	Path      string      `json:"path"`
	MediaType string      `json:"media_type,omitempty"` // when read
	Digest    plan.Digest `json:"digest,omitzero"`      // of the bytes, when read
	Size      int64       `json:"size"`                 // in bytes; 0 for a folder
	Skipped   string      `json:"skipped,omitempty"`    // the reason; empty when read
	// Files is how many files a skipped folder's entry stands for, at any
	// depth. It is 0 when the folder could not be looked into.
	Files int `json:"files,omitempty"`
}

// Manifest lists everything a collection found.
type Manifest struct {
	Format  string  `json:"format"` // ManifestFormat
	Entries []Entry `json:"entries"`
	Read    int     `json:"read"`    // files read
	Skipped int     `json:"skipped"` // files skipped, those in skipped folders too
	Bytes   int64   `json:"bytes"`   // of what was read
}

// Limits bound one collection, all its selections together.
type Limits struct {
	MaxFileBytes  int64 // a larger file is skipped
	MaxTotalBytes int64 // a file that does not fit into what is left of it is skipped
	MaxEntries    int   // more stop the collection
}
