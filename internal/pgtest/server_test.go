package pgtest_test

import (
	"errors"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/pgtest"
)

var cluster pgtest.Shared

func TestMain(m *testing.M) { os.Exit(cluster.Run(m)) }

// What was committed is there after every kind of end, on the same address.
func TestDataOutlivesTheServer(t *testing.T) {
	s := pgtest.Start(t)
	url := s.NewDatabase(t)
	run(t, url, `CREATE TABLE notes (n int)`)
	ends := []struct {
		name string
		end  func() error
	}{{"stopped", s.Stop}, {"killed", s.Kill}}
	for i, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			run(t, url, `INSERT INTO notes VALUES (1)`)
			conn := connect(t, url)
			require.NoError(t, tt.end())
			require.NoError(t, tt.end(), "once more does nothing")
			require.Eventually(t, func() bool { return conn.Ping(t.Context()) != nil }, patience, tick, "its connections end")
			_, err := pgx.Connect(t.Context(), url)
			require.Error(t, err)

			require.NoError(t, s.Start(t.Context()))
			require.NoError(t, s.Start(t.Context()), "once more does nothing")
			require.Equal(t, i+1, ask[int](t, url, `SELECT count(*) FROM notes`))
		})
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	s, err := pgtest.Launch(t.Context(), pgtest.Options{})
	if errors.Is(err, pgtest.ErrNoPostgreSQL) {
		cluster.Server(t) // skips
	}
	require.NoError(t, err)
	folder := ask[string](t, s.URL("postgres"), `SHOW data_directory`)
	require.DirExists(t, folder)
	require.NoError(t, s.Close())
	require.NoDirExists(t, folder)
	_, err = pgx.Connect(t.Context(), s.URL("postgres"))
	require.Error(t, err)
}

func TestSettings(t *testing.T) {
	require.Equal(t, "off", ask[string](t, cluster.Server(t).URL("postgres"), `SHOW fsync`))

	s := pgtest.StartWith(t, pgtest.Options{Durable: true, Settings: map[string]string{"max_connections": "17"}})
	require.Equal(t, "on", ask[string](t, s.URL("postgres"), `SHOW fsync`))
	require.Equal(t, "17", ask[string](t, s.URL("postgres"), `SHOW max_connections`))
}

func TestDatabasesAreApart(t *testing.T) {
	s := cluster.Server(t)
	first, second := s.NewDatabase(t), s.NewDatabase(t)
	run(t, first, `CREATE TABLE notes (n int)`)
	run(t, second, `CREATE TABLE notes (n int)`)
	require.Contains(t, first, "127.0.0.1")
}

// Only who has the URL gets in.
func TestPasswordIsNeeded(t *testing.T) {
	config, err := pgx.ParseConfig(cluster.Server(t).URL("postgres"))
	require.NoError(t, err)
	config.Password = "guess"
	_, err = pgx.ConnectConfig(t.Context(), config)
	require.ErrorContains(t, err, "password authentication failed")
}
