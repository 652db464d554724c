package object

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

func TestApproverSeesAllThatIsCreated(t *testing.T) {
	w, path := fileWorld(t, create)
	prepared, err := w.prepare(params("all is well\n"))
	require.NoError(t, err)
	require.Equal(t, absent, prepared.Precondition)
	base := path[strings.LastIndex(path, "/")+1:]
	// printf 'all is well\n' | sha256sum
	require.Equal(t, theName+" in the folder "+base+`
text/plain; charset=utf-8, 12 bytes, sha256:`+sumOfAllIsWell+`
new

all is well
`, prepared.Preview)
}

func TestApproverSeesWhatIsReplaced(t *testing.T) {
	worlds(t, []string{replace}, func(t *testing.T, w *world) {
		w.put(theName, "one\ntwo\nthree\n")
		prepared, err := w.prepare(params("one\n2\nthree\n"))
		require.NoError(t, err)
		require.Contains(t, prepared.Preview, "replaces 14 bytes, "+prepared.Precondition)
		require.Contains(t, prepared.Preview, `--- a/weekly/2026-W48.txt
+++ b/weekly/2026-W48.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
`)
	})
}

func TestWhatCannotBeComparedIsShownWhole(t *testing.T) {
	worlds(t, []string{replace}, func(t *testing.T, w *world) {
		for name, old := range map[string]string{"bytes that are no text": "\xff\xfe\n", "much": strings.Repeat("x", maxShown+1)} {
			w.put(theName, old)
			prepared, err := w.prepare(params("new\n"))
			require.NoError(t, err, name)
			require.Contains(t, prepared.Preview, "bytes that cannot be shown, "+prepared.Precondition)
			require.True(t, strings.HasSuffix(prepared.Preview, "\n\nnew\n"), name)
		}
	})
}

func TestJSONIsWrittenAsItIsShown(t *testing.T) {
	tool, err := declare(t, "url: file://"+t.TempDir(), `name: "{{params.name}}"`, "mode: create",
		`json: {b: "{{params.text}}", a: ["{{params.n}}", 9007199254740993, true, null, "<&>"]}`)
	require.NoError(t, err)
	w := &world{t: t, tool: tool}
	prepared, err := w.prepare(map[string]any{"name": "x", "text": "周报", "n": 7})
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, "application/json, ")
	_, content, _ := strings.Cut(prepared.Preview, "new\n\n")
	require.Equal(t, `{
  "a": [
    7,
    9007199254740993,
    true,
    null,
    "<&>"
  ],
  "b": "周报"
}
`, content)
}

func TestContentIsBounded(t *testing.T) {
	w, _ := fileWorld(t, create)
	_, err := w.prepare(params(strings.Repeat("x", maxContent)))
	require.NoError(t, err)
	_, err = w.prepare(params(strings.Repeat("x", maxContent+1)))
	fault := requireFault(t, err, faults.Permanent, "bad_parameters")
	require.Contains(t, fault.Reason, "at most 4194304")
}

func TestPreconditionOfABucketNamesTheVersion(t *testing.T) {
	w, _ := s3World(t, replace, objectserver.Options{Versioned: true})
	w.put(theName, "one\n")
	first, err := w.prepare(params("x"))
	require.NoError(t, err)
	require.Regexp(t, `^etag [0-9a-f]{32} of 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ, version \S+$`, first.Precondition)
	w.put(theName, "one\n")
	second, err := w.prepare(params("x"))
	require.NoError(t, err)
	require.NotEqual(t, first.Precondition, second.Precondition, "the same content within a second is another version")
}

const sumOfAllIsWell = "d40b628baf7f757149f5b6d6d6aca317d478ef3a29433064d21cfdd06fb33b8d"
