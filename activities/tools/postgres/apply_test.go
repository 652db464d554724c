package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/activities/tools/postgres"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/pgtest"
)

func TestEffectAndReceiptCommitTogether(t *testing.T) {
	o := newOrders(t)
	tool, key := open(t, declaration(o.url, insert)), kindtest.KeyOf("k")
	c := call(key, "周报 'quoted'")
	receipt, err := kindtest.Apply(t, tool, c)
	require.NoError(t, err)
	require.Equal(t, plan.Receipt{
		IdempotencyKey: key, Tool: "book", Target: "shop/orders", Ref: "1", Detail: "order W-17", At: receipt.At,
	}, receipt)
	require.Equal(t, "周报 'quoted'", ask[string](o, `SELECT note FROM orders WHERE key = $1 AND number = 'W-17' AND amount = 12.5`, key))
	type row struct {
		Key, Fingerprint, Tool, Target, Run, Action, Plan, Approver, Ref, Detail string
		MadeAt                                                                   time.Time
	}
	rows, err := o.conn.Query(t.Context(), `SELECT idempotency_key, fingerprint, tool, target, run_id, action_id, plan_hash, approver, ref, detail, made_at
		FROM holdpoint_receipts`)
	require.NoError(t, err)
	stored, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[row])
	require.NoError(t, err)
	require.Equal(t, row{
		key, fingerprintOf(t, c), "book", "shop/orders", "acme/weekly-2026-W48", "a1", c.PlanHash.String(), "mei.chen@example.com",
		"1", "order W-17", stored.MadeAt,
	}, stored)
	require.Equal(t, stored.MadeAt.UTC().Truncate(time.Second), receipt.At)

	again, err := kindtest.Apply(t, tool, c)
	require.NoError(t, err)
	require.Equal(t, receipt, again)
	require.Equal(t, 1, o.count(key))
	for c, want := range map[string]int{key: 1, kindtest.KeyOf("another"): 0} {
		count, err := tool.Count(t.Context(), call(c, ""))
		require.NoError(t, err)
		require.Equal(t, want, count)
	}
}

func TestRaceOfOneKeyIsOneRow(t *testing.T) {
	o := newOrders(t)
	key := kindtest.KeyOf("race")
	var callers sync.WaitGroup
	for range 4 {
		tool := open(t, declaration(o.url, insert))
		for range 8 {
			callers.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				receipt, err := tool.Apply(ctx, call(key, "one"))
				if err != nil || receipt.Ref != "1" {
					t.Errorf("%v %v", receipt, err)
				}
			})
		}
	}
	callers.Wait()
	require.Equal(t, 1, o.count(key))
}

func TestReceiptOfAStatementThatReturnsNothing(t *testing.T) {
	o := newOrders(t)
	o.exec(`INSERT INTO orders (key, number, note) VALUES ('', 'W-17', 'a'), ('', 'W-17', 'b')`)
	tool := open(t, declaration(o.url, `statement: UPDATE orders SET note = $1 WHERE number = $2
  arguments: ["{{params.note}}", "{{params.number}}"]
  expect_rows: 2
  receipt: {detail: "string(rows) + ' orders'"}`))
	receipt, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "new"))
	require.NoError(t, err)
	require.Equal(t, "holdpoint_receipts/"+kindtest.KeyOf("k"), receipt.Ref)
	require.Equal(t, "2 orders", receipt.Detail)
	require.Equal(t, 2, ask[int](o, `SELECT count(*) FROM orders WHERE note = 'new'`))
}

