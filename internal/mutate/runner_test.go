package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// piece is a module with one guard, the tests of it, and a program that has the
// guard too.
func piece(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":          "module example.com/piece\n\ngo 1.26\n",
		"guard/guard.go":  "package guard\n\nfunc Allowed(n int) bool {\n\tif n > 3 {\n\t\treturn false\n\t}\n\treturn true\n}\n",
		"program/main.go": "package main\n\nimport \"example.com/piece/guard\"\n\nfunc main() { println(guard.Allowed(4)) }\n",
		"guard/guard_test.go": `package guard

import (
	"os/exec"
	"strings"
	"testing"
)

func TestLooks(t *testing.T) {
	if Allowed(4) {
		t.Error("4 is allowed")
	}
}

func TestLooksAway(*testing.T) { Allowed(4) }

func TestSkips(t *testing.T) { t.Skip("not today") }

func TestParts(t *testing.T) {
	t.Run("looks", func(t *testing.T) { TestLooks(t) })
	t.Run("looks away", func(t *testing.T) { TestLooksAway(t) })
}

func TestProgram(t *testing.T) {
	out, err := exec.Command("go", "run", "example.com/piece/program").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "false" {
		t.Error(string(out), err)
	}
}
`,
	} {
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

func TestVerdicts(t *testing.T) {
	root := piece(t)
	before, err := os.ReadFile(filepath.Join(root, "guard", "guard.go"))
	require.NoError(t, err)
	const guard, gone = "if n > 3 {", "if false {"
	tests := []struct {
		name   string
		to     string
		tests  []string
		word   string
		detail string
	}{
		{"a test that looks, and a program that it runs", gone, []string{"TestLooks", "TestProgram"}, caught, ""},
		{"one of two tests looks away", gone, []string{"TestLooks", "TestLooksAway"}, survived, "TestLooksAway still passes"},
		{"one of two parts looks away", gone, []string{"TestParts/looks", "TestParts/looks_away"}, survived, "TestParts/looks_away still passes"},
		{"it does not compile", "if n > \"3\" {", []string{"TestLooks"}, defect, "it does not compile"},
		{"a test is not there", gone, []string{"TestGone"}, defect, "TestGone did not run"},
		{"a test is skipped", gone, []string{"TestSkips"}, defect, "TestSkips was skipped"},
		{"a test does not end", "for n > 3 {\n\t}\n\tif n > 3 {", []string{"TestLooks"}, defect, "did not end in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := runner{root: root, timeout: time.Minute}
			if tt.name == "a test does not end" {
				r.timeout = 2 * time.Second
			}
			v := r.run(t.Context(), Mutation{File: "guard/guard.go", From: guard, To: tt.to, Package: "guard", Tests: tt.tests})
			require.Equal(t, tt.word, v.word, v.detail)
			require.Contains(t, v.detail, tt.detail)
			require.Equal(t, tt.detail == "", v.detail == "")
		})
	}
	after, err := os.ReadFile(filepath.Join(root, "guard", "guard.go"))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "the tree is not touched")
}

func TestReportOfAllMutations(t *testing.T) {
	verdicts := map[string]verdict{
		"TestLooks": {word: caught}, "TestLooksAway": {survived, "TestLooksAway still passes"}, "TestGone": {defect, "TestGone did not run"},
	}
	var mutations []Mutation
	for _, test := range []string{"TestLooks", "TestLooksAway", "TestGone"} {
		mutations = append(mutations, Mutation{Row: "three is the most", File: "guard/guard.go", Tests: []string{test}})
	}
	var out bytes.Buffer
	missed := mutateAll(t.Context(), func(_ context.Context, m Mutation) verdict { return verdicts[m.Tests[0]] }, mutations, &out)
	require.Equal(t, 2, missed)
	require.Equal(t, `caught        0s  three is the most (guard/guard.go: TestLooks)
SURVIVED      0s  three is the most (guard/guard.go: TestLooksAway)
TestLooksAway still passes
DEFECT        0s  three is the most (guard/guard.go: TestGone)
TestGone did not run
3 mutations, 1 caught, 2 not, in 0s
`, out.String())
}
