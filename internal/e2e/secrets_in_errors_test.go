package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// theSecrets are in the errors and addresses of the cases, and nowhere else.
func theSecrets() []string {
	return []string{"MSG-SECRET", "CAUSE-SECRET", "PANIC-SECRET", "HB-SECRET", "BODY-SECRET", modelKey}
}

// inTemporal is all that the plain temporal CLI shows of a run, its history and
// its description, and in it every text that is base64, decoded.
func (s *site) inTemporal(run string) string {
	s.t.Helper()
	var all strings.Builder
	for _, command := range []string{"show", "describe"} {
		printed := s.temporal("workflow", command, "--workflow-id", run, "-o", "json")
		var document any
		require.NoError(s.t, json.Unmarshal([]byte(printed), &document))
		all.WriteString(printed)
		writeDecoded(&all, document)
	}
	return all.String()
}

// writeDecoded writes the texts of a JSON document, each in a line of its own, and
// after one that is base64 what it stands for.
func writeDecoded(w *strings.Builder, document any) {
	switch value := document.(type) {
	case map[string]any:
		for name, member := range value {
			writeDecoded(w, name)
			writeDecoded(w, member)
		}
	case []any:
		for _, element := range value {
			writeDecoded(w, element)
		}
	case string:
		w.WriteString(value + "\n")
		if raw, err := base64.StdEncoding.DecodeString(value); err == nil && len(raw) > 0 {
			w.Write(raw)
			w.WriteByte('\n')
		}
	}
}

// noSecrets says that none is anywhere in Temporal, in what our programs show, or
// among the blobs, and returns what is in Temporal.
func (s *site) noSecrets(run string) string {
	s.t.Helper()
	seen := s.inTemporal(run)
	for _, secret := range theSecrets() {
		require.NotContains(s.t, seen, secret)
		require.NotContains(s.t, s.starter("status", run), secret)
		require.NotContains(s.t, s.starter("status", "-o", "json", run), secret)
		require.Empty(s.t, s.blobsWith(secret))
	}
	return seen
}

// awaitTriedAgain waits until an attempt of the run has failed and is to be made
// again.
func (s *site) awaitTriedAgain(run string) {
	s.t.Helper()
	s.eventually("an attempt is to be made again", func() bool {
		described, err := s.reader.Client.DescribeWorkflow(s.t.Context(), run, "")
		if err != nil {
			return false
		}
		for _, pending := range described.RawResponse.GetPendingActivities() {
			if pending.GetLastFailure() != nil {
				return true
			}
		}
		return false
	})
}

// The check itself sees what is hidden in base64, as payloads are.
func TestC079_TheCheckDecodes(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	writeDecoded(&all, map[string]any{"payloads": []any{map[string]any{"data": base64.StdEncoding.EncodeToString([]byte(`{"x":"HB-SECRET"}`))}}})
	require.Contains(t, all.String(), "HB-SECRET")
}

// Secrets in the errors of a tool are in no history and in no description: of one
// that is tried again, one that leaves a doubt, and one that panics.
func TestC079_SecretsInAToolsErrorsGoNowhere(t *testing.T) {
	t.Parallel()
	need(t)
	careless := filepath.Join(t.TempDir(), "careless")
	build := exec.Command("go", "build", "-o", careless, "./testdata/careless")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	for how, says := range map[string]string{"fault": "the shop is away", "error": "worker's log", "panic": "panic in execute_action"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			s.write("holdpoint.yaml", "task_queue: "+s.name+"\nsources: {notes: notes}\npolicy: policy.yaml\ndata: data\n")
			w := s.workerOf(careless)
			s.hands(given{ID: "a", Tool: "careless", Parameters: map[string]any{"fails": how}})
			s.write("task.yaml", fmt.Sprintf("tenant: %s\nbusiness_id: x\ngoal: try it\nrequester: ann.wu\ncontext: [{root: notes}]\n"+
				"tools: [{tool: careless, target: careless}]\nplanner: given\n", s.name))
			s.starter("start", "--task", "task.yaml", "-t", s.name)
			run := s.name + "/x"
			s.await(run, workflows.WaitingApproval)
			s.approve(run, "bo.lin")
			if how == "fault" {
				s.awaitTriedAgain(run)
			} else {
				s.await(run, workflows.WaitingResolution)
			}
			require.Contains(t, s.noSecrets(run), says)
			require.Contains(t, w.said(), "-SECRET", "it was there, and the worker's own log has it")
		})
	}
}

// What a provider says of a request that it does not answer stays with it.
func TestC079_SecretsInAPlannersErrorsGoNowhere(t *testing.T) {
	t.Parallel()
	s := newSite(t, weekOfNotes())
	const said = "token=MSG-SECRET Authorization: Bearer BODY-SECRET"
	refused := modelserver.Answer{Times: 1000, Status: 503, RetryAfter: "1", Error: &modelserver.Error{Type: said, Code: said, Message: said}}
	server := s.models("", refused)
	s.worker()
	run := s.startModel("w40")
	s.awaitTriedAgain(run)
	require.Contains(t, s.noSecrets(run), "503", "the attempt that is waited for is in the description")
	require.Equal(t, "Bearer "+modelKey, server.Calls()[0].Header.Get("Authorization"))
}

// A page's address may hold a secret, and so may what its server says. How far a
// collection is stands in its heartbeats, and neither does there.
func TestC079_SecretsInASourcesErrorsAndHeartbeatsGoNowhere(t *testing.T) {
	t.Parallel()
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("token") != "HB-SECRET" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		w.Header().Set("Content-Type", "text/markdown")
		if r.URL.Path == "/b.md" {
			http.Error(w, "Authorization: Bearer BODY-SECRET", http.StatusInternalServerError)
			return
		}
		fmt.Fprintln(w, "# A page")
	}))
	t.Cleanup(pages.Close)
	s := newSite(t, nil)
	s.write("holdpoint.yaml", fmt.Sprintf(`task_queue: %s
sources:
  notes: notes
  site:
    kind: http
    urls: [{url: "%[2]s/a.md?token=HB-SECRET", path: a.md}, {url: "%[2]s/b.md?token=HB-SECRET", path: b.md}]
repositories: {kb: {path: kb}}
policy: policy.yaml
data: data
`, s.name, pages.URL))
	s.worker()
	s.write("task.yaml", fmt.Sprintf("tenant: %s\nbusiness_id: x\ngoal: try it\nrequester: ann.wu\ncontext: [{kind: http, root: site}]\n"+
		"tools: [{tool: gitpages, target: kb}]\n", s.name))
	s.starter("start", "--task", "task.yaml", "-t", s.name)
	run := s.name + "/x"
	s.awaitTriedAgain(run)
	seen := s.noSecrets(run)
	require.Contains(t, seen, "answered 500", "the attempt that is waited for is in the description")
	require.Regexp(t, `"entries": ?2`, seen, "so is its heartbeat")
}
