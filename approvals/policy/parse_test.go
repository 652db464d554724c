package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// numbered has a mistake put into it, by line.
const numbered = `label: changes
groups:
  editors:
    members:
      - mei.chen@example.com
      - tom.baker@example.com
  security:
    members: [bo.lin@example.com, cy.ma@example.com]
    tenants: [acme]
allowed_signers: |
  # keys
  bo.lin@example.com KEY
default:
  quorums:
    - 1 of editors
  decide_within: 24h
  grant_life: 480m
rules:
  - name: payments
    match: |
      tool == "pay" &&
      parameters.amount > 1000
    quorums: [1 of editors, 2 of security]
    decide_within: 4h
    remind_after: [1h, 3h]
    ask_again: 2
    shared: false
    confirm: true
    resolvers: security
  - name: drafts
    match: target.startsWith("drafts/")
    approval: none
    grant_life: 1h
`

func sound() string { return strings.Replace(numbered, "KEY", publicKey(1), 1) }

func TestEveryMistakeNamesFileAndLine(t *testing.T) {
	_, err := Parse([]byte(sound()), "policy.yaml", nil)
	require.NoError(t, err)
	for name, tc := range map[string]struct{ from, to, says string }{
		// The file.
		"empty":                  {sound(), "", "policy.yaml:1: the file is empty"},
		"only a comment":         {sound(), "# later\n", "policy.yaml:1: the file is empty"},
		"only a line":            {sound(), "---\n", "policy.yaml:2: a policy is a mapping"},
		"a list":                 {sound(), "- label", "policy.yaml:1: a policy is a mapping"},
		"syntax":                 {"    members: [bo", "    members: [[bo", "policy.yaml:7: no YAML: did not find expected"},
		"a tab":                  {"    members: [bo", "\tmembers: [bo", "policy.yaml:8: no YAML: a tab at the beginning of the line"},
		"a tab below":            {"    grant_life: 1h", "\tgrant_life: 1h", "policy.yaml:33: no YAML: a tab at the beginning of the line"},
		"a second document":      {"    grant_life: 1h\n", "    grant_life: 1h\n---\nlabel: b\n", "policy.yaml:34: more follows"},
		"too large":              {sound(), strings.Repeat("#\n", 140000), "policy.yaml:1: the file has 280000 bytes; at most 262144"},
		"an unknown field":       {"rules:", "rulez:", `policy.yaml:18: unknown field "rulez"; known are label, groups,`},
		"another case":           {"label:", "Label:", `policy.yaml:1: unknown field "Label"`},
		"a field twice":          {"rules:", "label: b\nrules:", "policy.yaml:18: label stands in line 1 already"},
		"a merge key":            {"rules:", "<<: {label: b}\nrules:", `policy.yaml:18: unknown field "<<"`},
		"a list as a name":       {"rules:", "? [a]\n: b\nrules:", "policy.yaml:18: a name must be a text"},
		"no label":               {"label: changes\n", "", "policy.yaml:1: label is missing"},
		"a label with a blank":   {"label: changes", "label: all changes", "policy.yaml:1: label has ' '"},
		"an empty label":         {"label: changes", `label: ""`, "policy.yaml:1: label has 0 bytes"},
		"a long label":           {"label: changes", "label: " + strings.Repeat("a", 65), "policy.yaml:1: label has 65 bytes"},
		"a number as label":      {"label: changes", "label: 1.0", "policy.yaml:1: label is not a text"},
		"an alias":               {"grant_life: 480m", "grant_life: &a 480m\nallowed_signers_file: *a", "policy.yaml:18: allowed_signers_file is not a text, not an alias"},
		"both forms":             {"label: changes", "label: changes\napprovers: [a]", "policy.yaml:4: groups cannot stand in the short form"},
		"a period at the top":    {"label: changes", "label: changes\ndecide_within: 1h", "policy.yaml:2: decide_within cannot stand in a policy without approvers"},
		"no default":             {"default:\n  quorums:\n    - 1 of editors\n  decide_within: 24h\n  grant_life: 480m\n", "", "policy.yaml:1: default is missing"},
		"an alias for a mapping": {"  security:\n", "  x: &x {members: [a]}\n  y: *x\n  security:\n", "policy.yaml:8: group y is not a mapping with members, not an alias"},
		"a rule that is a word":  {"rules:\n", "rules:\n  - always\n", "policy.yaml:19: a rule is a mapping with name and match"},
		"rules without a list":   {"rules:\n", "rules: none\nrulez:\n", `policy.yaml:19: unknown field "rulez"`},

		// Groups.
		"groups a list":       {"  editors:\n    members:\n      - mei.chen@example.com\n      - tom.baker@example.com\n  security:\n    members: [bo.lin@example.com, cy.ma@example.com]\n    tenants: [acme]\n", "  - editors\n", "policy.yaml:3: groups is a mapping of names"},
		"a group's name":      {"  security:", "  the security:", "policy.yaml:7: the name of a group has ' '"},
		"a group twice":       {"  security:", "  editors:", "policy.yaml:7: editors stands in line 3 already"},
		"no members":          {"    members: [bo.lin@example.com, cy.ma@example.com]\n", "", "policy.yaml:8: group security: members is missing"},
		"empty members":       {"[bo.lin@example.com, cy.ma@example.com]", "[]", "policy.yaml:8: group security: members is empty; nobody could approve"},
		"a member twice":      {"tom.baker@example.com", "Mei.Chen@example.com", "policy.yaml:6: group editors: members: mei.chen@example.com stands there twice"},
		"a look-alike":        {"tom.baker@", "t\u043em.baker@", `policy.yaml:6: group editors: members: the name "t\u043em.baker@example.com" has a letter beyond ASCII`},
		"everyone":            {"tom.baker@example.com", `"*"`, "policy.yaml:6: group editors: members: the name"},
		"a number for a name": {"tom.baker@example.com", "42", "policy.yaml:6: group editors: members is not a text"},
		"too many members":    {"[bo.lin@example.com, cy.ma@example.com]", names(101), "policy.yaml:8: group security: members has 101 names; at most 100"},
		"a tenant twice":      {"[acme]", "[acme, acme]", "policy.yaml:9: group security: tenants: acme stands there twice"},
		"no tenants":          {"[acme]", "[]", "policy.yaml:9: group security: tenants is empty; leave it out"},
		"tenants by pattern":  {"[acme]", `["*"]`, "policy.yaml:9: group security: tenants: the name of a tenant has '*'"},
		"another member":      {"    tenants:", "    owner:", `policy.yaml:9: unknown field "owner"; known are members, tenants`},
		"too many groups":     {"  security:\n", manyGroups(), "policy.yaml:3: groups has 52 names; at most 50"},

		// Keys.
		"a key that is none":     {publicKey(1), "ssh-ed25519 AAAA", "policy.yaml:12: the key cannot be read"},
		"keys twice":             {"default:", "allowed_signers_file: x\ndefault:", "policy.yaml:13: allowed_signers stands in line 10 already"},
		"keys out of reach":      {"allowed_signers: |\n  # keys\n  bo.lin@example.com " + publicKey(1), "allowed_signers_file: x", "policy.yaml:10: allowed_signers_file cannot be fetched here"},
		"signature without keys": {"    shared: false", "    proof: signature", "policy.yaml:27: rule payments: proof: signature can never be met: when everybody with a key has signed, 1 of editors and 1 of security would still be missing"},
		"inherited proof":        {"  grant_life: 480m", "  grant_life: 480m\n  proof: signature", "policy.yaml:18: default: proof: signature can never be met"},

		// What is asked.
		"an unknown group":         {"- 1 of editors", "- 1 of editor", `policy.yaml:15: default: quorums: there is no group "editor"; the groups are editors, security`},
		"more than there are":      {"2 of security", "3 of security", "policy.yaml:23: rule payments: quorums: security has only 2 members; 3 of them can never be found"},
		"nobody of a group":        {"2 of security", "0 of security", `policy.yaml:23: rule payments: quorums: "0 of security" is not a number of people`},
		"a group alone":            {"2 of security", "security", `policy.yaml:23: rule payments: quorums: "security" is not a number`},
		"a sign":                   {"2 of security", "+2 of security", `"+2 of security" is not a number`},
		"everybody":                {"2 of security", "all of security", `"all of security" is not a number`},
		"a quorum with a colon":    {"2 of security", "security: 2", "policy.yaml:23: rule payments: quorums: write 2 of security, without a colon"},
		"one more with a colon":    {"2 of security", "security: many", `policy.yaml:23: rule payments: quorums: a quorum is a text, such as "2 of security"`},
		"a group twice in a rule":  {"2 of security", "2 of editors", "policy.yaml:23: rule payments: quorums: editors stands there twice"},
		"no quorums":               {"[1 of editors, 2 of security]", "[]", "policy.yaml:23: rule payments: quorums is empty"},
		"quorums a text":           {"[1 of editors, 2 of security]", "1 of editors", "policy.yaml:23: rule payments: quorums is not a list"},
		"one person twice":         {"mei.chen@example.com\n      - tom.baker", "bo.lin@example.com\n      - cy.ma", "policy.yaml:23: rule payments: quorums can never be met: when everybody has approved, 1 of "},
		"a default that is silent": {"  quorums:\n    - 1 of editors\n", "  approval: none\n", `policy.yaml:14: unknown field "approval"`},
		"a default without life":   {"  grant_life: 480m\n", "", "policy.yaml:14: default: grant_life is missing"},
		"a default without end":    {"  decide_within: 24h\n", "", "policy.yaml:14: default: decide_within is missing"},
		"no unit":                  {"decide_within: 4h", "decide_within: 4", "policy.yaml:24: rule payments: decide_within needs a unit"},
		"no period":                {"decide_within: 4h", "decide_within: four hours", "policy.yaml:24: rule payments: decide_within is not a period"},
		"null":                     {" 480m", "", "policy.yaml:17: default: grant_life is not a text"},
		"zero":                     {"480m", "0s", "policy.yaml:17: default: grant_life is 0s; it must be above 0"},
		"negative":                 {"480m", "-8h", "policy.yaml:17: default: grant_life is -8h0m0s"},
		"too long":                 {"480m", "721h", "policy.yaml:17: default: grant_life is 721h0m0s; at most 720h0m0s (30 days)"},
		"beyond int64":             {"480m", "9999999h", "policy.yaml:17: default: grant_life is not a period"},
		"a fraction":               {"480m", "1500ms", "policy.yaml:17: default: grant_life is 1.5s; whole seconds"},
		"a date":                   {"480m", "2026-01-05", "policy.yaml:17: default: grant_life is not a text"},
		"a late reminder":          {"3h]", "4h]", "policy.yaml:25: rule payments: remind_after is 4h0m0s; the time to decide is over after 4h0m0s"},
		"a reminder twice":         {"3h]", "60m]", "policy.yaml:25: rule payments: remind_after: 1h0m0s stands there twice"},
		"many reminders":           {"[1h, 3h]", "[1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s, 10s, 11s]", "policy.yaml:25: rule payments: remind_after has 11 periods"},
		"a reminder in numbers":    {"[1h, 3h]", "[1]", "policy.yaml:25: rule payments: remind_after needs a unit"},
		"asked too often":          {"ask_again: 2", "ask_again: 11", "policy.yaml:26: rule payments: ask_again is 11; at most 10"},
		"asked half":               {"ask_again: 2", "ask_again: 1.5", "policy.yaml:26: rule payments: ask_again is not a whole number"},
		"asked in base 16":         {"ask_again: 2", "ask_again: 0x2", "policy.yaml:26: rule payments: ask_again is not a whole number"},
		"asked less than never":    {"ask_again: 2", "ask_again: -1", "policy.yaml:26: rule payments: ask_again is not a whole number"},
		"shared maybe":             {"shared: false", "shared: no", "policy.yaml:27: rule payments: shared is neither true nor false"},
		"confirm as text":          {"confirm: true", `confirm: "true"`, "policy.yaml:28: rule payments: confirm is neither true nor false"},
		"an unknown proof":         {"confirm: true", "proof: none", `policy.yaml:28: rule payments: proof is "none"; write signature or claim`},
		"an unknown resolver":      {"resolvers: security", "resolvers: ops", `policy.yaml:29: rule payments: resolvers: there is no group "ops"`},
		"resolvers by name":        {"resolvers: security", "resolvers: [bo.lin@example.com]", "policy.yaml:29: rule payments: resolvers is not a text"},

		// Rules.
		"no name":              {"  - name: drafts\n    match", "  - match", "policy.yaml:30: name is missing"},
		"no match":             {"    match: target.startsWith(\"drafts/\")\n", "", "policy.yaml:30: match is missing"},
		"a rule twice":         {"name: drafts", "name: payments", "policy.yaml:30: the rule payments stands in line 19 already"},
		"a rule named default": {"name: drafts", "name: default", "policy.yaml:30: a rule cannot be named default"},
		"a name with blanks":   {"name: drafts", "name: all drafts", "policy.yaml:30: name has ' '"},
		"another approval":     {"approval: none", "approval: never", `policy.yaml:32: rule drafts: approval is "never"; write none`},
		"silent, and asks":     {"    grant_life: 1h", "    quorums: [1 of editors]", "policy.yaml:33: rule drafts: quorums says nothing where nobody is asked"},
		"silent, and confirms": {"    grant_life: 1h", "    confirm: true", "policy.yaml:33: rule drafts: confirm says nothing where nobody is asked"},
		"too many rules":       {"rules:\n", manyRules(), "policy.yaml:219: there are 202 rules; at most 200"},

		// Matches. That of payments begins in line 21.
		"a misspelt variable":   {`tool == "pay"`, `tol == "pay"`, "policy.yaml:21: rule payments: match cannot be used: undeclared reference to 'tol'"},
		"in its second line":    {"parameters.amount", "params.amount", "policy.yaml:22: rule payments: match cannot be used: undeclared reference to 'params'"},
		"another type":          {`tool == "pay"`, `tool == 7`, "policy.yaml:21: rule payments: match cannot be used: found no matching overload for '_==_' applied to '(string, int)'"},
		"no truth":              {`target.startsWith("drafts/")`, `size(target)`, "policy.yaml:31: rule drafts: match is of type int, not true or false"},
		"perhaps a truth":       {`target.startsWith("drafts/")`, `parameters.draft`, "policy.yaml:31: rule drafts: match is of type dyn, not true or false; compare it"},
		"no expression":         {`target.startsWith("drafts/")`, `target in`, "policy.yaml:31: rule drafts: match cannot be used: Syntax error"},
		"two expressions":       {`target.startsWith("drafts/")`, `true; false`, "policy.yaml:31: rule drafts: match cannot be used: Syntax error"},
		"an empty match":        {`target.startsWith("drafts/")`, `" "`, "policy.yaml:31: rule drafts: match is empty; write true"},
		"a truth of YAML":       {`target.startsWith("drafts/")`, `true`, "policy.yaml:31: rule drafts: match is not a text"},
		"a risk that is none":   {`target.startsWith("drafts/")`, `risk == "hihg"`, `policy.yaml:31: rule drafts: match cannot be used: risk is never "hihg"; it is one of low, medium, high`},
		"the other way round":   {`target.startsWith("drafts/")`, `'"hihg" == risk'`, `policy.yaml:31: rule drafts: match cannot be used: risk is never "hihg"`},
		"a class that is none":  {`target.startsWith("drafts/")`, `class in ["once", "twice"]`, `policy.yaml:31: rule drafts: match cannot be used: class is never "twice"`},
		"a bad pattern":         {`target.startsWith("drafts/")`, `target.matches("[")`, "policy.yaml:31: rule drafts: match cannot be used: invalid matches argument"},
		"loops in loops":        {`target.startsWith("drafts/")`, `parameters.a.all(x, x.all(y, y.all(z, z)))`, "policy.yaml:31: rule drafts: match cannot be used: comprehension exceeds nesting limit"},
		"what nobody sees":      {`target.startsWith("drafts/")`, `"target == \"a\u202eb\""`, `policy.yaml:31: rule drafts: match has characters that a reader cannot see: target == "a\u{202E}b"`},
		"a match without end":   {`target.startsWith("drafts/")`, `"true || target == '` + strings.Repeat("x", 4096) + `'"`, "policy.yaml:31: rule drafts: match has 4116 bytes; at most 4096"},
		"an alias as a match":   {`target.startsWith("drafts/")`, `*m`, "policy.yaml:1: no YAML: unknown anchor 'm' referenced"},
		"parameters misspelled": {"parameters.amount", "parameter.amount", "policy.yaml:22: rule payments: match cannot be used: undeclared reference to 'parameter'"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(sound(), tc.from, tc.to, 1)
			require.NotEqual(t, sound(), text)
			got, err := Parse([]byte(text), "policy.yaml", nil)
			require.ErrorContains(t, err, tc.says)
			require.Nil(t, got)
		})
	}
}

