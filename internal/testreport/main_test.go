package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each case is a package that a real go test runs.
func TestRun(t *testing.T) {
	const heading = "package piece\n\nimport \"testing\"\n\n"
	for _, c := range []struct {
		name    string
		files   map[string]string
		ci      bool
		code    int
		last    string   // the last line of the output
		printed []string // somewhere above it
	}{
		{
			name:  "tests that pass, one with a subtest",
			files: map[string]string{"a_test.go": heading + "func TestA(t *testing.T) { t.Run(\"one case\", func(*testing.T) {}) }\nfunc TestB(*testing.T) {}\n"},
			ci:    true, code: 0, last: "3 passed, 0 failed, 0 skipped",
		},
		{
			name:  "a test that fails shows its output",
			files: map[string]string{"a_test.go": heading + "func TestA(t *testing.T) { t.Error(\"two is not three\") }\nfunc TestB(*testing.T) {}\n"},
			code:  1, last: "1 passed, 1 failed, 0 skipped",
			printed: []string{"FAIL  example.com/piece", "fail TestA\n", "two is not three"},
		},
		{
			name:  "a skip on a developer's machine is named",
			files: map[string]string{"a_test.go": heading + "func TestA(t *testing.T) { t.Skip(\"temporal CLI missing\") }\nfunc TestB(*testing.T) {}\n"},
			code:  0, last: "1 passed, 0 failed, 1 skipped",
			printed: []string{"skip TestA\n", "temporal CLI missing"},
		},
		{
			name:  "a skip under CI is a failure",
			files: map[string]string{"a_test.go": heading + "func TestA(t *testing.T) { t.Skip(\"temporal CLI missing\") }\nfunc TestB(*testing.T) {}\n"},
			ci:    true, code: 1, last: "1 passed, 0 failed, 1 skipped",
			printed: []string{"PROBLEM example.com/piece TestA was skipped, and CI=true"},
		},
		{
			name:  "a package without tests is no skip",
			files: map[string]string{"a_test.go": heading + "func TestA(*testing.T) {}\n", "bare/bare.go": "package bare\n"},
			ci:    true, code: 0, last: "1 passed, 0 failed, 0 skipped",
		},
		{
			name:  "no test at all",
			files: map[string]string{"a.go": "package piece\n"},
			code:  1, last: "0 passed, 0 failed, 0 skipped",
			printed: []string{"PROBLEM no test ran"},
		},
		{
			name:  "code that does not compile",
			files: map[string]string{"a_test.go": heading + "func TestA(*testing.T) { absent() }\n"},
			code:  1, last: "0 passed, 1 failed, 0 skipped",
			printed: []string{"undefined: absent"},
		},
		{
			name:  "a panic fails the test it was in",
			files: map[string]string{"a_test.go": heading + "func TestA(*testing.T) { panic(\"lost\") }\nfunc TestB(*testing.T) {}\n"},
			code:  1, last: "0 passed, 1 failed, 0 skipped",
			printed: []string{"panic: lost"},
		},
		{
			name:  "a test that ends the program",
			files: map[string]string{"a_test.go": "package piece\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(*testing.T) { os.Exit(7) }\n"},
			code:  1, last: "0 passed, 1 failed, 0 skipped",
			printed: []string{"fail TestA\n"},
		},
		{
			name:  "a TestMain that ends badly after tests that passed",
			files: map[string]string{"a_test.go": "package piece\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(7) }\nfunc TestA(*testing.T) {}\n"},
			code:  1, last: "1 passed, 1 failed, 0 skipped",
			printed: []string{"failed outside its tests\n"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inModule(t, c.files)
			out, code := runHere(t, c.ci, "./...")
			require.Equal(t, c.code, code, out)
			lines := strings.Split(strings.TrimSpace(out), "\n")
			require.Equal(t, c.last, lines[len(lines)-1])
			for _, want := range c.printed {
				require.Contains(t, out, want)
			}
		})
	}
}

func TestReportFileListsEveryTest(t *testing.T) {
	inModule(t, map[string]string{"a_test.go": "package piece\n\nimport \"testing\"\n\n" +
		"func TestA(t *testing.T) { t.Run(\"case\", func(t *testing.T) { t.Skip() }) }\nfunc TestB(t *testing.T) { t.Fail() }\n"})
	file := filepath.Join("made", "on", "the", "way.json")
	_, code := runHere(t, false, "-report", file, "./...")
	require.Equal(t, 1, code)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var got saved
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, "1 passed, 1 failed, 1 skipped", got.Counts)
	for i := range got.Tests {
		got.Tests[i].Seconds = 0
	}
	require.Equal(t, []savedTest{
		{Package: "example.com/piece", Name: "TestA", Status: passed},
		{Package: "example.com/piece", Name: "TestA/case", Status: skipped},
		{Package: "example.com/piece", Name: "TestB", Status: failed},
	}, got.Tests)
}

// A promise whose test does not pass fails the run although every test that
// there is passes.
func TestGuaranteesAreCheckedAfterTheRun(t *testing.T) {
	inModule(t, map[string]string{
		"a_test.go": "package piece\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n",
		"good.md":   "| promise | test |\n|---|---|\n| a | `TestA` |\n",
		"bad.md":    "| promise | test |\n|---|---|\n| a | `TestA` |\n| b | `TestGone` |\n",
	})
	out, code := runHere(t, true, "-guarantees", "good.md", "./...")
	require.Equal(t, 0, code, out)
	out, code = runHere(t, true, "-guarantees", "bad.md", "./...")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "PROBLEM bad.md:4: TestGone does not exist\n1 passed, 0 failed, 0 skipped\n")
	out, code = runHere(t, true, "-guarantees", "absent.md", "./...")
	require.Equal(t, 1, code, out)
}

// Who has not installed all systems gets his tests, and is told what they do not
// prove. CI has all of them.
func TestGuaranteesWhoseTestIsSkipped(t *testing.T) {
	inModule(t, map[string]string{
		"a_test.go": "package piece\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n\nfunc TestB(t *testing.T) { t.Skip(\"no PostgreSQL\") }\n",
		"two.md":    "| promise | test |\n|---|---|\n| a | `TestA` |\n| b | `TestB` |\n",
	})
	out, code := runHere(t, false, "-guarantees", "two.md", "./...")
	require.Equal(t, 0, code, out)
	require.Contains(t, out, "NOT PROVED HERE two.md:4: TestB was skipped\n1 passed, 0 failed, 1 skipped\n")
	out, code = runHere(t, true, "-guarantees", "two.md", "./...")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "PROBLEM two.md:4: TestB was skipped\n")
}

func TestWrongCommandLine(t *testing.T) {
	require.Equal(t, 2, run(t.Context(), []string{"-no-such-flag"}, false, &bytes.Buffer{}, &bytes.Buffer{}))
}

// inModule makes the working folder a module with these files.
func inModule(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/piece\n\ngo 1.26\n"), 0o644))
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
}

func runHere(t *testing.T, ci bool, args ...string) (output string, code int) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = run(t.Context(), args, ci, &out, &complaints)
	t.Log(complaints.String())
	return out.String(), code
}
