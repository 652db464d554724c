package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Prepare implements declared.Sender. Everything is read in one transaction
// that cannot write. The statement is parsed by the server, and not run.
func (s *sender) Prepare(ctx context.Context, r declared.Request) (declared.Prepared, error) {
	statement, err := s.fill("statement", s.settings.Statement, s.settings.Arguments, r.Vars)
	if err != nil {
		return declared.Prepared{}, err
	}
	conn, err := s.database.acquire(ctx)
	if err != nil {
		return declared.Prepared{}, err
	}
	defer conn.Release()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin(ctx, "repeatable read", "READ ONLY")})
	if err != nil {
		return declared.Prepared{}, statementFault(err)
	}
	defer rollback(ctx, tx)

	if err := s.checkReceipts(ctx, conn.Conn()); err != nil {
		return declared.Prepared{}, err
	}
	if _, err := statement.prepare(ctx, conn.Conn()); err != nil {
		return declared.Prepared{}, statementFault(err)
	}
	var prepared declared.Prepared
	if s.settings.PreconditionQuery != "" {
		if prepared.Precondition, err = s.precondition(ctx, conn.Conn(), r.Vars); err != nil {
			return declared.Prepared{}, statementFault(err)
		}
	}
	rows, err := s.rows(ctx, conn.Conn(), r.Vars)
	if err != nil {
		return declared.Prepared{}, statementFault(err)
	}
	prepared.Preview = s.preview(statement, prepared.Precondition) + rows
	return prepared, nil
}

// preview is what will run, with each argument whole.
func (s *sender) preview(statement command, precondition string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "one transaction in PostgreSQL (rows expected: %d)\n\n%s\n", *s.settings.ExpectRows, plan.EscapeLines(strings.TrimSpace(statement.sql)))
	for i, value := range statement.values {
		text, err := jsonText(value)
		if err != nil {
			text = fmt.Sprint(value)
		}
		fmt.Fprintf(&b, "\n$%d = %s", i+1, plan.Escape(text))
	}
	b.WriteString("\n")
	if precondition != "" {
		fmt.Fprintf(&b, "\nonly while the precondition_query says: %s\n", plan.Escape(precondition))
	}
	return b.String()
}

const (
	// maxRows bounds the rows of a preview, and maxCell a value in it, in bytes.
	maxRows = 50
	maxCell = 2000
)

// rows are those of the preview_query, for people.
func (s *sender) rows(ctx context.Context, conn *pgx.Conn, vars template.Vars) (string, error) {
	if s.settings.PreviewQuery == "" {
		return "", nil
	}
	query, err := s.fill("preview_query", s.settings.PreviewQuery, s.settings.PreviewArguments, vars)
	if err != nil {
		return "", err
	}
	p, err := query.prepare(ctx, conn)
	if err != nil {
		return "", err
	}
	// A cursor, so that the server stops where the preview does.
	query.sql = "DECLARE preview NO SCROLL CURSOR FOR " + query.sql
	cursor, err := query.prepare(ctx, conn)
	if err != nil {
		return "", err
	}
	if _, err := cursor.run(ctx, conn).Close(); err != nil {
		return "", err
	}
	reader := conn.PgConn().ExecParams(ctx, fmt.Sprintf("FETCH FORWARD %d FROM preview", maxRows+1), nil, nil, nil, nil)
	var b strings.Builder
	b.WriteString("\nnow there:\n")
	rows := 0
	for reader.NextRow() {
		if rows++; rows <= maxRows {
			writeRow(&b, p.columns, reader.Values())
		}
	}
	if _, err := reader.Close(); err != nil {
		return "", err
	}
	switch {
	case rows == 0:
		b.WriteString("no rows\n")
	case rows > maxRows:
		fmt.Fprintf(&b, "and more: only the first %d rows are shown\n", maxRows)
	}
	return b.String(), nil
}

func writeRow(b *strings.Builder, columns []string, values [][]byte) {
	mark := "- "
	for i, name := range columns {
		value := "NULL"
		if values[i] != nil {
			value = plan.Escape(plan.Clip(string(values[i]), maxCell))
		}
		fmt.Fprintf(b, "%s%s: %s\n", mark, plan.Escape(name), value)
		mark = "  "
	}
}
