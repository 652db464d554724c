package main

import (
	"context"
	"net/url"
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
		_, err := conn.Exec(ctx, `CREATE TABLE entries (id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL)`)
		return err
	})
}

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

// count counts the rows that the statement made; nothing but the tool keeps
// one from being made twice.
func (b *books) count(ctx context.Context, _, effect string) (n int, err error) {
	err = b.ask(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT count(*) FROM entries WHERE name = $1`, effect).Scan(&n)
	})
	return n, err
}

func (b *books) tools(proxied string) ([]tool, declarations) {
	text := strings.NewReplacer("DSN", b.through(proxied), "LIMITS", strings.TrimSpace(limits)).Replace(`
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
