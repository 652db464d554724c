package outline

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/corpora"
)

// goldenPlan is what a corpus becomes.
type goldenPlan struct {
	Notes   []string       `json:"notes"`
	Actions []goldenAction `json:"actions"`
}

type goldenAction struct {
	ID        string      `json:"id"`
	Page      string      `json:"page"`
	Title     string      `json:"title"`
	DependsOn []string    `json:"depends_on,omitempty"`
	Documents []string    `json:"documents,omitempty"`
	Bytes     int         `json:"bytes"`
	Content   plan.Digest `json:"content"`
}

func goldenOf(t *testing.T, draft planners.Draft) goldenPlan {
	t.Helper()
	g := goldenPlan{Notes: draft.Notes}
	for _, a := range draft.Actions {
		var p pageOf
		require.NoError(t, json.Unmarshal(a.Proposal.Parameters, &p))
		g.Actions = append(g.Actions, goldenAction{
			ID: a.ID, Page: p.Page, Title: p.Title, DependsOn: a.DependsOn, Documents: a.Documents,
			Bytes: len(p.Content), Content: plan.Sum([]byte(p.Content)),
		})
	}
	return g
}

// wholePages are the pages of each corpus that stand there in full, and were
// compared with the documents by hand. Of the others there are the digests.
func wholePages() map[string][]string {
	return map[string][]string{
		"k8s-keps-sig-cli": {"topics/keps-sig-cli-2257-kui-kep.md", "topics/keps-sig-cli-491-kubectl-diff.md", "index.md"},
		"rocketmq-docs-cn": {"topics/docs-cn-dledger-quick-start.md", "topics/docs-cn-faq.md", "index.md"},
		"mixed-formats":    {"topics/json-canonicalization-testdata-input-weird.md", "topics/us-digital-services-playbook-index.md", "topics/country-codes-tmp-unsd-cn.md"},
	}
}

// The plans of real documents: of the files that the repository has, and, where
// they are, of the whole corpora.
func TestC064_GoldenPlansOfTheCorpora(t *testing.T) {
	for _, name := range corpora.Names() {
		planned := func(folder string) planners.Draft {
			r := request(collect(t, name, folder))
			r.BusinessID = "docs"
			return planIt(t, r)
		}
		t.Run(name, func(t *testing.T) {
			draft := planned(filepath.Join(root, "internal", "corpora", "testdata", name))
			compareGolden(t, name+".json", goldenOf(t, draft))
			written := pagesOf(t, draft)
			for _, page := range wholePages()[name] {
				require.Contains(t, written, page)
				compareFile(t, filepath.Join(name, page), written[page].Content)
			}
		})
		if folder, whole := corpora.Folder(t, name); whole {
			t.Run(name+", whole", func(t *testing.T) {
				compareGolden(t, name+"-whole.json", goldenOf(t, planned(folder)))
			})
		}
	}
}

func compareGolden(t *testing.T, name string, g goldenPlan) {
	t.Helper()
	raw, err := json.MarshalIndent(g, "", "  ")
	require.NoError(t, err)
	compareFile(t, name, string(raw)+"\n")
}

func compareFile(t *testing.T, name, content string) {
	t.Helper()
	file := filepath.Join("testdata", "corpora", filepath.FromSlash(name))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), content, name)
}
