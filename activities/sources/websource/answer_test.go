package websource

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// The server knows in which charset its pages are.
func TestTheCharsetThatTheServerSays(t *testing.T) {
	s := newSite(t)
	s.pages["/sjis.html"] = says("text/html; charset=Shift_JIS", "<p>\x93\xfa\x96\x7b\x8c\xea</p>")
	s.pages["/latin.html"] = says("text/html; charset=windows-1252", "<p>d\xe9j\xe0 vu \xe0 l\x92\xe9t\xe9</p>")
	s.pages["/gbk.html"] = says("text/html; charset=gbk", "<p>\xc4\xe3\xba\xc3</p>")
	s.pages["/utf8.md"] = says(`text/plain; charset="UTF-8"`, "你好")
	s.pages["/mark.md"] = says("text/markdown; charset=gbk", "\xef\xbb\xbf你好")
	s.pages["/none.md"] = says("text/markdown", "\xc4\xe3\xba\xc3")
	s.pages["/odd.md"] = says("text/markdown; charset=x-klingon", "nuqneH")
	m, kept, err := collect(t, s.source(t, "/sjis.html", "/latin.html", "/gbk.html", "/utf8.md", "/mark.md", "/none.md", "/odd.md"), wide)
	require.NoError(t, err)
	type page struct {
		text, encoding string
		guessed        bool
	}
	got := map[string]page{}
	for _, e := range m.Entries {
		text := e.Text
		if text.IsZero() {
			text = e.Digest
		}
		got[strings.TrimPrefix(e.Path, s.host())] = page{kept[text], e.Encoding, e.Guessed}
	}
	require.Equal(t, map[string]page{
		"/sjis.html":  {"日本語", "shift_jis", false},
		"/latin.html": {"déjà vu à l’été", "windows-1252", false},
		"/gbk.html":   {"你好", "gb18030", false},
		"/utf8.md":    {"你好", "utf-8", false},
		"/mark.md":    {"你好", "utf-8-bom", false},
		"/none.md":    {"你好", "gb18030", true}, // nobody says it
		"/odd.md":     {"", "", false},
	}, got)
	require.Equal(t, "skipped: the charset x-klingon is not read", s.byPath(m, kept)["/odd.md"])
}

// Asking again makes no header smaller.
func TestAHeaderThatIsTooLarge(t *testing.T) {
	large := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a.md":
			w.Header().Set("X-Big", strings.Repeat("SECRET", 40_000))
		case "/many.md":
			for n := range 100 {
				w.Header().Set(fmt.Sprintf("X-Big-%d", n), strings.Repeat("SECRET", 200))
			}
		}
		w.Header().Set("Content-Type", "text/markdown")
		_, _ = w.Write([]byte("page"))
	}
	for name, protocol := range map[string]int{"HTTP/1.1": 1, "HTTP/2": 2} {
		t.Run(name, func(t *testing.T) {
			asked := map[string]int{}
			version := strconv.Itoa(protocol)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked[fmt.Sprintf("%d %s", r.ProtoMajor, r.URL.Path)]++
				large(w, r)
			}))
			server.EnableHTTP2 = protocol == 2
			server.StartTLS()
			t.Cleanup(server.Close)
			source, err := New(Settings{Name: "site", Pages: []Page{{URL: server.URL + "/a.md"}, {URL: server.URL + "/b.md"}, {URL: server.URL + "/many.md"}}})
			require.NoError(t, err, "%v", errors.Unwrap(err))
			roots := x509.NewCertPool()
			roots.AddCert(server.Certificate())
			transport, ok := source.client.Transport.(*http.Transport)
			require.True(t, ok)
			transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
			transport.TLSClientConfig.RootCAs = roots
			m, _, err := collect(t, source, wide)
			require.NoError(t, err, "%v", errors.Unwrap(err))
			require.Equal(t, 1, m.Read)
			for _, n := range []int{0, 2} {
				require.Equal(t, "the server's header cannot be read, or has more than 65536 bytes", m.Entries[n].Skipped)
			}
			require.Equal(t, map[string]int{version + " /a.md": 1, version + " /b.md": 1, version + " /many.md": 1}, asked)
		})
	}
}

// A server that says when to come again is not asked before; not for ever, or a
// run would wait as long as somebody else likes.
func TestAServerThatAsksForPatience(t *testing.T) {
	for after, wait := range map[string]time.Duration{
		"30": 30 * time.Second, "60": time.Minute, "300": 5 * time.Minute, "600": 10 * time.Minute, "86400": 10 * time.Minute,
	} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			s := newSite(t)
			s.pages["/a.md"] = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", after)
				w.WriteHeader(status)
			}
			_, _, err := collect(t, s.source(t, "/a.md"), wide)
			require.Equal(t, faults.Throttled, faults.ClassOf(err))
			retry := faults.DefaultRetry()
			if paced, ok := errors.AsType[*faults.Paced](err); ok {
				retry = paced.Retry
			}
			fault, ok := errors.AsType[*faults.Fault](err)
			require.True(t, ok)
			require.Equal(t, wait, retry.Delay(1, fault.RetryAfter), after)
		}
	}
}