// What the server refuses is refused for good or for now, and in both cases
// there is no effect: of this call, and of any other of the key.
func TestWhatTheServerRefuses(t *testing.T) {
	tests := []struct {
		name, settings string
		note           string
		amount         float64
		class          faults.Class
		code           string
		says           string
	}{
		{"a check", insert, "SECRET", -1, faults.Permanent, "sqlstate_23514",
			"PostgreSQL says 23514 (check_violation), constraint orders_amount_positive, table orders; nothing was committed"},
		{"a value of another type", `statement: INSERT INTO orders (key, number, amount) VALUES ($1, '', $2::text::int)
  arguments: ["{{key}}", "{{params.note}}"]`, "SECRET", 1, faults.Permanent, "sqlstate_22P02",
			"PostgreSQL says 22P02 (invalid_text_representation); nothing was committed"},
		{"a column that is not there", `statement: INSERT INTO orders (key, nummer) VALUES ($1, 'x')
  arguments: ["{{key}}"]`, "", 1, faults.Permanent, "sqlstate_42703",
			`PostgreSQL says 42703 (undefined_column), column "nummer" of relation "orders" does not exist; nothing was committed`},
		{"a function's own message", `statement: SELECT refuse($1)
  arguments: ["{{params.note}}"]`, "SECRET", 1, faults.Permanent, "sqlstate_P0001",
			"PostgreSQL says P0001 (raise_exception); nothing was committed"},
		{"a function's message in the server's clothes", `statement: SELECT refuse_in_disguise($1)
  arguments: ["{{params.note}}"]`, "SECRET", 1, faults.Permanent, "sqlstate_42501",
			"PostgreSQL says 42501 (insufficient_privilege); nothing was committed"},
		{"another number of rows", `statement: UPDATE orders SET note = $1
  arguments: ["{{params.note}}"]`, "SECRET", 1, faults.Permanent, "unexpected_rows",
			"the statement affects 0 rows, and 1 are expected; nothing was committed"},
		{"two statements", `statement: "INSERT INTO orders (key, number) VALUES ('a', 'b'); COMMIT"`, "", 1, faults.Permanent, "sqlstate_42601",
			"PostgreSQL says 42601 (syntax_error), cannot insert multiple commands into a prepared statement; nothing was committed"},
		{"too few arguments", `statement: INSERT INTO orders (key, number) VALUES ($1, $2)
  arguments: ["{{key}}"]`, "", 1, faults.Permanent, "bad_arguments", "the statement has 2 parameters, and 1 arguments are declared"},
		{"a text that cannot be stored", insert, "a\u0000b", 1, faults.Permanent, "bad_arguments",
			"argument 3 of the statement holds U+0000, which PostgreSQL cannot store"},
		{"no receipt", `statement: INSERT INTO orders (key, number) VALUES ($1, '') RETURNING note
  arguments: ["{{key}}"]
  receipt: {ref: row.note}`, "", 1, faults.Permanent, "no_receipt", "is no text; nothing was committed"},
		{"an empty receipt", `statement: INSERT INTO orders (key, number) VALUES ($1, '') RETURNING number
  arguments: ["{{key}}"]
  receipt: {ref: row.number}`, "", 1, faults.Permanent, "no_receipt", "it is empty, too long, or no single line; nothing was committed"},
		{"a statement that never ends", `statement: SELECT pg_sleep(60)::text`, "", 1, faults.Transient, "sqlstate_57014",
			"PostgreSQL says 57014 (query_canceled); nothing was committed"},
		{"the end of its own session", `statement: SELECT pg_terminate_backend(pg_backend_pid())`, "", 1, faults.Transient, "sqlstate_57P01",
			"PostgreSQL says 57P01 (admin_shutdown); nothing was committed"},
		{"a lost race", `statement: SELECT lose($1)
  arguments: ["{{params.note}}"]`, "SECRET", 1, faults.Transient, "sqlstate_40001",
			"PostgreSQL says 40001 (serialization_failure); nothing was committed"},
		{"the removal of its own receipt", `statement: DELETE FROM holdpoint_receipts WHERE idempotency_key = $1
  arguments: ["{{key}}"]`, "", 1, faults.Permanent, "receipt_removed", "the statement removed its own receipt; nothing was committed"},
	}
	o := newOrders(t)
	for name, body := range map[string]string{
		"refuse":             `RAISE EXCEPTION 'no: %', note`,
		"refuse_in_disguise": `RAISE EXCEPTION 'no: %', note USING ERRCODE = '42501'`,
		"lose":               `RAISE EXCEPTION 'lost: %', note USING ERRCODE = '40001'`,
	} {
		o.exec(`CREATE FUNCTION ` + name + `(note text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN ` + body + `; END $$`)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := declaration(o.url, tt.settings)
			if tt.code == "sqlstate_57014" {
				text = quick(text)
			}
			_, err := kindtest.Apply(t, open(t, text), call(kindtest.KeyOf("k"), tt.note, "amount", tt.amount))
			fault := kindtest.RequireFault(t, err, tt.class, tt.code)
			require.Contains(t, fault.Reason, tt.says)
			require.NotContains(t, fault.Error(), "SECRET")
			require.ErrorIs(t, err, tools.ErrAbsent)
			require.Zero(t, o.receipts())
			require.Zero(t, ask[int](o, `SELECT count(*) FROM orders`))
		})
	}
}

func TestLocksOfOthersAreWaitedForAndThenGivenUp(t *testing.T) {
	o := newOrders(t)
	o.exec(`INSERT INTO orders (key, number, note) VALUES ('', 'W-17', 'old')`)
	tool := open(t, quick(declaration(o.url, `statement: UPDATE orders SET note = $1 WHERE number = $2
  arguments: ["{{params.note}}", "{{params.number}}"]`)))
	o.exec(`BEGIN`)
	o.exec(`UPDATE orders SET note = 'theirs'`)
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "ours"))
	kindtest.RequireFault(t, err, faults.Transient, "sqlstate_55P03")
	require.ErrorIs(t, err, tools.ErrAbsent)
	o.exec(`COMMIT`)

	_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "ours"))
	require.NoError(t, err)
	require.Equal(t, "ours", ask[string](o, `SELECT note FROM orders`))
}

