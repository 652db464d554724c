package policy

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// drawn is a policy in pieces, so that they can be put together in any order.
type drawn struct {
	groups []string // "g0: {members: [...]}" without the indentation
	base   string   // of the default
	rules  []string
}

// text puts the pieces together, shuffled if there is a source of chance.
func (d drawn) text(chance *rand.Rand) string {
	groups, rules := slices.Clone(d.groups), slices.Clone(d.rules)
	parts := []string{"label: drawn\n", "allowed_signers: " + fmt.Sprintf("%q", keysOfPeople()) + "\n", "default: {" + d.base + "}\n"}
	if chance != nil {
		chance.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
		chance.Shuffle(len(rules), func(i, j int) { rules[i], rules[j] = rules[j], rules[i] })
	}
	parts = append(parts, "groups:\n  "+strings.Join(groups, "\n  ")+"\n")
	if len(rules) > 0 {
		parts = append(parts, "rules:\n  - {"+strings.Join(rules, "}\n  - {")+"}\n")
	}
	if chance != nil {
		chance.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	}
	return strings.Join(parts, "")
}

// keysOfPeople gives all but p7 a key of their own.
func keysOfPeople() string {
	var lines strings.Builder
	for i := range byte(7) {
		fmt.Fprintf(&lines, "p%d %s\n", i, publicKey(i+1))
	}
	return lines.String()
}

const drawnRules = 6

func drawPolicy(t *rapid.T, rules int) drawn {
	var d drawn
	for i := range 4 {
		members := rapid.SliceOfNDistinct(rapid.IntRange(0, 7), 4, 6, rapid.ID[int]).Draw(t, "members")
		var names []string
		for _, m := range members {
			names = append(names, fmt.Sprintf("p%d", m))
		}
		d.groups = append(d.groups, fmt.Sprintf("g%d: {members: [%s]}", i, strings.Join(names, ", ")))
	}
	d.base = "quorums: [1 of g0], decide_within: " + drawPeriod(t) + ", grant_life: " + drawPeriod(t) + drawAspects(t, "shared", "proof", "self", "confirm", "again", "remind", "resolvers")
	for i := range rules {
		d.rules = append(d.rules, drawRule(t, i))
	}
	return d
}

func drawPeriod(t *rapid.T) string {
	return rapid.SampledFrom([]string{"1h", "2h", "3h", "24h", "48h"}).Draw(t, "period")
}

func drawRule(t *rapid.T, i int) string {
	name := fmt.Sprintf("name: r%d, match: '%q in parameters.rules'", i, fmt.Sprintf("r%d", i))
	if rapid.IntRange(0, 3).Draw(t, "silent") == 0 {
		return name + ", approval: none" + drawAspects(t, "life", "resolvers")
	}
	return name + drawAspects(t, "quorums", "shared", "within", "life", "proof", "self", "confirm", "again", "remind", "resolvers")
}

// drawAspects says some of these and leaves out others.
func drawAspects(t *rapid.T, aspects ...string) string {
	truth := func() bool { return rapid.Bool().Draw(t, "truth") }
	group := func() string { return rapid.SampledFrom([]string{"g0", "g1", "g2", "g3"}).Draw(t, "group") }
	text := ""
	for _, a := range aspects {
		if truth() {
			continue
		}
		switch a {
		case "quorums":
			first, second := group(), group()
			text += fmt.Sprintf(", quorums: [%d of %s", rapid.IntRange(1, 2).Draw(t, "need"), first)
			if first != second {
				text += ", 1 of " + second
			}
			text += "]"
		case "shared":
			text += fmt.Sprintf(", shared: %t", truth())
		case "within":
			text += ", decide_within: " + drawPeriod(t)
		case "life":
			text += ", grant_life: " + drawPeriod(t)
		case "proof":
			text += ", proof: " + rapid.SampledFrom([]string{"claim", "signature"}).Draw(t, "proof")
		case "self":
			text += fmt.Sprintf(", requester_may_approve: %t", truth())
		case "confirm":
			text += fmt.Sprintf(", confirm: %t", truth())
		case "again":
			text += fmt.Sprintf(", ask_again: %d", rapid.IntRange(0, 3).Draw(t, "again"))
		case "remind":
			text += ", remind_after: [" + rapid.SampledFrom([]string{"10m", "30m", "90m"}).Draw(t, "remind") + "]"
		case "resolvers":
			text += ", resolvers: " + group()
		}
	}
	return text
}

