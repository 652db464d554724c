package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const document = "# Guarantees\n" + // line 1
	"\n" +
	"| word | meaning |\n" +
	"|---|---|\n" +
	"| plan | what is approved |\n" +
	"\n" +
	"| promise | proved by test |\n" + // line 7
	"|---|---|\n" +
	"| one | `TestOne`, and `TestTwo/a case` |\n" +
	"| later | not yet |\n" +
	"| forgotten | see the code |\n" +
	"\n" +
	"Prose about `TestProse` is no promise.\n" +
	"\n" +
	"  | failure case | Tests |\n" + // line 15
	"  |---|---|\n" +
	"  | two | `Testing` is no name, `TestC062_Stale` is |\n"

func TestReadPromises(t *testing.T) {
	require.Equal(t, []promise{
		{line: 9, tests: []string{"TestOne", "TestTwo/a_case"}},
		{line: 10, later: true},
		{line: 11},
		{line: 17, tests: []string{"TestC062_Stale"}},
	}, readPromises(document))
}

func TestUnproved(t *testing.T) {
	r := newReport(nil)
	r.tests = map[testID]status{
		{"a", "TestPasses"}:        passed,
		{"a", "TestTwice"}:         passed,
		{"b", "TestTwice"}:         failed,
		{"a", "TestPartly"}:        passed,
		{"a", "TestPartly/skips"}:  skipped,
		{"a", "TestPartly/passes"}: passed,
		{"a", "TestSkips"}:         skipped,
		{"a", "TestPassesLonger"}:  failed,
	}
	for name, want := range map[string]string{
		"TestPasses":        "",
		"TestPartly/passes": "",
		"TestTwice":         "failed",
		"TestPartly":        "was skipped",
		"TestSkips":         "was skipped",
		"TestGone":          "does not exist",
		"TestPart":          "does not exist",
	} {
		require.Equal(t, want, r.unproved(name), name)
	}
}
