package postgres_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
)

func TestPreviewShowsStatementArgumentsAndRows(t *testing.T) {
	o := newOrders(t)
	o.exec(`INSERT INTO orders (key, number, note) VALUES ('', 'W-16', E'two\nlines'), ('', 'W-17', NULL)`)
	tool := open(t, declaration(o.url, insert, `preview_query: SELECT number, note FROM orders WHERE number LIKE $1 ORDER BY number
  preview_arguments: ["W-%"]`))
	long := strings.Repeat("all of a long note ", 500)
	prepared, err := tool.Prepare(t.Context(), proposal("end\u202e "+long))
	require.NoError(t, err)
	require.Equal(t, "shop/orders", prepared.Target)
	require.Empty(t, prepared.Precondition)
	require.Equal(t, `one transaction in PostgreSQL (rows expected: 1)

INSERT INTO orders (key, number, note, amount) VALUES ($1, $2, $3, $4) RETURNING id, number

$1 = "<idempotency key>"
$2 = "W-17"
$3 = "end\u{202E} `+long+`"
$4 = 12.5

now there:
- number: W-16
  note: two\u{000A}lines
- number: W-17
  note: NULL
`, prepared.Preview)
	require.Equal(t, 2, ask[int](o, `SELECT count(*) FROM orders`), "a preview writes nothing")
	require.Zero(t, o.receipts())
}

func TestPreviewOfManyRowsSaysThatThereAreMore(t *testing.T) {
	o := newOrders(t)
	tool := open(t, declaration(o.url, insert, `preview_query: SELECT generate_series(1, 1000000000) AS n`))
	prepared, err := tool.Prepare(t.Context(), proposal(""))
	require.NoError(t, err)
	require.Equal(t, 50, strings.Count(prepared.Preview, "\n- n: "))
	require.Contains(t, prepared.Preview, "\n- n: 50\nand more: only the first 50 rows are shown\n")

	tool = open(t, declaration(o.url, insert, `preview_query: SELECT number FROM orders`))
	prepared, err = tool.Prepare(t.Context(), proposal(""))
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, "\nnow there:\nno rows\n")
}

func TestPreviewCannotWrite(t *testing.T) {
	o := newOrders(t)
	o.exec(`CREATE FUNCTION sneak() RETURNS text LANGUAGE sql AS $$ INSERT INTO orders (key, number) VALUES ('', '') RETURNING number $$`)
	for name, query := range map[string]string{
		"a function that writes": "SELECT sneak()",
		"a CTE that writes":      "WITH x AS (INSERT INTO orders (key, number) VALUES ('', '') RETURNING number) SELECT * FROM x",
	} {
		t.Run(name, func(t *testing.T) {
			for _, field := range []string{"preview_query", "precondition_query"} {
				tool := open(t, declaration(o.url, insert, field+`: "`+query+`"`))
				_, err := tool.Prepare(t.Context(), proposal(""))
				require.Error(t, err)
				require.Zero(t, ask[int](o, `SELECT count(*) FROM orders`))
			}
		})
	}
}

func TestPrepareFindsMistakesOfTheStatement(t *testing.T) {
	o := newOrders(t)
	for name, tt := range map[string]struct{ settings, code, says string }{
		"syntax":         {"statement: INSERT INTO orders (key VALUES ('')", "sqlstate_42601", `PostgreSQL says 42601 (syntax_error), syntax error at or near "VALUES"; nothing was committed`},
		"another table":  {"statement: DELETE FROM bills", "sqlstate_42P01", `PostgreSQL says 42P01 (undefined_table), relation "bills" does not exist; nothing was committed`},
		"no arguments":   {"statement: DELETE FROM orders WHERE key = $1", "bad_arguments", "the statement has 1 parameters, and 0 arguments are declared"},
		"preview syntax": {insert + "\n  preview_query: SELECT FROM WHERE", "sqlstate_42601", "syntax_error"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, declaration(o.url, tt.settings)).Prepare(t.Context(), proposal(""))
			require.Contains(t, kindtest.RequireFault(t, err, faults.Permanent, tt.code).Reason, tt.says)
		})
	}
}
