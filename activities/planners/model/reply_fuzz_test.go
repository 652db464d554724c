package model

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a reply is: what is taken of it is JSON, stands in it, and is its only
// object. Without it, and without the one thought before it, there is no brace
// left.
func FuzzReply(f *testing.F) {
	const object = `{"actions":[{"text":"}{ ` + "```" + ` </think> \" \\"}]}`
	for _, seed := range []string{
		"", "{", "{}", object, object + object, "```json\n" + object + "\n```", "a ```" + object + "``` b", "````\n" + object + "\n```",
		"<think>{}</think>" + object, "<think>" + object, "a {} ```json\n{}\n```", "```json\n{}\n``` {", "```json\n{}\n```\n```json\n{}\n```", "[{}]",
		"{}\n```json\n{}\n```", "```{}```", "```\n```{}```", "\ufeff{}", "{}\x00", "```json5\n{}\n```", "{\"a\":1,\"a\":2}", strings.Repeat("{\"a\":", 200),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		taken, err := onlyObject(reply)
		if err != nil {
			require.Empty(t, taken)
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.True(t, json.Valid([]byte(taken)))
		require.True(t, strings.HasPrefix(taken, "{"))
		rest := strings.TrimSpace(reply)
		if strings.HasPrefix(rest, "<think>") {
			_, rest, _ = strings.Cut(rest, "</think>")
		}
		require.Equal(t, 1, strings.Count(rest, taken))
		require.NotContains(t, strings.Replace(rest, taken, "", 1), "{")
		require.NotContains(t, strings.Replace(rest, taken, "", 1), "}")
	})
}
