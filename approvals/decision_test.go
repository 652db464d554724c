package approvals

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// withHash puts the current plan's hash in place of H1.
func withHash(raw string) []byte { return []byte(strings.ReplaceAll(raw, "H1", h1.String())) }

func TestParseDecision(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		want Decision
	}{
		"approve": {
			` {"plan_hash":"H1","decision":"approve","approver":"bo.lin","comment":"ok"} ` + "\n",
			Decision{Decision: Approve, PlanHash: h1, Approver: "bo.lin", Comment: "ok"},
		},
		"reject": {
			`{"decision":"reject","plan_hash":"H1","approver":"Bo.Lin"}`,
			Decision{Decision: Reject, PlanHash: h1, Approver: "Bo.Lin"},
		},
		"revise": {
			`{"decision":"revise","plan_hash":"H1","approver":"bo.lin","feedback":"先写 <b>","comment":"c"}`,
			Decision{Decision: Revise, PlanHash: h1, Approver: "bo.lin", Feedback: "先写 <b>", Comment: "c"},
		},
		"signed": {
			`{"decision":"revise","plan_hash":"H1","approver":"bo.lin","feedback":"先写 <b>","signature":"s"}`,
			Decision{Decision: Revise, PlanHash: h1, Approver: "bo.lin", Feedback: "先写 <b>", Signature: "s"},
		},
		"of one action": {
			`{"decision":"approve","plan_hash":"H1","action_id":"pay","approver":"bo.lin"}`,
			Decision{Decision: Approve, PlanHash: h1, ActionID: "pay", Approver: "bo.lin"},
		},
		"escaped": {
			`{"d\u0065cision":"\u0061pprove","plan_hash":"H1","approver":"bo.lin"}`,
			Decision{Decision: Approve, PlanHash: h1, Approver: "bo.lin"},
		},
		"longest comment": {
			`{"decision":"reject","plan_hash":"H1","approver":"bo.lin","comment":"` + strings.Repeat("x", MaxTextBytes) + `"}`,
			Decision{Decision: Reject, PlanHash: h1, Approver: "bo.lin", Comment: strings.Repeat("x", MaxTextBytes)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDecision(withHash(tc.raw))
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

// malformed are inputs that are no decision, and what the sender is told.
var malformed = map[string]struct{ raw, says string }{
	// C001, C002: not an object, or nothing in it.
	"a string":             {`"approve"`, "is a string, not an object"},
	"a number":             {`42`, "is a number, not an object"},
	"an array":             {`["approve"]`, "is an array, not an object"},
	"true":                 {`true`, "is a boolean, not an object"},
	"signed comment":       {`{"decision":"revise","plan_hash":"H1","approver":"bo.lin","feedback":"a","comment":"b","signature":"s"}`, "only the feedback is signed"},
	"revise one action":    {`{"decision":"revise","plan_hash":"H1","approver":"bo.lin","feedback":"a","action_id":"pay"}`, "one action cannot be revised"},
	"long action":          {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","action_id":"` + strings.Repeat("a", 255) + `"}`, "the action_id has 255 bytes"},
	"null":                 {`null`, "is null, not an object"},
	"no input":             {``, "no input"},
	"blanks":               {" \n", "no input"},
	"an empty object":      {`{}`, "no decision"},
	"an object in a text":  {`"{\"decision\":\"approve\"}"`, "is a string, not an object"},
	"an object in an list": {`[{"decision":"approve","plan_hash":"H1","approver":"bo.lin"}]`, "is an array"},
	// C004: two members where readers differ.
	"other case beside":   {`{"plan_hash":"H1","decision":"reject","Decision":"approve","approver":"bo.lin"}`, `"Decision" must be written "decision"`},
	"twice":               {`{"plan_hash":"H1","decision":"reject","decision":"approve","approver":"bo.lin"}`, "a second member of this name, at /decision"},
	"twice, equal":        {`{"plan_hash":"H1","decision":"approve","decision":"approve","approver":"bo.lin"}`, "a second member of this name, at /decision"},
	"twice, escaped":      {`{"plan_hash":"H1","decision":"reject","decisio\u006e":"approve","approver":"bo.lin"}`, "a second member of this name, at /decision"},
	"upper case":          {`{"PLAN_HASH":"H1","DECISION":"approve","APPROVER":"bo.lin"}`, `"APPROVER" must be written "approver"`},
	"case that Go folds":  {`{"deci\u017fion":"approve","plan_hash":"H1","approver":"bo.lin"}`, `must be written "decision"`},
	"two documents":       {`{"decision":"reject"}{"decision":"approve"}`, "no JSON"},
	"text behind":         {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin"} ok`, "no JSON"},
	"a comment":           {`{"decision":"approve",/* */"plan_hash":"H1","approver":"bo.lin"}`, "no JSON"},
	"cut off":             {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin"`, "no JSON"},
	"invalid UTF-8":       {"{\"decision\":\"approve\",\"plan_hash\":\"H1\",\"approver\":\"bo.lin\xff\"}", "no UTF-8"},
	"lone surrogate":      {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","comment":"\ud800"}`, "lone surrogate, at /comment"},
	"other decision":      {`{"decision":"approved","plan_hash":"H1","approver":"bo.lin"}`, `"approved" is not known`},
	"decision's case":     {`{"decision":"Approve","plan_hash":"H1","approver":"bo.lin"}`, `"Approve" is not known`},
	"decision with blank": {`{"decision":"approve ","plan_hash":"H1","approver":"bo.lin"}`, `"approve " is not known`},
	"decision true":       {`{"decision":true,"plan_hash":"H1","approver":"bo.lin"}`, `"decision" is a boolean, not a string`},
	"decision null":       {`{"decision":null,"plan_hash":"H1","approver":"bo.lin"}`, `"decision" is null, not a string`},
	"decision empty":      {`{"decision":"","plan_hash":"H1","approver":"bo.lin"}`, "no decision"},
	"without decision":    {`{"plan_hash":"H1","approver":"bo.lin"}`, "no decision"},
	"without plan_hash":   {`{"decision":"approve","approver":"bo.lin"}`, "no plan_hash"},
	"without approver":    {`{"decision":"approve","plan_hash":"H1"}`, "no approver"},
	"approver empty":      {`{"decision":"approve","plan_hash":"H1","approver":""}`, "no approver"},
	"approver long":       {`{"decision":"approve","plan_hash":"H1","approver":"` + strings.Repeat("a", 255) + `"}`, "approver has 255 bytes"},
	"approvers":           {`{"decision":"approve","plan_hash":"H1","approver":["bo.lin","cy.ma"]}`, `"approver" is an array, not a string`},
	"comment null":        {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","comment":null}`, `"comment" is null, not a string`},
	"comment long":        {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","comment":"` + strings.Repeat("x", MaxTextBytes+1) + `"}`, "comment has 4097 bytes"},
	"feedback long":       {`{"decision":"revise","plan_hash":"H1","approver":"bo.lin","feedback":"` + strings.Repeat("x", MaxTextBytes+1) + `"}`, "feedback has 4097 bytes"},
	"revise in silence":   {`{"decision":"revise","plan_hash":"H1","approver":"bo.lin"}`, "revise needs feedback"},
	"revise with blanks":  {`{"decision":"revise","plan_hash":"H1","approver":"bo.lin","feedback":" \n"}`, "revise needs feedback"},
	"feedback, approve":   {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","feedback":"but"}`, "feedback belongs to revise"},
	"too large":           {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","signature":"` + strings.Repeat("x", MaxDecisionBytes) + `"}`, "at most 65536"},
	"unknown":             {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","force":"yes"}`, `"force" is not known`},
	"unknown, no text":    {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","force":true}`, `"force" is a boolean`},
	"prototype":           {`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","":""}`, `"" is not known`},
	"hash is null":        {`{"decision":"approve","plan_hash":null,"approver":"bo.lin"}`, `"plan_hash" is null`},
	"hash is empty":       {`{"decision":"approve","plan_hash":"","approver":"bo.lin"}`, "digest \"\" is empty"},
}

func TestC001_C002_C004_MalformedDecisionsAreRefusedByName(t *testing.T) {
	for name, tc := range malformed {
		t.Run(name, func(t *testing.T) {
			got, err := ParseDecision(withHash(tc.raw))
			require.ErrorContains(t, err, tc.says)
			require.Equal(t, Decision{}, got)
		})
	}
}

func TestC012_AHashInAnotherFormIsMalformed(t *testing.T) {
	for name, tc := range map[string]struct{ written, says string }{
		"upper case":    {"sha256:" + strings.ToUpper(h1.Hex()), "upper-case digits"},
		"bare":          {h1.Hex(), `does not begin with \"sha256:\"`},
		"first 12":      {"sha256:" + h1.Hex()[:12], "12 digits, not 64"},
		"bare first 12": {h1.Hex()[:12], "does not begin with"},
		"line end":      {h1.String() + "\n", "line ends"},
		"zeros":         {"sha256:" + strings.Repeat("0", 64), "all zeros"},
		"bare zeros":    {strings.Repeat("0", 64), "does not begin with"},
	} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.Marshal(map[string]string{"decision": "approve", "plan_hash": tc.written, "approver": bo})
			require.NoError(t, err)
			v := judgeOne(t, openRequest(), arrival(raw))
			require.Equal(t, Malformed, v.Code)
			require.Contains(t, v.Reason, strings.ReplaceAll(tc.says, `\"`, `"`))
		})
	}
}

func TestC057_AnApprovalCannotBringItsOwnExpiry(t *testing.T) {
	for _, expiry := range []string{
		`"2026-01-05T10:00:00Z"`, `"2026-01-05T10:00:00+00:00"`, `"2026-01-05 10:00"`, `1767607200`,
		`"31/01/2026"`, `""`, `null`, `"9999-12-31T23:59:59Z"`,
	} {
		for _, member := range []string{"expires_at", "expires", "decide_by"} {
			raw := withHash(`{"decision":"approve","plan_hash":"H1","approver":"bo.lin","` + member + `":` + expiry + `}`)
			v := judgeOne(t, openRequest(), arrival(raw))
			require.Equal(t, Malformed, v.Code, string(raw))
			require.Contains(t, v.Reason, member)
		}
	}
}

func FuzzParseDecision(f *testing.F) {
	for _, tc := range malformed {
		if len(tc.raw) < 1000 {
			f.Add(withHash(tc.raw))
		}
	}
	f.Add(withHash(`{"decision":"revise","plan_hash":"H1","approver":"bo.lin","feedback":"\u0000"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := ParseDecision(raw)
		if err != nil {
			require.Equal(t, Decision{}, d)
			return
		}
		require.True(t, d.Decision.known())
		require.NotEmpty(t, d.Approver)
		require.False(t, d.PlanHash.IsZero())

		// A lenient reader of the same bytes sees the same decision.
		var lenient Decision
		require.NoError(t, json.Unmarshal(raw, &lenient))
		require.Equal(t, lenient, d)
		// What the approver's program would write from it is the same again.
		written, err := json.Marshal(d)
		require.NoError(t, err)
		again, err := ParseDecision(written)
		if len(written) <= MaxDecisionBytes {
			require.NoError(t, err)
			require.Equal(t, d, again)
		}
	})
}
