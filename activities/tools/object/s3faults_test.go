package object

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// said is an answer of a store that is not well. An empty one is a connection
// that ends without an answer.
type said struct {
	status int
	code   string
}

func (a said) write(w http.ResponseWriter) {
	if a.status == 0 {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(a.status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>about weekly/2026-W48.txt of a</Message></Error>`, a.code)
}

// sick is a store whose object is in a state, and that answers writes and reads
// as it is told; nil answers as a store does.
type sick struct {
	put, head *said
	puts      int
}

const sickState = "etag abc of 2026-11-29T17:04:05Z"

func (s *sick) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	answer := s.head
	if r.Method == http.MethodPut {
		s.puts++
		answer = s.put
	}
	switch {
	case answer != nil:
		answer.write(w)
	default:
		w.Header().Set("ETag", `"abc"`)
		w.Header().Set("Last-Modified", "Sun, 29 Nov 2026 17:04:05 GMT")
		w.Header().Set("Content-Length", "0")
	}
}

func sickTool(t *testing.T, handler http.Handler, mode string, more ...string) tools.Tool {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	t.Setenv("S3_SECRET", "hunter2")
	tool, err := declare(t, append([]string{"endpoint: " + server.URL, "bucket: " + bucketA, "path_style: true",
		"access_key: AKIA", `secret_key: "${env:S3_SECRET}"`,
		`name: "weekly/{{params.name}}.txt"`, "mode: " + mode, `text: "{{params.text}}"`}, more...)...)
	require.NoError(t, err)
	return tool
}

func sickCall(precondition string) tools.Call {
	return tools.Call{Action: plan.Action{
		Tool: "save_report", Target: "reports/2026-W48", IdempotencyKey: theKey,
		Parameters: []byte(`{"name":"2026-W48","text":"x"}`), Precondition: precondition,
	}}
}

func TestWhatAnAnswerOfTheStoreMeans(t *testing.T) {
	tests := []struct {
		name      string
		put, head *said
		class     faults.Class
		code      string
		drift     bool
	}{
		{name: "refused, and the object is another's", put: &said{412, "PreconditionFailed"}, class: faults.Permanent, code: "object_changed", drift: true},
		{name: "refused, and the object cannot be read", put: &said{412, "PreconditionFailed"}, head: &said{500, "InternalError"}, class: faults.Unknown, code: "s3_500"},
		{name: "refused, and no answer about the object", put: &said{412, "PreconditionFailed"}, head: &said{}, class: faults.Unknown, code: "not_read"},
		{name: "refused, and the object has gone", put: &said{412, "PreconditionFailed"}, head: &said{404, ""}, class: faults.Permanent, code: "object_changed", drift: true},
		{name: "beside another write", put: &said{409, "ConditionalRequestConflict"}, class: faults.InProgress, code: "s3_409"},
		{name: "beside another operation", put: &said{409, "OperationAborted"}, class: faults.InProgress, code: "s3_409"},
		{name: "another conflict", put: &said{409, "BucketNotEmpty"}, class: faults.Permanent, code: "s3_409"},
		{name: "no bucket", put: &said{404, "NoSuchBucket"}, class: faults.Permanent, code: "s3_404"},
		{name: "not found, of something that is no store", put: &said{404, "x y"}, class: faults.Permanent, code: "s3_404"},
		{name: "bad request", put: &said{400, "InvalidArgument"}, class: faults.Permanent, code: "s3_400"},
		{name: "wrong keys", put: &said{403, "SignatureDoesNotMatch"}, class: faults.Permanent, code: "s3_403"},
		{name: "another region", put: &said{301, "PermanentRedirect"}, class: faults.Permanent, code: "s3_301"},
		{name: "a redirect", put: &said{307, "TemporaryRedirect"}, class: faults.Permanent, code: "s3_307"},
		{name: "conditions unknown", put: &said{501, "NotImplemented"}, class: faults.Permanent, code: "s3_501"},
		{name: "slow down", put: &said{503, "SlowDown"}, class: faults.Throttled, code: "s3_503"},
		{name: "too many requests", put: &said{429, "TooManyRequests"}, class: faults.Throttled, code: "s3_429"},
		{name: "the body did not come in time", put: &said{400, "RequestTimeout"}, class: faults.Unknown, code: "s3_400"},
		{name: "an error inside", put: &said{500, "InternalError"}, class: faults.Unknown, code: "s3_500"},
		{name: "a proxy's error", put: &said{502, "x"}, class: faults.Unknown, code: "s3_502"},
		{name: "unavailable", put: &said{503, "ServiceUnavailable"}, class: faults.Unknown, code: "s3_503"},
		{name: "no answer", put: &said{}, class: faults.Unknown, code: "no_answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			store := &sick{put: tt.put, head: tt.head}
			_, err := sickTool(t, store, create).Apply(t.Context(), sickCall(absent))
			fault := requireFault(t, err, tt.class, tt.code)
			if tt.drift {
				require.ErrorIs(t, err, tools.ErrDrift)
			} else {
				require.NotErrorIs(t, err, tools.ErrDrift)
			}
			require.Equal(t, 1, store.puts, "nothing below the tool sends again")
			for _, secret := range []string{"hunter2", "AKIA", "Message", "about"} {
				require.NotContains(t, fault.Reason, secret)
			}
		})
	}
}

// Amazon S3 answers If-Match on an object that has gone with 404.
func TestReplacedObjectIsGoneBetweenTheLookAndTheWrite(t *testing.T) {
	store := &sick{put: &said{404, "NoSuchKey"}}
	_, err := sickTool(t, store, replace).Apply(t.Context(), sickCall(sickState))
	requireDrift(t, err)
	require.Equal(t, 1, store.puts)
}

func TestReadsBeforeAWriteHaveNoEffect(t *testing.T) {
	for name, tt := range map[string]struct {
		head  said
		class faults.Class
		code  string
	}{
		"wrong keys":      {said{403, ""}, faults.Permanent, "s3_403"},
		"an error inside": {said{500, ""}, faults.Transient, "s3_500"},
		"slow down":       {said{429, ""}, faults.Throttled, "s3_429"},
		"no answer":       {said{}, faults.Transient, "not_read"},
	} {
		t.Run(name, func(t *testing.T) {
			store := &sick{head: &tt.head}
			tool := sickTool(t, store, replace)
			_, err := tool.Apply(t.Context(), sickCall(sickState))
			requireFault(t, err, tt.class, tt.code)
			_, err = tool.Count(t.Context(), sickCall(sickState))
			requireFault(t, err, tt.class, tt.code)
			_, err = tool.Prepare(t.Context(), tools.Proposal{Parameters: sickCall("").Action.Parameters, AllowedTarget: "reports"})
			requireFault(t, err, tt.class, tt.code)
			require.Zero(t, store.puts)
		})
	}
}

func TestPrepareTellsABucketFromAnObject(t *testing.T) {
	proposal := tools.Proposal{Parameters: sickCall("").Action.Parameters, AllowedTarget: "reports"}
	_, err := sickTool(t, &sick{head: &said{404, "NoSuchBucket"}}, create).Prepare(t.Context(), proposal)
	requireFault(t, err, faults.Permanent, "s3_404")
	_, err = sickTool(t, &sick{head: &said{404, "NoSuchKey"}}, create).Prepare(t.Context(), proposal)
	require.NoError(t, err)
	_, err = sickTool(t, &sick{head: &said{404, "NoSuchKey"}}, replace).Prepare(t.Context(), proposal)
	requireFault(t, err, faults.Permanent, "no_such_object")
	_, err = sickTool(t, &sick{}, create).Prepare(t.Context(), proposal)
	requireFault(t, err, faults.Permanent, "object_exists")
}

func TestNothingWasSent(t *testing.T) {
	for mode, precondition := range map[string]string{create: absent, replace: sickState} {
		t.Run(mode, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			address := listener.Addr().String()
			listener.Close()
			tool, err := declare(t, "endpoint: http://"+address, "bucket: "+bucketA, `name: "{{params.name}}"`, "mode: "+mode, `text: x`)
			require.NoError(t, err)
			_, err = tool.Apply(t.Context(), sickCall(precondition))
			require.Equal(t, faults.Transient, faults.ClassOf(err), "%v", err)
			require.Contains(t, err.Error(), address)
		})
	}
	t.Run("a certificate that is not trusted", func(t *testing.T) {
		server := httptest.NewTLSServer(&sick{})
		t.Cleanup(server.Close)
		tool, err := declare(t, "endpoint: "+server.URL, "bucket: "+bucketA, `name: "{{params.name}}"`, "mode: create", `text: x`)
		require.NoError(t, err)
		_, err = tool.Apply(t.Context(), sickCall(absent))
		requireFault(t, err, faults.Permanent, "certificate")
	})
	t.Run("no such secret", func(t *testing.T) {
		store := &sick{}
		tool := sickTool(t, store, create, `session_token: "${env:NO_SUCH_TOKEN}"`)
		_, err := tool.Apply(t.Context(), sickCall(absent))
		fault := requireFault(t, err, faults.Transient, faults.CodeSecretMissing)
		require.True(t, fault.Waits)
		require.Contains(t, fault.Reason, "NO_SUCH_TOKEN")
		require.Zero(t, store.puts)
	})
}

// The headers are what the guarantee hangs on.
func TestRequestsCarryConditionAndMark(t *testing.T) {
	var seen http.Header
	var path, body string
	tool := sickTool(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			raw, _ := io.ReadAll(r.Body)
			seen, path, body = r.Header.Clone(), r.URL.Path, string(raw)
		}
		(&sick{}).ServeHTTP(w, r)
	}), create, "content_type: text/markdown")
	_, err := tool.Apply(t.Context(), sickCall(absent))
	require.NoError(t, err)
	require.Equal(t, "*", seen.Get("If-None-Match"))
	require.Empty(t, seen.Get("If-Match"))
	require.Equal(t, theKey, seen.Get("X-Amz-Meta-Holdpoint-Key"))
	// printf '{"name":"2026-W48","text":"x"}' | sha256sum
	require.Equal(t, "sha256:"+fingerprintOfSickCall, seen.Get("X-Amz-Meta-Holdpoint-Fingerprint"))
	require.Equal(t, "text/markdown", seen.Get("Content-Type"))
	require.Equal(t, "/reports/weekly/2026-W48.txt", path)
	require.Contains(t, body, "x")
	require.Contains(t, seen.Get("Authorization"), "AKIA/")
	require.Contains(t, seen.Get("Authorization"), "/us-east-1/s3/")
	for name := range seen {
		require.False(t, strings.HasPrefix(name, "Idempotency"), "net/http sends such a request again by itself")
	}
}

const fingerprintOfSickCall = "29c0b77551c16389fd19223fa96e99ac22e3c4229add2ec65554300164abb31f"

func TestSecretsAreReadAfresh(t *testing.T) {
	var authorization string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization = r.Header.Get("Authorization")
		(&sick{}).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	tool, err := declare(t, "endpoint: "+server.URL, "bucket: "+bucketA, "path_style: true",
		`access_key: "${env:S3_ACCESS}"`, `secret_key: "${env:S3_SECRET}"`, `name: "{{params.name}}"`, "mode: create", "text: x")
	require.NoError(t, err)
	for _, key := range []string{"FIRST", "SECOND"} {
		t.Setenv("S3_ACCESS", key)
		t.Setenv("S3_SECRET", "of "+key)
		_, err := tool.Apply(t.Context(), sickCall(absent))
		require.NoError(t, err)
		require.Contains(t, authorization, "Credential="+key+"/")
	}
}
