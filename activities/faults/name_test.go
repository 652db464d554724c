package faults_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

const secret = "token=MSG-SECRET"

func TestName(t *testing.T) {
	named := &faults.Fault{Class: faults.Throttled, Code: "http_429", Reason: "kb.example.com asks for patience"}
	tests := []struct {
		name  string
		err   error
		class faults.Class
		text  string
	}{
		{"a fault", named, faults.Throttled, "http_429: kb.example.com asks for patience"},
		{"a wrapped fault, without the wrapping", fmt.Errorf("%s: %w", secret, named), faults.Throttled, "http_429: kb.example.com asks for patience"},
		{"canceled", fmt.Errorf("%s: %w", secret, context.Canceled), faults.Transient, "interrupted: the step was interrupted before it was done"},
		{"deadline", context.DeadlineExceeded, faults.Transient, "deadline_exceeded: the step ran out of time"},
		{"permission", &fs.PathError{Op: "open", Path: secret, Err: fs.ErrPermission}, faults.Permanent, "permission_denied: no permission to open a file of this machine; the worker's log names it"},
		{"no such file", &fs.PathError{Op: "open", Path: secret, Err: fs.ErrNotExist}, faults.Permanent, "no_such_file: a file of this machine does not exist; the worker's log names it"},
		{"a dial to a socket of this machine", &net.OpError{Op: "dial", Net: "unix", Addr: &net.UnixAddr{Name: secret, Net: "unix"}, Err: errors.New(secret)}, faults.Transient, "dial_failed: no connection to the other side; nothing was sent"},
		{"another file error", &fs.PathError{Op: "read", Path: secret, Err: errors.New(secret)}, faults.Unknown, "unnamed: an error of type *errors.errorString; see the worker's log"},
		{"a read that broke off", &net.OpError{Op: "read", Err: errors.New(secret)}, faults.Unknown, "unnamed: an error of type *errors.errorString; see the worker's log"},
		{"anything else", fmt.Errorf("outer %s: %w", secret, errors.New(secret)), faults.Unknown, "unnamed: an error of type *errors.errorString; see the worker's log"},
		{"joined errors", errors.Join(errors.New(secret), errors.New("b")), faults.Unknown, "unnamed: an error of type *errors.joinError; see the worker's log"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := faults.Name(tt.err)
			require.Equal(t, tt.class, got.Class)
			require.Equal(t, tt.text, got.Error())
			if !errors.As(tt.err, new(*faults.Fault)) {
				require.Equal(t, tt.err, got.Cause, "within reach of errors.Is")
			}
		})
	}
}

func TestNameOfRealErrors(t *testing.T) {
	t.Run("connection refused", func(t *testing.T) {
		got := faults.Name(getError(context.Background(), t, "http://"+closedPort(t)+"/path?"+secret))
		require.Equal(t, faults.Transient, got.Class)
		require.Equal(t, "dial_failed", got.Code)
		require.Contains(t, got.Reason, "127.0.0.1:")
		require.NotContains(t, got.Error(), "SECRET")
	})
	t.Run("dial timed out", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
		defer cancel()
		_, err := new(net.Dialer).DialContext(ctx, "tcp", closedPort(t))
		require.Equal(t, "dial_failed", faults.Name(err).Code)
	})
	t.Run("canceled while dialing", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		got := faults.Name(getError(ctx, t, "http://"+closedPort(t)))
		require.Equal(t, faults.CodeInterrupted, got.Code)
	})
	t.Run("missing file", func(t *testing.T) {
		dir := t.TempDir()
		_, err := os.ReadFile(filepath.Join(dir, "missing.md"))
		require.Equal(t, "no_such_file", faults.Name(err).Code)
		require.NotContains(t, faults.Name(err).Error(), dir)
	})
}

func TestClassOf(t *testing.T) {
	require.Equal(t, faults.Permanent, faults.ClassOf(fmt.Errorf("x: %w", &faults.Fault{Class: faults.Permanent})))
	require.Equal(t, faults.Unknown, faults.ClassOf(errors.New("x")))
	require.Equal(t, faults.Unknown, faults.ClassOf(context.Canceled), "Name's guesses are not for tools")
	require.Equal(t, faults.Unknown, faults.ClassOf(nil))
}

// closedPort returns an address that nobody listens on.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

func getError(ctx context.Context, t *testing.T, url string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	client := http.Client{Transport: &http.Transport{}} // without the environment's proxy
	response, err := client.Do(request)
	if err == nil {
		require.NoError(t, response.Body.Close())
	}
	require.Error(t, err)
	return err
}
