package gitpages

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // how Git names objects
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// The modes of a tree's entries, as Git writes them.
const (
	modeFile      = "100644"
	modeTree      = "40000"
	modeLink      = "120000"
	modeSubmodule = "160000"
)

// absent is the precondition of a page that does not exist.
const absent = "absent"

// place is what a tree holds where a page is. The zero place is an absent page.
type place struct {
	mode string
	blob string // id of the content
}

// precondition is the form in which a plan carries the place.
func (p place) precondition() string {
	if p.blob == "" {
		return absent
	}
	return "blob:" + p.blob
}

// look returns the page's place in the tree of a commit; commit "" is a branch
// that has none yet. It refuses, with a permanent fault, a page that cannot be
// read or made there: one behind a link or submodule, one where a folder is,
// and one whose name differs from a neighbour's only in case, because the two
// are one file on half of the machines that clone the repository.
func (r *repository) look(ctx context.Context, commit, page string) (place, error) {
	if commit == "" {
		return place{}, nil
	}
	names := strings.Split(page, "/")
	var asked strings.Builder
	for i := range names {
		asked.WriteString(commit + ":" + strings.Join(names[:i], "/") + "\n")
	}
	out, err := r.git.Run(ctx, []byte(asked.String()), "cat-file", "--batch")
	if err != nil {
		return place{}, err
	}
	trees := bufio.NewReader(bytes.NewReader(out))
	for i, name := range names {
		entries, err := readTree(trees)
		if err != nil {
			return place{}, err
		}
		path := strings.Join(names[:i+1], "/")
		found, err := pick(entries, name, path)
		if err != nil || found.blob == "" {
			return place{}, err
		}
		if i == len(names)-1 {
			return asPage(found, path)
		}
		if found.mode != modeTree {
			return place{}, permanent(codePagePlace, "%s is a file in the repository, so no page can be below it", gitcli.Quote(path))
		}
	}
	return place{}, nil
}

// pick returns the entry of that name, the zero place when there is none.
func pick(entries map[string]place, name, path string) (place, error) {
	if found, ok := entries[name]; ok {
		if found.mode == modeLink || found.mode == modeSubmodule {
			return place{}, permanent(codePageLink, "%s is a link or a submodule in the repository; pages are not written through it", gitcli.Quote(path))
		}
		return found, nil
	}
	for other := range entries {
		if strings.EqualFold(other, name) {
			return place{}, permanent(codePageCase, "%s differs only in case from %s, which exists beside it", gitcli.Quote(path), gitcli.Quote(other))
		}
	}
	return place{}, nil
}

func asPage(found place, path string) (place, error) {
	if found.mode == modeTree {
		return place{}, permanent(codePagePlace, "%s is a folder in the repository, so it cannot be a page", gitcli.Quote(path))
	}
	return found, nil
}

// readTree reads one answer of "cat-file --batch" to a question for a tree.
func readTree(r *bufio.Reader) (map[string]place, error) {
	header, err := r.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	fields := strings.Fields(header)
	if len(fields) != 3 || fields[1] != "tree" {
		return nil, fmt.Errorf("git cat-file has no tree for a folder")
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	raw := make([]byte, size+1) // a line feed follows
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return parseTree(raw[:size], len(fields[0])/2)
}

// parseTree reads a tree object: "mode SP name NUL id", without separators,
// where the id has idSize bytes.
func parseTree(raw []byte, idSize int) (map[string]place, error) {
	entries := make(map[string]place)
	for len(raw) > 0 {
		head, rest, ok := bytes.Cut(raw, []byte{0})
		mode, name, spaced := strings.Cut(string(head), " ")
		if !ok || !spaced || len(rest) < idSize {
			return nil, fmt.Errorf("a tree of the repository cannot be read")
		}
		entries[name] = place{mode: mode, blob: hex.EncodeToString(rest[:idSize])}
		raw = rest[idSize:]
	}
	return entries, nil
}

// content returns a page's bytes, nil for an absent page.
func (r *repository) content(ctx context.Context, p place) ([]byte, error) {
	if p.blob == "" {
		return nil, nil
	}
	return r.git.Run(ctx, nil, "cat-file", "blob", p.blob)
}

// blobID returns the id under which Git keeps content.
func (r *repository) blobID(content []byte) string {
	header := fmt.Appendf(nil, "blob %d\x00", len(content))
	if r.sha256 {
		sum := sha256.Sum256(append(header, content...))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(append(header, content...)) //nolint:gosec // Git's own name for the bytes; nothing here relies on its strength
	return hex.EncodeToString(sum[:])
}
