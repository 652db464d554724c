package postgres_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/postgres"
)

func TestSettingsAreRefusedWithTheirLine(t *testing.T) {
	right := declaration("postgres://worker@127.0.0.1:5432/shop", insert)
	_, err := declare(t, right)
	require.NoError(t, err, "no connection is made")
	const statement = "statement: INSERT INTO"
	tests := []struct {
		name, old, replacement, want string
	}{
		{"no DSN", `dsn: "postgres://worker@127.0.0.1:5432/shop"`, "isolation: serializable", "holdpoint.yaml:19: postgres: dsn: it is missing"},
		{"no DSN in it", "postgres://worker@127.0.0.1:5432/shop", "postgres://u:SECRET@host:port/x", "holdpoint.yaml:19: postgres: dsn: it is no PostgreSQL connection string"},
		{"no statement", statement, "statement: '' #", "holdpoint.yaml:20: postgres: statement: it is missing"},
		{"a COMMIT", statement, "statement: commit #", "it must begin with one of INSERT, UPDATE, DELETE, MERGE, SELECT, WITH, CALL"},
		{"a COMMIT behind comments", statement, "statement: '/* INSERT */ -- INSERT' #", "statement: it is missing"},
		{"a table", statement, "statement: TRUNCATE orders #", "it must begin with one of"},
		{"fewer than no rows", statement, "expect_rows: -1\n  " + statement, "holdpoint.yaml:20: postgres: expect_rows: it must not be negative"},
		{"a preview that writes", statement, "preview_query: DELETE FROM orders\n  " + statement, "preview_query: it must begin with one of SELECT, WITH, VALUES"},
		{"arguments of nothing", statement, "preview_arguments: [1]\n  " + statement, "preview_query: it is missing, and there are arguments for it"},
		{"another isolation", statement, "isolation: chaos\n  " + statement, "isolation: it is read committed, repeatable read or serializable"},
		{"a table with quotes", statement, "receipts_table: 'x\"; DROP'\n  " + statement, "receipts_table: it is a name of lower-case letters"},
		{"a broken expression", "ref: row.id", "ref: row.id +", "holdpoint.yaml:22: "},
		{"a variable that is not there", "ref: row.id", "ref: column.id", "undeclared reference"},
		{"an unknown field", statement, "table: x\n  " + statement, `holdpoint.yaml:20: unknown field "table"`},
		{"a class that the kind cannot keep", "class: transactional", "class: conditional", "kind postgres cannot keep the delivery class"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, right, tt.old)
			_, err := declare(t, strings.Replace(right, tt.old, tt.replacement, 1))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
	for _, command := range []string{
		"select 1", "  WITH x AS (SELECT 1) SELECT 1", "(SELECT 1)", "-- why\n/* and\nhow */ UPDATE x SET y = 1", "CALL book($1)", "Merge INTO x USING y",
	} {
		_, err := declare(t, strings.Replace(right, "statement: INSERT INTO orders (key, number, note, amount) VALUES ($1, $2, $3, $4) RETURNING id, number",
			"statement: "+quoted(command), 1))
		require.NoError(t, err, command)
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`"`, `\"`, "\n", `\n`).Replace(text) + `"`
}

// The declaration in the documentation is one that can be used.
func TestDocumentedDeclaration(t *testing.T) {
	page, err := os.ReadFile("../../../docs/tools/postgres.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(page), "```yaml\n")
	require.True(t, found)
	block, _, found = strings.Cut(block, "```")
	require.True(t, found)
	var file struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(block), &file))
	require.Len(t, file.Tools, 1)
	for name, node := range file.Tools {
		tool, err := declared.New(name, "postgres.md", &node, []declared.Kind{postgres.Kind{}})
		require.NoError(t, err)
		require.NoError(t, tool.(io.Closer).Close())
	}
}
