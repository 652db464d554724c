package approvals_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestParseResolution(t *testing.T) {
	hash := plan.Sum([]byte("plan")).String()
	whole := map[string]any{
		"action_id": "a1", "plan_hash": hash, "outcome": "happened", "operator": "cy.ma", "evidence": "the page is there",
	}
	for _, tt := range []struct {
		name   string
		change map[string]any // nil removes a member
		want   string         // of the error; empty for none
	}{
		{"whole", nil, ""},
		{"with a claim", map[string]any{"claim": "3"}, ""},
		{"not_happened without a claim", map[string]any{"outcome": "not_happened"}, "there is no claim, which not_happened needs"},
		{"with a signature", map[string]any{"signature": "-----BEGIN SSH SIGNATURE-----"}, ""},
		{"no action", map[string]any{"action_id": nil}, "there is no action_id"},
		{"long action", map[string]any{"action_id": strings.Repeat("a", 300)}, "the action_id has 300 bytes; at most 254 are allowed"},
		{"no plan", map[string]any{"plan_hash": nil}, "there is no plan_hash"},
		{"bare hash", map[string]any{"plan_hash": hash[7:]}, "the plan_hash cannot be used"},
		{"zero hash", map[string]any{"plan_hash": "sha256:" + strings.Repeat("0", 64)}, "the plan_hash is all zeros, which no plan has"},
		{"no outcome", map[string]any{"outcome": nil}, "there is no outcome"},
		{"empty outcome", map[string]any{"outcome": ""}, "there is no outcome"},
		{"other outcome", map[string]any{"outcome": "Happened"}, `the outcome "Happened" is not known; happened, not_happened and abort are`},
		{"outcome as a truth", map[string]any{"outcome": true}, `the member "outcome" is a boolean, not a string`},
		{"no operator", map[string]any{"operator": nil}, "there is no operator"},
		{"no evidence", map[string]any{"evidence": nil}, "there is no evidence, which says how you know"},
		{"blank evidence", map[string]any{"evidence": " \n"}, "there is no evidence, which says how you know"},
		{"long evidence", map[string]any{"evidence": strings.Repeat("x", 4097)}, "the evidence has 4097 bytes; at most 4096 are allowed"},
		{"other case", map[string]any{"Outcome": "happened"}, `the member "Outcome" must be written "outcome"`},
		{"a decision's member", map[string]any{"decision": "approve"}, `the member "decision" is not known`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sent := maps.Clone(whole)
			for name, value := range tt.change {
				if sent[name] = value; value == nil {
					delete(sent, name)
				}
			}
			raw, err := json.Marshal(sent)
			require.NoError(t, err)
			got, err := approvals.ParseResolution(raw)
			if tt.want != "" {
				require.ErrorContains(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "a1", got.ActionID)
			require.Equal(t, approvals.Happened, got.Outcome)
		})
	}
	_, err := approvals.ParseResolution([]byte(`{"outcome":"abort","outcome":"happened"}`))
	require.Error(t, err, "one member twice")
	_, err = approvals.ParseResolution(nil)
	require.EqualError(t, err, "there is no input")
}

func termsOfTwo() approvals.Terms {
	return approvals.Terms{
		Label: "p", Version: "p@sha256:01", Proof: approvals.ByClaim, DecideWithin: time.Hour, GrantLife: time.Hour,
		Quorums:   []approvals.Quorum{{Group: "approvers", Need: 1, Members: []string{"bo.lin", "cy.ma"}}},
		Resolvers: []approvals.Resolvers{{Members: []string{"bo.lin", "cy.ma"}}},
	}
}

