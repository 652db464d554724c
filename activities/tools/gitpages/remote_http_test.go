package gitpages_test

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
)

// webHub is a hub behind Git's own HTTP program, which a test can stand before.
func webHub(t *testing.T, before func(w http.ResponseWriter, r *http.Request, git http.Handler)) *hub {
	t.Helper()
	h := bareHub(t)
	folder, err := exec.Command(needGit(t), "--exec-path").Output()
	require.NoError(t, err)
	program := filepath.Join(strings.TrimSpace(string(folder)), "git-http-backend")
	if _, err := os.Stat(program); err != nil {
		require.Empty(t, os.Getenv("CI"), "git http-backend is missing")
		t.Skip("git http-backend is missing")
	}
	h.git("config", "http.receivepack", "true")
	git := &cgi.Handler{Path: program, Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(h.path), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { before(w, r, git) }))
	t.Cleanup(server.Close)
	h.url = server.URL + "/" + filepath.Base(h.path)
	return h
}

// isPush reports the one request that writes.
func isPush(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/git-receive-pack")
}

func TestHTTPRemoteWithCredentials(t *testing.T) {
	locked := func(w http.ResponseWriter, r *http.Request, git http.Handler) {
		if user, password, _ := r.BasicAuth(); user != "mei" || password != "PASS-SECRET" {
			w.Header().Set("WWW-Authenticate", `Basic realm="kb"`)
			http.Error(w, "who are you? BODY-SECRET", http.StatusUnauthorized)
			return
		}
		git.ServeHTTP(w, r)
	}
	askpass := func(t *testing.T, password string) string {
		return script(t, `case "$1" in Username*) echo mei;; *) echo `+password+`;; esac`)
	}
	t.Run("none", func(t *testing.T) {
		h := webHub(t, locked)
		_, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: filepath.Join(t.TempDir(), "c"), Remote: h.url}}, gitpages.Options{})
		require.Contains(t, requireFault(t, err, faults.Permanent, "remote_denied").Reason, "credential helper")
		require.NotContains(t, err.Error(), "SECRET")
	})
	t.Run("wrong ones", func(t *testing.T) {
		t.Setenv("GIT_ASKPASS", askpass(t, "WRONG-SECRET"))
		h := webHub(t, locked)
		_, err := gitpages.New(t.Context(), []gitpages.Repo{{Name: "kb", Path: filepath.Join(t.TempDir(), "c"), Remote: h.url}}, gitpages.Options{})
		requireFault(t, err, faults.Permanent, "remote_denied")
		require.NotContains(t, err.Error(), "SECRET")
	})
	t.Run("from GIT_ASKPASS", func(t *testing.T) {
		t.Setenv("GIT_ASKPASS", askpass(t, "PASS-SECRET"))
		h := webHub(t, locked)
		h.tool = h.worker(gitpages.Options{})
		call := h.plan("page.md", "text\n")
		receipt, err := h.apply(call)
		require.NoError(t, err)
		h.requireEffect(call, receipt, 2)
	})
	t.Run("from a credential helper", func(t *testing.T) {
		h := webHub(t, locked)
		helper := script(t, `[ "$1" = get ] && printf 'username=mei\npassword=PASS-SECRET\n'`)
		var err error
		h.tool, err = gitpages.New(t.Context(),
			[]gitpages.Repo{{Name: "kb", Path: filepath.Join(t.TempDir(), "c"), Remote: h.url, CredentialHelper: helper}}, gitpages.Options{})
		require.NoError(t, err)
		call := h.plan("page.md", "text\n")
		receipt, err := h.apply(call)
		require.NoError(t, err)
		h.requireEffect(call, receipt, 2)
		for _, name := range []string{"config", "FETCH_HEAD"} {
			text, _ := os.ReadFile(filepath.Join(h.path, name))
			require.NotContains(t, string(text), "SECRET")
		}
	})
}

