package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

func TestToolsAreKeptAsTheyStand(t *testing.T) {
	c, dir, err := load(t, `sources: {notes: notes}
tools:
  open_issue:
    version: "1"
    whatever: [is, "{{here}}"]
  append_row: &row {kind: postgres}
  other: *row
`)
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	require.Len(t, c.Tools, 3)
	var names []string
	var lines []int
	for _, tool := range c.Tools {
		require.Equal(t, filepath.Join(dir, "holdpoint.yaml"), tool.File)
		names, lines = append(names, tool.Name), append(lines, tool.Line)
	}
	require.Equal(t, []string{"open_issue", "append_row", "other"}, names, "in the file's order")
	require.Equal(t, []int{3, 6, 7}, lines)
	var got struct{ Whatever []string }
	require.NoError(t, c.Tools[0].Node.Decode(&got))
	require.Equal(t, []string{"is", "{{here}}"}, got.Whatever)
}

func TestToolsThatAreRefused(t *testing.T) {
	for name, tt := range map[string]struct{ text, says string }{
		"twice":      {"tools:\n  a: {}\n  b: {}\n  a: {}\n", "holdpoint.yaml:4: tools: a stands in line 2 already"},
		"a list":     {"tools:\n  - a\n", "holdpoint.yaml:2: tools: declare each tool under its name"},
		"a text":     {"tools: a\n", "holdpoint.yaml:1: tools: declare each tool under its name"},
		"a merge":    {"tools:\n  <<: {a: {}}\n", `holdpoint.yaml:2: tools: name "<<"`},
		"gitpages":   {"tools:\n  a: {}\n  gitpages: {}\n", "holdpoint.yaml:3: tools: the name gitpages is that of the tool for repositories"},
		"a blank":    {"tools:\n  'open issue': {}\n", `holdpoint.yaml:2: tools: name "open issue": use at most 64 letters, digits, '.', '_' and '-'`},
		"a dot":      {"tools:\n  .a: {}\n", `name ".a"`},
		"two dots":   {"tools:\n  a..b: {}\n", `name "a..b"`},
		"no name":    {"tools:\n  '': {}\n", `name ""`},
		"too long":   {"tools:\n  " + strings.Repeat("a", 65) + ": {}\n", "at most 64"},
		"a slash":    {"tools:\n  a/b: {}\n", `name "a/b"`},
		"in Chinese": {"tools:\n  工单: {}\n", `name "工单"`},
	} {
		t.Run(name, func(t *testing.T) {
			c, _, err := load(t, tt.text)
			if err == nil {
				err = c.Validate()
			}
			require.ErrorContains(t, err, tt.says)
		})
	}
}

func TestToolsOrRepositoriesMayBeLeftOut(t *testing.T) {
	for _, text := range []string{"", "tools:\n", "tools: {a: {}}\n", "repositories: {kb: {path: kb}}\n"} {
		c, _, err := load(t, "sources: {notes: notes}\n"+text)
		require.NoError(t, err)
		require.NoError(t, c.Validate(), text)
	}
}

func TestNotifyIsKeptAsItStands(t *testing.T) {
	c, dir, err := load(t, "sources: {notes: notes}\nnotify:\n  oncall: {whatever: [is, here]}\n")
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	require.Equal(t, filepath.Join(dir, "holdpoint.yaml"), c.Notify.File)
	require.Equal(t, 3, c.Notify.Node.Line)
	for _, text := range []string{"", "notify:\n", "notify: ~\n"} {
		c, _, err := load(t, text)
		require.NoError(t, err)
		require.Zero(t, c.Notify, "%q", text)
	}
}

func TestLedgerIsAFileOrPostgreSQL(t *testing.T) {
	for text, ok := range map[string]bool{
		"": true, "ledger:\n": true, "ledger: ''\n": true,
		"ledger: ${env:HOLDPOINT_LEDGER}\n":                      true,
		"ledger: ${file:/run/secrets/ledger}\n":                  true,
		"ledger: postgres://${env:U}:${env:P}@db/holdpoint\n":    true,
		"ledger: postgresql:///holdpoint?host=/run/postgresql\n": true,
		"ledger: ledger.db\n":                                    false,
		"ledger: mysql://db/holdpoint\n":                         false,
		"ledger: db:5432\n":                                      false,
	} {
		c, _, err := load(t, "sources: {notes: notes}\n"+text)
		require.NoError(t, err, text)
		if ok {
			require.NoError(t, c.Validate(), text)
			continue
		}
		require.ErrorContains(t, c.Validate(), "ledger: give a PostgreSQL address", text)
	}
	_, _, err := load(t, "sources: {notes: notes}\nledger: ${HOME}\n")
	require.ErrorContains(t, err, `holdpoint.yaml:2: ledger: "${HOME}" is no reference to a secret`)
	require.Equal(t, secrets.Text{}, config.Default().Ledger)
}
