package upload

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
)

type store map[plan.Digest]string

func (s store) put(_ context.Context, data []byte) (plan.Digest, error) {
	d := plan.Sum(data)
	s[d] = string(data)
	return d, nil
}

var wide = Limits{FileBytes: 1000, TotalBytes: 10_000, Entries: 100}

func put(t *testing.T, root, name, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(content), 0o644))
}

func TestWriteAccountsForEverything(t *testing.T) {
	root := t.TempDir()
	put(t, root, "b.md", "b")
	put(t, root, "a/caf\xe9.bin", "\x00\x01")
	put(t, root, ".ssh/id", "key")
	put(t, root, ".env", "key")
	put(t, root, "empty.md", "")
	put(t, root, "large.md", strings.Repeat("x", 1001))
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(root, "link.md")))
	s := store{}
	w, err := Write(t.Context(), root, folder.Scope{}, wide, s.put)
	require.NoError(t, err)
	require.Equal(t, List{Format: Format, Files: []File{
		{Path: ".env", Size: 3, Skipped: "hidden"},
		{Path: ".ssh/", Skipped: "hidden folder", Files: 1},
		{Path: `a/caf\xe9.bin`, Size: 2, Digest: plan.Sum([]byte("\x00\x01"))},
		{Path: "b.md", Size: 1, Digest: plan.Sum([]byte("b"))},
		{Path: "empty.md", Skipped: "empty"},
		{Path: "large.md", Size: 1001, Skipped: "too large: 1001 bytes, the limit for a file is 1000"},
		{Path: "link.md", Size: int64(len("/etc/hostname")), Skipped: "link leaves the root"},
	}}, w.List)
	require.Equal(t, 2, w.Stored)
	require.Equal(t, int64(3), w.Bytes)
	require.Len(t, s, 3, "two files and the list")
	list, err := Parse([]byte(s[w.Digest]))
	require.NoError(t, err)
	require.Equal(t, w.List, list)
}

// What the globs leave out is not stored, and its name is told to nobody.
func TestWriteLeavesOutWhatTheGlobsDo(t *testing.T) {
	root := t.TempDir()
	put(t, root, "a.md", "a")
	put(t, root, "private/b.md", "b")
	scope, err := folder.NewScope("", []string{"**/*.md"}, []string{"private"})
	require.NoError(t, err)
	s := store{}
	w, err := Write(t.Context(), root, scope, wide, s.put)
	require.NoError(t, err)
	require.Len(t, w.List.Files, 1)
	require.NotContains(t, s[w.Digest], "private")
}

func TestWriteRefuses(t *testing.T) {
	root := t.TempDir()
	put(t, root, "some/.hidden", "x")
	_, err := Write(t.Context(), root, folder.Scope{}, wide, store{}.put)
	require.ErrorIs(t, err, ErrEmpty)
	for i := range 3 {
		put(t, root, string(rune('a'+i))+".md", "x")
	}
	_, err = Write(t.Context(), root, folder.Scope{}, Limits{FileBytes: 9, TotalBytes: 9, Entries: 3}, store{}.put)
	problem, ok := errors.AsType[*folder.Problem](err)
	require.True(t, ok)
	require.Equal(t, folder.CodeMany, problem.Code)
	w, err := Write(t.Context(), root, folder.Scope{}, Limits{FileBytes: 9, TotalBytes: 2, Entries: 9}, store{}.put)
	require.NoError(t, err)
	require.Equal(t, 2, w.Stored)
	require.Equal(t, "past the total limit: 1 bytes, of 2 in all 0 are left", w.List.Files[2].Skipped)
	full := errors.New("full")
	_, err = Write(t.Context(), root, folder.Scope{}, wide, func(context.Context, []byte) (plan.Digest, error) { return plan.Digest{}, full })
	require.ErrorIs(t, err, full)
	_, err = Write(t.Context(), filepath.Join(root, "nowhere"), folder.Scope{}, wide, store{}.put)
	require.EqualError(t, err, "no longer there")
}

func TestOneIsAListOfOne(t *testing.T) {
	s := store{}
	w, err := One(t.Context(), "actions.json", []byte("{}"), s.put)
	require.NoError(t, err)
	list, err := Parse([]byte(s[w.Digest]))
	require.NoError(t, err)
	require.Equal(t, []File{{Path: "actions.json", Size: 2, Digest: plan.Sum([]byte("{}"))}}, list.Files)
	require.Equal(t, "{}", s[list.Files[0].Digest])

	root := t.TempDir()
	put(t, root, "actions.json", "{}")
	same, err := Write(t.Context(), root, folder.Scope{}, wide, s.put)
	require.NoError(t, err)
	require.Equal(t, same, w, "as a folder of it is")
	full := errors.New("full")
	_, err = One(t.Context(), "a", nil, func(context.Context, []byte) (plan.Digest, error) { return plan.Digest{}, full })
	require.ErrorIs(t, err, full)
}

func TestParseRefuses(t *testing.T) {
	digest := plan.Sum(nil).String()
	file := func(path string) string { return `{"path":"` + path + `","size":1,"digest":"` + digest + `"}` }
	for name, files := range map[string]string{
		"leaves":             file("../x"),
		"leaves in between":  file("a/../../x"),
		"absolute":           file("/etc/passwd"),
		"empty":              file(""),
		"the folder":         file("."),
		"a dot in it":        file("a/./b"),
		"two slashes":        file("a//b"),
		"NUL":                file(`a\u0000b`),
		"an escape of none":  file(`a\\q`),
		"an escaped letter":  file(`\\x61`),
		"twice":              file("a") + "," + file("a"),
		"twice, one escaped": file(`a\\xe9`) + "," + file(`a\\xe9`),
		"out of order":       file("b") + "," + file("a"),
		"a stored folder":    file("a/"),
		"both":               `{"path":"a","size":1,"digest":"` + digest + `","skipped":"x"}`,
		"neither":            `{"path":"a","size":1}`,
		"a size below 0":     `{"path":"a","size":-1,"digest":"` + digest + `"}`,
		"an endless reason":  `{"path":"a","size":1,"skipped":"` + strings.Repeat("x", 201) + `"}`,
		"an unknown field":   `{"path":"a","size":1,"digest":"` + digest + `","mode":"0777"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(`{"format":"holdpoint.upload/1","files":[` + files + `]}`))
			require.Error(t, err)
		})
	}
	whole := `{"format":"holdpoint.upload/1","files":[` + file("a") + "," + file("a/b") + "," + file("b") + `]}`
	_, err := Parse([]byte(whole + "\n"))
	require.NoError(t, err)
	for _, more := range []string{"{}", "]", "x", "\x00", whole} {
		_, err := Parse([]byte(whole + more))
		require.EqualError(t, err, "upload: something follows the list", more)
	}
}
