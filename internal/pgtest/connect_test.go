package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

const (
	patience = 30 * time.Second
	tick     = 10 * time.Millisecond
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, url, statement string) {
	t.Helper()
	_, err := connect(t, url).Exec(t.Context(), statement)
	require.NoError(t, err)
}

func ask[T any](t *testing.T, url, query string) T {
	t.Helper()
	var answer T
	require.NoError(t, connect(t, url).QueryRow(t.Context(), query).Scan(&answer))
	return answer
}
