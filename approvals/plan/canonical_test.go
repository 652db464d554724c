package plan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hexOf returns the SHA-256 of the canonical form, as sha256sum prints it.
func hexOf(t *testing.T, raw string) string {
	t.Helper()
	canonical, err := Canonicalize([]byte(raw))
	require.NoError(t, err)
	return Sum(canonical).Hex()
}

const (
	caseP0 = `{"version":1,"run_id":"tenant-a/weekly-2025-w40","actions":[{"id":"a1","kind":"http.post",` +
		`"target":"https://kb.example.test/pages?space=R&D&v=<1>","args":{"title":"周报 W40","count":1,"ratio":0.5}}]}`
	caseP0Hash = "5aa624e1059045bb634147f4e2b0973cef577656ac72a5387ee77c167c6fadeb"
)

func TestC050_OneDocumentHasOneHashAndOneDigitMakesAnother(t *testing.T) {
	otherSpelling := `{ "actions" : [ {"args":{"ratio":5e-1,"title":"\u5468\u62a5 W40","count":1.0},` +
		`"target":"https:\/\/kb.example.test\/pages?space=R\u0026D&v=\u003C1>","kind":"http.post","id":"a1"} ],` + "\r\n\t" +
		`"run_id":"tenant-a\/weekly-2025-w40", "version":10e-1 }`
	require.Equal(t, caseP0Hash, hexOf(t, caseP0))
	require.Equal(t, caseP0Hash, hexOf(t, otherSpelling))
	require.Equal(t, "f7f75f11ff5c0d7a92def020e18aa5a50666067442ee7901aa4ded699ceed377",
		hexOf(t, strings.Replace(caseP0, `"count":1`, `"count":2`, 1)))
}

func TestC051_EscapesOfGoAreNotHashed(t *testing.T) {
	escaped, err := json.Marshal(json.RawMessage(caseP0))
	require.NoError(t, err)
	require.Contains(t, string(escaped), `\u0026`, "Go's encoder no longer escapes; this test has lost its input")
	require.Equal(t, caseP0Hash, hexOf(t, string(escaped)))

	const lineSeparator = "d2dcdddd0f4b645daac78de5e4c6e8eb33b01c4aab0266e49f8c8ccc7f945d99"
	require.Equal(t, lineSeparator, hexOf(t, `{"s":"\u2028"}`))
	require.Equal(t, lineSeparator, hexOf(t, "{\"s\":\"\u2028\"}"))
}

func TestC054_ComposedAndDecomposedLettersDiffer(t *testing.T) {
	composed, decomposed := hexOf(t, `{"t":"caf\u00e9"}`), hexOf(t, `{"t":"cafe\u0301"}`)
	require.Equal(t, "d8071006", composed[:8])
	require.Equal(t, "1333465a", decomposed[:8])
	require.Equal(t, composed, hexOf(t, "{\"t\":\"caf\u00e9\"}"))
	require.Equal(t, decomposed, hexOf(t, "{\"t\":\"cafe\u0301\"}"))

	// In a target path too: two paths, two keys, and neither is turned into the other.
	one, two := samplePlan(), samplePlan()
	one.Actions[0].Target, two.Actions[0].Target = "kb/caf\u00e9.md", "kb/cafe\u0301.md"
	withKeys(&one)
	withKeys(&two)
	require.NotEqual(t, one.Actions[0].IdempotencyKey, two.Actions[0].IdempotencyKey)
	for _, p := range []Plan{one, two} {
		canonical, hash := stored(t, p)
		loaded, err := Load(canonical, hash)
		require.NoError(t, err)
		require.Equal(t, p.Actions[0].Target, loaded.Actions[0].Target)
	}
}

// Names are no values; what they name is one.
func TestValuesAreBounded(t *testing.T) {
	values := func(n int) string { return `{"a":[` + strings.Repeat(`{},`, n-3) + `1]}` }
	_, err := Canonicalize([]byte(values(MaxValues)))
	require.NoError(t, err)
	_, err = Canonicalize([]byte(values(MaxValues + 1)))
	require.ErrorIs(t, err, ErrMalformed)
	require.ErrorContains(t, err, "more than 250000 values, at /a/249998 (byte 749999)")
}

