package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/guarantees"
	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// The table is about the tree as it is: each guard is where the table says, and
// each row of the guarantees that names tests has one.
func TestEveryGuardIsThere(t *testing.T) {
	root, err := toolchain.Root(".")
	require.NoError(t, err)
	table, problems, err := open(root)
	require.NoError(t, err)
	require.Empty(t, problems)
	require.NotEmpty(t, table.Mutations)
}

// Whatever is wrong with a table is found without running a test.
func TestProblemsOfATable(t *testing.T) {
	root := piece(t)
	rows := []guarantees.Row{
		{Line: 1, Promise: "three is the most", Tests: []string{"TestLooks", "TestParts/looks", "TestGone"}},
		{Line: 2, Promise: "not yet", Later: true},
	}
	good := Mutation{
		Row: "three is the most", File: "guard/guard.go", From: "if n > 3 {", To: "if false {", Package: "guard", Tests: []string{"TestLooks"},
	}
	tests := []struct {
		problem string // empty: there is none
		table   func(m Mutation) Table
	}{
		{"", func(m Mutation) Table { return Table{Mutations: []Mutation{m}} }},
		{"", func(m Mutation) Table { m.Tests = []string{"TestParts/looks"}; return Table{Mutations: []Mutation{m}} }},
		{"", func(Mutation) Table {
			return Table{Without: []Exception{{"three is the most", "it is a law of nature"}}}
		}},
		{"has no row, or no reason", func(Mutation) Table { return Table{Without: []Exception{{"three is the most", ""}}} }},
		{"has no row, or no reason", func(m Mutation) Table {
			return Table{Mutations: []Mutation{m}, Without: []Exception{{"four", "it is no more"}}}
		}},
		{"line 1 names tests, and has no mutation", func(Mutation) Table { return Table{} }},
		{"there is no such row", func(m Mutation) Table { m.Row = "four"; return Table{Mutations: []Mutation{good, m}} }},
		{"it names no test", func(m Mutation) Table { m.Tests = nil; return Table{Mutations: []Mutation{m}} }},
		{"its row does not name TestLooksAway", func(m Mutation) Table { m.Tests = []string{"TestLooksAway"}; return Table{Mutations: []Mutation{m}} }},
		{"its package has no TestGone", func(m Mutation) Table { m.Tests = []string{"TestGone"}; return Table{Mutations: []Mutation{m}} }},
		{"its guard stands 0 times", func(m Mutation) Table { m.From = "if n > 4 {"; return Table{Mutations: []Mutation{m}} }},
		{"its guard stands 2 times", func(m Mutation) Table { m.From = "return"; return Table{Mutations: []Mutation{m}} }},
		{"it changes nothing", func(m Mutation) Table { m.To = m.From; return Table{Mutations: []Mutation{m}} }},
		{"it changes nothing", func(m Mutation) Table { m.From = ""; return Table{Mutations: []Mutation{m}} }},
		{"it is no Go", func(m Mutation) Table { m.To = ""; return Table{Mutations: []Mutation{m}} }},
		{"a test guards nothing", func(m Mutation) Table { m.File = "guard/guard_test.go"; return Table{Mutations: []Mutation{m}} }},
		{"no such file", func(m Mutation) Table { m.File = "guard/gone.go"; return Table{Mutations: []Mutation{m}} }},
	}
	for _, tt := range tests {
		t.Run(tt.problem, func(t *testing.T) {
			problems := tt.table(good).problems(root, rows)
			if tt.problem == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], tt.problem)
		})
	}
	t.Run("two rows with one promise", func(t *testing.T) {
		problems := Table{Mutations: []Mutation{good}}.problems(root, append(rows, rows[0]))
		require.Equal(t, []string{`two rows promise "three is the most"`}, problems)
	})
}

func TestLoadIsStrict(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mutations.yaml")
	for text, want := range map[string]string{
		"mutations:\n  - row: x\n    form: y\n": `mutations.yaml:3: unknown field "form"`,
		"mutations: [\n":                        "mutations.yaml:",
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := load(path)
		require.ErrorContains(t, err, want)
	}
}

func TestMatching(t *testing.T) {
	table := Table{Mutations: []Mutation{
		{Row: "Three is the most", File: "guard/guard.go", Package: "guard", Tests: []string{"TestLooks"}},
		{Row: "Nobody leaves", File: "door/door.go", Package: "house", Tests: []string{"TestDoor"}},
	}}
	require.Len(t, table.matching(""), 2)
	for _, text := range []string{"three IS", "guard/guard.go", "TestLooks"} {
		require.Equal(t, table.Mutations[:1], table.matching(text), text)
	}
	require.Equal(t, table.Mutations[1:], table.matching("house"))
	require.Empty(t, table.matching("four"))
}

func TestCommandLine(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, 2, run(t.Context(), []string{"-no-such-flag"}, &out, &out))
	require.Equal(t, 2, run(t.Context(), []string{"a row"}, &out, &out))
	require.Equal(t, 2, run(t.Context(), []string{"-row", "no row says this"}, &out, &out))
	require.Contains(t, out.String(), `no mutation has "no row says this"`)
}
