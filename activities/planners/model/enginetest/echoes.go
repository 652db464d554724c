package enginetest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// noted is a plan that can be used, whose note and parameters say this.
func noted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`{"format":"holdpoint.actions/1","notes":[%s],"actions":[{"id":"a","tool":"note","parameters":{"text":%[1]s}}]}`, raw)
}

// escaped writes each letter of a text as JSON may.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range text {
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return b.String()
}

// KeysInAnswers is answers that say they are good, with the key that was sent
// anywhere in them, in whatever form: they are paid for, not used, and not stored.
// further are bodies of the API's own.
func KeysInAnswers(t *testing.T, s Subject, further map[string]string) {
	encoded := base64.StdEncoding.EncodeToString([]byte("Bearer " + Key))
	answers := map[string]modelserver.Answer{
		"model":                 {Text: noted("x"), Model: Key},
		"note":                  {Text: noted("it is " + Key)},
		"header":                {Text: noted("Authorization: Bearer " + Key)},
		"tool":                  {Text: strings.Replace(noted("x"), `"note",`, `"`+Key+`",`, 1)},
		"talk":                  {Text: "Sure, " + Key},
		"refusal":               {Refusal: "I can't help " + Key},
		"call of a tool":        {Tool: &modelserver.Tool{Name: provider.ToolName, Arguments: noted(Key)}},
		"another tool":          {Tool: &modelserver.Tool{Name: Key, Arguments: "{}"}},
		"end":                   {Text: noted("x"), Finish: Key},
		"error, status 200":     {Echo: true},
		"page":                  {Body: "<html>" + Key + "</html>"},
		"escaped":               {Text: strings.Replace(noted("@"), "@", escaped(Key), 2)},
		"escaped twice":         {Text: noted(escaped(Key))},
		"escaped in part":       {Text: noted(strings.Replace(Key, "WAL", escaped("WAL"), 1))},
		"invisible between":     {Text: noted(strings.Join(strings.Split(Key, ""), "\u200b"))},
		"on two lines":          {Text: noted(Key[:7] + "\n" + Key[7:])},
		"base64":                {Text: noted(base64.StdEncoding.EncodeToString([]byte(Key)))},
		"base64 in a header":    {Text: noted("Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+Key)))},
		"base64, begun by one":  {Text: noted(base64.RawURLEncoding.EncodeToString([]byte("x" + Key + "and more")))},
		"base64, on more lines": {Text: noted(encoded[:20] + "\r\n" + encoded[20:])},
	}
	for name, body := range further {
		answers[name] = modelserver.Answer{Body: body, ContentType: "application/json"}
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			scene := s.Start(t, nil, answer)
			_, err := scene.Ask()
			require.Contains(t, RequireFault(t, err, faults.Unknown, "key_echoed").Reason, "Replace the key")
			require.True(t, isLast(err))

			_, err = scene.Plan()
			RequireFault(t, err, faults.Permanent, "key_echoed")
			require.Len(t, scene.Server.Calls(), 2, "one for each")
			requireNoKey(t, scene.Data)
		})
	}
	for name, text := range map[string]string{
		"another key": "sk-WALRUS-4711-Kettl", "its hash": "sha256:4711", "the key in capitals": strings.ToUpper(Key), "a broken escape": `\u00`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Start(t, nil, modelserver.Answer{Text: noted(text)}).Plan()
			require.NoError(t, err)
		})
	}
	t.Run("a word that servers without keys are given", func(t *testing.T) {
		scene := s.Start(t, func(c *provider.Config) { c.Key = KeyFile(t, "lm-studio") }, modelserver.Answer{Text: noted("by lm-studio")})
		_, err := scene.Plan()
		require.NoError(t, err)
	})
}

func isLast(err error) bool {
	_, last := errors.AsType[*faults.Last](err)
	return last
}

// requireNoKey looks into every file of a folder.
func requireNoKey(t *testing.T, folder string) {
	t.Helper()
	files := 0
	root := os.DirFS(folder)
	require.NoError(t, fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(root, path)
		files++
		for _, piece := range []string{"WALRUS", "Kettle"} { // digits alone are in many a digest
			require.NotContains(t, string(raw), piece, path)
		}
		require.NotContains(t, path, "replies", "no answer is kept")
		return err
	}))
	require.Equal(t, 1, files, "the record of the call")
}