// drawPlan has actions that one or more of the rules match.
func drawPlan(t *rapid.T, fewest, rules int) plan.Plan {
	pl := planOf()
	for i := range rapid.IntRange(1, 4).Draw(t, "actions") {
		matching := rapid.SliceOfNDistinct(rapid.IntRange(0, rules-1), fewest, rules, rapid.ID[int]).Draw(t, "matching")
		var names []string
		for _, m := range matching {
			names = append(names, fmt.Sprintf(`"r%d"`, m))
		}
		a := action(fmt.Sprintf("a%d", i), "t", "x", `{"rules":[`+strings.Join(names, ",")+`]}`)
		if rapid.IntRange(0, 4).Draw(t, "replaces") == 0 {
			a.Replaces = "something"
		}
		if rapid.IntRange(0, 6).Draw(t, "done") == 0 {
			a.Done = &plan.Receipt{}
		}
		pl.Actions = append(pl.Actions, a)
	}
	return pl
}

// readDrawn reads a drawn policy; one that is refused is drawn anew.
func readDrawn(t *rapid.T, text string) *Policy {
	p, err := Parse([]byte(text), "policy.yaml", nil)
	if err != nil {
		require.Regexp(t, "can never be met|time to decide is over", err.Error(), text)
		t.Skip("a policy that is refused")
	}
	return p
}

func evaluate(p *Policy, pl plan.Plan) (approvals.Terms, []askedAction, error) {
	e := newEvaluation(p, pl, "p0", maxPlanCost)
	if err := e.ask(); err != nil {
		return approvals.Terms{}, nil, err
	}
	t, err := e.terms()
	return t, e.asked, err
}

func TestARuleThatIsAddedMakesNothingLaxer(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		all := drawPolicy(t, drawnRules)
		extended := readDrawn(t, all.text(nil))
		fewer := all
		fewer.rules = all.rules[1:] // r0 is the one that is added
		base := readDrawn(t, fewer.text(nil))
		pl := drawPlan(t, 1, drawnRules)
		if slices.ContainsFunc(pl.Actions, func(a plan.Action) bool { return string(a.Parameters) == `{"rules":["r0"]}` }) {
			t.Skip("an action that nothing matched before")
		}
		before, asked, err := evaluate(base, pl)
		after, _, afterErr := evaluate(extended, pl)
		if err != nil {
			// Without resolvers of its own, an action has those of the groups
			// that are asked, which may become more.
			if !strings.Contains(err.Error(), "may resolve") {
				require.Error(t, afterErr)
			}
			return
		}
		if afterErr != nil {
			return // stricter than can be met
		}
		compared++
		require.Empty(t, laxer(before, after, asked), "before %+v\nafter %+v", before, after)
	})
	require.Greater(t, compared, 10, "too few could be compared")
}

// laxer names the aspects in which after asks for less than before.
func laxer(before, after approvals.Terms, asked []askedAction) []string {
	var found []string
	note := func(is bool, what string) {
		if is {
			found = append(found, what)
		}
	}
	note(after.Unattended() && !before.Unattended(), "nobody is asked")
	note(after.GrantLife > before.GrantLife, "grant_life")
	for _, a := range asked {
		for _, name := range after.ResolversFor("p0", a.id) {
			note(len(a.resolvers) > 0 && !slices.Contains(before.ResolversFor("p0", a.id), name), "resolvers")
		}
	}
	if before.Unattended() {
		return found // whoever is asked now is more than nobody
	}
	for _, q := range before.Quorums {
		note(!slices.ContainsFunc(after.Quorums, func(o approvals.Quorum) bool {
			return o.Group == q.Group && o.Need >= q.Need && slices.Equal(o.Members, q.Members)
		}), "quorums")
	}
	note(after.Shared && !before.Shared, "shared")
	note(after.SelfApproval && !before.SelfApproval, "requester_may_approve")
	note(after.DecideWithin > before.DecideWithin, "decide_within")
	note(after.Proof != approvals.BySignature && before.Proof == approvals.BySignature, "proof")
	note(after.AskAgain > before.AskAgain, "ask_again")
	for _, id := range before.Confirm {
		note(!slices.Contains(after.Confirm, id), "confirm")
	}
	for _, at := range before.RemindAfter {
		note(at < after.DecideWithin && !slices.Contains(after.RemindAfter, at), "remind_after")
	}
	return found
}

func TestOrderMeansNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawPolicy(t, drawnRules)
		pl := drawPlan(t, 0, drawnRules)
		want, _, wantErr := evaluate(readDrawn(t, d.text(nil)), pl)
		chance := rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed")))
		shuffled := pl
		shuffled.Actions = slices.Clone(pl.Actions)
		chance.Shuffle(len(pl.Actions), func(i, j int) {
			shuffled.Actions[i], shuffled.Actions[j] = shuffled.Actions[j], shuffled.Actions[i]
		})
		got, _, gotErr := evaluate(readDrawn(t, d.text(chance)), shuffled)
		require.Equal(t, wantErr == nil, gotErr == nil)
		require.Equal(t, inOneOrder(want), inOneOrder(got))
	})
}

// inOneOrder sorts what stands in the order of the plan's actions.
func inOneOrder(t approvals.Terms) approvals.Terms {
	t.Confirm = slices.Sorted(slices.Values(t.Confirm))
	t.Resolvers = slices.Clone(t.Resolvers)
	for i := range t.Resolvers {
		t.Resolvers[i].Actions = slices.Sorted(slices.Values(t.Resolvers[i].Actions))
	}
	t.Confirmers = slices.Clone(t.Confirmers)
	for i := range t.Confirmers {
		t.Confirmers[i].Actions = slices.Sorted(slices.Values(t.Confirmers[i].Actions))
	}
	return t
}

func TestCanonicalRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := readDrawn(t, drawPolicy(t, drawnRules).text(nil))
		again, err := FromCanonical(p.Canonical())
		require.NoError(t, err)
		require.Equal(t, p.Canonical(), again.Canonical())
		pl := drawPlan(t, 0, drawnRules)
		want, _, wantErr := evaluate(p, pl)
		got, _, gotErr := evaluate(again, pl)
		require.Equal(t, wantErr, gotErr)
		require.Equal(t, want, got)
	})
}

// The combination is a meet: it does not matter what comes first, how it is
// grouped, or what is said twice. Many rules are therefore combined as one by one.
func TestCombinationIsAMeet(t *testing.T) {
	draw := func(t *rapid.T) demand {
		hours := rapid.IntRange(1, 5)
		d := demand{
			nobody: rapid.IntRange(0, 3).Draw(t, "nobody") == 0, grantLife: time.Duration(hours.Draw(t, "life")) * time.Hour,
			resolvers: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 1, rapid.ID[string]).Draw(t, "resolvers"),
		}
		if d.nobody {
			return d
		}
		d.quorums = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.IntRange(1, 3), 1, 3).Draw(t, "quorums")
		d.decideWithin = time.Duration(hours.Draw(t, "within")) * time.Hour
		d.shared, d.selfApproval, d.confirm = rapid.Bool().Draw(t, "shared"), rapid.Bool().Draw(t, "self"), rapid.Bool().Draw(t, "confirm")
		d.proof = rapid.SampledFrom([]approvals.Proof{approvals.ByClaim, approvals.BySignature}).Draw(t, "proof")
		d.askAgain = rapid.IntRange(0, 3).Draw(t, "again")
		for range rapid.IntRange(0, 8).Draw(t, "reminders") {
			d.remindAfter = union(d.remindAfter, []time.Duration{time.Duration(rapid.IntRange(1, 30).Draw(t, "at")) * time.Minute})
		}
		return d
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := draw(t), draw(t), draw(t)
		require.Equal(t, a.and(b).String(), b.and(a).String())
		same(t, a.and(b), b.and(a))
		same(t, a.and(b).and(c), a.and(b.and(c)))
		same(t, a.and(a), a)
		same(t, a.and(b).and(b), a.and(b))
	})
}

func same(t require.TestingT, a, b demand) {
	for _, d := range []*demand{&a, &b} {
		d.remindAfter = union(d.remindAfter, nil)
		d.resolvers = union(d.resolvers, nil)
		if len(d.remindAfter) == 0 {
			d.remindAfter = nil
		}
		if len(d.resolvers) == 0 {
			d.resolvers = nil
		}
	}
	require.Equal(t, a, b)
}
