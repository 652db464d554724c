package sources

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Dir is a folder that the worker's configuration names. A task knows its name
// and never its place.
type Dir struct {
	Name string
	Root string // path on this machine
}

// Selection is what a task wants of one root.
type Selection struct {
	Dir Dir
	// Path is a folder within the root, in the form of [EscapePath]; "" is the
	// root itself. No component of it may be a link.
	Path string
	// Include and Exclude are globs relative to Path (see [Globs]). Without
	// Include, every file is included. Exclude wins.
	Include, Exclude []string
}

// Progress is where a collection stands.
type Progress struct {
	Read, Skipped int
	Bytes         int64
}

// Collector reads documents and hands their bytes on.
type Collector struct {
	Limits Limits
	// Store keeps the bytes of one document and returns their digest. It may
	// keep data.
	Store func(ctx context.Context, data []byte) (plan.Digest, error)
	// Progress is told after each entry; nil when nobody listens.
	Progress func(Progress)

	beforeOpen func(path string) // for tests: between listing and opening
}

// Collect reads the selections, in their order, into one manifest. Every error
// is a *faults.Fault, or comes from Store. A selection in which nothing can be
// read is a Permanent fault: a typing error in a path must not end as a plan
// made from nothing.
func (c Collector) Collect(ctx context.Context, selections []Selection) (Manifest, error) {
	m := Manifest{Format: ManifestFormat, Entries: []Entry{}}
	if len(selections) == 0 {
		return m, refuse("context_empty", "the task names no source")
	}
	if err := refuseOverlap(selections); err != nil {
		return m, err
	}
	for _, s := range selections {
		if err := c.collect(ctx, s, &m); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (c Collector) collect(ctx context.Context, s Selection, m *Manifest) error {
	scope, err := newScope(s)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(s.Dir.Root)
	if err != nil {
		return refuse("source_root_unusable", fmt.Sprintf(
			"the folder of source root %q cannot be opened on this worker (%s); correct it in the worker's configuration", s.Dir.Name, reasonOf(err)))
	}
	defer root.Close()
	folder, components, err := openSub(root, s)
	if err != nil {
		return err
	}
	defer folder.Close()

	before := len(m.Entries)
	w := walk{Collector: c, source: s.Dir.Name, scope: scope, top: root, manifest: m}
	list, err := w.list(ctx, folder, components)
	if closed := (*unreadable)(nil); errors.As(err, &closed) {
		return refuseSub(s, "context_path_unreadable", "cannot be listed ("+closed.reason+")")
	}
	if err != nil {
		return err
	}
	if err := w.entries(ctx, folder, list, components); err != nil {
		return err
	}
	return nothingRead(s, m.Entries[before:])
}

// openSub opens the selection's folder and returns its components.
func openSub(root *os.Root, s Selection) (*os.Root, []string, error) {
	components, err := folderPath(s.Path)
	if err != nil {
		return nil, nil, refuse("context_path_invalid", err.Error())
	}
	folder, err := root.OpenRoot(".")
	if err != nil {
		return nil, nil, refuseSub(s, "context_path_unreadable", "cannot be opened ("+reasonOf(err)+")")
	}
	for _, name := range components {
		next, err := openSubFolder(folder, name, s)
		folder.Close()
		if err != nil {
			return nil, nil, err
		}
		folder = next
	}
	return folder, components, nil
}

func openSubFolder(parent *os.Root, name string, s Selection) (*os.Root, error) {
	info, err := parent.Lstat(name)
	switch {
	case os.IsNotExist(err):
		return nil, refuseSub(s, "context_path_missing", "does not exist; check its spelling")
	case err != nil:
		return nil, refuseSub(s, "context_path_unreadable", "cannot be looked at ("+reasonOf(err)+")")
	case info.Mode()&os.ModeSymlink != 0:
		return nil, refuseSub(s, "context_path_is_link", "is a link, or leads through one; name the folder itself")
	case !info.IsDir():
		return nil, refuseSub(s, "context_path_is_file", "is a file, or leads through one; name its folder, and the file with include")
	}
	folder, err := openFolder(parent, name, info)
	if err != nil {
		return nil, refuseSub(s, "context_path_unreadable", "cannot be opened ("+reasonOf(err)+")")
	}
	return folder, nil
}

// refuseOverlap keeps a document from being listed twice.
func refuseOverlap(selections []Selection) error {
	for i, a := range selections {
		for _, b := range selections[:i] {
			if a.Dir.Name == b.Dir.Name && (within(a.Path, b.Path) || within(b.Path, a.Path)) {
				return refuse("context_overlap", fmt.Sprintf(
					"the task names %s and %s, of which one lies in the other; name the outer one once, with globs", place(b), place(a)))
			}
		}
	}
	return nil
}

func within(inner, outer string) bool {
	outer = strings.TrimSuffix(outer, "/")
	return outer == "" || outer == "." || strings.TrimSuffix(inner, "/") == outer || strings.HasPrefix(inner, outer+"/")
}

// nothingRead says why a selection gave no document, and nil when it gave one.
func nothingRead(s Selection, entries []Entry) error {
	const shown = 3
	var examples []string
	for _, e := range entries {
		if e.Skipped == "" {
			return nil
		}
		if len(examples) < shown {
			examples = append(examples, plan.Escape(e.Path)+": "+e.Skipped)
		}
	}
	if len(entries) == 0 && len(s.Include)+len(s.Exclude) > 0 {
		return refuseSub(s, "context_empty", "has no file that the globs leave; correct include and exclude")
	}
	if len(entries) == 0 {
		return refuseSub(s, "context_empty", "holds no file; name a folder with documents ("+ClaimedFormats+")")
	}
	list := strings.Join(examples, "; ")
	if more := len(entries) - len(examples); more > 0 {
		list += fmt.Sprintf("; and %d more", more)
	}
	return refuseSub(s, "context_empty", fmt.Sprintf("holds no document that can be read (%s); %s are read", list, ClaimedFormats))
}

func place(s Selection) string {
	if s.Path == "" || s.Path == "." {
		return fmt.Sprintf("source %q", s.Dir.Name)
	}
	return fmt.Sprintf("folder %q of source %q", plan.Escape(s.Path), s.Dir.Name)
}

func refuseSub(s Selection, code, reason string) error { return refuse(code, place(s)+" "+reason) }

func refuse(code, reason string) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: reason}
}
