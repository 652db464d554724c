package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/corpora"
	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// Real documentation goes to a model, and what the model makes of it to a
// knowledge base. What is asked is the same on two installations, one with
// OpenAI's interface and one with Anthropic's, byte for byte; every document
// that was read is in the question or said to be left out; and the pages are
// those of the reply.
func TestModelsPlanTheCorpora(t *testing.T) {
	t.Parallel()
	for _, name := range corpora.Names() {
		folder, _ := corpora.Folder(t, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sources := someMarkdown(t, folder, 2)
			var questions []string
			for _, kind := range []modelserver.API{modelserver.OpenAI, modelserver.Anthropic} {
				s := newSite(t, nil)
				require.NoError(t, os.RemoveAll(s.path("notes")))
				require.NoError(t, os.CopyFS(s.path("notes"), os.DirFS(folder)))
				server := s.modelOf(kind, pagesOf(t, folder, sources))
				s.worker()
				run := s.startModel(name)
				gate := s.await(run, workflows.WaitingApproval)
				require.Len(t, server.Calls(), 1)
				question := questionOf(t, server.Calls()[0])
				questions = append(questions, question)
				s.requireAccounted(run, question)
				for _, source := range sources {
					require.Contains(t, question, "document \"notes/"+source+"\"")
					require.Contains(t, question, firstLine(t, folder, source))
					require.Contains(t, s.approver("show", "--data", s.path("data"), run), "notes/"+source)
				}

				s.approve(run, "bo.lin")
				done := s.await(run, workflows.Completed)
				s.oneEffectEach(done)
				require.Equal(t, len(sources), gate.Counts.Total)
				for i, source := range sources {
					require.Equal(t, pageOf(t, folder, source), s.page(fmt.Sprintf("reports/page-%d.md", i+1)))
				}
			}
			require.Equal(t, questions[0], questions[1], "the same documents, the same question")
		})
	}
}

// modelOf is as models, with a server of either kind.
func (s *site) modelOf(kind modelserver.API, answers ...modelserver.Answer) *modelserver.Server {
	s.t.Helper()
	server := s.models("", answers...)
	if kind == modelserver.Anthropic {
		s.configure(fmt.Sprintf("planners: {writer: {kind: anthropic, base_url: %q, model: scripted, key: \"${env:MODEL_KEY}\"}}\n", server.AnthropicURL()))
	}
	return server
}

// someMarkdown are the first documents of a folder, in the order of their names,
// whose first line says something.
func someMarkdown(t *testing.T, folder string, n int) (names []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(name, ".md") && len(names) < n && len(firstLine(t, folder, name)) > 10 {
			names = append(names, name)
		}
		return err
	}))
	require.Len(t, names, n)
	return names
}

func firstLine(t *testing.T, folder, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
	require.NoError(t, err)
	line, _, _ := strings.Cut(string(raw), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
}

// pageOf is what the scripted model makes of a document.
func pageOf(t *testing.T, folder, name string) string {
	t.Helper()
	return "Begins with: " + firstLine(t, folder, name) + "\n"
}

// pagesOf is a reply that proposes a page for each of these documents.
func pagesOf(t *testing.T, folder string, names []string) modelserver.Answer {
	t.Helper()
	var actions []any
	for i, name := range names {
		actions = append(actions, map[string]any{
			"id": fmt.Sprintf("page-%d", i+1), "tool": "gitpages", "documents": []string{"notes/" + name},
			"parameters": map[string]string{"page": fmt.Sprintf("page-%d.md", i+1), "content": pageOf(t, folder, name), "title": "One document"},
		})
	}
	raw, err := json.Marshal(map[string]any{"format": "holdpoint.actions/1", "actions": actions})
	require.NoError(t, err)
	return modelserver.Answer{Text: string(raw)}
}

// questionOf is the user's message of a call, in either interface.
func questionOf(t *testing.T, call modelserver.Call) string {
	t.Helper()
	var body struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	require.NoError(t, json.Unmarshal(call.Body, &body))
	for _, m := range body.Messages {
		if m.Role != "user" {
			continue
		}
		var text string
		if json.Unmarshal(m.Content, &text) == nil {
			return text
		}
		var blocks []struct {
			Text string `json:"text"`
		}
		require.NoError(t, json.Unmarshal(m.Content, &blocks))
		require.Len(t, blocks, 1)
		return blocks[0].Text
	}
	require.Fail(t, "no message of the user")
	return ""
}

var (
	shownDocument = regexp.MustCompile(`(?m)^\[\[[0-9a-f]{32} document "`)
	givenNote     = regexp.MustCompile(`^of (\d+) documents the model was given (\d+) whole, (\d+) in part and (\d+) not at all`)
)

// requireAccounted wants each document that was read in the question, or counted
// among those that are not.
func (s *site) requireAccounted(run, question string) {
	s.t.Helper()
	read, shown := s.look(run).State.Context.Read, len(shownDocument.FindAllString(question, -1))
	require.Positive(s.t, shown)
	var counted []int
	for _, note := range s.plan(run).Notes {
		for _, number := range givenNote.FindStringSubmatch(note) {
			var n int
			if _, err := fmt.Sscan(number, &n); err == nil {
				counted = append(counted, n)
			}
		}
	}
	if counted == nil { // everything fitted
		require.Equal(s.t, read, shown)
		return
	}
	require.Len(s.t, counted, 4)
	require.Equal(s.t, read, counted[0])
	require.Equal(s.t, shown, counted[1]+counted[2])
	require.Equal(s.t, read-shown, counted[3])
}
