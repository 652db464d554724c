package faults_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// What passes by itself, and what somebody has to mend.
func TestWhatWaits(t *testing.T) {
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	fault := func(c faults.Class, cause error) error {
		return &faults.Fault{Class: c, Code: "x", Reason: "x", Cause: cause}
	}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"throttled":                        {fault(faults.Throttled, nil), true},
		"a dial that failed":               {fmt.Errorf("get: %w", dial), true},
		"a fault whose cause is a dial":    {fault(faults.Transient, fmt.Errorf("get: %w", dial)), true},
		"the same, paced":                  {&faults.Paced{Err: fault(faults.Transient, dial)}, true},
		"a name that DNS does not know":    {fault(faults.Transient, &net.OpError{Op: "dial", Err: &net.DNSError{Name: "x", IsNotFound: true}}), true},
		"what is said to be away":          {&faults.Fault{Class: faults.Transient, Code: "x", Waits: true}, true},
		"what may have come too far":       {&faults.Fault{Class: faults.Unknown, Code: "x", Waits: true}, true},
		"transient":                        {fault(faults.Transient, nil), false},
		"a connection that broke":          {fault(faults.Unknown, &net.OpError{Op: "read", Err: errors.New("reset")}), false},
		"a dial that somebody has stopped": {fault(faults.Transient, &net.OpError{Op: "dial", Err: context.Canceled}), false},
		"a step that was stopped":          {context.Canceled, false},
		"a step that was out of time":      {context.DeadlineExceeded, false},
		"permanent":                        {fault(faults.Permanent, dial), false},
		"permanent, and said to be away":   {&faults.Fault{Class: faults.Permanent, Code: "x", Waits: true}, false},
		"a panic":                          {&faults.Fault{Class: faults.Unknown, Code: faults.CodePanic, Waits: true}, false},
		"unnamed":                          {errors.New("x"), false},
	} {
		require.Equal(t, tt.want, faults.Waits(tt.err), name)
	}
	require.True(t, faults.Waits(getError(t.Context(), t, "http://"+closedPort(t))), "a real one")
}
