package sources

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/internal/upload"
)

// send puts a folder into the store.
func send(t *testing.T, s shelf, root string, include ...string) upload.Written {
	t.Helper()
	scope, err := folder.NewScope("", include, nil)
	require.NoError(t, err)
	sent, err := upload.Write(t.Context(), root, scope, upload.Limits{FileBytes: 4 << 20, TotalBytes: 64 << 20, Entries: 10_000}, s.Put)
	require.NoError(t, err)
	return sent
}

// What is uploaded is collected as the folder itself would be, also after the
// folder is gone: the same documents, and a reason for everything else.
func TestUpload_IsTheFolder(t *testing.T) {
	root := special(t)
	write(t, root, "caf\xe9.md", "latin\n")
	write(t, root, "line\nbreak.md", "break\n")
	write(t, root, "pic.png", "\x89PNG")
	write(t, root, ".git/config", "x")
	write(t, root, "zero.md", "")
	require.NoError(t, os.Chmod(root+"/secret.md", 0o644))
	direct, contents := collect(t, root)
	s := shelf{}
	sent := send(t, s, root)
	require.NoError(t, os.RemoveAll(root))

	c := Collector{Limits: wide, Store: s}
	m, err := c.Collect(t.Context(), []Selection{{Name: "notes", Source: Upload{List: sent.Digest}}})
	require.NoError(t, err)

	require.Equal(t, contents, s.contents(m))
	require.Equal(t, direct.Read, m.Read)
	require.Equal(t, direct.Skipped, m.Skipped)
	require.Equal(t, names(direct), names(m))
	require.Equal(t, "unsupported format .png", skipped(m)["pic.png"])
	require.Equal(t, "left out of the upload: link leaves the root", skipped(m)["outside.md"])
	require.Equal(t, "left out of the upload: hidden folder", skipped(m)[".git/"])
	require.Equal(t, []Origin{{Source: "notes", Kind: "upload", Upload: sent.Digest}}, m.Origins)
	want, err := direct.ContextDigest()
	require.NoError(t, err)
	got, err := m.ContextDigest()
	require.NoError(t, err)
	require.Equal(t, want, got, "it is the same context, however it came")
}

func TestUpload_GlobsAndFolderOfTheTask(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a/x.md", "a/y.txt", "b/z.md"} {
		write(t, root, name, name)
	}
	s := shelf{}
	sent := send(t, s, root)
	m, err := Collector{Limits: wide, Store: s}.Collect(t.Context(), []Selection{
		{Name: "up", Source: Upload{List: sent.Digest}, Path: "a", Include: []string{"*.md"}},
	})
	require.NoError(t, err)
	require.Equal(t, "a/x.md", names(m))
}

// A list may be written by another program than the starter: what is hidden is
// judged again, for every folder on a path.
func TestUpload_HiddenFolders(t *testing.T) {
	s := shelf{}
	digest, err := s.Put(t.Context(), []byte("x"))
	require.NoError(t, err)
	l := upload.List{Format: upload.Format}
	for _, path := range []string{".git/config.md", ".git/objects/a.md", "a.md", "b/.hid/c/d.md", "b/.note.md", "b/e.md"} {
		l.Files = append(l.Files, upload.File{Path: path, Size: 1, Digest: digest})
	}
	raw, err := json.Marshal(l)
	require.NoError(t, err)
	list, err := s.Put(t.Context(), raw)
	require.NoError(t, err)
	selection := Selection{Name: "up", Source: Upload{List: list}}
	m, err := Collector{Limits: wide, Store: s}.Collect(t.Context(), []Selection{selection})
	require.NoError(t, err)
	require.Equal(t, ".git/ a.md b/.hid/ b/.note.md b/e.md", names(m))
	require.Equal(t, map[string]string{".git/": "hidden folder", "b/.hid/": "hidden folder", "b/.note.md": "hidden"}, skipped(m))
	require.Equal(t, 2, m.Read)
	require.Equal(t, 4, m.Skipped)

	selection.Path = "b/.hid"
	m, err = Collector{Limits: wide, Store: s}.Collect(t.Context(), []Selection{selection})
	require.NoError(t, err)
	require.Equal(t, "b/.hid/c/d.md", names(m), "a folder that is named is not hidden")

	limits := wide
	limits.MaxEntries = 5
	_, err = Collector{Limits: limits, Store: s}.Collect(t.Context(), []Selection{selection})
	require.EqualError(t, err, `context_too_many_entries: folder "b/.hid" of source "up" is an upload of 6 files, and 5 are allowed; `+
		`attach a smaller folder, or use --include and --exclude`)
}

func TestUpload_ThatIsNone(t *testing.T) {
	s := shelf{}
	digest, err := s.Put(t.Context(), []byte("x"))
	require.NoError(t, err)
	lie, err := json.Marshal(upload.List{Format: upload.Format, Files: []upload.File{{Path: "a.md", Digest: digest, Size: 2}}})
	require.NoError(t, err)
	absent, err := json.Marshal(upload.List{Format: upload.Format, Files: []upload.File{{Path: "a.md", Digest: plan.Sum([]byte("never stored")), Size: 1}}})
	require.NoError(t, err)
	outside := []byte(`{"format":"holdpoint.upload/1","files":[{"path":"../../etc/passwd","size":1,"digest":"` + digest.String() + `"}]}`)
	for name, tc := range map[string]struct {
		list []byte
		code string
	}{
		"no JSON":             {[]byte("x"), "upload_invalid"},
		"another format":      {[]byte(`{"format":"holdpoint.upload/2","files":[]}`), "upload_invalid"},
		"a path that leaves":  {outside, "upload_invalid"},
		"another size":        {lie, "upload_invalid"},
		"a file that is gone": {absent, "upload_incomplete"},
		"nothing in it":       {[]byte(`{"format":"holdpoint.upload/1","files":[]}`), "context_empty"},
		"no list":             {nil, "upload_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			list := plan.Sum([]byte("an address at which nothing is"))
			if tc.list != nil {
				list, err = s.Put(t.Context(), tc.list)
				require.NoError(t, err)
			}
			_, err := Collector{Limits: wide, Store: s}.Collect(t.Context(), []Selection{{Name: "up", Source: Upload{List: list}}})
			require.Equal(t, faults.Permanent, faults.ClassOf(err), err)
			require.True(t, strings.HasPrefix(err.Error(), tc.code+": "), err)
		})
	}
}