func TestC055_MembersAreOrderedByUTF16Units(t *testing.T) {
	require.Equal(t, "100a82e7b54d5888ddc41747c813a1f268a416e1b01e1e4bb351fe427868af1a",
		hexOf(t, `{"\ufb33":1,"\ud83d\ude02":2}`))
}

func TestC055_PublishedVectors(t *testing.T) {
	inputs, err := filepath.Glob("testdata/rfc8785/input/*.json")
	require.NoError(t, err)
	require.Len(t, inputs, 6)
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			raw, err := os.ReadFile(input)
			require.NoError(t, err)
			want, err := os.ReadFile(filepath.Join("testdata/rfc8785/output", filepath.Base(input)))
			require.NoError(t, err)
			got, err := Canonicalize(raw)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
			if filepath.Base(input) == "weird.json" {
				require.Equal(t, "6af595a9aa80110b964b4de3f82a05fa6ae7423005019bacfa2620dddc4e94d1", Sum(got).Hex())
			}
		})
	}
}

func TestC056_NullAndMissingAreTwoDocuments(t *testing.T) {
	require.Equal(t, "d091f9c8", hexOf(t, `{"a":null}`)[:8])
	require.Equal(t, "44136fa3", hexOf(t, `{}`)[:8])
	require.NotEqual(t, hexOf(t, `{"labels":[]}`), hexOf(t, `{"labels":null}`))
}

func TestCanonicalizeRefusesLossAndDoubt(t *testing.T) {
	for name, tc := range map[string]struct{ raw, says string }{
		"nothing":                 {"", "empty"},
		"blanks":                  {" \n", "empty"},
		"no JSON":                 {"{'a':1}", "no JSON"},
		"cut off":                 {`{"a":1`, "no JSON"},
		"second value":            {`{} {}`, "no JSON"},
		"trailing letter":         {`1 x`, "no JSON"},
		"byte order mark":         {"\uFEFF{}", "no JSON"},
		"NaN":                     {`{"a":NaN}`, "no JSON"},
		"leading zero":            {`{"a":01}`, "no JSON"},
		"invalid UTF-8":           {"{\"a\":\"\xff\"}", "no UTF-8 at byte 6"},
		"encoded surrogate":       {"{\"a\":\"\xed\xa0\x80\"}", "no UTF-8 at byte 6"},
		"lone high surrogate":     {`{"a":{"b":"\ud800"}}`, "lone surrogate, at /a/b"},
		"lone low surrogate":      {`{"a":"\udc00"}`, "lone surrogate, at /a"},
		"two low surrogates":      {`["\udc00\udc00"]`, "lone surrogate, at /0"},
		"two high surrogates":     {`["\ud83d\ud83d"]`, "lone surrogate, at /0"},
		"high surrogate, letter":  {`["x","\ud83dab"]`, "lone surrogate, at /1"},
		"high surrogate, escape":  {`["\ud83d\n"]`, "lone surrogate, at /0"},
		"surrogate in a name":     {`{"\udead":1}`, "lone surrogate, at /"},
		"same name":               {`{"a":1,"b":2,"a":3}`, "second member of this name, at /a (byte 16)"},
		"same name, escaped":      {`{"x":[{"decision":1,"d\u0065cision":2}]}`, "second member of this name, at /x/0/decision"},
		"same name, pair":         {"{\"\U0001F602\":1,\"\\ud83d\\ude02\":2}", "second member of this name"},
		"too big":                 {`{"n":1e309}`, "beyond the range of float64, at /n"},
		"too big, negative":       {`[-1e400]`, "beyond the range of float64, at /0"},
		"too small":               {`{"n":1e-400}`, "too small for float64, at /n"},
		"2^53":                    {`{"n":9007199254740992}`, "beyond ±(2^53-1)"},
		"-2^53":                   {`{"n":-9007199254740992}`, "beyond ±(2^53-1)"},
		"2^53+1":                  {`{"n":9007199254740993}`, "beyond ±(2^53-1)"},
		"2^53+1 with fraction":    {`{"n":9007199254740993.0}`, "beyond ±(2^53-1)"},
		"1e20 becomes digits":     {`{"n":1e20}`, "beyond ±(2^53-1)"},
		"order number":            {`{"n":20261130123456789012}`, "beyond ±(2^53-1)"},
		"1e21 in digits":          {`{"n":1000000000000000000000}`, "beyond ±(2^53-1)"},
		"rounds to a whole":       {`{"n":1.00000000000000000001}`, "round to another"},
		"rounds to a whole above": {`{"n":9007199254740990.6}`, "round to another"},
		"large and rounded":       {`{"n":1.23456789012345678e30}`, "round to another"},
		"18 digits":               {`{"n":0.123456789012345678}`, "17 significant digits"},
		"0.1 in full":             {`{"n":0.1000000000000000055511151231257827}`, "17 significant digits"},
		"too deep":                {strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1), "100 levels"},
		"far too deep":            {strings.Repeat("[", 20000), "no JSON"},
		"names with slashes":      {`{"a/b~\u202e":[1e999]}`, `at /a~1b~0\u{202E}/0`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Canonicalize([]byte(tc.raw))
			require.ErrorIs(t, err, ErrMalformed)
			require.ErrorContains(t, err, tc.says)
		})
	}
}

