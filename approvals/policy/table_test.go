package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const examples = "../../examples/policies"

// exampleTable reads the example's policy, with a change made to it, and its table.
func exampleTable(t *testing.T, from, to string) (*Policy, Table) {
	t.Helper()
	fetch := func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(examples, path)) }
	raw, err := fetch("acme-changes.yaml")
	require.NoError(t, err)
	text := strings.Replace(string(raw), from, to, 1)
	require.Equal(t, from == to, text == string(raw))
	p, err := Parse([]byte(text), "acme-changes.yaml", fetch)
	require.NoError(t, err)
	raw, err = fetch("acme-changes.table.yaml")
	require.NoError(t, err)
	table, err := ParseTable(raw, "acme-changes.table.yaml")
	require.NoError(t, err)
	return p, table
}

func TestExamplePolicyAsksWhatItsTableSays(t *testing.T) {
	p, table := exampleTable(t, "", "")
	outcomes := table.Run(p)
	require.Len(t, outcomes, 13)
	for _, o := range outcomes {
		require.Empty(t, o.Differs, o.Name)
		require.True(t, o.OK())
		require.Positive(t, o.Line)
	}
}

// A table is worth something when a policy that was loosened does not pass it.
func TestExampleTableFindsWhatWasLoosened(t *testing.T) {
	for name, tc := range map[string]struct {
		from, to string
		differs  []string // what the first example says that fails
	}{
		"a rule less": {"quorums: [2 of editors]", "quorums: [1 of editors]", []string{"quorums: want 2 of editors, got 1 of editors"}},
		"a claim":     {"    proof: signature\n    confirm: true\n", "    confirm: true\n", []string{"proof: want signature, got claim"}},
		"an amount":   {"parameters.amount > 10000 ", "parameters.amount > 100000 ", nil},
		"a tenant":    {"    tenants: [acme]\n", "", []string{`error: want "security, which counts only for runs of acme; this run is of umbra", got none: 1 of editors and 1 of security`}},
		"longer":      {"grant_life: 1h", "grant_life: 2h", []string{"grant_life: want 1h0m0s, got 2h0m0s"}},
		"silence":     {`match: tool == "wiki" && target in`, `match: tool == "wiki" && target in ["wiki/blog.md"] && target in`, nil},
		"no keys": {
			"allowed_signers_file: allowed_signers",
			"allowed_signers: |\n  " + bo + " " + publicKey(1) + "\n  " + cy + " " + publicKey(2) + "\n  " + mei + " " + publicKey(3) + "\n  " + tom + " " + publicKey(4), nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, table := exampleTable(t, tc.from, tc.to)
			var failed [][]string
			for _, o := range table.Run(p) {
				if !o.OK() {
					failed = append(failed, o.Differs)
				}
			}
			if name == "no keys" { // it asks the same of the same people, as long as some can sign
				require.Empty(t, failed)
				return
			}
			require.NotEmpty(t, failed)
			if tc.differs != nil {
				require.Equal(t, tc.differs, failed[0])
			}
		})
	}
}

func TestTableComparesWhatItExpects(t *testing.T) {
	const head = "examples:\n  - name: x\n    tenant: acme\n    requester: ann.wu@example.com\n    actions: [{tool: pay, parameters: {amount: 5000, to: [a, {b: null}]}}, {id: d, tool: wiki, target: wiki/drafts/x}]\n    expect: {"
	p := read(t, sampleFile)
	for expect, want := range map[string][]string{
		"quorums: [2 of security, 1 of editors], proof: signature, confirm: [a1], rules: [payments, drafts]":                      nil,
		"decide_within: 240m, grant_life: 60m, ask_again: 2, remind_after: [3h, 1h], shared: false, requester_may_approve: false": nil,
		"quorums: [1 of security]":    {"quorums: want 1 of security, got 1 of editors, 2 of security"},
		"asks: nobody":                {"asks: want nobody, got 1 of editors and 2 of security"},
		"proof: claim, shared: true":  {"proof: want claim, got signature", "shared: want true, got false"},
		"confirm: []":                 {"confirm: want none, got a1"},
		"confirm: [a1, d]":            {"confirm: want a1, d, got a1"},
		"decide_within: 1h":           {"decide_within: want 1h0m0s, got 4h0m0s"},
		"grant_life: 2h":              {"grant_life: want 2h0m0s, got 1h0m0s"},
		"ask_again: 0":                {"ask_again: want 0, got 2"},
		"remind_after: [1h]":          {"remind_after: want 1h0m0s, got 1h0m0s, 3h0m0s"},
		"requester_may_approve: true": {"requester_may_approve: want true, got false"},
		"resolvers: [a]":              {"resolvers: want a, got a1: bo.lin@example.com, cy.ma@example.com, eve.li@example.com; mei.chen@example.com, tom.baker@example.com"},
		"rules: [default]":            {"rules: want default, got drafts, payments"},
		"error: nobody":               {`error: want "nobody", got none: 1 of editors and 2 of security`},
	} {
		table, err := ParseTable([]byte(head+expect+"}\n"), "t.yaml")
		require.NoError(t, err, expect)
		require.Equal(t, []Outcome{{Name: "x", Line: 2, Differs: want}}, table.Run(p), expect)
	}

	broken, err := ParseTable([]byte(strings.Replace(head, "amount: 5000", "amount: much", 1)+"error: no such overload}"), "t.yaml")
	require.NoError(t, err)
	require.True(t, broken.Run(p)[0].OK())
	broken, err = ParseTable([]byte(strings.Replace(head, "amount: 5000", "amount: much", 1)+"error: another}"), "t.yaml")
	require.NoError(t, err)
	require.Contains(t, broken.Run(p)[0].Differs[0], `error: want "another", got the rule payments cannot be evaluated`)
	broken, err = ParseTable([]byte(strings.Replace(head, "amount: 5000", "amount: much", 1)+"asks: nobody}"), "t.yaml")
	require.NoError(t, err)
	require.Contains(t, broken.Run(p)[0].Differs[0], "error: want none, got the rule payments cannot be evaluated")
}

