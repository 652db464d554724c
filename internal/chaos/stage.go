package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/pgtest"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
	"github.com/holdpoint/holdpoint/workflows"
)

// taskQueue is the campaign's.
const taskQueue = "chaos"

// stage is all that a campaign plays on: the systems, the roads to them,
// and the workers.
type stage struct {
	dir      string
	config   string // of the workers, in this phase
	temporal *devserver.Server
	postgres *pgtest.Server
	targets  []target
	roads    []*road // to the targets, in their order
	tools    []tool
	owner    map[string]target // by the tool that writes to it
	workers  []*worker
	client   client.Client
	reader   runs.Reader

	restarting sync.Mutex   // one server at a time
	kills      atomic.Int64 // processes that signal 9 ended
	windows    atomic.Int64 // those of them that stood at a named point
	zombies    atomic.Int64
	cuts       atomic.Int64
	restarts   atomic.Int64
	closers    []func() error
}

// newStage builds the worker, starts everything in a folder of its own, and
// waits until both workers poll.
func newStage(ctx context.Context, root, dir string, seed uint64) (_ *stage, err error) {
	s := &stage{dir: dir, owner: map[string]target{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if err := build(ctx, root, dir); err != nil {
		return nil, err
	}
	if err := s.startSystems(ctx, root); err != nil {
		return nil, err
	}
	declared, err := s.startTargets(ctx, root, seed)
	if err != nil {
		return nil, err
	}
	if err := s.configure(declared); err != nil {
		return nil, err
	}
	return s, s.startWorkers(ctx)
}

func build(ctx context.Context, root, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "worker"), "./worker")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the worker: %w\n%s", err, said)
	}
	return nil
}

func (s *stage) startSystems(ctx context.Context, root string) (err error) {
	cli, err := devserver.FindCLI(ctx, root, os.Stderr)
	if err != nil {
		return err
	}
	attributes := map[string]enumspb.IndexedValueType{}
	for _, a := range workflows.SearchAttributes() {
		attributes[a.Name] = a.Type
	}
	s.temporal, err = devserver.Start(ctx, devserver.Options{
		CLI: cli, DBFile: filepath.Join(s.dir, "temporal.db"), SearchAttributes: attributes, LogFile: filepath.Join(s.dir, "temporal.log"),
	})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, s.temporal.Stop)
	s.client, err = client.NewLazyClient(client.Options{HostPort: s.temporal.Address(), Logger: temporalclient.Logger(zap.NewNop())})
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() error { s.client.Close(); return nil })
	s.reader = runs.Reader{Client: s.client, Namespace: client.DefaultNamespace}
	if s.postgres, err = pgtest.Launch(ctx, pgtest.Options{Durable: true}); err != nil {
		return err
	}
	s.closers = append(s.closers, s.postgres.Close)
	return nil
}

// startTargets starts the systems that are written to, opens the road to each,
// and returns the declarations of all tools.
func (s *stage) startTargets(ctx context.Context, root string, seed uint64) (all declarations, err error) {
	if s.targets, err = openTargets(ctx, s, root); err != nil {
		return all, err
	}
	for i, t := range s.targets {
		r, err := newRoad(ctx, fmt.Sprintf("%T", t), t.address(), t.writes(), seed+uint64(i))
		if err != nil {
			return all, err
		}
		s.closers = append(s.closers, r.close)
		s.roads = append(s.roads, r)
		made, declared := t.tools(r.address())
		for _, one := range made {
			s.owner[one.name] = t
		}
		s.tools = append(s.tools, made...)
		all.tools += declared.tools
		all.repositories += declared.repositories
	}
	return all, nil
}

// The workers' configurations, which differ in the ledger.
const (
	onPostgres = "postgres.yaml"
	onSQLite   = "sqlite.yaml"
)

