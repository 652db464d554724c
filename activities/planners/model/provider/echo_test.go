package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/activities/planners/model"
)

const secret = "sk-proj-7fQ2xW9rT4mLz8"

// Whatever stands around the key, and however many layers of JSON stand around
// that, base64 in either alphabet included, it is found.
func TestKeyIsFoundWhateverStandsAroundIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "before") + secret + rapid.String().Draw(t, "after")
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 1:
			text = base64.StdEncoding.EncodeToString([]byte(text))
		case 2:
			text = base64.RawURLEncoding.EncodeToString([]byte(text))
		case 3:
			at := rapid.IntRange(1, len(secret)-1).Draw(t, "at")
			text = strings.Replace(text, secret, secret[:at]+rapid.SampledFrom([]string{" ", "\n", "\u200b", "\u2060\t"}).Draw(t, "blank")+secret[at:], 1)
		}
		for range rapid.IntRange(0, 3).Draw(t, "layers") {
			raw, err := json.Marshal(map[string]string{"text": text})
			require.NoError(t, err)
			text = string(raw)
		}
		require.True(t, holds([]byte(text), formsOf(secret)), "%q", text)
	})
}

// Any text without the key has it in no form, and does not take long.
func TestKeyIsNotFoundWhereItIsNot(t *testing.T) {
	for _, text := range []string{
		"", `\`, `\u`, `\u00`, `\u00zz`, `\x`, "\xff\xfe", secret[:len(secret)-1], strings.Repeat(`\\u005c`, 100_000), strings.Repeat(`\`, 1<<20),
		base64.StdEncoding.EncodeToString([]byte(secret[:12] + "_" + secret[13:])),
	} {
		require.False(t, holds([]byte(text), formsOf(secret)), "%.80q", text)
	}
}

func TestOnlyKeysAreLookedFor(t *testing.T) {
	none := func([]byte) (model.Reply, error) { return model.Reply{}, errors.New("none") }
	for key, want := range map[string]bool{"": false, "ollama": false, "lm-studio": false, "elevenchars": false, "twelvechars!": true} {
		require.Equal(t, want, repeats([]byte("before "+key+" after"), key, none), key)
	}
	joined := func([]byte) (model.Reply, error) { return model.Reply{Refusal: secret}, nil }
	require.True(t, repeats([]byte("in parts"), secret, joined))
}

func TestSaysTwice(t *testing.T) {
	for document, want := range map[string]bool{
		`{}`: false, `{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}],"d":"a"}`: false,
		`{"a":1,"a":1}`: true, `{"a":1,"A":1}`: true, `{"a":{"b":[{"c":[],"c":{}}]}}`: true, `{"\u0061":1,"a":2}`: true,
		`{"s":1,"ſ":2}`: true, `{"a":["a","a"],"b":"a"}`: false, `{"":1,"":2}`: true,
		`{"input":{"a":1,"a":2,"b":[{"c":1,"c":2}]},"x":1}`: false, `{"input":{"a":1},"x":{"a":1,"a":2}}`: true, `{"input":[{"a":1,"a":2}],"a":0,"a":0}`: true,
		`["input",{"a":1,"a":2}]`: true, `{"a":"input","b":{"c":1,"c":2}}`: true,
	} {
		require.Equal(t, want, saysTwice([]byte(document)), document)
	}
	deep := bytes.Repeat([]byte(`{"a":`), 9000)
	require.False(t, saysTwice(append(append(deep, '1'), bytes.Repeat([]byte("}"), 9000)...)))
}