func names(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("p%d", i))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func manyGroups() string {
	var b strings.Builder
	for i := range 50 {
		fmt.Fprintf(&b, "  g%d: {members: [a]}\n", i)
	}
	return b.String() + "  security:\n"
}

func manyRules() string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "  - {name: r%d, match: 'true'}\n", i)
	}
	return "rules:\n" + b.String()
}

func TestKeysInAFileOfTheirOwn(t *testing.T) {
	for name, tc := range map[string]struct {
		path, text string
		says       string
	}{
		"not there":      {"elsewhere", "", "policy.yaml:12: allowed_signers_file: there is no file keys/allowed_signers"},
		"a bad line":     {"keys/allowed_signers", "# keys\n\n" + bo + " ssh-ed25519\n", "keys/allowed_signers:3: there is no key"},
		"keys of nobody": {"keys/allowed_signers", "dan.x " + publicKey(1) + "\n", "policy.yaml:21: rule payments: proof: signature can never be met"},
		"keys of one":    {"keys/allowed_signers", bo + " " + publicKey(1) + "\n" + mei + " " + publicKey(2), "when everybody with a key has signed, 1 of security would still be missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(sampleFile), "policy.yaml", reading(tc.path, tc.text))
			require.ErrorContains(t, err, tc.says)
		})
	}
	failing := func(string) ([]byte, error) { return nil, errors.New("no such file") }
	_, err := Parse([]byte("label: a\ngroups: {g: {members: [b]}}\nallowed_signers_file: x\ndefault: {quorums: [1 of g], decide_within: 1h, grant_life: 1h}\n"), "p", failing)
	require.EqualError(t, err, "p:3: allowed_signers_file: no such file")
}

