package activities_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdkworker "go.temporal.io/sdk/worker"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/notify"
	"github.com/holdpoint/holdpoint/workflows"
)

// told runs one attempt of notify as a worker does, with a webhook that answers
// with that status, and asks for five minutes.
func told(t *testing.T, status int, n workflows.Notice) (out workflows.NoticeResult, err error, log *observer.ObservedLogs) { //nolint:revive,staticcheck // the error is what the step returns
	t.Helper()
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.Header().Set("Retry-After", "300")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	t.Setenv("HOOK_URL", server.URL+"/PATH")
	t.Setenv("HOOK_SECRET", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	var section yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(`oncall: {webhook: {url: "${env:HOOK_URL}", secret: "${env:HOOK_SECRET}", allow_http: true}}`), &section))
	channels, err := notify.Parse("holdpoint.yaml", &section)
	require.NoError(t, err)

	core, log := observer.New(zap.DebugLevel)
	attempts := &activities.Attempts{Log: zap.New(core), Heartbeat: 20 * time.Millisecond, Retry: faults.DefaultRetry()}
	env := new(testsuite.WorkflowTestSuite).NewTestActivityEnvironment()
	env.SetWorkerOptions(sdkworker.Options{Interceptors: []interceptor.WorkerInterceptor{attempts}})
	(&activities.Activities{Notices: channels}).Register(env)
	value, err := env.ExecuteActivity(workflows.Notify, n)
	require.EqualValues(t, 1, requests.Load())
	if err == nil {
		require.NoError(t, value.Get(&out))
	}
	return out, err, log
}

func aNotice() workflows.Notice {
	return workflows.Notice{
		Channel: "oncall", Key: "5aa624e1059045bb634147f4e2b0973cef577656", Event: workflows.ApprovalRequested,
		RunID: runID, Tenant: tenant, Command: "approver show " + runID,
	}
}

func TestNotifySaysHowTheNoticeWasTaken(t *testing.T) {
	out, err, log := told(t, http.StatusAccepted, aNotice())
	require.NoError(t, err)
	require.Equal(t, workflows.NoticeResult{Attempt: 1, Answer: "202"}, out)
	ended := log.FilterMessage("attempt ended").All()
	require.Len(t, ended, 1)
	fields := ended[0].ContextMap()
	require.Equal(t, "oncall", fields["channel"])
	require.Equal(t, "approval.requested", fields["event"])
	require.Equal(t, aNotice().Key, fields["idempotency_key"])
}

func TestNotifyThatIsRefusedOrTriedAgain(t *testing.T) {
	_, err, _ := told(t, http.StatusGone, aNotice())
	refused(t, err, faults.Permanent, "http_410")
	_, err, log := told(t, http.StatusBadGateway, aNotice())
	app := refused(t, err, faults.Transient, "http_502")
	require.Equal(t, 5*time.Minute, app.NextRetryDelay(), "as long as the receiver asks, which no step would wait")
	require.NotContains(t, app.Error(), "PATH")
	for _, entry := range log.All() {
		require.NotContains(t, entry.ContextMap()["error"], "PATH")
	}
}
