package e2e

import (
	"context"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
	"github.com/holdpoint/holdpoint/activities/tools/postgres"
	"github.com/holdpoint/holdpoint/internal/pgtest"
	"github.com/holdpoint/holdpoint/internal/targets/gitdaemon"
	"github.com/holdpoint/holdpoint/internal/targets/natsserver"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
	"github.com/holdpoint/holdpoint/internal/targets/smtpserver"
)

// oneName are the parameters of the tool "write".
var oneName = map[string]any{"name": "w40"}

func (s *site) scripted(keyHeader string) *scripted.Server {
	s.t.Helper()
	server, err := scripted.Start(scripted.Options{KeyHeader: keyHeader})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { server.Close() })
	return server
}

// orders is an HTTP API of orders, written to by a tool of that class.
func (s *site) orders(keyHeader, class, more string) victimTarget {
	server := s.scripted(keyHeader)
	settings := strings.ReplaceAll(`hosts: ["HOST"]
url: "http://HOST/orders"
body: {number: "{{params.name}}", reference: "{{key}}"}
receipt: {ref: "body.id"}
`+more, "HOST", server.Address)
	return victimTarget{
		tool: "write", target: "there", parameters: oneName, configured: writeTool("http", class, settings), effects: server.Effects,
	}
}

func httpKeyed(s *site) victimTarget {
	return s.orders("Idempotency-Key", "keyed\n    key_window: 1h", "")
}
func httpOnce(s *site) victimTarget { return s.orders("", "once", "") }

func httpLookup(s *site) victimTarget {
	return s.orders("", "lookup", `lookup:
  url: "http://HOST/orders?reference={{key}}"
  found: "size(body.items) > 0"
  absent: "size(body.items) == 0"
  authoritative: true
  receipt: {ref: "body.items[0].id"}`)
}

func httpConditional(s *site) victimTarget {
	server := s.scripted("")
	return victimTarget{
		tool: "write", target: "there", parameters: oneName,
		configured: writeTool("http", "conditional", strings.ReplaceAll(`hosts: ["HOST"]
method: PUT
url: "http://HOST/pages/{{params.name}}"
body: {text: "written once", reference: "{{key}}"}
receipt: {ref: "body.reference"}
create_only: {header: true}
read_back:
  url: "http://HOST/pages/{{params.name}}"
  ours: "body.reference == key"
  receipt: {ref: "body.reference"}`, "HOST", server.Address)),
		effects: func(key string) int { _, writes := server.Page("w40", key); return writes },
	}
}

// postgresTransactional counts rows of a table that would take a second one.
func postgresTransactional(s *site) victimTarget {
	dsn := pgtest.Start(s.t).NewDatabase(s.t)
	require.NoError(s.t, postgres.Migrate(s.t.Context(), dsn))
	conn, err := pgx.Connect(s.t.Context(), dsn)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { conn.Close(context.Background()) })
	_, err = conn.Exec(s.t.Context(), "CREATE TABLE entries (id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL)")
	require.NoError(s.t, err)
	return victimTarget{
		tool: "write", target: "there", parameters: oneName,
		configured: writeTool("postgres", "transactional", strings.ReplaceAll(`dsn: "DSN"
statement: "INSERT INTO entries (name) VALUES ($1) RETURNING id"
arguments: ["{{params.name}}"]
receipt: {ref: "row.id"}`, "DSN", dsn)),
		effects: func(string) (n int) {
			require.NoError(s.t, conn.QueryRow(s.t.Context(), "SELECT count(*) FROM entries WHERE name = 'w40'").Scan(&n))
			return n
		},
	}
}

// natsKeyed counts the messages of a subject.
func natsKeyed(s *site) victimTarget {
	server := natsserver.Start(s.t)
	conn, err := nats.Connect(server.URL())
	require.NoError(s.t, err)
	s.t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	require.NoError(s.t, err)
	stream, err := js.CreateStream(s.t.Context(), jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"events.>"}})
	require.NoError(s.t, err)
	return victimTarget{
		tool: "write", target: "there", parameters: oneName,
		configured: writeTool("nats", "keyed\n    key_window: 1m", strings.ReplaceAll(`servers: ["URL"]
stream: EVENTS
subject: "events.{{params.name}}"
body: {name: "{{params.name}}"}`, "URL", server.URL())),
		effects: func(string) int {
			info, err := stream.Info(s.t.Context(), jetstream.WithSubjectFilter("events.w40"))
			require.NoError(s.t, err)
			return int(info.State.Subjects["events.w40"])
		},
	}
}

// objectConditional counts the puts that the store took.
func objectConditional(s *site) victimTarget {
	server := objectserver.Start(s.t, objectserver.Options{Buckets: []string{"reports"}})
	s.env = append(s.env, "STORE_KEY=anything")
	return victimTarget{
		tool: "write", target: "there", parameters: oneName,
		configured: writeTool("object", "conditional", strings.ReplaceAll(`endpoint: "URL"
bucket: reports
access_key: "${env:STORE_KEY}"
secret_key: "${env:STORE_KEY}"
name: "{{params.name}}.txt"
mode: create
text: "{{params.name}}"`, "URL", server.URL())),
		effects: func(key string) int { return server.Writes("holdpoint-key", key) },
	}
}

// gitConditional counts the key's trailers in the remote branch's history.
func gitConditional(s *site) victimTarget {
	s.must("git", "init", "-q", "--bare", "--initial-branch=main", s.path("served", "kb.git"))
	server := gitdaemon.Start(s.t, s.path("served"))
	return victimTarget{
		tool: "gitpages", target: "kb",
		parameters: map[string]any{"page": "w40.md", "title": "W40", "content": "# W40\n"},
		configured: "repositories: {kb: {remote: \"" + server.URL("kb.git") + "\", branch: main}}\n",
		effects: func(key string) int {
			heads, err := os.ReadDir(s.path("served", "kb.git", "refs", "heads"))
			require.NoError(s.t, err)
			if len(heads) == 0 {
				return 0
			}
			keys := s.must("git", "-C", s.path("served", "kb.git"), "log", "main", "--format=%(trailers:key=Holdpoint-Key,valueonly)")
			return strings.Count(keys, key)
		},
	}
}

// smtpOnce counts the mails of a subject.
func smtpOnce(s *site) victimTarget {
	server := smtpserver.Start(s.t, smtpserver.Options{})
	return victimTarget{
		tool: "write", target: "there", parameters: oneName,
		configured: writeTool("smtp", "once", strings.ReplaceAll(`address: "HOST"
tls: none
from: "Holdpoint <holdpoint@example.com>"
to: ["team@example.com"]
subject: "{{params.name}}"
text: "written once"`, "HOST", server.Address())),
		effects: func(string) int {
			n, err := server.CountSubject(s.t.Context(), "w40")
			require.NoError(s.t, err)
			return n
		},
	}
}
