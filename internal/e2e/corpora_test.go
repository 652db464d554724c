package e2e

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/corpora"
	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// Real documentation, in English and Chinese and in mixed formats, becomes a
// knowledge base: each file is accounted for, each action takes effect once,
// each link leads to lines of a document; and a second installation, with a
// copy of the documents, makes the same plan and the same pages.
func TestCorporaBecomeKnowledgeBases(t *testing.T) {
	t.Parallel()
	other := startServer(t)
	for _, name := range corpora.Names() {
		documents, _ := corpora.Folder(t, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here := newSite(t, nil)
			here.reads(documents)
			here.worker()
			run := here.startCorpus(name)
			gate := here.await(run, workflows.WaitingApproval)
			collected := here.look(run).State.Context
			require.Equal(t, here.find(documents), collected.Read+collected.Skipped, "every file is read or skipped")
			require.Greater(t, collected.Read, collected.Skipped)

			there := copyOf(t, other, documents)
			require.Equal(t, run, there.startCorpus(name))
			same := there.await(run, workflows.WaitingApproval)
			require.Equal(t, gate.ContextDigest, same.ContextDigest)
			require.Equal(t, gate.PlanHash, same.PlanHash, "the same documents, the same plan")

			for _, s := range []*site{here, there} {
				s.approve(run, "bo.lin")
				done := s.await(run, workflows.Completed)
				s.oneEffectEach(done)
				require.Greater(t, done.Counts.Total, collected.Read, "a page for each document, and the index")
			}
			require.Equal(t, here.git("rev-parse", "main^{tree}"), there.git("rev-parse", "main^{tree}"), "the same pages, byte for byte")
			require.Greater(t, here.checkLinks(documents), 2*collected.Read)
			requireSmallEvents(t, here, run)
		})
	}
}

// reads lets a site's source root be a folder elsewhere.
func (s *site) reads(folder string) {
	s.t.Helper()
	quoted := strconv.Quote(folder)
	s.write("holdpoint.yaml", "task_queue: "+s.name+"\nsources: {notes: "+quoted+"}\nrepositories: {kb: {path: kb}}\n"+
		"policy: policy.yaml\ndata: data\n")
}

// copyOf is an installation on another server that has the documents in a
// folder of its own, made anew.
func copyOf(t *testing.T, server *devserver.Server, documents string) *site {
	t.Helper()
	s := newSiteOn(t, server, nil)
	require.NoError(t, os.CopyFS(s.path("elsewhere"), os.DirFS(documents)))
	s.reads(s.path("elsewhere"))
	s.worker()
	return s
}

// startCorpus starts the run that every installation has under one id.
func (s *site) startCorpus(name string) (run string) {
	s.t.Helper()
	s.starter("start", "--goal", "an overview of "+name, "--from", "notes", "--into", "kb", "--tenant", "corpora",
		"--id", name, "--requester", "ann.wu", "-t", s.name)
	return "corpora/" + name
}

// find counts a folder's files as a person would.
func (s *site) find(folder string) int {
	s.t.Helper()
	return strings.Count(s.must("find", folder, "-mindepth", "1", "!", "-type", "d", "-print0"), "\x00")
}

var (
	documentLink = regexp.MustCompile(`\]\(source:notes/([^)#]+)(?:#L(\d+)(?:-L(\d+))?)?\)`)
	anySource    = regexp.MustCompile(`\]\(source:`)
	linkToPage   = regexp.MustCompile(`\]\(([^):]+\.md)\)`)
)

// checkLinks follows every link of every page, to a document's lines or to
// another page, and returns how many lead to documents.
func (s *site) checkLinks(documents string) (followed int) {
	s.t.Helper()
	pages := strings.Split(strings.TrimSpace(s.git("-c", "core.quotepath=off", "ls-tree", "-r", "--name-only", "main")), "\n")
	for _, name := range pages {
		text := s.page(name)
		links := documentLink.FindAllStringSubmatch(text, -1)
		require.Len(s.t, anySource.FindAllString(text, -1), len(links), "%s: every link into a document has the known form", name)
		require.NotEmpty(s.t, links, "%s links no document", name)
		for _, link := range links {
			s.follow(documents, name, link)
		}
		followed += len(links)
		for _, link := range linkToPage.FindAllStringSubmatch(text, -1) {
			target, err := url.PathUnescape(link[1])
			require.NoError(s.t, err)
			require.Contains(s.t, pages, path.Join(path.Dir(name), target), name)
		}
	}
	return followed
}

// follow opens the document of a link and looks whether it has these lines,
// and anything in them.
func (s *site) follow(documents, page string, link []string) {
	s.t.Helper()
	name, err := url.PathUnescape(link[1])
	require.NoError(s.t, err)
	raw, err := os.ReadFile(filepath.Join(documents, filepath.FromSlash(name)))
	require.NoError(s.t, err, "%s: %s", page, link[0])
	if link[2] == "" {
		return
	}
	first, err := strconv.Atoi(link[2])
	require.NoError(s.t, err)
	last := first
	if link[3] != "" {
		last, err = strconv.Atoi(link[3])
		require.NoError(s.t, err)
	}
	lines := strings.Split(string(raw), "\n")
	require.True(s.t, 1 <= first && first <= last && last <= len(lines), "%s: %s, of %d lines", page, link[0], len(lines))
	require.NotEmpty(s.t, strings.TrimSpace(strings.Join(lines[first-1:last], "")), "%s: %s leads to nothing", page, link[0])
}
