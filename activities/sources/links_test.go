package sources

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// hostFile is what a link must never bring into a context.
const hostFile = "/etc/hostname"

// special builds the folder of links and an unreadable file.
func special(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "special")
	write(t, root, "real.md", "real\n")
	write(t, root, "secret.md", "cannot be read by a normal user\n")
	require.NoError(t, os.Chmod(filepath.Join(root, "secret.md"), 0))
	for name, target := range map[string]string{
		"loop": ".", "parent": "..", "self": "self", "dangling": "nowhere/x.md", "outside.md": hostFile,
		"a.md": "b.md", "b.md": "a.md", "inside.md": "real.md", "up-and-back.md": "../special/real.md",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	return root
}

func TestC062_LinksAreListedAndNeverFollowed(t *testing.T) {
	root := special(t)
	kept := shelf{}
	m, _ := collectAsNormalUser(t, root, func(c *Collector, _ *Selection) { c.Store = kept })

	require.Equal(t, map[string]string{"real.md": "real\n"}, kept.contents(m))
	require.Equal(t, map[string]string{
		"loop":           "link inside the root",
		"inside.md":      "link inside the root",
		"parent":         "link leaves the root",
		"outside.md":     "link leaves the root",
		"up-and-back.md": "link leaves the root",
		"self":           "link loop",
		"a.md":           "link loop",
		"b.md":           "link loop",
		"dangling":       "dangling link",
		"secret.md":      "cannot be read (permission denied)",
	}, skipped(m))
	require.Equal(t, countFiles(t, root), m.Read+m.Skipped)

	stored, err := m.Canonical()
	require.NoError(t, err)
	host, err := os.ReadFile(hostFile)
	require.NoError(t, err)
	for _, blob := range append(slices.Collect(maps.Values(kept)), string(stored)) {
		require.NotContains(t, blob, strings.TrimSpace(string(host)))
	}
}

func TestC062_UnreadableFolder(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.md", "x")
	write(t, root, "closed/b.md", "x")
	write(t, root, ".closed/c.md", "x")
	for _, dir := range []string{"closed", ".closed"} {
		require.NoError(t, os.Chmod(filepath.Join(root, dir), 0))
		t.Cleanup(func() { os.Chmod(filepath.Join(root, dir), 0o755) })
	}
	m, _ := collectAsNormalUser(t, root)
	require.Equal(t, map[string]string{"closed/": "folder cannot be read (permission denied)"}, skipped(m))
	require.Equal(t, 1, m.Read)
	require.Zero(t, m.Skipped) // what is in it nobody can count
}

// collectAsNormalUser collects with the rights of a normal user, also when the
// tests run as root, for whom no file is unreadable.
func collectAsNormalUser(t *testing.T, root string, change ...func(*Collector, *Selection)) (m Manifest, contents map[string]string) {
	t.Helper()
	if os.Geteuid() == 0 {
		for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
			require.NoError(t, os.Chmod(dir, 0o755))
		}
		const unchanged, nobody = -1, 65534
		require.NoError(t, syscall.Setreuid(unchanged, nobody))
		defer func() { require.NoError(t, syscall.Setreuid(unchanged, 0)) }()
	}
	return collect(t, root, change...)
}

func TestC062_SwappedBetweenListingAndOpening(t *testing.T) {
	for name, swap := range map[string]func(root string) error{
		"for a link out of the root":     func(root string) error { return os.Symlink(hostFile, filepath.Join(root, "d/a.md")) },
		"for a link to another document": func(root string) error { return os.Symlink("other.md", filepath.Join(root, "d/a.md")) },
		"for a link to another folder's": func(root string) error { return os.Symlink("../secret.md", filepath.Join(root, "d/a.md")) },
		"for a pipe":                     func(root string) error { return syscall.Mkfifo(filepath.Join(root, "d/a.md"), 0o644) },
		"for a folder":                   func(root string) error { return os.Mkdir(filepath.Join(root, "d/a.md"), 0o755) },
		"for another file": func(root string) error {
			return os.Rename(filepath.Join(root, "secret.md"), filepath.Join(root, "d/a.md"))
		},
		"for nothing": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, "d/a.md", "harmless")
			write(t, root, "d/other.md", "other")
			write(t, root, "secret.md", "excluded by the task")
			m, contents := collect(t, root, func(c *Collector, s *Selection) {
				s.Exclude = []string{"secret.md"}
				c.beforeRead = func(path string) {
					if path == "d/a.md" {
						require.NoError(t, os.Remove(filepath.Join(root, "d/a.md")))
						require.NoError(t, swap(root))
					}
				}
			})
			require.Equal(t, map[string]string{"d/other.md": "other"}, contents)
			require.Regexp(t, `^(changed since it was listed|cannot be read \(.*\))$`, skipped(m)["d/a.md"])
		})
	}
}

// The folder itself is swapped too: for a link out of the root, for one inside
// it, and for a pipe, over and over while collections run.
func TestC062_SwappedOverAndOver(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	write(t, outside, "a.md", "outside")
	write(t, root, "real/a.md", "real")
	write(t, root, "other/a.md", "other")
	write(t, root, "keep.md", "keep")
	at := filepath.Join(root, "real")
	aside := filepath.Join(root, ".aside")

	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for {
			for _, put := range []func() error{
				func() error { return os.Symlink(outside, at) },
				func() error { return os.Symlink("other", at) },
				func() error { return syscall.Mkfifo(at, 0o644) },
			} {
				select {
				case <-stop:
					return
				default:
				}
				os.Rename(at, aside)
				put()
				os.Remove(at)
				os.Rename(aside, at)
			}
		}
	})
	defer swapping.Wait()
	defer close(stop)

	for range 300 {
		_, contents := collect(t, root)
		require.Equal(t, "other", contents["other/a.md"])
		if got, ok := contents["real/a.md"]; ok {
			require.Equal(t, "real", got)
		}
	}
}