// Resolutions are judged in their order. The first valid word counts, but for
// one that has something sent again: the cautious words take its place.
func TestResolutionsAreJudgedInTheirOrder(t *testing.T) {
	hash := plan.Sum([]byte("plan"))
	doubts := func() approvals.Doubts {
		return approvals.Doubts{
			PlanHash: hash, Requester: "ann.wu", Terms: termsOfTwo(),
			Waiting:  []approvals.InDoubt{{ActionID: "a", Claim: "2"}, {ActionID: "said", Claim: "3", Said: approvals.NotHappened}},
			Resolved: []approvals.InDoubt{{ActionID: "sent", Claim: "1", Said: approvals.NotHappened}, {ActionID: "old", Said: approvals.Happened}},
		}
	}
	word := func(action, outcome, operator, claim string) approvals.Arrival {
		raw, err := json.Marshal(approvals.Resolution{
			ActionID: action, PlanHash: hash, Outcome: approvals.Outcome(outcome), Operator: operator, Evidence: "e", Claim: claim,
		})
		require.NoError(t, err)
		return approvals.Arrival{Raw: raw, Via: approvals.ViaSignal}
	}
	for _, tt := range []struct {
		name  string
		batch []approvals.Arrival
		want  []approvals.Code
	}{
		{"another claim", []approvals.Arrival{word("a", "happened", "cy.ma", "1")}, []approvals.Code{approvals.NotInDoubt}},
		{"another action", []approvals.Arrival{word("c", "happened", "cy.ma", "")}, []approvals.Code{approvals.NotInDoubt}},
		{"no claim, and nothing is sent", []approvals.Arrival{word("a", "abort", "cy.ma", "")}, []approvals.Code{approvals.Accepted}},
		{"no claim, and it is sent again", []approvals.Arrival{word("a", "not_happened", "cy.ma", "")}, []approvals.Code{approvals.Malformed}},
		{
			"it did not happen, it did, it did not",
			[]approvals.Arrival{word("a", "not_happened", "Cy.Ma", "2"), word("a", "not_happened", "cy.ma", "2"), word("a", "happened", "bo.lin", ""), word("a", "not_happened", "cy.ma", "2")},
			[]approvals.Code{approvals.Accepted, approvals.Duplicate, approvals.Accepted, approvals.Contradicts},
		},
		{
			"it did not happen, it is given up",
			[]approvals.Arrival{word("a", "not_happened", "cy.ma", "2"), word("a", "abort", "cy.ma", "2"), word("a", "happened", "cy.ma", "2"), word("a", "abort", "bo.lin", "")},
			[]approvals.Code{approvals.Accepted, approvals.Accepted, approvals.Contradicts, approvals.Duplicate},
		},
		{
			"it happened, it is given up",
			[]approvals.Arrival{word("a", "happened", "cy.ma", ""), word("a", "abort", "bo.lin", ""), word("a", "happened", "bo.lin", "2")},
			[]approvals.Code{approvals.Accepted, approvals.Contradicts, approvals.Duplicate},
		},
		{
			"what is not recorded yet can be taken back",
			[]approvals.Arrival{word("said", "not_happened", "cy.ma", "3"), word("said", "happened", "cy.ma", "2"), word("said", "happened", "cy.ma", "3")},
			[]approvals.Code{approvals.Duplicate, approvals.NotInDoubt, approvals.Accepted},
		},
		{
			"what is recorded cannot",
			[]approvals.Arrival{word("sent", "happened", "cy.ma", ""), word("sent", "not_happened", "cy.ma", "1"), word("sent", "happened", "cy.ma", "7"), word("old", "abort", "cy.ma", "1")},
			[]approvals.Code{approvals.Contradicts, approvals.Duplicate, approvals.NotInDoubt, approvals.Contradicts},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := doubts()
			var got []approvals.Code
			for _, v := range approvals.JudgeResolutions(d, tt.batch) {
				got = append(got, v.Code)
				require.Equal(t, v.Code != approvals.Accepted, v.Reason != "")
			}
			require.Equal(t, tt.want, got)
			require.Equal(t, doubts(), d, "the judge changes nothing of what it is given")
		})
	}
	verdict := approvals.JudgeResolutions(doubts(), []approvals.Arrival{word("a", "happened", "Cy.Ma", "")})[0]
	require.Equal(t, "cy.ma", verdict.Approver, "the name is normalized")
	require.Equal(t, "2", verdict.Claim, "that in doubt now")

	ended := doubts()
	ended.Ended = true
	batch := []approvals.Arrival{word("a", "happened", "cy.ma", "2")}
	require.Equal(t, approvals.TooLate, approvals.JudgeResolutions(ended, batch)[0].Code)
	require.Equal(t, approvals.NoPlanYet, approvals.JudgeResolutions(approvals.Doubts{}, batch)[0].Code)
}

func FuzzParseResolution(f *testing.F) {
	hash := plan.Sum([]byte("plan")).String()
	f.Add([]byte(`{"action_id":"a","plan_hash":"` + hash + `","outcome":"happened","operator":"cy.ma","evidence":"e"}`))
	f.Add([]byte(`{"outcome":null}`))
	f.Add([]byte(`"happened"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := approvals.ParseResolution(raw)
		if err != nil {
			return
		}
		// What is accepted says all it must, and means the same when it is
		// written again.
		require.NotEmpty(t, r.ActionID)
		require.NotEmpty(t, strings.TrimSpace(r.Evidence))
		again, err := json.Marshal(r)
		require.NoError(t, err)
		second, err := approvals.ParseResolution(again)
		require.NoError(t, err)
		require.Equal(t, r, second)
	})
}