// Answers of an HTTP server, and of what stands before it, to the push.
func TestHTTPAnswersToThePush(t *testing.T) {
	var pushes atomic.Int32
	var first atomic.Value // answers the first push of each case
	h := webHub(t, func(w http.ResponseWriter, r *http.Request, git http.Handler) {
		if isPush(r) && pushes.Add(1) == 1 {
			first.Load().(func(http.ResponseWriter, *http.Request, http.Handler))(w, r, git)
			return
		}
		git.ServeHTTP(w, r)
	})
	h.tool = h.worker(gitpages.Options{})
	for name, tt := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, git http.Handler)
		class  faults.Class
		code   string
		landed bool
	}{
		"forbidden":       {status(http.StatusForbidden), faults.Permanent, "remote_denied", false},
		"too large":       {status(http.StatusRequestEntityTooLarge), faults.Permanent, "push_refused", false},
		"busy":            {status(http.StatusTooManyRequests), faults.Throttled, "remote_unreachable", false},
		"broken":          {status(http.StatusInternalServerError), faults.Unknown, "push_unknown", false},
		"a lost backend":  {status(http.StatusBadGateway), faults.Unknown, "push_unknown", false},
		"no answer":       {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w) }, faults.Unknown, "push_unknown", false},
		"moved elsewhere": {redirect, faults.Permanent, "remote_missing", false},
		"arrived, its answer lost": {func(w http.ResponseWriter, r *http.Request, git http.Handler) {
			git.ServeHTTP(httptest.NewRecorder(), r)
			hangUp(w)
		}, 0, "", true},
		"arrived, a proxy gave up": {func(w http.ResponseWriter, r *http.Request, git http.Handler) {
			git.ServeHTTP(httptest.NewRecorder(), r)
			status(http.StatusGatewayTimeout)(w, r, git)
		}, 0, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			page, before := strings.ReplaceAll(name, " ", "-")+".md", h.commits()
			pushes.Store(0)
			first.Store(tt.answer)
			call := h.plan(page, "text\n")
			receipt, err := h.apply(call)
			require.Equal(t, int32(1), pushes.Load(), "it was sent once")
			if !tt.landed {
				requireFault(t, err, tt.class, tt.code)
				require.NotContains(t, err.Error(), "SECRET")
				require.Equal(t, before, h.commits())
				receipt, err = h.apply(call)
			}
			require.NoError(t, err)
			h.requireEffect(call, receipt, before+1)
		})
	}
}

func status(code int) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { http.Error(w, "BODY-SECRET", code) }
}

func redirect(w http.ResponseWriter, r *http.Request, _ http.Handler) {
	http.Redirect(w, r, "/other.git/git-receive-pack?token=SECRET", http.StatusTemporaryRedirect)
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

// Answers to the very first request, before anything is asked of the remote.
func TestHTTPAnswersBeforeAnything(t *testing.T) {
	var answer atomic.Value
	h := webHub(t, func(w http.ResponseWriter, r *http.Request, git http.Handler) {
		if f, ok := answer.Load().(func(http.ResponseWriter, *http.Request, http.Handler)); ok {
			f(w, r, git)
			return
		}
		git.ServeHTTP(w, r)
	})
	h.tool = h.worker(gitpages.Options{})
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request, http.Handler)
		class  faults.Class
		code   string
	}{
		"forbidden":       {status(http.StatusForbidden), faults.Permanent, "remote_denied"},
		"not found":       {status(http.StatusNotFound), faults.Permanent, "remote_missing"},
		"busy":            {status(http.StatusTooManyRequests), faults.Throttled, "remote_unreachable"},
		"broken":          {status(http.StatusInternalServerError), faults.Transient, "remote_unreachable"},
		"not now":         {status(http.StatusServiceUnavailable), faults.Transient, "remote_unreachable"},
		"moved elsewhere": {redirect, faults.Permanent, "remote_missing"},
		"no answer":       {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { hangUp(w) }, faults.Transient, "remote_unreachable"},
		"a web page": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			_, _ = w.Write([]byte("<html>\n<p>SECRET\n</html>\n"))
		}, faults.Permanent, "remote_missing"},
	} {
		t.Run(name, func(t *testing.T) {
			answer.Store(tt.answer)
			_, err := h.prepare("page.md", "text\n")
			requireFault(t, err, tt.class, tt.code)
			require.NotContains(t, err.Error(), "SECRET")
		})
	}
}
