package plan

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCanonicalWritesEveryListAndMember(t *testing.T) {
	p := samplePlan()
	p.Notes, p.Actions[0].DependsOn, p.Actions[0].Done = nil, nil, nil
	canonical, err := p.Canonical()
	require.NoError(t, err)
	for _, part := range []string{
		`"notes":[]`, `"depends_on":[]`, `"done":null`, `"item":""`, `"model_id":""`, `"revision":0`,
		`"content":"# <R&D>\n"`, `"at":"2026-01-05T10:00:00Z"`,
	} {
		require.Contains(t, string(canonical), part)
	}
	require.Nil(t, p.Notes, "Canonical changed its receiver")

	empty := p
	empty.Notes = []string{}
	again, err := empty.Canonical()
	require.NoError(t, err)
	require.Equal(t, canonical, again)
}

func TestCanonicalRefusesWhatWouldBeLost(t *testing.T) {
	inZone := time.Date(2026, 1, 5, 11, 0, 0, 0, time.FixedZone("", 3600))
	for name, tc := range map[string]struct {
		spoil func(p *Plan)
		says  string
	}{
		"text":             {func(p *Plan) { p.Goal = "\xff" }, "goal is no UTF-8"},
		"note":             {func(p *Plan) { p.Notes = []string{"a", "b\xe2"} }, "notes is no UTF-8"},
		"preview":          {func(p *Plan) { p.Actions[1].Preview = "\xed\xa0\x80" }, "action 2: preview is no UTF-8"},
		"receipt":          {func(p *Plan) { p.Actions[2].Done.Ref = "\xff" }, "action 3: done is no UTF-8"},
		"time zone":        {func(p *Plan) { p.Actions[2].Done.At = inZone }, "UTC and whole seconds"},
		"fraction":         {func(p *Plan) { p.Actions[2].Done.At = p.Actions[2].Done.At.Add(1) }, "UTC and whole seconds"},
		"year":             {func(p *Plan) { p.Actions[2].Done.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, "year"},
		"parameters":       {func(p *Plan) { p.Actions[0].Parameters = json.RawMessage(`{"a":1,"a":2}`) }, "/actions/0/parameters/a"},
		"parameters UTF-8": {func(p *Plan) { p.Actions[0].Parameters = json.RawMessage("{\"a\":\"\xff\"}") }, "no UTF-8"},
		"amount":           {func(p *Plan) { p.Actions[0].Parameters = json.RawMessage(`{"amount":9007199254740993}`) }, "/actions/0/parameters/amount"},
		"size":             {func(p *Plan) { p.Actions[0].Preview = strings.Repeat("x", MaxBytes) }, "at most 16777216"},
	} {
		t.Run(name, func(t *testing.T) {
			p := samplePlan()
			tc.spoil(&p)
			_, err := p.Canonical()
			require.ErrorIs(t, err, ErrMalformed)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestLoadReturnsThePlanOfItsHash(t *testing.T) {
	p := samplePlan()
	canonical, hash := stored(t, p)
	loaded, err := Load(canonical, hash)
	require.NoError(t, err)
	again, err := loaded.Canonical()
	require.NoError(t, err)
	require.Equal(t, canonical, again)
	require.Equal(t, p.Actions[1].Target, loaded.Actions[1].Target)

	page, ok := loaded.Find("report")
	require.True(t, ok)
	require.Equal(t, "kb/weekly/2026-W48.md", page.Target)
	_, ok = loaded.Find("Report")
	require.False(t, ok)
}

func TestLoadRefusesAnotherDocument(t *testing.T) {
	canonical, hash := stored(t, samplePlan())
	changed := strings.Replace(string(canonical), "2026-W48.md", "2026-W49.md", 1)
	require.NotEqual(t, string(canonical), changed)
	_, err := Load([]byte(changed), hash)
	require.ErrorIs(t, err, ErrDigestMismatch)
	require.NotErrorIs(t, err, ErrMalformed)

	_, err = Load(canonical, Digest{})
	require.ErrorIs(t, err, ErrDigestMismatch)
	_, err = Load(canonical[:len(canonical)-1], hash)
	require.ErrorIs(t, err, ErrMalformed)
	_, err = Load(nil, hash)
	require.ErrorIs(t, err, ErrMalformed)
}

func TestC014_ATamperedAmountIsAnotherPlan(t *testing.T) {
	p := samplePlan()
	p.Actions[0].Parameters = json.RawMessage(`{"amount":82000}`)
	canonical, hash := stored(t, p)
	_, err := Load([]byte(strings.Replace(string(canonical), "82000", "820000", 1)), hash)
	require.ErrorIs(t, err, ErrDigestMismatch)
}

func TestC056_ThreeRoundTripsKeepTheHash(t *testing.T) {
	type envelope struct {
		Plan json.RawMessage `json:"plan"`
	}
	for name, parameters := range map[string]string{
		"null":         `{"note":null}`,
		"missing":      `{}`,
		"empty list":   `{"labels":[]}`,
		"null list":    `{"labels":null}`,
		"NUL":          `{"k\u0000":"v\u0000"}`,
		"markup":       `{"url":"https://kb.example.test/?a=1&b=<2>"}`,
		"separator":    `{"s":"\u2028"}`,
		"beyond plane": `{"\ufb33":1,"\ud83d\ude02":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := samplePlan()
			p.Actions[0].Parameters = json.RawMessage(parameters)
			raw, hash := stored(t, p)
			for range 3 {
				history, err := json.Marshal(envelope{Plan: raw})
				require.NoError(t, err)
				var back envelope
				require.NoError(t, json.Unmarshal(history, &back))
				loaded, err := Load(back.Plan, hash)
				require.NoError(t, err)
				raw, err = json.MarshalIndent(loaded, "", "  ")
				require.NoError(t, err)
			}
			loaded, err := Load(raw, hash)
			require.NoError(t, err)
			want, err := Canonicalize([]byte(parameters))
			require.NoError(t, err)
			require.Equal(t, string(want), string(loaded.Actions[0].Parameters))
		})
	}
}

func TestC056_LoadDropsNothingAndFillsInNothing(t *testing.T) {
	canonical, _ := stored(t, samplePlan())
	for name, tc := range map[string]struct{ from, to, says string }{
		"unknown member":           {`{"actions"`, `{"zeal":1,"actions"`, "zeal"},
		"unknown member in action": {`"replaces":""`, `"replaces":"","sudo":true`, "sudo"},
		"unknown member in done":   {`"ref":"3f2c9a1"`, `"ref":"3f2c9a1","x":0`, "x"},
		"missing":                  {`"goal":"Weekly report of 2026-W48",`, ``, "missing, null or in other letter case"},
		"null text":                {`"model_id":""`, `"model_id":null`, "missing, null or in other letter case"},
		"null list":                {`"depends_on":[]`, `"depends_on":null`, "missing, null or in other letter case"},
		"letter case":              {`"item":""`, `"Item":""`, "missing, null or in other letter case"},
		"both cases":               {`"item":""`, `"item":"","Item":""`, "missing, null or in other letter case"},
		"case that Go folds":       {`"risk":"low"`, `"ri\u017fk":"low"`, "missing, null or in other letter case"},
		"wrong type":               {`"revision":0`, `"revision":"0"`, "not a plan"},
		"other format":             {`"format":"holdpoint.plan/1"`, `"format":"holdpoint.plan/2"`, "format"},
		"a list of plans":          {`{"actions"`, `[{"actions"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(string(canonical), tc.from, tc.to, 1)
			require.NotEqual(t, string(canonical), changed)
			if strings.HasPrefix(changed, "[") {
				changed += "]"
			}
			asApproved, err := Canonicalize([]byte(changed))
			require.NoError(t, err)
			_, err = Load([]byte(changed), Sum(asApproved)) // even when it is this very document that was approved
			require.ErrorIs(t, err, ErrMalformed)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestC057_ATimeInAPlanHasOneForm(t *testing.T) {
	canonical, _ := stored(t, samplePlan())
	for _, written := range []string{
		`"2026-01-05T10:00:00+00:00"`, `"2026-01-05T10:00:00.000Z"`, `"2026-01-05T10:00:00.5Z"`, `"2026-01-05T11:00:00+01:00"`,
		`"2026-01-05 10:00"`, `"1767607200"`, `1767607200`, `"31/01/2026"`, `""`, `null`, `"2026-01-05t10:00:00z"`, `"0001-01-01T00:00:00Z"`,
	} {
		changed := strings.Replace(string(canonical), `"2026-01-05T10:00:00Z"`, written, 1)
		require.NotEqual(t, string(canonical), changed)
		_, err := Load([]byte(changed), Sum([]byte(changed)))
		require.ErrorIs(t, err, ErrMalformed, written)
	}
}

// before is a plan as it was written when actions had no tool_digest, byte for
// byte.
const before = `{"actions":[{"delivery_class":"keyed","depends_on":[],"done":null,"id":"order",` +
	`"idempotency_key":"eaa95d16ab87dc273bafff7185d93f637eb04188","item":"42","parameters":{"number":"42"},"precondition":"",` +
	`"preview":"","replaces":"","risk":"medium","schema_digest":"","semantic_version":"v1","target":"shop/orders","tool":"open_order",` +
	`"tool_version":"1"}],"business_id":"orders","context_digest":"","format":"holdpoint.plan/1","goal":"order it","model_id":"",` +
	`"notes":[],"planner":"given/1","prompt_version":"","revision":0,"run_id":"acme/orders","tenant":"acme","workflow_version":"1"}`

func TestPlanFromBeforeTheToolDigestKeepsItsHash(t *testing.T) {
	loaded, err := Load([]byte(before), Sum([]byte(before)))
	require.NoError(t, err)
	require.Zero(t, loaded.Actions[0].ToolDigest)
	again, err := loaded.Canonical()
	require.NoError(t, err)
	require.Equal(t, before, string(again))
}

func TestToolDigestIsPartOfThePlan(t *testing.T) {
	p := samplePlan()
	without, hash := stored(t, p)
	require.NotContains(t, string(without), "tool_digest")
	p.Actions[0].ToolDigest = Sum([]byte("declaration"))
	with, other := stored(t, p)
	require.NotEqual(t, hash, other)
	require.Contains(t, string(with), `"tool_digest":"`+Sum([]byte("declaration")).String()+`"`)
	loaded, err := Load(with, other)
	require.NoError(t, err)
	require.Equal(t, p.Actions[0].ToolDigest, loaded.Actions[0].ToolDigest)

	// "None" is written in one way, by leaving it out.
	for _, none := range []string{`""`, `null`} {
		written := strings.Replace(before, `"tool_version":"1"`, `"tool_digest":`+none+`,"tool_version":"1"`, 1)
		asApproved, err := Canonicalize([]byte(written))
		require.NoError(t, err)
		_, err = Load([]byte(written), Sum(asApproved))
		require.ErrorIs(t, err, ErrMalformed)
	}
}
