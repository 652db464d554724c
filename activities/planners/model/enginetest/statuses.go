package enginetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// Statuses is one table for all statuses: what each means, what the error says
// to do, and that each is one request.
func Statuses(t *testing.T, s Subject) {
	for _, tt := range []struct {
		status int
		class  faults.Class
		says   string
	}{
		{301, faults.Permanent, "base_url"},
		{307, faults.Permanent, "base_url"},
		{400, faults.Permanent, "structured"},
		{401, faults.Permanent, "key"},
		{402, faults.Permanent, "balance"},
		{403, faults.Permanent, "key"},
		{404, faults.Permanent, "model"},
		{405, faults.Permanent, "base_url"},
		{413, faults.Permanent, "tokens"},
		{418, faults.Permanent, "refuses"},
		{422, faults.Permanent, "refuses"},
		{451, faults.Permanent, "refuses"},
		{499, faults.Permanent, "refuses"},
		{408, faults.Transient, "timed out"},
		{409, faults.Transient, "busy"},
		{425, faults.Transient, "not begun"},
		{429, faults.Throttled, "wait"},
		{500, faults.Transient, "failed"},
		{503, faults.Transient, "failed"},
		{529, faults.Throttled, "overloaded"},
		{599, faults.Transient, "failed"},
		{502, faults.Unknown, "may have been paid for"},
		{504, faults.Unknown, "may have been paid for"},
		{520, faults.Unknown, "may have been paid for"},
		{524, faults.Unknown, "may have been paid for"},
	} {
		t.Run(fmt.Sprint(tt.status), func(t *testing.T) {
			scene := s.Start(t, nil, modelserver.Answer{
				Status: tt.status, Headers: map[string]string{"X-Should-Retry": "true", "Location": "/v1/elsewhere"},
			})
			_, err := scene.Ask()
			fault := RequireFault(t, err, tt.class, fmt.Sprintf("http_%d", tt.status))
			require.Contains(t, fault.Reason, tt.says)
			require.Contains(t, fault.Reason, scene.Server.URL[len("http://"):], "the host")
			require.Zero(t, fault.RetryAfter)
			require.Len(t, scene.Server.Calls(), 1, "nothing below us asks again, whatever the server wishes")
		})
	}
}

// RetryAfter is the header in all its forms, on 429, on 503, and on a 502, which
// is a lost answer all the same.
func RetryAfter(t *testing.T, s Subject) {
	const never = time.Duration(1<<63 - 1)
	for _, status := range []int{429, 502, 503} {
		for value, want := range map[string]time.Duration{
			"3": 3 * time.Second, "imf:3s": 3 * time.Second, "rfc850:3s": 3 * time.Second, "asctime:3s": 3 * time.Second,
			"imf:-1h": 0, "-1": 0, "soon": 0, "": 0, "99999999999999999999": never,
		} {
			t.Run(fmt.Sprintf("%d %q", status, value), func(t *testing.T) {
				scene := s.Start(t, nil, modelserver.Answer{Status: status, RetryAfter: value})
				_, err := scene.Ask()
				class := faults.Throttled
				switch {
				case status == 502:
					class = faults.Unknown
				case status == 503 && want == 0:
					class = faults.Transient
				}
				fault := RequireFault(t, err, class, fmt.Sprintf("http_%d", status))
				require.Equal(t, want, fault.RetryAfter)
				require.Len(t, scene.Server.Calls(), 1)
				_, err = scene.Plan()
				requireWaits(t, err, want)
			})
		}
	}
}

// requireWaits checks the waits that a worker makes of a planner's fault: not before
// the time that the server names, never at once, and never beyond ten minutes. After
// attempt n the planner itself waits at most 2 s · 2^(n-1), and never over a minute.
func requireWaits(t *testing.T, err error, asked time.Duration) {
	t.Helper()
	for attempt, own := range map[int]time.Duration{1: 2 * time.Second, 2: 4 * time.Second, 5: 32 * time.Second, 6: time.Minute, 50: time.Minute} {
		least := min(asked, 10*time.Minute)
		app, ok := errors.AsType[*temporal.ApplicationError](faults.Temporal(err, attempt, 0, faults.DefaultRetry()))
		require.True(t, ok)
		require.False(t, app.NonRetryable())
		require.Positive(t, app.NextRetryDelay())
		require.GreaterOrEqual(t, app.NextRetryDelay(), least, attempt)
		require.LessOrEqual(t, app.NextRetryDelay(), max(own, least), attempt)
	}
}
