package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/corpora"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// attachArgs are the arguments that start a task whose documents are not where
// any source of the worker is.
func (s *site) attachArgs(folder string, more ...string) []string {
	return append([]string{"start", "--goal", "weekly report", "--into", "kb", "--attach", folder,
		"--tenant", s.name, "--requester", "ann.wu", "-t", s.name}, more...)
}

// started is the run that a start says it has started, or attached to.
func started(t *testing.T, said string) (run string) {
	t.Helper()
	for line := range strings.Lines(said) {
		if id, ok := strings.CutPrefix(line, "next: starter watch "); ok {
			return strings.TrimSpace(id)
		}
	}
	t.Fatalf("no run in %q", said)
	return ""
}

// elsewhere writes files into a folder that no site knows.
func elsewhere(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return folder
}

// manifestEntry is what these tests want of an entry: the manifest is read as
// anybody may who has its address.
type manifestEntry struct {
	Source  string `json:"source"`
	Path    string `json:"path"`
	Skipped string `json:"skipped"`
	Files   int    `json:"files"`
}

func (s *site) manifest(run string) (entries []manifestEntry) {
	s.t.Helper()
	digits := s.look(run).State.Context.Manifest.Digest.Hex()
	raw, err := os.ReadFile(s.path("data", "blobs", s.name, digits[:2], digits))
	require.NoError(s.t, err)
	var manifest struct {
		Entries []manifestEntry `json:"entries"`
	}
	require.NoError(s.t, json.Unmarshal(raw, &manifest))
	return manifest.Entries
}

// The requester's folder is not the worker's, and need not be there any more
// when it is read.
func TestAttachedDocumentsBecomePages(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	documents := elsewhere(t, weekOfNotes())
	said := s.starter(s.attachArgs(documents)...)
	require.Contains(t, said, "stored --attach "+documents+": 1 file, ")
	run := started(t, said)

	again := elsewhere(t, weekOfNotes())
	require.NoError(t, os.RemoveAll(documents))
	said = s.starter(s.attachArgs(again)...)
	require.Contains(t, said, "attached to "+run, "the same files are the same wish, wherever they lie")

	s.worker()
	gate := s.await(run, workflows.WaitingApproval)
	require.Len(t, gate.Actions, pagesOfAWeek)
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.Contains(t, s.page("topics/billing.md"), "invoices carry the tax id")
	require.Contains(t, s.starter(s.attachArgs(again)...), "completed already")

	require.NoError(t, os.WriteFile(filepath.Join(again, "billing.md"), []byte("# Billing\n\n## 2025-10-07\n\n- done: other\n"), 0o644))
	require.NotEqual(t, run, started(t, s.starter(s.attachArgs(again)...)), "other files are another wish")
	other := s.attachArgs(again, "--id", strings.TrimPrefix(run, s.name+"/"))
	require.Contains(t, s.fails(1, programs.starter, other...), "already started with other input")
}

// Whatever is in the folder, the manifest has it, with a reason where it was not
// read.
func TestTheManifestOfAnUploadAccountsForEverything(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	documents := elsewhere(t, map[string]string{
		"billing.md": weekOfNotes()["billing.md"], "empty.md": "", "picture.png": "\x89PNG\r\n\x1a\n\x00", "caf\xe9.md": "# Café\n",
		".env": "NOT-FOR-EVERYBODY", ".git/HEAD": "NOT-FOR-EVERYBODY", ".git/objects/a": "x",
	})
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(documents, "link.md")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(documents, "pipe.md"), 0o600))
	s.worker()
	said := s.starter(s.attachArgs(documents)...)
	for _, name := range []string{"empty.md", ".env", ".git/ (2 files)", "link.md", "pipe.md"} {
		require.Contains(t, said, "  left out "+name+": ")
	}
	run := started(t, said)
	s.await(run, workflows.WaitingApproval)
	require.Empty(t, s.blobsWith("NOT-FOR-EVERYBODY"))

	collected := s.look(run).State.Context
	require.Equal(t, 2, collected.Read)
	require.Equal(t, s.find(documents), collected.Read+collected.Skipped)
	skipped := map[string]string{}
	for _, e := range s.manifest(run) {
		require.Equal(t, "upload", e.Source)
		skipped[e.Path] = e.Skipped
	}
	require.Len(t, skipped, 8)
	require.Empty(t, skipped["billing.md"])
	require.Empty(t, skipped[`caf\xe9.md`])
	require.Contains(t, skipped["picture.png"], "unsupported", "it was stored, and no text is made of it")
	require.Equal(t, "left out of the upload: hidden", skipped[".env"])
	require.Equal(t, "left out of the upload: hidden folder", skipped[".git/"])
	require.Equal(t, "left out of the upload: empty", skipped["empty.md"])
	require.Contains(t, skipped["link.md"], "left out of the upload: link")
	require.Contains(t, skipped["pipe.md"], "left out of the upload: not a regular file")
}

