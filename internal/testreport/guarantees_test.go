package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
