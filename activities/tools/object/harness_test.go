package object

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

const (
	theKey  = "5aa624e1059045bb634147f4e2b0973cef577656"
	otherID = "0cab4a8790656a9e365f7211716f7b56c37a1268"
	theName = "weekly/2026-W48.txt"
	bucketA = "reports"
)

// declare makes the tool "save_report" with these object settings, one a line.
func declare(t *testing.T, lines ...string) (tools.Tool, error) {
	t.Helper()
	text := `tools:
  save_report:
    version: "1"
    kind: object
    class: conditional
    risk: low
    schema: {type: object, properties: {name: {type: string}, text: {type: string}, n: {type: number}}, additionalProperties: false}
    target: "reports/{{params.name}}"
    call_timeout: 700ms
    object:
      ` + strings.Join(lines, "\n      ") + "\n"
	var file struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &file), text)
	node := file.Tools["save_report"]
	tool, err := declared.New("save_report", "holdpoint.yaml", &node, []declared.Kind{Kind{}})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { tool.(io.Closer).Close() })
	return tool, nil
}

// world is a store with the tool that writes to it, and a way around the tool.
type world struct {
	t    *testing.T
	mode string
	tool tools.Tool

	// put writes an object as somebody else does.
	put func(name, text string)
	// remove takes it away.
	remove func(name string)
	// read returns what is there; false when nothing is.
	read func(name string) (string, bool)
	// writes counts how often the key wrote, whatever became of it.
	writes func(key string) int
}

// s3World is a world on a store with a network between.
func s3World(t *testing.T, mode string, o objectserver.Options) (*world, *objectserver.Server) {
	t.Helper()
	t.Setenv("S3_SECRET", "s")
	o.Buckets = []string{bucketA}
	server := objectserver.Start(t, o)
	return s3Through(t, mode, server, server.URL()), server
}

func s3Through(t *testing.T, mode string, server *objectserver.Server, endpoint string) *world {
	t.Helper()
	t.Setenv("S3_SECRET", "s")
	tool, err := declare(t, "endpoint: "+endpoint, "bucket: "+bucketA, "path_style: true",
		"access_key: a", `secret_key: "${env:S3_SECRET}"`,
		`name: "weekly/{{params.name}}.txt"`, "mode: "+mode, `text: "{{params.text}}"`)
	require.NoError(t, err)
	c, err := minio.New(server.Address(), &minio.Options{Creds: credentials.NewStaticV4("a", "s", ""), Region: "us-east-1", MaxRetries: 1})
	require.NoError(t, err)
	ctx := context.Background()
	return &world{
		t: t, mode: mode, tool: tool,
		put: func(name, text string) {
			_, err := c.PutObject(ctx, bucketA, name, strings.NewReader(text), int64(len(text)), minio.PutObjectOptions{})
			require.NoError(t, err)
		},
		remove: func(name string) {
			require.NoError(t, c.RemoveObject(ctx, bucketA, name, minio.RemoveObjectOptions{}))
		},
		read: func(name string) (string, bool) {
			object, err := c.GetObject(ctx, bucketA, name, minio.GetObjectOptions{})
			require.NoError(t, err)
			text, err := io.ReadAll(object)
			if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
				return "", false
			}
			require.NoError(t, err)
			return string(text), true
		},
		writes: func(key string) int { return server.Writes("holdpoint-key", key) },
	}
}

// fileWorld is a world on a folder. A write is counted by the claim that it
// has spent.
func fileWorld(t *testing.T, mode string) (*world, string) {
	t.Helper()
	path := t.TempDir()
	tool, err := declare(t, "url: file://"+path, `name: "weekly/{{params.name}}.txt"`, "mode: "+mode, `text: "{{params.text}}"`)
	require.NoError(t, err)
	at := func(name string) string { return filepath.Join(path, filepath.FromSlash(name)) }
	return &world{
		t: t, mode: mode, tool: tool,
		put: func(name, text string) {
			require.NoError(t, os.MkdirAll(filepath.Dir(at(name)), 0o755))
			beside := at(name) + ".new"
			require.NoError(t, os.WriteFile(beside, []byte(text), 0o600))
			require.NoError(t, os.Rename(beside, at(name)))
		},
		remove: func(name string) { require.NoError(t, os.Remove(at(name))) },
		read: func(name string) (string, bool) {
			text, err := os.ReadFile(at(name))
			if errors.Is(err, fs.ErrNotExist) {
				return "", false
			}
			require.NoError(t, err)
			return string(text), true
		},
		writes: func(key string) int {
			_, claimed := os.Stat(filepath.Join(path, records, key))
			_, kept := os.Stat(filepath.Join(path, records, key, "content"))
			if claimed == nil && errors.Is(kept, fs.ErrNotExist) {
				return 1
			}
			return 0
		},
	}, path
}

