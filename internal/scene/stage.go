package scene

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/notify"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
	"github.com/holdpoint/holdpoint/workflows"
)

// Stage is one installation: a task queue, a data folder, a bank, and the
// worker that Open starts. Its methods fail its test, and so are for the test's
// own goroutine.
type Stage struct {
	Bank *Bank

	t       testing.TB
	require *require.Assertions
	server  *devserver.Server
	client  client.Client
	reader  runs.Reader
	queue   string
	data    string // folder of the blob store
	notes   string // folder of the one document that every run reads
	blobs   *blobs.Store
	ledger  effects.Ledger
	script  *script
	notices *notify.Channels
	worker  *Worker // the one of Open, WorkerStarts and PolicyBecomes; nil when there is none
	policy  string
	runs    atomic.Int32
}

// stages counts the stages of this process, for their names.
var stages atomic.Int32

// SearchAttributes are those that a scene's server must have.
func SearchAttributes() map[string]enumspb.IndexedValueType {
	attributes := map[string]enumspb.IndexedValueType{}
	for _, a := range workflows.SearchAttributes() {
		attributes[a.Name] = a.Type
	}
	return attributes
}

// Option changes a stage before its first worker starts.
type Option func(*Stage)

// Telling lets the stage tell people of what waits, through webhooks: URLs by
// the channels' names.
func Telling(hooks map[string]string) Option {
	return func(s *Stage) {
		secret := filepath.Join(s.data, "hook.secret")
		key := base64.StdEncoding.EncodeToString([]byte("the webhooks' key, of 32 letters"))
		s.require.NoError(os.WriteFile(secret, []byte("whsec_"+key), 0o600))
		var section strings.Builder
		for name, url := range hooks {
			fmt.Fprintf(&section, "%s: {timeout: 2s, webhook: {url: %q, allow_http: true, secret: \"${file:%s}\"}}\n", name, url, secret)
		}
		var node yaml.Node
		s.require.NoError(yaml.Unmarshal([]byte(section.String()), &node))
		channels, err := notify.Parse(filepath.Join(s.data, "holdpoint.yaml"), node.Content[0])
		s.require.NoError(err)
		s.notices = channels
	}
}

// Open makes a stage on a server, with a worker that has the policy.
func Open(tb testing.TB, server *devserver.Server, policyText string, options ...Option) *Stage {
	tb.Helper()
	s := &Stage{
		Bank: newBank(), t: tb, require: require.New(tb), server: server, script: newScript(),
		queue: fmt.Sprintf("stage-%d", stages.Add(1)), data: tb.TempDir(), notes: tb.TempDir(), policy: policyText,
	}
	s.require.NoError(os.WriteFile(filepath.Join(s.notes, "note.md"), []byte("# Payments\n"), 0o600))
	var err error
	s.client, err = client.Dial(client.Options{HostPort: server.Address(), Logger: temporalclient.Logger(zap.NewNop())})
	s.require.NoError(err)
	tb.Cleanup(s.client.Close)
	s.reader = runs.Reader{Client: s.client, Namespace: client.DefaultNamespace}
	s.blobs, err = blobs.Config{URL: config.BlobURL(s.data)}.Open()
	s.require.NoError(err)
	tb.Cleanup(func() { s.require.NoError(s.blobs.Close()) })
	s.ledger, err = sqlite.Open(tb.Context(), filepath.Join(s.data, "ledger.db"))
	s.require.NoError(err)
	tb.Cleanup(func() { s.require.NoError(s.ledger.Close()) })
	for _, option := range options {
		option(s)
	}
	s.WorkerStarts()
	return s
}

// Person is somebody, by the name as it is written here.
func (s *Stage) Person(name string) *Person { return &Person{stage: s, name: name, tenant: "acme"} }

// WorkerStops ends the stage's worker in good order.
func (s *Stage) WorkerStops() {
	s.worker.Stops()
	s.worker = nil
}

// WorkerIsCutOff lets the stage's worker lose the server for good.
func (s *Stage) WorkerIsCutOff() {
	s.worker.IsCutOff()
	s.worker = nil
}

// WorkerStarts starts a worker with the policy that the last one had.
func (s *Stage) WorkerStarts() {
	s.t.Helper()
	s.worker = s.Hires(s.policy)
}

// PolicyBecomes replaces the worker by one with another policy.
func (s *Stage) PolicyBecomes(policyText string) {
	s.t.Helper()
	s.policy = policyText
	if s.worker != nil {
		s.WorkerStops()
	}
	s.WorkerStarts()
}

// Effects wants exactly n payments at the bank, each under a key of its own.
func (s *Stage) Effects(n int) {
	s.t.Helper()
	keys := map[string]int{}
	for _, e := range s.Bank.Effects() {
		keys[e.Key]++
		s.require.Equal(1, keys[e.Key], "payments under key %s", e.Key)
	}
	s.require.Len(keys, n, "payments at the bank")
}

// Eventually waits until something is so.
func (s *Stage) Eventually(what string, so func() bool) {
	s.t.Helper()
	for begin := time.Now(); time.Since(begin) < Patience; time.Sleep(pause) {
		if so() {
			return
		}
	}
	s.require.Failf("it did not come", "%s: not within %s", what, Patience)
}

// PlanFile is where the blob store keeps the plan that a run has now.
func (s *Stage) PlanFile(r *Run) string {
	s.t.Helper()
	return s.BlobFile(r, r.Hash())
}

// BlobFile is where the blob store keeps something of a run's tenant.
func (s *Stage) BlobFile(r *Run, d plan.Digest) string {
	return filepath.Join(s.data, "blobs", r.tenant(), d.Hex()[:2], d.Hex())
}

// Stores puts something into the part of the blob store of a run's tenant.
func (s *Stage) Stores(r *Run, data []byte) plan.Digest {
	s.t.Helper()
	d, err := s.blobs.Put(s.t.Context(), r.tenant(), data)
	s.require.NoError(err)
	return d
}

// Ledger is the stage's ledger.
func (s *Stage) Ledger() effects.Ledger { return s.ledger }
