package gitpages

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Which pages one plan can write, by the rule that a path is a file or a folder,
// and has one spelling on every system.
func TestPagesThatCannotStandBesideEachOther(t *testing.T) {
	const composed, decomposed = "kb/caf\u00e9.md", "kb/cafe\u0301.md"
	for _, tt := range []struct {
		name    string
		targets []string // of the actions a, b, c
		id      string   // of the one that is refused
		code    string
		says    string
	}{
		{name: "one page", targets: []string{"kb/w.md"}},
		{name: "pages of one folder", targets: []string{"kb/w/a.md", "kb/w/b.md", "kb/w.md"}},
		{name: "a folder named as a page is without its suffix", targets: []string{"kb/w.md", "kb/w/x.md"}},
		{name: "two repositories", targets: []string{"kb/w.md", "wiki/w.md/x.md", "KB/W.md"}},
		{name: "letters that only full folding takes for others", targets: []string{"kb/straße.md", "kb/strasse.md"}},

		{"a page below a page", []string{"kb/w.md", "kb/w.md/x.md"}, "b", codePagePlace, `"w.md" is a page of action "a", so no page can be below it`},
		{"a page above a page", []string{"kb/w.md/x.md", "kb/y.md", "kb/w.md"}, "c", codePagePlace, `"w.md" is a folder with a page of action "a" in it, so it cannot be a page`},
		{"a page far below a page", []string{"kb/a/w.md", "kb/a/w.md/b/c/x.md"}, "b", codePagePlace, `"a/w.md" is a page of action "a"`},
		{"a page twice", []string{"kb/w.md", "kb/w.md"}, "b", codePagePlace, `"w.md" is written by action "a" already`},
		{"up to case", []string{"kb/w.md", "kb/W.md"}, "b", codePageCase, `"W.md" differs from "w.md", which action "a" writes, only in case or in how letters are composed`},
		{"a folder up to case", []string{"kb/team/x.md", "kb/Team/y.md"}, "b", codePageCase, `"Team" differs from "team"`},
		{"a page below one up to case", []string{"kb/w.md", "kb/W.md/x.md"}, "b", codePageCase, `"W.md" differs from "w.md"`},
		{"up to case, outside of ASCII", []string{"kb/ΣΑΣ.md", "kb/σας.md"}, "b", codePageCase, "differs from"},
		{"up to composition", []string{composed, decomposed}, "b", codePageCase, "differs from"},
		{"up to both", []string{"kb/CAFE\u0301.md", composed}, "b", codePageCase, "differs from"},
		{"a folder up to composition", []string{"kb/caf\u00e9/x.md", "kb/cafe\u0301/y.md"}, "b", codePageCase, "differs from"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var actions []plan.Action
			for i, target := range tt.targets {
				actions = append(actions, plan.Action{ID: string(rune('a' + i)), Target: target})
			}
			id, err := new(Tool).Together(actions)
			require.Equal(t, tt.id, id)
			if tt.id == "" {
				require.NoError(t, err)
				return
			}
			var fault *faults.Fault
			require.ErrorAs(t, err, &fault)
			require.Equal(t, faults.Permanent, fault.Class)
			require.Equal(t, tt.code, fault.Code)
			require.Contains(t, fault.Reason, tt.says)
		})
	}
}