// worlds runs a test on each store, with each mode.
func worlds(t *testing.T, modes []string, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, mode := range modes {
		t.Run("S3 "+mode, func(t *testing.T) {
			w, _ := s3World(t, mode, objectserver.Options{})
			test(t, w)
		})
		t.Run("file "+mode, func(t *testing.T) {
			w, _ := fileWorld(t, mode)
			test(t, w)
		})
	}
}

func both() []string { return []string{create, replace} }

// params writes text to theName.
func params(text string) map[string]any { return map[string]any{"name": "2026-W48", "text": text} }

func (w *world) prepare(params map[string]any) (tools.Prepared, error) {
	raw, err := json.Marshal(params)
	require.NoError(w.t, err)
	return w.tool.Prepare(w.t.Context(), tools.Proposal{Tool: "save_report", Parameters: raw, AllowedTarget: "reports"})
}

// planned is a call of an action for the object as it is now. To be replaced,
// there must be one: "before", when there is none.
func (w *world) planned(key, text string) tools.Call {
	w.t.Helper()
	if _, there := w.read(theName); !there && w.mode == replace {
		w.put(theName, "before\n")
	}
	prepared, err := w.prepare(params(text))
	require.NoError(w.t, err)
	return tools.Call{
		RunID: "acme/demo-001", PlanHash: plan.Sum([]byte("plan")), Approver: "mei.chen@example.com",
		Action: plan.Action{
			ID: "object-1", Tool: "save_report", Target: prepared.Target, IdempotencyKey: key,
			Parameters: prepared.Parameters, Precondition: prepared.Precondition, DeliveryClass: plan.Conditional,
		},
	}
}

func (w *world) apply(call tools.Call) (plan.Receipt, error) {
	return w.tool.Apply(w.t.Context(), call)
}

func (w *world) requireContent(want string) {
	w.t.Helper()
	got, there := w.read(theName)
	require.True(w.t, there)
	require.Equal(w.t, want, got)
}

func (w *world) requireCount(want int, call tools.Call) {
	w.t.Helper()
	n, err := w.tool.Count(w.t.Context(), call)
	require.NoError(w.t, err)
	require.Equal(w.t, want, n, "the tool's count")
}

func newProtocol(t *testing.T) *effects.Protocol {
	t.Helper()
	ledger, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "effects.db"))
	require.NoError(t, err)
	t.Cleanup(func() { ledger.Close() })
	return &effects.Protocol{Ledger: ledger, Owner: "worker-1", Lease: 300 * time.Millisecond}
}

// endedAt is an attempt that ends at a point, as if its process were gone:
// nothing after it runs.
func endedAt(t *testing.T, p *effects.Protocol, tool tools.Tool, call tools.Call, point effects.Point) {
	t.Helper()
	dying := *p
	dying.Reached = func(at effects.Point) {
		if at == point {
			runtime.Goexit()
		}
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		dying.Run(t.Context(), tool, call, 1, "acme")
	}()
	<-gone
}

// retried makes attempts for as long as one is told to come back.
func retried(t *testing.T, p *effects.Protocol, tool tools.Tool, call tools.Call) (effects.Outcome, error) {
	t.Helper()
	for attempt := 2; ; attempt++ {
		out, err := p.Run(t.Context(), tool, call, attempt, "acme")
		if faults.ClassOf(err) != faults.InProgress || err == nil {
			return out, err
		}
		require.Less(t, attempt, 30, "%v", err)
		time.Sleep(faults.Name(err).RetryAfter)
	}
}

func requireFault(t *testing.T, err error, class faults.Class, code string) *faults.Fault {
	t.Helper()
	var f *faults.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, class.String()+" "+code, f.Class.String()+" "+f.Code, f.Reason)
	return f
}

func requireDrift(t *testing.T, err error) {
	t.Helper()
	requireFault(t, err, faults.Permanent, "object_changed")
	require.ErrorIs(t, err, tools.ErrDrift)
}
