package main

import (
	"context"
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/holdpoint/holdpoint/activities/tools/postgres"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/pgtest"
)

// books is a database on the cluster that also has the ledger: it restarts
// with it.
type books struct {
	cluster *pgtest.Server
	dsn     string
}

func newBooks(ctx context.Context, cluster *pgtest.Server) (*books, error) {
	dsn, err := cluster.CreateDatabase(ctx)
	if err != nil {
		return nil, err
	}
	b := &books{cluster: cluster, dsn: dsn}
	if err := postgres.Migrate(ctx, dsn); err != nil {
		return nil, err
	}
	return b, b.ask(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, entries)
		return err
	})
}

// entries is a table of which a COMMIT takes its time before anything of it is
// durable, so that a server that goes away meets some in their middle.
const entries = `
CREATE TABLE entries (id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL);
CREATE FUNCTION take_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM pg_sleep(0.05 + abs(hashtext(NEW.name) % 400) / 1000.0);
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER take_time AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION take_time();
`

func (b *books) ask(ctx context.Context, question func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, b.dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return question(conn)
}

func (b *books) address() string { return b.cluster.Address() }

// close does nothing: the stage closes the cluster.
func (b *books) close() error { return nil }

// writes is the driver's COMMIT, a Query message of PostgreSQL's protocol.
func (b *books) writes() *regexp.Regexp { return regexp.MustCompile(`commit\x00`) }

// count counts the rows that the statement made; nothing but the tool keeps
// one from being made twice.
func (b *books) count(ctx context.Context, a *action) (n int, err error) {
	err = b.ask(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT count(*) FROM entries WHERE name = $1`, a.Effect).Scan(&n)
	})
	return n, err
}

func (b *books) tools(proxied string) ([]tool, declarations) {
	text := strings.NewReplacer("DSN", b.through(proxied), "LIMITS", limits).Replace(`
  entries:
    version: "1"
    kind: postgres
    class: transactional
    risk: low
    schema: ` + stringsSchema("name") + `
    target: "books/entries"
    item: "{{params.name}}"
    LIMITS
    postgres:
      dsn: "DSN"
      statement: "INSERT INTO entries (name) VALUES ($1) RETURNING id"
      arguments: ["{{params.name}}"]
      receipt: {ref: "row.id"}
`)
	return []tool{{
		name: "entries", kind: "postgres", class: plan.Transactional, target: "books/entries",
		parameters: func(effect string) map[string]any { return map[string]any{"name": effect} },
	}}, declarations{tools: text}
}

// through is the address of the database behind a proxy.
func (b *books) through(proxied string) string {
	u, err := url.Parse(b.dsn)
	if err != nil || proxied == "" {
		return b.dsn
	}
	u.Host = proxied
	return u.String()
}