// A requester's machine may go away in the middle. What it has stored is named
// by nothing, and there when it starts again.
func TestAKilledUploadLeavesNothingBroken(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const n = 3000
	notes := map[string]string{}
	for i := range n {
		notes[strconv.Itoa(i)+".txt"] = "note " + strconv.Itoa(i) + "\n"
	}
	documents := elsewhere(t, notes)
	args := s.attachArgs(documents, "--id", "x")
	victim := exec.Command(programs.starter, args...)
	victim.Dir, victim.Env = s.dir, s.env
	require.NoError(t, victim.Start())
	stored := func() int {
		found, err := filepath.Glob(s.path("data", "blobs", s.name, "??", "*"))
		require.NoError(t, err)
		return len(found)
	}
	s.eventually("some files are stored", func() bool { return stored() > 10 })
	require.NoError(t, victim.Process.Kill())
	require.Error(t, victim.Wait(), "it was killed before it was done")
	require.Less(t, stored(), n)
	require.NotContains(t, s.starter("list", "--tenant", s.name), s.name+"/x", "no run has begun")

	run := started(t, s.starter(args...))
	s.worker()
	s.eventually("all is collected", func() bool { seen := s.look(run); return seen != nil && seen.State.Context != nil })
	collected := s.look(run).State.Context
	require.Equal(t, n, collected.Read)
	require.Zero(t, collected.Skipped)
	require.Contains(t, s.await(run, workflows.Failed).Reason, "3000 documents", "the planner says that these are more than it makes pages of")
}

// twoActions is a plan of an agent, of which the second follows the first.
const twoActions = `
format: holdpoint.actions/1
notes: [from the chat of the incident]
actions:
  - id: page
    tool: gitpages
    parameters: {page: incident.md, title: Write it up, content: "# Incident\n\nA certificate had expired.\n"}
    %s
  - id: list
    tool: gitpages
    depends_on: [page]
    parameters: {page: index.md, title: List it, content: "# Incidents\n\n- [it](incident.md)\n"}
`

func TestAPlanOfOnesOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.worker()
	s.write("mine.yaml", strings.ReplaceAll(twoActions, "%s", ""))
	args := []string{"start", "--goal", "write up the incident", "--into", "kb/incidents", "--plan", "mine.yaml",
		"--tenant", s.name, "--requester", "ann.wu", "-t", s.name}
	run := started(t, s.starter(args...))
	gate := s.await(run, workflows.WaitingApproval)
	require.Len(t, gate.Actions, 2)
	require.Contains(t, s.approver("show", run), "A certificate had expired.")
	s.noEffects()
	s.approve(run, "bo.lin")
	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.Len(t, s.keys(), 2)
	require.Equal(t, "# Incident\n\nA certificate had expired.\n", s.page("incidents/incident.md"))
	require.Contains(t, s.starter(args...), "completed already", "the same plan is the same wish")
}

// Beside a task file, and with documents that an action names.
func TestAPlanOfOnesOwnWithDocuments(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.worker()
	documents := elsewhere(t, map[string]string{"chat.txt": "09:02 checkout is down\n"})
	s.write("mine.yaml", strings.ReplaceAll(twoActions, "%s", "documents: [upload/chat.txt]"))
	s.write("task.yaml", "tenant: "+s.name+"\nbusiness_id: x\ngoal: write up the incident\nrequester: ann.wu\ntools: [{tool: gitpages, target: kb/incidents}]\n")
	s.starter("start", "--task", "task.yaml", "--plan", "mine.yaml", "--attach", documents, "-t", s.name)
	run := s.name + "/x"
	s.await(run, workflows.WaitingApproval)
	require.Contains(t, s.approver("show", run), "upload/chat.txt")
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.Equal(t, []manifestEntry{{Source: "upload", Path: "chat.txt"}, {Source: "plan", Path: "actions.yaml"}}, s.manifest(run))
}