func TestConnectionLostBeforeCommitLeavesNothing(t *testing.T) {
	o := newOrders(t)
	link := kindtest.NewLink(t, o.address())
	tool := open(t, declaration(o.through(link.Addr()), insert))
	c := call(kindtest.KeyOf("k"), "one")
	c.MayBegin = func(context.Context) error {
		link.Down()
		return nil
	}
	_, err := kindtest.Apply(t, tool, c)
	// The client cannot tell whether its COMMIT went out before the line broke.
	require.Error(t, err)
	require.Contains(t, []string{"commit_unknown", "connection_lost"}, faults.Name(err).Code)
	link.Up(t)
	require.Zero(t, o.count(kindtest.KeyOf("k")))
	receipt, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	require.NoError(t, err)
	require.NotEmpty(t, receipt.Ref)
	require.Equal(t, 1, o.count(kindtest.KeyOf("k")))
}

func TestCanceledBeforeCommitLeavesNothing(t *testing.T) {
	o := newOrders(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := call(kindtest.KeyOf("k"), "one")
	c.MayBegin = func(context.Context) error {
		cancel()
		return nil
	}
	tool := open(t, declaration(o.url, insert))
	_, err := tool.Apply(ctx, c)
	kindtest.RequireFault(t, err, faults.Transient, faults.CodeInterrupted)
	require.ErrorIs(t, err, tools.ErrAbsent, "COMMIT was not sent, and the key was ours")
	require.Zero(t, o.count(kindtest.KeyOf("k")))

	_, err = tool.Apply(ctx, c)
	kindtest.RequireFault(t, err, faults.Transient, faults.CodeInterrupted)
	require.NotErrorIs(t, err, tools.ErrAbsent, "the key was not asked for")
}

func TestDeferredConstraintRefusesTheCommit(t *testing.T) {
	o := newOrders(t)
	o.exec(`ALTER TABLE orders ADD CONSTRAINT orders_number_known UNIQUE (number) DEFERRABLE INITIALLY DEFERRED`)
	o.exec(`INSERT INTO orders (key, number) VALUES ('', 'W-17')`)
	_, err := kindtest.Apply(t, open(t, declaration(o.url, insert)), call(kindtest.KeyOf("k"), "one"))
	fault := kindtest.RequireFault(t, err, faults.Permanent, "sqlstate_23505")
	require.Contains(t, fault.Reason, "constraint orders_number_known")
	require.ErrorIs(t, err, tools.ErrAbsent)
	require.Zero(t, o.count(kindtest.KeyOf("k")))
	require.Zero(t, o.receipts())
}

func TestWorkerStartsAndGoesOnWithoutItsDatabase(t *testing.T) {
	server := pgtest.Start(t)
	o := &orders{tb: t, url: server.NewDatabase(t)}
	require.NoError(t, postgres.Migrate(t.Context(), o.url))
	o.connect()
	o.exec(`CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY, key text, number text, note text, amount numeric)`)
	require.NoError(t, server.Stop())

	tool := open(t, declaration(o.url, insert))
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	kindtest.RequireFault(t, err, faults.Transient, "dial_failed")
	require.NoError(t, server.Start(t.Context()))
	first, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	require.NoError(t, err)

	require.NoError(t, server.Stop())
	_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	require.Error(t, err)
	require.Equal(t, faults.Transient, faults.ClassOf(err), "nothing was committed: %v", err)
	require.NotErrorIs(t, err, tools.ErrAbsent, "an earlier call may have been committed")
	require.NoError(t, server.Start(t.Context()))
	again, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	require.NoError(t, err)
	require.Equal(t, first, again)
	o.connect()
	require.Equal(t, 1, o.count(kindtest.KeyOf("k")))
}

func TestConnectionsThatNoSecondTryMends(t *testing.T) {
	o := newOrders(t)
	tests := []struct {
		name, dsn, code string
		class           faults.Class
	}{
		{"another password", strings.Replace(o.url, "@", "SECRET@", 1), "sqlstate_28P01", faults.Permanent},
		{"another database", strings.Replace(o.url, "/test_", "/no_test_", 1), "sqlstate_3D000", faults.Permanent},
		{"TLS of a server without", strings.Replace(o.url, "sslmode=disable", "sslmode=require", 1), "postgres_tls", faults.Permanent},
		{"no such host", "postgres://u:SECRET@no-such-host.invalid/db", "dial_failed", faults.Transient},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := kindtest.Apply(t, open(t, declaration(tt.dsn, insert)), call(kindtest.KeyOf("k"), "one"))
			fault := kindtest.RequireFault(t, err, tt.class, tt.code)
			require.NotContains(t, fault.Error(), "SECRET")
			require.NotErrorIs(t, err, tools.ErrAbsent)
		})
	}
	t.Run("a secret that is not there, which another worker may have", func(t *testing.T) {
		_, err := kindtest.Apply(t, open(t, declaration("${env:NO_SUCH_DSN}", insert)), call(kindtest.KeyOf("k"), "one"))
		fault := kindtest.RequireFault(t, err, faults.Transient, faults.CodeSecretMissing)
		require.True(t, fault.Waits)
		require.Contains(t, fault.Reason, "NO_SUCH_DSN is not set")
	})
	t.Run("a secret that is no DSN", func(t *testing.T) {
		t.Setenv("ORDERS_DSN", "postgres://u:SECRET@host:port/db")
		_, err := kindtest.Apply(t, open(t, declaration("${env:ORDERS_DSN}", insert)), call(kindtest.KeyOf("k"), "one"))
		fault := kindtest.RequireFault(t, err, faults.Permanent, "bad_dsn")
		require.NotContains(t, fault.Error(), "SECRET")
	})
}

