package secrets_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/secrets"
)

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestResolveReadsTheSecretsNow(t *testing.T) {
	t.Setenv("HP_USER", "ann")
	t.Setenv("HP_PASSWORD", "p@ss ${env:HP_USER}")
	path := file(t, "s3cret\r\n\n")
	for source, want := range map[string]string{
		"":                            "",
		"plain":                       "plain",
		"$5 and {braces}":             "$5 and {braces}",
		"${env:HP_USER}":              "ann",
		"Bearer ${file:" + path + "}": "Bearer s3cret",
		"postgres://${env:HP_USER}:${env:HP_PASSWORD}@db/x": "postgres://ann:p@ss ${env:HP_USER}@db/x", // a value is never read again
	} {
		text, err := secrets.Parse(source)
		require.NoError(t, err)
		got, err := text.Resolve()
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, source, text.String(), "shown unresolved")
	}
}

// A secret that is exchanged while the worker runs is the new one for the next
// call.
func TestResolveIsFreshEachTime(t *testing.T) {
	path := file(t, "old")
	text, err := secrets.Parse("${file:" + path + "}")
	require.NoError(t, err)
	first, err := text.Resolve()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("new\n"), 0o600))
	second, err := text.Resolve()
	require.NoError(t, err)
	require.Equal(t, []string{"old", "new"}, []string{first, second})
}

func TestResolveNamesTheReferenceAndNoValue(t *testing.T) {
	t.Setenv("HP_EMPTY", "")
	t.Setenv("HP_OTHER", "VALUE")
	require.NoError(t, os.Unsetenv("HP_UNSET"))
	pipe := filepath.Join(t.TempDir(), "pipe") // nobody writes to it, and nobody waits for that
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for source, want := range map[string]string{
		"${env:HP_OTHER}${env:HP_UNSET}": "the environment variable HP_UNSET is not set",
		"${env:HP_EMPTY}":                "the environment variable HP_EMPTY is not set",
		"${file:" + pipe + "}":           "the file pipe of a secret cannot be read",
		"${file:/nowhere/below/token}":   "the file token of a secret cannot be read",
		"${file:secrets/token}": "the file token of a secret cannot be read: its path is relative, " +
			"which is from the folder that the program was started in; write an absolute one",
		"${file:" + file(t, "\n") + "}":                       "the file token of a secret is empty",
		"${file:" + file(t, strings.Repeat("V", 65537)) + "}": "the file token of a secret has more than 65536 bytes",
		"${file:" + filepath.Dir(file(t, "x")) + "}":          "of a secret cannot be read",
	} {
		text, err := secrets.Parse(source)
		require.NoError(t, err)
		_, err = text.Resolve()
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "VALUE")
		require.NotContains(t, err.Error(), "/nowhere", "where things lie on this machine is nobody's business")
	}
}

func TestParseRefusesWhatIsNoReference(t *testing.T) {
	for _, source := range []string{
		"${HOME}", "${env:}", "${file:}", "${:x}", "${vault:x}", "${ENV:X}", "${env:X", "a ${", "${}", "${env:${env:X}}",
	} {
		_, err := secrets.Parse(source)
		require.Error(t, err, source)
	}
}

func TestHasReference(t *testing.T) {
	for source, want := range map[string]bool{"": false, "plain": false, "${env:X}": true, "a${file:b}c": true} {
		text, err := secrets.Parse(source)
		require.NoError(t, err)
		require.Equal(t, want, text.HasReference(), source)
		require.Equal(t, source == "", text.IsZero(), source)
	}
}

func TestUnmarshalNamesTheLine(t *testing.T) {
	var got struct {
		A, B secrets.Text
	}
	require.NoError(t, yaml.Unmarshal([]byte("a: ${env:X}\n"), &got))
	require.Equal(t, "${env:X}", got.A.String())
	require.True(t, got.B.IsZero())
	require.ErrorContains(t, yaml.Unmarshal([]byte("a: x\nb: ${x}\n"), &got), `line 2: "${x}" is no reference to a secret; write ${env:NAME} or ${file:PATH}`)
	require.Error(t, yaml.Unmarshal([]byte("a: [x]\n"), &got))
}

// A configuration that is printed, with whatever verb, shows no secret.
func TestPrintedTextHoldsNoSecret(t *testing.T) {
	t.Setenv("HP_TOKEN", "VALUE")
	text, err := secrets.Parse("${env:HP_TOKEN}")
	require.NoError(t, err)
	_, err = text.Resolve()
	require.NoError(t, err)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, text), "VALUE")
	}
}
