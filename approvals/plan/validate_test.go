package plan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestValidateNamesWhatDoesNotHold(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(p *Plan)
		says  string
	}{
		"format":             {func(p *Plan) { p.Format = "" }, `format is ""`},
		"revision":           {func(p *Plan) { p.Revision = -1 }, "revision"},
		"run":                {func(p *Plan) { p.RunID = "" }, "run_id is empty"},
		"tenant":             {func(p *Plan) { p.Tenant = "" }, "tenant is empty"},
		"business id":        {func(p *Plan) { p.BusinessID = "" }, "business_id is empty"},
		"no actions":         {func(p *Plan) { p.Actions = nil }, "without actions"},
		"too many":           {func(p *Plan) { p.Actions = make([]Action, MaxActions+1) }, "1001 actions"},
		"goal":               {func(p *Plan) { p.Goal = "\xff" }, "goal is no UTF-8"},
		"no id":              {func(p *Plan) { p.Actions[0].ID = "" }, "action 1: id has 0 bytes"},
		"long id":            {func(p *Plan) { p.Actions[0].ID = strings.Repeat("a", 65) }, "id has 65 bytes"},
		"blank in id":        {func(p *Plan) { p.Actions[0].ID = "a b" }, `' '`},
		"letter like a":      {func(p *Plan) { p.Actions[0].ID = "\u0430" }, `'\u0430'`},
		"same id":            {func(p *Plan) { p.Actions[0].ID = "index"; p.Actions[1].DependsOn = nil }, "two actions have the id index"},
		"class":              {func(p *Plan) { p.Actions[0].DeliveryClass = "" }, "delivery_class"},
		"risk":               {func(p *Plan) { p.Actions[0].Risk = "LOW" }, "risk"},
		"parameters":         {func(p *Plan) { p.Actions[0].Parameters = nil }, "action topics: there are no parameters"},
		"tool":               {func(p *Plan) { p.Actions[0].Tool = ""; withKeys(p) }, "tool is empty"},
		"target":             {func(p *Plan) { p.Actions[0].Target = ""; withKeys(p) }, "target is empty"},
		"semantic version":   {func(p *Plan) { p.Actions[0].SemanticVersion = ""; withKeys(p) }, "semantic_version is empty"},
		"chosen key":         {func(p *Plan) { p.Actions[0].IdempotencyKey = strings.Repeat("0", 40) }, "action topics: idempotency_key"},
		"key of other item":  {func(p *Plan) { p.Actions[0].Item = "order-7" }, "action topics: idempotency_key"},
		"key of other run":   {func(p *Plan) { p.BusinessID = "demo-002" }, "idempotency_key"},
		"one key twice":      {func(p *Plan) { p.Actions[1].Target = p.Actions[0].Target; withKeys(p) }, "actions topics and report have one idempotency key"},
		"unknown dependency": {func(p *Plan) { p.Actions[0].DependsOn = []string{"x"} }, `depends on "x"`},
		"named twice":        {func(p *Plan) { p.Actions[1].DependsOn = []string{"topics", "topics"} }, "names topics twice"},
		"itself":             {func(p *Plan) { p.Actions[0].DependsOn = []string{"topics"} }, "topics → topics wait"},
		"cycle":              {func(p *Plan) { p.Actions[0].DependsOn = []string{"report"} }, "topics → report → topics wait"},
		"within another":     {func(p *Plan) { p.Actions[0].Within = "kb/top" }, `does not lie within "kb/top"`},
		"within itself":      {func(p *Plan) { p.Actions[0].Within = p.Actions[0].Target }, "does not lie within"},
		"within's bytes":     {func(p *Plan) { p.Actions[0].Within = "\xff" }, "within is no UTF-8"},
		"document's bytes":   {func(p *Plan) { p.Actions[0].Documents = []string{"\xff"} }, "documents is no UTF-8"},
		"receipt's key":      {func(p *Plan) { p.Actions[2].Done.IdempotencyKey = "x" }, "another idempotency key"},
		"receipt's time":     {func(p *Plan) { p.Actions[2].Done.At = time.Time{} }, "no time"},
	} {
		t.Run(name, func(t *testing.T) {
			p := samplePlan()
			require.NoError(t, p.Validate())
			tc.spoil(&p)
			err := p.Validate()
			require.ErrorIs(t, err, ErrMalformed)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestValidateAcceptsTheLargestPlan(t *testing.T) {
	p := samplePlan()
	p.Actions = nil
	for i := range MaxActions { // one chain: the deepest order there can be
		a := samplePage(fmt.Sprintf("a-%d", i), fmt.Sprintf("kb/%d.md", i))
		if i > 0 {
			a.DependsOn = []string{fmt.Sprintf("a-%d", i-1)}
		}
		p.Actions = append(p.Actions, a)
	}
	withKeys(&p)
	require.NoError(t, p.Validate())
	p.Actions[0].DependsOn = []string{fmt.Sprintf("a-%d", MaxActions-1)}
	require.ErrorContains(t, p.Validate(), "wait for each other")
}

// In layers of two, each of which needs both of the layer before, the paths are
// 2^500: whoever walks them one by one never comes back.
func TestValidateWalksEachDependencyOnce(t *testing.T) {
	p := samplePlan()
	p.Actions = nil
	for i := range MaxActions {
		a := samplePage(fmt.Sprintf("a-%d", i), fmt.Sprintf("kb/%d.md", i))
		if layer := i / 2 * 2; layer > 0 {
			a.DependsOn = []string{fmt.Sprintf("a-%d", layer-1), fmt.Sprintf("a-%d", layer-2)}
		}
		p.Actions = append([]Action{a}, p.Actions...) // the last layer first
	}
	withKeys(&p)
	require.NoError(t, p.Validate())
}