func TestCanonicalizeAcceptsWhatFloat64Carries(t *testing.T) {
	for literal, want := range map[string]string{
		"0":                       "0",
		"-0":                      "0",
		"-0.0e5":                  "0",
		"0e999999999999999999999": "0",
		"1.0":                     "1",
		"5e-1":                    "0.5",
		"1.50000000000000000000":  "1.5",
		"0.1":                     "0.1",
		"100e-2":                  "1",
		"12e2":                    "1200",
		"82000":                   "82000",
		"9007199254740991":        "9007199254740991",
		"-9007199254740991":       "-9007199254740991",
		"90071992547409910e-1":    "9007199254740991",
		"1e21":                    "1e+21",
		"1E30":                    "1e+30",
		"-1.5e300":                "-1.5e+300",
		"5e-324":                  "5e-324",
		"0.000001":                "0.000001",
		"0.0000001":               "1e-7",
		"333333333.33333329":      "333333333.3333333",
	} {
		got, err := Canonicalize([]byte(literal))
		require.NoError(t, err, literal)
		require.Equal(t, want, string(got), literal)
	}
	deepest := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	got, err := Canonicalize([]byte(deepest))
	require.NoError(t, err)
	require.Equal(t, deepest, string(got))

	// Depth is nesting, not the number of objects, and names are per object.
	got, err = Canonicalize([]byte("[" + strings.Repeat(`{"a":[]},`, 200) + `{"a":[]}]`))
	require.NoError(t, err)
	require.Equal(t, 201, strings.Count(string(got), `{"a":[]}`))
}

func TestFingerprintIsOfTheCanonicalParameters(t *testing.T) {
	want, err := ParseDigest("sha256:015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862") // printf '{"a":1}' | sha256sum
	require.NoError(t, err)
	got, err := Fingerprint(json.RawMessage(" {\"a\" : 1.0}\n"))
	require.NoError(t, err)
	require.Equal(t, want, got)
	_, err = Fingerprint(json.RawMessage(`{"a":1,"a":2}`))
	require.ErrorIs(t, err, ErrMalformed)
}

func FuzzCanonicalize(f *testing.F) {
	for _, seed := range []string{
		caseP0, `{"a":1,"\u0061":2}`, `"\ud83d\ude02"`, `"\ud800"`, `[1e21,1E30,-0,5e-324,9007199254740992,0.1]`,
		`{"":{"\\":"\/"}}`, "\"\xff\"", `[[[[]]]]`, ` null `, `{"n":123456789012345678.5e-3}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, err := Canonicalize(raw)
		if err != nil {
			require.ErrorIs(t, err, ErrMalformed)
			if checkStrict(raw, MaxValues) == nil {
				t.Fatalf("the strict check passed what RFC 8785 refuses: %v", err)
			}
			return
		}
		twice, err := Canonicalize(once)
		require.NoError(t, err)
		require.Equal(t, once, twice)
		var plain any
		require.NoError(t, json.Unmarshal(once, &plain))
		require.True(t, sameValue(t, raw, once), "the canonical form means something else")
	})
}

// sameValue compares two documents as Go's own decoder reads them.
func sameValue(t *testing.T, a, b []byte) bool {
	t.Helper()
	var left, right any
	require.NoError(t, json.Unmarshal(a, &left))
	require.NoError(t, json.Unmarshal(b, &right))
	return fmt.Sprintf("%#v", left) == fmt.Sprintf("%#v", right) || strings.Contains(string(a), "-0")
}