// A password that is replaced while the worker runs.
func TestSecretIsReadForEachConnection(t *testing.T) {
	o := newOrders(t)
	o.exec(`CREATE ROLE booker LOGIN PASSWORD 'old'`)
	t.Cleanup(func() { o.exec(`DROP OWNED BY booker; DROP ROLE booker`) })
	o.exec(`GRANT USAGE ON SCHEMA ` + ask[string](o, `SELECT current_schema()`) + ` TO booker`)
	o.exec(`GRANT SELECT, INSERT, UPDATE ON holdpoint_receipts, orders TO booker`)
	dsn := func(password string) string {
		at := strings.Index(o.url, "@")
		return "postgres://booker:" + password + o.url[at:]
	}
	t.Setenv("ORDERS_DSN", dsn("old"))
	tool := open(t, declaration("${env:ORDERS_DSN}", insert))
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("1"), "one"))
	require.NoError(t, err)
	o.exec(`ALTER ROLE booker PASSWORD 'new'`)
	t.Setenv("ORDERS_DSN", dsn("new"))
	o.exec(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'booker'`)
	require.Eventually(t, func() bool {
		_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("2"), "one"))
		return err == nil
	}, patience, tick, "%v", err)
	require.Equal(t, 1, o.count(kindtest.KeyOf("2")))
}

func TestMissingReceiptsTableSaysWhatToDo(t *testing.T) {
	o := newOrders(t)
	tool := open(t, declaration(o.url, insert, "receipts_table: app.receipts"))
	const want = `the database has no table app.receipts as this tool needs it; make it once: psql "$DSN" -f receipts.sql (docs/tools/postgres.md)`
	_, err := kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	require.Equal(t, want, kindtest.RequireFault(t, err, faults.Permanent, "no_receipts_table").Reason)
	_, err = tool.Prepare(t.Context(), proposal("one"))
	require.Equal(t, want, kindtest.RequireFault(t, err, faults.Permanent, "no_receipts_table").Reason)
	_, err = tool.Count(t.Context(), call(kindtest.KeyOf("k"), "one"))
	kindtest.RequireFault(t, err, faults.Permanent, "no_receipts_table")
	require.Zero(t, o.count(kindtest.KeyOf("k")))

	o.exec(`CREATE SCHEMA app`)
	t.Cleanup(func() { o.exec(`DROP SCHEMA app CASCADE`) })
	o.exec(`CREATE TABLE app.receipts (LIKE holdpoint_receipts INCLUDING ALL)`)
	_, err = kindtest.Apply(t, tool, call(kindtest.KeyOf("k"), "one"))
	require.NoError(t, err)
	require.Equal(t, 1, ask[int](o, `SELECT count(*) FROM app.receipts`))
	require.Zero(t, o.receipts())
}

func TestMigrateIsRepeatable(t *testing.T) {
	o := newOrders(t)
	_, err := kindtest.Apply(t, open(t, declaration(o.url, insert)), call(kindtest.KeyOf("k"), "one"))
	require.NoError(t, err)
	require.NoError(t, postgres.Migrate(t.Context(), o.url))
	require.Equal(t, 1, o.receipts())

	err = postgres.Migrate(t.Context(), strings.Replace(o.url, "@", "SECRET@", 1))
	require.NotContains(t, kindtest.RequireFault(t, err, faults.Permanent, "sqlstate_28P01").Error(), "SECRET")
}