func (s *stage) configure(all declarations) error {
	const common = "task_queue: " + taskQueue + "\nsources: {plans: plans}\npolicy: policy.yaml\n" +
		"limits: {parallel_actions: 16, step_attempts: 1000}\n"
	tools := "repositories:\n" + all.repositories + "tools:\n" + strings.TrimRight(all.tools, "\n ") + "\n"
	for name, text := range map[string]string{
		"policy.yaml": "label: chaos\napprovers: [bo.lin, cy.ma]\ndecide_within: 24h\ngrant_life: 24h\n",
		onPostgres:    common + "data: data\nledger: ${env:CHAOS_LEDGER}\n" + tools,
		onSQLite:      common + "data: data-sqlite\n" + tools,
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.MkdirAll(filepath.Join(s.dir, "plans"), 0o755)
}

// use lets the workers work as a phase begins. No run is under way.
func (s *stage) use(ctx context.Context, f fault) error {
	s.config = filepath.Join(s.dir, cmp.Or(f.config, onPostgres))
	var flags []string
	if f.point != "" {
		flags = []string{"--stop-at", f.point}
	}
	if err := s.workers[0].configure(ctx, s.config, flags...); err != nil {
		return err
	}
	return s.workers[1].configure(ctx, s.config)
}

func (s *stage) startWorkers(ctx context.Context) error {
	ledger, err := s.postgres.CreateDatabase(ctx)
	if err != nil {
		return err
	}
	s.config = filepath.Join(s.dir, onPostgres)
	env := append(os.Environ(), "TEMPORAL_ADDRESS="+s.temporal.Address(), "TEMPORAL_CONFIG_FILE="+filepath.Join(s.dir, "no-profile.toml"),
		"CHAOS_LEDGER="+ledger, "CHAOS_STORE=anything")
	for i := range 2 {
		w := &worker{
			name: fmt.Sprintf("worker-%d", i+1), program: filepath.Join(s.dir, "worker"), dir: s.dir,
			env: env, config: s.config,
		}
		if err := w.start(ctx); err != nil {
			return err
		}
		s.workers = append(s.workers, w)
	}
	return nil
}

// kill kills a worker with signal 9. What had begun to work and died of it is
// counted.
func (s *stage) kill(i int) bool {
	killed := s.workers[i].kill()
	if killed {
		s.kills.Add(1)
	}
	return killed
}

func (s *stage) restartPostgres(ctx context.Context, r *rand.Rand) {
	s.restarting.Lock()
	defer s.restarting.Unlock()
	end := s.postgres.Stop
	if r.IntN(2) == 0 {
		end = s.postgres.Kill
	}
	_ = end()
	time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
	s.must(s.postgres.Start(ctx))
}

func (s *stage) restartTemporal(ctx context.Context, r *rand.Rand) {
	s.restarting.Lock()
	defer s.restarting.Unlock()
	_ = s.temporal.Kill()
	time.Sleep(time.Duration(2000+r.IntN(2000)) * time.Millisecond) // heartbeats are missed
	s.must(s.temporal.Restart(ctx))
}

// must counts a restart. A system that does not come back ends the campaign:
// nothing could be counted there.
func (s *stage) must(err error) {
	if err != nil {
		panic(fmt.Errorf("a system of the campaign did not come back: %w", err))
	}
	s.restarts.Add(1)
}

// calm ends what a fault has left behind.
func (s *stage) calm(ctx context.Context) {
	for _, r := range s.roads {
		r.heal(ctx)
	}
	for _, w := range s.workers {
		_ = w.configure(ctx, s.config) // a process that does not start is followed by the next
	}
}

// books is the passage to PostgreSQL.
func (s *stage) books() *passage {
	for i, t := range s.targets {
		if _, ok := t.(*books); ok {
			return s.roads[i].passage
		}
	}
	panic("the campaign has no database")
}

// wasUnheard reports whether the action's target was left without anybody to
// hear its answer.
func (s *stage) wasUnheard(a *action) bool {
	for _, r := range s.roads {
		if r.passage.wasUnheard(a.Effect) || r.passage.wasUnheard("refs/holdpoint/"+a.key) {
			return true
		}
	}
	return false
}

func (s *stage) close() error {
	var errs []error
	for _, w := range s.workers {
		w.close()
	}
	for _, end := range slices.Backward(s.closers) {
		errs = append(errs, end())
	}
	return errors.Join(errs...)
}