// What only the worker can judge, it says, and nothing is written.
func TestAPlanOfOnesOwnThatIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.worker()
	s.write("mine.json", `{"format": "holdpoint.actions/1", "actions": [{"id": "a", "tool": "mail", "parameters": {}}]}`)
	run := started(t, s.starter("start", "--goal", "g", "--into", "kb", "--plan", "mine.json", "--tenant", s.name, "--requester", "ann.wu", "-t", s.name))
	require.Contains(t, s.await(run, workflows.Failed).Reason, `the task does not allow the tool "mail"; it allows gitpages`)
	s.noEffects()
}

// A store that the worker does not read would end as a run that fails.
func TestAttachWithoutTheWorkersStore(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	documents := elsewhere(t, weekOfNotes())
	said := s.fails(2, programs.starter, s.attachArgs(documents, "--data", "nowhere")...)
	require.Contains(t, said, "there is no blob store at "+s.path("nowhere", "blobs"))
	require.NoDirExists(t, s.path("nowhere"))

	s.mkdir("other/blobs")
	run := started(t, s.starter(s.attachArgs(documents, "--data", "other")...))
	s.worker()
	require.Contains(t, s.await(run, workflows.Failed).Reason, "is an upload that is not in this worker's blob store")
}

// The requester's machine and the worker's share a bucket and nothing else.
func TestAttachThroughABucket(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	server := objectserver.Start(t, objectserver.Options{Buckets: []string{"holdpoint"}})
	const secret = "bucket-secret-of-the-test"
	s.env = append(s.env, "BUCKET_SECRET="+secret)
	store := "blobs: {url: 's3://holdpoint/blobs?endpoint=" + server.URL() + "', access_key: it, secret_key: '${env:BUCKET_SECRET}'}\n"
	s.configure(store)
	s.write("desk/requester.yaml", store)
	w := s.worker()
	said := s.starter(s.attachArgs(elsewhere(t, weekOfNotes()), "--config", "desk/requester.yaml")...)
	require.Contains(t, said, ", in s3://holdpoint/blobs\n")
	run := started(t, said)
	s.await(run, workflows.WaitingApproval)
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	require.NoDirExists(t, s.path("data", "blobs"))
	require.NoDirExists(t, s.path("desk", ".holdpoint"))
	s.starter("evidence", run, "-o", "bundle.json", "--config", "desk/requester.yaml")

	require.NoError(t, server.Stop())
	away := s.run(programs.starter, s.attachArgs(elsewhere(t, map[string]string{"other.md": "# Other\n"}), "--config", "desk/requester.yaml")...)
	require.Equal(t, 1, away.code)
	require.Contains(t, away.err, "No run was started. Once the blob store s3://holdpoint/blobs takes it, start again")
	for _, text := range []string{said, away.err, w.said()} {
		require.NotContains(t, text, secret)
		require.NotContains(t, text, "endpoint=")
	}
}

// How far a collection is comes from its heartbeats, also while no worker
// answers.
func TestStatusShowsHowFarACollectionIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a.md": "# A\n", "b.md": "# B\n", "c.md": "# C\n"})
	victim := s.worker("--stop-at", "collect_context.before_checkpoint")
	run := s.start("x")
	s.stopped(victim)
	s.eventually("the server has heard of it", func() bool {
		return strings.Contains(s.starter("status", run), "\nprogress   collect_context: ")
	})
	require.Regexp(t, `\nprogress   collect_context: (1 file|[23] files) listed so far\n|\nprogress   collect_context: [0-3] of 3 files, 0 skipped, \d+ bytes\n`,
		s.starter("status", run))
	victim.kill()
	s.worker()
	s.await(run, workflows.WaitingApproval)
	require.NotContains(t, s.starter("status", run), "progress ")
}

// Real documents, from a folder of the requester's alone.
func TestACorpusIsAttached(t *testing.T) {
	t.Parallel()
	documents, _ := corpora.Folder(t, "mixed-formats")
	s := newSite(t, nil)
	s.worker()
	run := started(t, s.starter(s.attachArgs(documents)...))
	s.await(run, workflows.WaitingApproval)
	collected := s.look(run).State.Context
	require.Equal(t, s.find(documents), collected.Read+collected.Skipped, "every file is read or skipped")
	require.Greater(t, collected.Read, collected.Skipped)
	s.approver("approve", run, "--as", "bo.lin", "--yes", "--data", "data")
	done := s.await(run, workflows.Completed)
	s.oneEffectEach(done)
	require.Greater(t, done.Counts.Total, collected.Read, "a page for each document, and the index")
	requireSmallEvents(t, s, run)
}