// The short form is what there was before rules, and means the same.
const shortFile = `# who may approve
label: weekly-report
approvers:
  - cy.ma
  - "Bo.Lin"
decide_within: 24h
grant_life: 480m
`

func TestShortForm(t *testing.T) {
	p, err := Parse([]byte(shortFile), "policy.yaml", nil)
	require.NoError(t, err)
	got, err := p.Evaluate(planOf(payment), ann)
	require.NoError(t, err)
	for a, want := range map[aspect]string{
		asks: "1 of approvers", shared: "false", selfApproval: "false", decideWithin: "24h0m0s", grantLife: "8h0m0s", proof: "claim",
		askAgain: "0", remindAfter: "", resolvers: "bo.lin, cy.ma", confirm: "", rules: "default",
	} {
		require.Equal(t, want, a.of(got), a)
	}
	require.Equal(t, []string{"bo.lin", "cy.ma"}, got.Quorums[0].Members)
	require.Empty(t, got.Signers)

	simple, err := Simple("weekly-report", []string{"cy.ma", "Bo.Lin"}, 24*time.Hour, 8*time.Hour)
	require.NoError(t, err)
	require.Equal(t, simple.Version(), p.Version())

	named, err := Parse([]byte(shortFile+"resolvers: [Ops.Li]\n"), "policy.yaml", nil)
	require.NoError(t, err)
	got, err = named.Evaluate(planOf(payment), ann)
	require.NoError(t, err)
	require.Equal(t, "ops.li", resolvers.of(got))
	require.Equal(t, "1 of approvers", got.Asks(), "resolvers do not approve")
	require.NotEqual(t, p.Version(), named.Version())
}

