package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// hides has a text of its own in the place of its cause's.
type hides struct{ cause error }

func (h *hides) Error() string { return "bucket.example.com gave no whole answer" }
func (h *hides) Unwrap() error { return h.cause }

func TestWhatTheWorkersLogSaysOfAnError(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	fault := func(cause error) error {
		return &faults.Fault{Class: faults.Transient, Code: "store_unavailable", Reason: "the store is away", Cause: cause}
	}
	for name, tt := range map[string]struct {
		err         error
		text, cause string
	}{
		"nothing":                     {nil, "", ""},
		"a fault without a cause":     {fault(nil), "store_unavailable: the store is away", ""},
		"a fault with one":            {fault(dial), "store_unavailable: the store is away", "dial tcp: connection refused"},
		"a fault that is wrapped":     {&faults.Paced{Err: fault(dial)}, "store_unavailable: the store is away", "dial tcp: connection refused"},
		"a cause that hides another":  {fault(&hides{dial}), "store_unavailable: the store is away", "bucket.example.com gave no whole answer ← dial tcp: connection refused"},
		"a cause that quotes another": {fault(fmt.Errorf("get: %w", dial)), "store_unavailable: the store is away", "get: dial tcp: connection refused"},
		"a fault within a fault": {
			&faults.Fault{Code: "outer", Reason: "since then: store_unavailable: the store is away", Cause: fault(dial)},
			"outer: since then: store_unavailable: the store is away", "dial tcp: connection refused",
		},
		"an error that nobody has named": {fmt.Errorf("read: %w", context.DeadlineExceeded), "read: context deadline exceeded", ""},
		"a file":                         {&fs.PathError{Op: "open", Path: "/var/lib/x", Err: fs.ErrPermission}, "open /var/lib/x: permission denied", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text, cause := faults.Trouble(tt.err)
			require.Equal(t, tt.text, text)
			require.Equal(t, tt.cause, cause)
		})
	}
}

// What no log may have, in the forms in which errors of others hold it.
func TestTroubleHidesSecrets(t *testing.T) {
	const digest = "sha256:0ba904eae8773b70c75333db4de2f3ac45a8ad4ddba1b242f0b3cfc199391dd8"
	for text, want := range map[string]string{
		"Get \"https://ann:SECRET@example.com/a?key=SECRET#SECRET\": EOF": `Get "https://[hidden]@example.com/a?[hidden]": EOF`,
		"postgres://ledger:SECRET@db:5432/x?sslkey=SECRET refused":        "postgres://[hidden]@db:5432/x?[hidden] refused",
		"cannot parse `host=db user=ann password=SECRET dbname=x`":        "cannot parse `host=db user=ann password=[hidden] dbname=x`",
		"Authorization: Bearer SECRET":                                    "Authorization: [hidden]",
		"header X-Api-Key: SECRET, SECRET":                                "header X-Api-Key: [hidden]",
		"Set-Cookie: sid=SECRET; Path=/\nand on":                          "Set-Cookie: [hidden]\nand on",
		"sent Basic U0VDUkVUOlNFQ1JFVA==":                                 "sent Basic [hidden]",
		`{"api_key":"SECRET","token": "SEC RET","n":1}`:                   `{"api_key":[hidden],"token": [hidden],"n":1}`,
		"client_secret=SECRET&grant_type=x":                               "client_secret=[hidden]&grant_type=x",
		"the key sk-proj-e2e-7fQ2xW9rT4mLz8 is refused":                   "the key [hidden] is refused",
		"AKIAsecretSECRET12345678 is no key":                              "[hidden] is no key",
		"blob " + digest + " of tenant acme":                              "blob " + digest + " of tenant acme",
		"dial tcp 10.0.0.1:5432: connect: connection refused":             "dial tcp 10.0.0.1:5432: connect: connection refused",
	} {
		t.Run(want, func(t *testing.T) {
			got, _ := faults.Trouble(errors.New(text))
			require.Equal(t, want, got)
			_, cause := faults.Trouble(&faults.Fault{Code: "x", Reason: "x", Cause: errors.New(text)})
			require.Equal(t, want, cause)
			require.NotContains(t, got, "SECRET")
		})
	}
	_, cause := faults.Trouble(&faults.Fault{Code: "x", Reason: "x", Cause: &url.Error{Op: "Get", URL: "https://h/p?SECRET", Err: errors.New("EOF")}})
	require.Equal(t, `Get "https://h/p?[hidden]": EOF`, cause)
}

func TestTroubleIsBounded(t *testing.T) {
	long := errors.New(strings.Repeat("文", 1<<20))
	text, _ := faults.Trouble(long)
	_, cause := faults.Trouble(&faults.Fault{Code: "x", Reason: "x", Cause: long})
	require.LessOrEqual(t, len(text), 2<<10+len("…"))
	require.LessOrEqual(t, len(cause), 2<<10+len("…"))
}
