package postgres_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const renote = `statement: UPDATE orders SET note = $1 WHERE number = $2
  arguments: ["{{params.note}}", "{{params.number}}"]
  precondition_query: SELECT note FROM orders WHERE number = $1
  precondition_arguments: ["{{params.number}}"]`

// approved makes the plan of an action, and returns it as it is carried out.
func approved(t *testing.T, tool tools.Tool, key, note string) tools.Call {
	t.Helper()
	prepared, err := tool.Prepare(t.Context(), proposal(note))
	require.NoError(t, err)
	c := call(key, note)
	c.Action.Precondition = prepared.Precondition
	return c
}

func TestPreconditionIsTheStateOfThePlan(t *testing.T) {
	o := newOrders(t)
	tool := open(t, declaration(o.url, renote))
	long := strings.Repeat("x", 201)
	for _, step := range []struct{ name, change, want string }{
		{"no row", ``, "absent"},
		{"null", `INSERT INTO orders (key, number) VALUES ('', 'W-17')`, "null"},
		{"a value", `UPDATE orders SET note = 'absent'`, "value:absent"},
		{"an empty value", `UPDATE orders SET note = ''`, "value:"},
		{"a long value", `UPDATE orders SET note = '` + long + `'`, "sha256:" + plan.Sum([]byte(long)).Hex()},
	} {
		t.Run(step.name, func(t *testing.T) {
			if step.change != "" {
				o.exec(step.change)
			}
			prepared, err := tool.Prepare(t.Context(), proposal("new"))
			require.NoError(t, err)
			require.Equal(t, step.want, prepared.Precondition)
			require.Contains(t, prepared.Preview, "only while the precondition_query says: "+step.want+"\n")
		})
	}
}

func TestChangedStateIsDriftAndNothingIsWritten(t *testing.T) {
	o := newOrders(t)
	o.exec(`INSERT INTO orders (key, number, note) VALUES ('', 'W-17', 'old')`)
	tool := open(t, declaration(o.url, renote))
	c := approved(t, tool, kindtest.KeyOf("k"), "new")
	o.exec(`UPDATE orders SET note = 'SECRET of somebody else'`)

	_, err := kindtest.Apply(t, tool, c)
	fault := kindtest.RequireFault(t, err, faults.Permanent, "precondition_changed")
	require.ErrorIs(t, err, tools.ErrDrift)
	require.NotContains(t, fault.Error(), "SECRET")
	require.Equal(t, "SECRET of somebody else", ask[string](o, `SELECT note FROM orders`))
	require.Zero(t, o.receipts())

	out, err := kindtest.NewProtocol(t).Run(t.Context(), tool, c, 1, "acme")
	require.NoError(t, err)
	require.True(t, out.Drifted)
}

// Our own effect changes what the precondition reads.
func TestEarlierEffectIsNoDrift(t *testing.T) {
	o := newOrders(t)
	o.exec(`INSERT INTO orders (key, number, note) VALUES ('', 'W-17', 'old')`)
	tool := open(t, declaration(o.url, renote))
	c := approved(t, tool, kindtest.KeyOf("k"), "new")
	first, err := kindtest.Apply(t, tool, c)
	require.NoError(t, err)
	again, err := kindtest.Apply(t, tool, c)
	require.NoError(t, err)
	require.Equal(t, first, again)
}

// A change between the precondition's check and COMMIT, by a writer that knows
// nothing of us.
func TestPreconditionHoldsUntilCommit(t *testing.T) {
	o := newOrders(t)
	o.exec(`INSERT INTO orders (key, number, note) VALUES ('', 'W-17', 'old')`)
	conn, err := pgx.Connect(t.Context(), o.url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	// The statement does not look at the note that it replaces, and takes its
	// time: another writer gets in between.
	tool := open(t, declaration(o.url, strings.Replace(renote, "WHERE number = $2", "WHERE number = $2 AND pg_sleep(0.5) IS NOT NULL", 1)))
	c := approved(t, tool, kindtest.KeyOf("k"), "new")
	ended := make(chan error)
	go func() {
		_, err := kindtest.Apply(t, tool, c)
		ended <- err
	}()
	require.Eventually(t, func() bool {
		return ask[bool](o, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')`)
	}, patience, tick)
	_, err = conn.Exec(t.Context(), `UPDATE orders SET note = 'theirs'`)
	require.NoError(t, err)

	err = <-ended
	kindtest.RequireFault(t, err, faults.Transient, "sqlstate_40001")
	require.Equal(t, "theirs", ask[string](o, `SELECT note FROM orders`))
	_, err = kindtest.Apply(t, tool, c)
	require.ErrorIs(t, err, tools.ErrDrift)
}

func TestPreconditionMustBeOneValue(t *testing.T) {
	o := newOrders(t)
	o.exec(`INSERT INTO orders (key, number) VALUES ('', 'a'), ('', 'b')`)
	for query, says := range map[string]string{
		`SELECT number FROM orders`:       "the precondition_query returns 2 rows, and must return one at most",
		`SELECT key, number FROM orders`:  "the precondition_query returns 2 columns, and must return one",
		`WITH x AS (SELECT 1) SELECT y`:   "does not exist",
		`SELECT set_config('a.b','c',$1)`: "has 1 parameters, and 0 arguments are declared",
	} {
		tool := open(t, declaration(o.url, insert, "precondition_query: \""+query+"\""))
		_, err := tool.Prepare(t.Context(), proposal("new"))
		require.ErrorContains(t, err, says)
		require.Equal(t, faults.Permanent, faults.ClassOf(err))
	}
}