func TestShortFormNamesFileAndLine(t *testing.T) {
	for name, tc := range map[string]struct{ from, to, says string }{
		"unknown field":  {"grant_life:", "grant_lives:", `policy.yaml:7: unknown field "grant_lives"`},
		"missing":        {"grant_life: 480m\n", "", "policy.yaml:2: grant_life is missing"},
		"nobody":         {"\n  - cy.ma\n  - \"Bo.Lin\"", " []", "policy.yaml:3: approvers is empty; nobody could approve"},
		"one name":       {"\n  - cy.ma\n  - \"Bo.Lin\"", " cy.ma", "policy.yaml:3: approvers is not a list"},
		"nothing":        {"\n  - cy.ma\n  - \"Bo.Lin\"", "", "policy.yaml:3: approvers is not a list"},
		"name twice":     {"cy.ma", "bo.lin", "policy.yaml:5: approvers: bo.lin stands there twice"},
		"resolver twice": {"grant_life:", "resolvers: [ops.li, OPS.LI]\ngrant_life:", "policy.yaml:7: resolvers: ops.li stands there twice"},
		"no unit":        {"24h", "24", "policy.yaml:6: decide_within needs a unit"},
		"an alias":       {"24h\ngrant_life: 480m", "&a 24h\ngrant_life: *a", "policy.yaml:7: grant_life is not a text, not an alias"},
		"rules":          {"grant_life:", "rules: []\ngrant_life:", "policy.yaml:7: rules cannot stand in the short form with approvers"},
		"too many":       {"\n  - cy.ma\n  - \"Bo.Lin\"", " " + names(101), "policy.yaml:3: approvers has 101 names"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(shortFile, tc.from, tc.to, 1)
			require.NotEqual(t, shortFile, text)
			_, err := Parse([]byte(text), "policy.yaml", nil)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestSimpleRefusesWhatAFileCouldNotSay(t *testing.T) {
	for says, simple := range map[string]func() (*Policy, error){
		"label has ' '": func() (*Policy, error) { return Simple("a b", []string{"a"}, time.Hour, time.Hour) },
		"approvers is empty; nobody could approve": func() (*Policy, error) { return Simple("a", nil, time.Hour, time.Hour) },
		"approvers: the name":                      func() (*Policy, error) { return Simple("a", []string{"a "}, time.Hour, time.Hour) },
		"approvers: a stands there twice":          func() (*Policy, error) { return Simple("a", []string{"a", "A"}, time.Hour, time.Hour) },
		"decide_within is 0s":                      func() (*Policy, error) { return Simple("a", []string{"a"}, 0, time.Hour) },
		"grant_life is 721h0m0s":                   func() (*Policy, error) { return Simple("a", []string{"a"}, time.Hour, 721*time.Hour) },
	} {
		p, err := simple()
		require.ErrorContains(t, err, says)
		require.Nil(t, p)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sound()))
	f.Add([]byte(shortFile))
	f.Add([]byte(pairs()))
	f.Add([]byte("label: a\ngroups: {g: {members: [b]}}\ndefault: {quorums: [1 of g], decide_within: 1h, grant_life: 1h}\nrules: [{name: a, match: 'true'}]\n"))
	f.Add([]byte("{label: a, approvers: [b], decide_within: 1s, grant_life: 720h}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := Parse(raw, "policy.yaml", nil)
		if err != nil {
			require.Nil(t, p)
			require.Regexp(t, `^policy\.yaml:[1-9][0-9]*: `, err.Error())
			return
		}
		// What is accepted means the same when it is read from its own bytes.
		again, err := FromCanonical(p.Canonical())
		require.NoError(t, err)
		require.Equal(t, p.Version(), again.Version())
		_, _ = p.Evaluate(planOf(payment, page), ann) // never panics
	})
}
