package postgres_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
)

// Each value arrives as what the statement's parameter is, and as nothing more.
func TestArgumentsByTypeOfTheirParameter(t *testing.T) {
	o := newOrders(t)
	hostile := `x'); DROP TABLE orders; -- "\{},NULL`
	for _, tt := range []struct {
		name, sql string
		value     any
		want      string // as the server writes it
	}{
		{"text", "$1::text", hostile, hostile},
		{"empty text", "$1::text", "", ""},
		{"number as text", "$1::text", 17, "17"},
		{"int", "$1::int", 17, "17"},
		{"int from text", "$1::int", "17", "17"},
		{"bigint", "$1::bigint", 9007199254740991, "9007199254740991"},
		{"numeric", "$1::numeric", 12.5, "12.5"},
		{"small numeric", "$1::numeric", 1e-7, "0.0000001"},
		{"boolean", "$1::boolean", true, "true"},
		{"date", "$1::date", "2026-11-30", "2026-11-30"},
		{"timestamptz", "$1::timestamptz AT TIME ZONE 'UTC'", "2026-11-30T10:00:00+01:00", "2026-11-30 09:00:00"},
		{"uuid", "$1::uuid", "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6f9619ff-8b86-d011-b42d-00cf4fc964ff"},
		{"null", "coalesce($1::text, 'NULL')", nil, "NULL"},
		{"json of an object", "$1::jsonb ->> 'a'", map[string]any{"a": hostile}, hostile},
		{"json of a list", "$1::json -> 1", []any{1, hostile}, `"x'); DROP TABLE orders; -- \"\\{},NULL"`},
		{"json of a text", "$1::jsonb", "<b>", `"<b>"`},
		{"json of a number", "$1::jsonb", 12.5, "12.5"},
		{"text array", "($1::text[])[2]", []any{"a", hostile, nil}, hostile},
		{"length of a text array", "cardinality($1::text[])", []any{"a", hostile, nil, ""}, "4"},
		{"null in an array", "(($1::text[])[3] IS NULL)::text", []any{"a", hostile, nil}, "true"},
		{"the text NULL in an array", "(($1::text[])[1] IS NULL)::text", []any{"NULL"}, "false"},
		{"empty array", "cardinality($1::int[])", []any{}, "0"},
		{"int array", "($1::int[])[1] + ($1::int[])[2]", []any{1, 2}, "3"},
		{"two dimensions", "($1::int[])[2][1]", []any{[]any{1, 2}, []any{3, 4}}, "3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := open(t, declaration(o.url, `statement: "INSERT INTO orders (key, number, note) VALUES ($2, '', (`+tt.sql+`)::text) RETURNING id"
  arguments: ["{{params.extra}}", "{{key}}"]`))
			_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf(tt.name), "", "extra", tt.value))
			require.NoError(t, err)
			require.Equal(t, tt.want, ask[string](o, `SELECT note FROM orders WHERE key = $1`, kindtest.KeyOf(tt.name)))
		})
	}
	for _, tt := range []struct {
		name, sql string
		value     any
		code      string
		says      string
	}{
		{"an object for a text", "$1::text", map[string]any{"a": 1}, "bad_arguments", "argument 1 of the statement is an object, and its parameter is no JSON; write $n::jsonb to make it one"},
		{"an object in an array", "$1::text[]", []any{map[string]any{}}, "bad_arguments", "argument 1 of the statement holds an element that is an object"},
		{"a fraction for an int", "$1::int", 12.5, "sqlstate_22P02", "PostgreSQL says 22P02 (invalid_text_representation); nothing was committed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := open(t, declaration(o.url, `statement: "INSERT INTO orders (key, number, note) VALUES ($2, '', (`+tt.sql+`)::text)"
  arguments: ["{{params.extra}}", "{{key}}"]`))
			_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf(tt.name), "", "extra", tt.value))
			require.Contains(t, kindtest.RequireFault(t, err, faults.Permanent, tt.code).Reason, tt.says)
			require.Zero(t, o.count(kindtest.KeyOf(tt.name)))
		})
	}
}
