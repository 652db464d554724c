package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"google.golang.org/protobuf/proto"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// maxEventBytes is what no event of a history may exceed.
const maxEventBytes = 256 << 10

// The context goes to a planner, so what a link leads to must not.
func TestC062_LinksAndUnreadableFiles(t *testing.T) {
	t.Parallel()
	const outside, secret = "OUTSIDE-OF-THE-ROOT", "NOT-FOR-EVERYBODY"
	s := newSite(t, map[string]string{"real.md": "# Real\n\nthe only document\n", "secret.md": secret + "\n"})
	s.write("outside.md", outside+"\n")
	for name, target := range map[string]string{
		"loop": ".", "parent": "..", "self": "self", "dangling": "nowhere/x.md",
		"outside.md": "../outside.md", "hostname.md": "/etc/hostname",
	} {
		require.NoError(t, os.Symlink(target, s.path("notes", name)))
	}
	require.NoError(t, os.Chmod(s.path("notes", "secret.md"), 0))
	s.asNormalUser()
	w := s.worker()
	run, gate := s.startToGate("weekly-2025-w40")

	collected := s.look(run).State.Context
	require.Equal(t, 1, collected.Read)
	require.Equal(t, 7, collected.Skipped)
	var names []string
	for _, line := range collected.Examples {
		name, reason, _ := strings.Cut(line, ": ")
		names = append(names, name)
		require.NotEmpty(t, reason, line)
	}
	require.ElementsMatch(t, []string{"loop", "parent", "self", "dangling", "outside.md", "hostname.md", "secret.md"}, names)
	require.Len(t, gate.Actions, 2, "a page of real.md, once, and the index")
	for _, text := range []string{outside, secret} {
		require.NotContains(t, w.said(), text)
		require.NotContains(t, s.approver("show", run), text)
		require.Empty(t, s.blobsWith(text))
	}
}

// asNormalUser lets this site's workers run without the rights of root, so
// that a file can be unreadable.
func (s *site) asNormalUser() {
	s.t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	for _, folder := range []string{filepath.Dir(s.dir), programs.dir} {
		require.NoError(s.t, os.Chmod(folder, 0o755))
	}
	require.NoError(s.t, filepath.WalkDir(s.dir, func(path string, _ fs.DirEntry, err error) error {
		require.NoError(s.t, err)
		return os.Lchown(path, nobody, nobody)
	}))
	s.user = nobody
}

// blobsWith returns the stored blobs that hold a text.
func (s *site) blobsWith(text string) []string {
	s.t.Helper()
	var found []string
	require.NoError(s.t, filepath.WalkDir(s.path("data", "blobs"), func(path string, entry fs.DirEntry, err error) error {
		require.NoError(s.t, err)
		if entry.IsDir() {
			return nil
		}
		raw, err := os.ReadFile(path)
		require.NoError(s.t, err)
		if strings.Contains(string(raw), text) {
			found = append(found, path)
		}
		return nil
	}))
	return found
}

func TestC064_Names(t *testing.T) {
	t.Parallel()
	contents := map[string]string{
		"README.md": "UPPER", "readme.md": "LOWER",
		"caf\u00e9.md": "NFC-FILE", "cafe\u0301.md": "NFD-FILE", "caf\xe9.md": "LATIN1-FILE",
		"with space & amp;.md": "SPACE", "-rf.md": "DASH", "line\nbreak.md": "NEWLINE",
		strings.Repeat("文", 80) + ".md": "LONG",
	}
	s := newSite(t, contents)
	w := s.worker()
	run, gate := s.startToGate("one")
	other, _ := s.startToGate("two")

	require.Equal(t, len(contents), s.look(run).State.Context.Read)
	require.Len(t, gate.Actions, len(contents)+1, "a page for each file, and the index")
	require.Equal(t, s.targets(run), s.targets(other), "two runs find the same order")
	shown := s.approver("show", run)
	require.NotContains(t, shown, "line\nbreak", "the view stays on one line")
	require.NotContains(t, w.said(), "line\nbreak")

	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))
	for name, text := range contents {
		pages := strings.Fields(s.git("grep", "-l", "-w", text, "main", "--", "topics"))
		require.Len(t, pages, 1, "%+q is on one page of its own", name)
		if name == "caf\xe9.md" {
			require.Contains(t, s.git("show", pages[0]), `caf\\xe9.md`, "the raw byte survives as an escape, here in Markdown's spelling")
		}
	}
}

// targets lists where a run's plan writes, in the plan's order.
func (s *site) targets(run string) []string {
	s.t.Helper()
	p, err := plan.Load([]byte(s.approver("show", "--canonical", run)), s.status(run).PlanHash)
	require.NoError(s.t, err)
	var all []string
	for _, a := range p.Actions {
		all = append(all, a.Target)
	}
	return all
}

