package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

func TestURLValues(t *testing.T) {
	const source = "https://api.example.com/v1/{{params.a}}/x-{{params.b}}?q={{params.c}}&k={{key}}"
	tests := []struct {
		name    string
		a, b, c string
		want    string // behind the host; empty: refused
	}{
		{"plain", "acme", "1", "two words", "/v1/acme/x-1?q=two+words&k=f00"},
		{"slash in a segment", "group/project", "1", "a/b", "/v1/group%2Fproject/x-1?q=a%2Fb&k=f00"},
		{"question and fragment", "a?b", "c#d", "e?f#g", "/v1/a%3Fb/x-c%23d?q=e%3Ff%23g&k=f00"},
		{"another field", "a&b=c", "1", "x&k=other", "/v1/a&b=c/x-1?q=x%26k%3Dother&k=f00"},
		{"percent", "%2e%2e", "%2F", "%26", "/v1/%252e%252e/x-%252F?q=%2526&k=f00"},
		{"semicolons and commas", "a;b", "c,d", "e;f", "/v1/a%3Bb/x-c%2Cd?q=e%3Bf&k=f00"},
		{"beyond ASCII", "周", "é", "周报", "/v1/%E5%91%A8/x-%C3%A9?q=%E5%91%A8%E6%8A%A5&k=f00"},
		{"another host", "@evil.example.com", "//evil", "\\evil", "/v1/@evil.example.com/x-%2F%2Fevil?q=%5Cevil&k=f00"},
		{"line ends", "a\r\nHost: evil", "1", "b\r\n\r\n", "/v1/a%0D%0AHost:%20evil/x-1?q=b%0D%0A%0D%0A&k=f00"},
		{"empty in the query", "a", "1", "", "/v1/a/x-1?q=&k=f00"},
		{"empty in the path", "", "1", "x", ""},
		{"empty in a segment", "a", "", "x", ""},
		{"a step up", "..", "1", "x", ""},
		{"a step on the spot", ".", "1", "x", ""},
		{"dots that are a name", "...", "..", "..", "/v1/.../x-..?q=..&k=f00"},
	}
	u, err := parseURL(source)
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := u.render(template.Vars{Params: map[string]any{"a": tt.a, "b": tt.b, "c": tt.c}, Key: "f00"})
			if tt.want == "" {
				require.Error(t, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, requestURI(t, got))
		})
	}
}

// A step that is put together of two values is one all the same.
func TestURLDotsOfTwoValues(t *testing.T) {
	u, err := parseURL("https://api.example.com/a/{{params.a}}{{params.b}}/c")
	require.NoError(t, err)
	_, err = u.render(template.Vars{Params: map[string]any{"a": ".", "b": "."}})
	require.ErrorContains(t, err, "leads elsewhere")
}

// requestURI is what stands in the request line when Go sends the URL.
func requestURI(t *testing.T, u *url.URL) string {
	t.Helper()
	o := outgoing{method: http.MethodPost, url: u, header: http.Header{}}
	var wire bytes.Buffer
	require.NoError(t, o.request(context.Background()).Write(&wire))
	got, err := http.ReadRequest(bufio.NewReader(&wire))
	require.NoError(t, err)
	require.Equal(t, u.Host, got.Host)
	return got.RequestURI
}

func FuzzURLValues(f *testing.F) {
	for _, seed := range []string{"", "a", "..", ".", "a/b", "%2e", "?x=1", "#", "&k=1", "@h", "\r\n", "\x00", "周", "\xff", "//", ";", "+", " "} {
		f.Add(seed, seed)
	}
	t0, err := parseURL("http://127.0.0.1:8080/v1/{{params.a}}/end?q={{params.b}}&k={{key}}")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		u, err := t0.render(template.Vars{Params: map[string]any{"a": a, "b": b}, Key: "f00"})
		if err != nil {
			require.True(t, a == "" || a == "." || a == "..", "%q is refused: %v", a, err)
			return
		}
		require.Equal(t, "http", u.Scheme)
		require.Equal(t, "127.0.0.1:8080", u.Host)
		path, query, found := strings.Cut(requestURI(t, u), "?")
		require.True(t, found)

		segments := strings.Split(path, "/")
		require.Len(t, segments, 4)
		require.Equal(t, []string{"", "v1"}, segments[:2])
		require.Equal(t, "end", segments[3])
		segment, err := url.PathUnescape(segments[2])
		require.NoError(t, err)
		require.Equal(t, a, segment)
		require.NotContains(t, []string{".", ".."}, segment)

		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		require.Equal(t, url.Values{"q": {b}, "k": {"f00"}}, values)
	})
}