func TestMistakesOfATableNameFileAndLine(t *testing.T) {
	const sound = `examples:
  - name: x
    requester: ann.wu@example.com
    actions:
      - tool: pay
        parameters:
          amount: 5
    expect:
      quorums: [1 of editors]
`
	_, err := ParseTable([]byte(sound), "t.yaml")
	require.NoError(t, err)
	for name, tc := range map[string]struct{ from, to, says string }{
		"empty":             {sound, "", "t.yaml:1: the file is empty"},
		"no examples":       {sound, "examples: []", "t.yaml:1: there are 0 examples"},
		"a list":            {sound, "- name: x", "t.yaml:1: a table is a mapping with examples"},
		"unknown":           {"requester:", "tenants: x\n    requester:", `t.yaml:3: unknown field "tenants"`},
		"no requester":      {"    requester: ann.wu@example.com\n", "", "t.yaml:2: requester is missing"},
		"no expectation":    {"    expect:\n      quorums: [1 of editors]\n", "", "t.yaml:2: expect is missing"},
		"expects nothing":   {"\n      quorums: [1 of editors]", " {}", "t.yaml:8: expect says nothing, so nothing could fail"},
		"no tool":           {"tool: pay", "target: pay", "t.yaml:5: tool is missing"},
		"a risk":            {"tool: pay", "tool: pay\n        risk: hihg", `t.yaml:6: risk is "hihg"; known are [low medium high]`},
		"a class":           {"tool: pay", "tool: pay\n        class: exactly", `t.yaml:6: class is "exactly"; known are`},
		"a count":           {"1 of editors", "editors", `t.yaml:9: quorums: "editors" is not a number of people`},
		"asks somebody":     {"quorums: [1 of editors]", "asks: editors", `t.yaml:9: asks is "editors"; nobody is all that it says`},
		"error and more":    {"quorums:", "error: x\n      quorums:", "t.yaml:9: error is a part of a text, and stands alone"},
		"an empty error":    {"quorums: [1 of editors]", `error: ""`, "t.yaml:9: error is a part of a text"},
		"unknown aspect":    {"quorums:", "quorum:", `t.yaml:9: unknown field "quorum"; known are error, ask_again, asks,`},
		"two of one name":   {"examples:\n", "examples:\n  - {name: x, requester: a, actions: [], expect: {asks: nobody}}\n", "t.yaml:3: the example x stands in line 2 already"},
		"a big number":      {"amount: 5", "amount: 9007199254740993", "t.yaml:7: parameters: malformed: a whole number beyond"},
		"infinity":          {"amount: 5", "amount: .inf", "t.yaml:7: parameters: JSON has no value .inf"},
		"a number of YAML":  {"amount: 5", "amount: 0x10", "t.yaml:7: parameters: JSON has no value 0x10"},
		"a parameter twice": {"amount: 5", "amount: 5\n          amount: 6", "t.yaml:8: amount stands in line 7 already"},
		"an alias":          {"amount: 5", "amount: &a 5\n          b: *a", "t.yaml:8: parameters are values, not an alias"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sound, tc.from, tc.to, 1)
			require.NotEqual(t, sound, text)
			_, err := ParseTable([]byte(text), "t.yaml")
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func FuzzParseTable(f *testing.F) {
	f.Add([]byte("examples:\n  - {name: x, requester: a, actions: [{tool: t, parameters: {a: [1, null, 'x']}}], expect: {asks: nobody}}\n"))
	f.Add([]byte("examples:\n  - {name: x, requester: a, actions: [], expect: {error: done, }}\n"))
	p := read(f, sampleFile)
	f.Fuzz(func(t *testing.T, raw []byte) {
		table, err := ParseTable(raw, "t.yaml")
		if err != nil {
			require.Regexp(t, `^t\.yaml:[1-9][0-9]*: `, err.Error())
			return
		}
		require.NotEmpty(t, table.Run(p))
	})
}

func TestExampleOfTheShortForm(t *testing.T) {
	raw, err := os.ReadFile("../../examples/weekly-report/policy.yaml")
	require.NoError(t, err)
	p, err := Parse(raw, "policy.yaml", nil)
	require.NoError(t, err)
	simple, err := Simple("weekly-report", []string{tom, mei}, 24*time.Hour, 8*time.Hour)
	require.NoError(t, err)
	require.Equal(t, simple.Version(), p.Version())
}