// A typing error in the path must not end as "weekly report written".
func TestC065_NothingToRead(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{
		"empty/zero.md": "", "pictures/a.png": "\x89PNG\r\n\x1a\n\x00", "file.md": "x\n",
		"invisible/zero-width.md": "\u200b\u200d\ufeff\n", "invisible/comment.html": "<!-- nothing but this -->\n",
		"invisible/blank.md": " \t\r\n\u3000\n", "invisible/mark.txt": "\xef\xbb\xbf", "invisible/nul.csv": "\x00",
	})
	s.mkdir("notes/emptydir")
	s.worker()
	for path, says := range map[string]string{
		"emptydir":  "holds no file",
		"empty":     "holds no document",
		"pictures":  "holds no document",
		"invisible": "nothing in it that a person could read",
		"file.md":   "is a file",
		"nowhere":   "does not exist",
	} {
		run := s.start(strings.ReplaceAll(path, "/", "-"), "--from", "notes/"+path)
		status := s.await(run, workflows.Failed)
		require.Contains(t, status.Reason, "collect_context", path)
		require.Contains(t, status.Reason, says, path)
		collect := step(status, workflows.CollectContext)
		require.Equal(t, workflows.StepFailed, collect.Status, path)
		require.Equal(t, 1, collect.Attempts, "%s: permanent", path)
		events := s.history(run)
		require.Zero(t, scheduled(events, workflows.MakePlan), path)
		require.Zero(t, scheduled(events, workflows.RequestApproval), path)
	}
	s.noEffects()
}

// A path that could leave its root or its repository is refused before there
// is a run.
func TestPathsThatLeaveAreRefusedBeforeTheStart(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	for flag, value := range map[string]string{"--from": "notes/../../etc", "--into": "kb/../x"} {
		args := map[string]string{"--from": "notes", "--into": "kb"}
		args[flag] = value
		refused := s.run(programs.starter, "start", "--goal", "x", "--id", "x", "--tenant", s.name, "--requester", "ann.wu",
			"--from", args["--from"], "--into", args["--into"])
		require.Equal(t, 2, refused.code, value)
		require.Contains(t, refused.err, "without '..'", value)
	}
	require.NotContains(t, s.starter("list", "--tenant", s.name), s.name+"/x")
}

// A root is a name of the worker's configuration, never a folder of the
// requester's choice. Another worker of the queue may have it, so the run waits.
func TestUnknownSourceRootIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	s.worker()
	run := s.start("x", "--from", "etc")
	s.eventually("the status says what is missing", func() bool {
		return strings.Contains(s.starter("status", run), `no source "etc" in its configuration, which names notes`)
	})
	s.temporal("workflow", "cancel", "--workflow-id", run)
	s.await(run, workflows.Canceled)
	require.Zero(t, scheduled(s.history(run), workflows.MakePlan))
}

// The plan quotes documents by design. Nothing else of the history does.
func TestDocumentsStayOutOfTheHistory(t *testing.T) {
	t.Parallel()
	const marker = "quicksilver"
	s := newSite(t, map[string]string{"billing.md": "# Billing\n\n## 2025-09-30\n\n- done: " + marker + "\n"})
	s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	s.approve(run, "bo.lin")
	s.oneEffectEach(s.await(run, workflows.Completed))

	events := s.history(run)
	for i, event := range events {
		made := event.GetEventType() == enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED &&
			activityOf(events, event.GetActivityTaskCompletedEventAttributes().GetScheduledEventId()) == workflows.MakePlan
		require.Equal(t, made, holds(s, event, marker), "event %d, %s", i+1, event.GetEventType())
	}
}

func requireSmallEvents(t *testing.T, s *site, run string) {
	t.Helper()
	for _, event := range s.history(run) {
		require.Less(t, proto.Size(event), maxEventBytes, "event %d, %s", event.GetEventId(), event.GetEventType())
	}
}

// Real folders have one big file.
func TestC039_AThreeMegabyteLine(t *testing.T) {
	t.Parallel()
	notes := weekOfNotes()
	for name := range strings.SplitSeq("abcdefghi", "") {
		notes[name+".md"] = "# " + name + "\n\ntext of " + name + "\n"
	}
	row := `"` + strings.Repeat("x", 63) + `"`
	notes["oneline.json"] = `{"rows": [` + strings.Join(slices.Repeat([]string{row}, 45_000), ", ") + `]}`
	s := newSite(t, notes)
	s.worker()
	run, _ := s.startToGate("weekly-2025-w40")
	require.Equal(t, 11, s.look(run).State.Context.Read)
	s.approver("approve", run, "--as", "bo.lin", "--yes", "--data", "data")
	s.oneEffectEach(s.await(run, workflows.Completed))
	requireSmallEvents(t, s, run)
}
