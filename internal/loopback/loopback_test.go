package loopback_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/loopback"
)

// Where plaintext may go: to this machine, and to nothing that only looks like it.
func TestWhatIsThisMachine(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost":               true,
		"LOCALHOST":               true,
		"LocalHost":               true,
		"127.0.0.1":               true,
		"127.1.2.3":               true,
		"127.255.255.255":         true,
		"::1":                     true,
		"0:0:0:0:0:0:0:1":         true,
		"::ffff:127.0.0.1":        true,
		"::FFFF:7F00:1":           true,
		"localhost.":              false,
		"a.localhost":             false,
		"localhost.example.com":   false,
		"localhost6":              false,
		"ｌocalhost":               false, // a full-width letter
		"localhoſt":               false, // a long s
		"":                        false,
		"localhost ":              false, //nolint:gocritic // the blank is what is tried
		"127.0.0.1.example.com":   false,
		"127.0.0.1.":              false,
		"127.1":                   false, // as inet_aton reads it, and a resolver may not
		"127.0.0.01":              false,
		"0127.0.0.1":              false,
		"2130706433":              false,
		"0x7f000001":              false,
		"0.0.0.0":                 false,
		"::":                      false,
		"::127.0.0.1":             false, // IPv4-compatible, long out of use
		"126.255.255.255":         false,
		"128.0.0.1":               false,
		"10.0.0.1":                false,
		"::ffff:10.0.0.1":         false,
		"::1%lo":                  false,
		"::1%25lo":                false,
		"fe80::1":                 false,
		"fe80::1%lo":              false,
		"[::1]":                   false, // brackets belong to addresses with a port
		"localhost:80":            false,
		"127.0.0.1:80":            false,
		"user@localhost":          false,
		"example.com":             false,
		"example.com#127.0.0.1":   false,
		"localhost\x00.other.com": false,
	} {
		require.Equal(t, want, loopback.Is(host), "%q", host)
	}
}

func TestWhichAddressIsThisMachine(t *testing.T) {
	for address, want := range map[string]bool{
		"localhost:7233":             true,
		"LOCALHOST:7233":             true,
		"localhost":                  true,
		"127.0.0.1:7233":             true,
		"127.0.0.1":                  true,
		"[::1]:7233":                 true,
		"::1":                        true,
		"[::ffff:127.0.0.1]:7233":    true,
		"localhost.:7233":            false,
		"0.0.0.0:7233":               false,
		":7233":                      false,
		"":                           false,
		"[::1%lo]:7233":              false,
		"127.0.0.1.example.com:7233": false,
		"example.com:7233":           false,
		"dns:///localhost:7233":      false,
		"localhost:7233,other:7233":  false,
	} {
		require.Equal(t, want, loopback.IsAddress(address), "%q", address)
	}
}

// As the settings read them.
func TestHostsOfURLs(t *testing.T) {
	for text, want := range map[string]bool{
		"http://localhost:8080/hook":       true,
		"http://LOCALHOST/hook":            true,
		"http://[::1]:8080/hook":           true,
		"http://127.1.2.3/":                true,
		"http://[::1%25lo]/":               false,
		"http://localhost@example.com/":    false,
		"http://example.com/?localhost":    false,
		"http://example.com/#127.0.0.1":    false,
		"http://127.0.0.1.example.com/":    false,
		"http://localhost.example.com:80/": false,
	} {
		u, err := url.Parse(text)
		require.NoError(t, err)
		require.Equal(t, want, loopback.Is(u.Hostname()), text)
	}
}
