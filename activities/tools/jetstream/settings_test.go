package jetstream_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/activities/tools/jetstream"
)

func TestSettingsAreRefusedWithTheirLine(t *testing.T) {
	right := declaration("nats://127.0.0.1:4222", "1h")
	_, err := declare(t, right)
	require.NoError(t, err, "no connection is made")
	tests := []struct {
		name, old, replacement, want string
	}{
		{"no servers", `servers: ["nats://127.0.0.1:4222"]`, `servers: []`, "holdpoint.yaml:20: nats: no servers are given"},
		{"no scheme", `nats://127.0.0.1:4222`, `127.0.0.1:4222`, "a server is written nats://host:port or tls://host:port"},
		{"another scheme", `nats://127`, `http://127`, "a server is written nats://host:port or tls://host:port"},
		{"a password in an address", `nats://`, `nats://u:SECRET@`, "user and password of a server stand in the fields of these names"},
		{"no stream", "  stream: ORDERS\n", "", "holdpoint.yaml:20: nats: stream must name one stream, with letters, digits, - and _"},
		{"a wildcard for a stream", "stream: ORDERS", "stream: ORDERS.>", "holdpoint.yaml:21: nats: stream must name one stream, with letters, digits, - and _"},
		{"no subject", `  subject: "orders.{{params.region}}.new"` + "\n", "", "no subject is given"},
		{"a broken expression", `{{params.region}}.new`, `{{params.region`, "does not end with }}"},
		{"no body", `  body: {number: "{{params.number}}", note: "{{has(params.note) ? params.note : ''}}"}` + "\n", "", "no body is given"},
		{"an unknown field", "  stream: ORDERS", "  queue: x\n  stream: ORDERS", `holdpoint.yaml:21: unknown field "queue"`},
		{"a header of the server", "  stream: ORDERS", "  headers: {nats-rollup: all}\n  stream: ORDERS", "header nats-rollup: names that begin with Nats- or Holdpoint- are not a declaration's to set"},
		{"a header of ours", "  stream: ORDERS", "  headers: {Holdpoint-Run: x}\n  stream: ORDERS", "header Holdpoint-Run: names that begin with"},
		{"no header's name", "  stream: ORDERS", "  headers: {\"X Y\": x}\n  stream: ORDERS", `"X Y" is no name of a header`},
		{"two ways to sign in", "  stream: ORDERS", "  token: x\n  nkey_seed: y\n  stream: ORDERS", "of credentials, nkey_seed, user and token one is given at most"},
		{"user without password", "  stream: ORDERS", "  user: x\n  stream: ORDERS", "holdpoint.yaml:21: nats: user and password go together"},
		{"certificate without key", "  stream: ORDERS", "  tls: {certificate: x.pem}\n  stream: ORDERS", "certificate and key go together"},
		{"a class that the kind cannot keep", "class: keyed", "class: once", "kind nats cannot keep the delivery class"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Contains(t, right, tt.old)
			_, err := declare(t, strings.Replace(right, tt.old, tt.replacement, 1))
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
}

// The declaration in the documentation is one that can be used.
func TestDocumentedDeclaration(t *testing.T) {
	page, err := os.ReadFile("../../../docs/tools/nats.md")
	require.NoError(t, err)
	_, block, found := strings.Cut(string(page), "```yaml\n")
	require.True(t, found)
	block, _, found = strings.Cut(block, "```")
	require.True(t, found)
	var file struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(block), &file))
	require.Len(t, file.Tools, 1)
	for name, node := range file.Tools {
		tool, err := declared.New(name, "nats.md", &node, []declared.Kind{jetstream.Kind{}})
		require.NoError(t, err)
		require.NoError(t, tool.(io.Closer).Close())
	}
}
