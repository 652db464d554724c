package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/postgres"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/notify"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/drill"
	"github.com/holdpoint/holdpoint/internal/policyfile"
	"github.com/holdpoint/holdpoint/workflows"
)

// build makes the activities and everything they stand on. closeAll closes
// what was opened.
func build(
	ctx context.Context, o options, cfg config.Config, models modelPlanners, d *drill.Drill, log *zap.Logger,
) (acts *activities.Activities, closeAll func(), err error) {
	rules, err := o.readPolicy(cfg)
	if err != nil {
		return nil, nil, err
	}
	channels, err := notify.Parse(cfg.Notify.File, cfg.Notify.Node)
	if err != nil {
		return nil, nil, err
	}
	from, err := openSources(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	for _, warning := range warningsOf(cfg, channels) {
		log.Warn(warning)
	}
	box, err := openTools(ctx, cfg, repositories(cfg), o.goTools)
	if err != nil {
		return nil, nil, err
	}
	store, ledger, err := openStores(ctx, cfg)
	if err != nil {
		return nil, nil, errors.Join(err, box.Close())
	}
	closeAll = func() { _ = errors.Join(box.Close(), ledger.Close(), store.Close()) }
	replyStored := func() { d.Reached(drill.At(string(workflows.MakePlan), drill.ReplyStored)) }
	byName, err := models.open(cfg, store, replyStored, log)
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	return &activities.Activities{
		Sources: from,
		Limits: sources.Limits{
			MaxFileBytes: cfg.Limits.FileBytes, MaxTotalBytes: cfg.Limits.TotalBytes, MaxEntries: cfg.Limits.Entries,
		},
		Planners: byName,
		Tools:    box.Registry,
		Blobs:    store,
		Effects: &effects.Protocol{
			Ledger: ledger, Lease: cfg.Timing.Lease, Owner: owner(), Log: log,
			Reached: func(p effects.Point) { d.Reached(drill.At(string(workflows.ExecuteAction), string(p))) },
		},
		Policy:   rules,
		Parallel: cfg.Limits.ParallelActions,
		Notices:  channels,
		Log:      log,

		StillOurs: activities.AskServer, RunCanceled: activities.AskCanceled,
	}, closeAll, nil
}

// openStores opens what outlives every run: the blob store and the ledger.
func openStores(ctx context.Context, cfg config.Config) (*blobs.Store, effects.Ledger, error) {
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, nil, fmt.Errorf("data folder: %w", err)
	}
	store, err := cfg.BlobStore().Open()
	if err != nil {
		return nil, nil, err
	}
	ledger, err := openLedger(ctx, cfg)
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return store, ledger, nil
}

// openLedger opens the database that is named, and else a file in the data
// folder.
func openLedger(ctx context.Context, cfg config.Config) (effects.Ledger, error) {
	if cfg.Ledger.IsZero() {
		return sqlite.Open(ctx, filepath.Join(cfg.Data, "ledger.db"))
	}
	address, err := cfg.Ledger.Resolve()
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return postgres.Open(ctx, address)
}

// readPolicy reads the policy file, or makes one of the --approver flags with
// a day to decide and eight hours to carry out.
func (o *options) readPolicy(cfg config.Config) (*policy.Policy, error) {
	if cfg.Policy == "" {
		return policy.Simple("flags", o.approvers, 24*time.Hour, 8*time.Hour)
	}
	rules, err := policyfile.Read(cfg.Policy)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("%s%w", cfg.At("policy"), err) // the file itself: what is wrong in it has its own line
	}
	return rules, err
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// owner names this process to people who read the ledger.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
