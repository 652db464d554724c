package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/outline"
	"github.com/holdpoint/holdpoint/activities/sources"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/drill"
	"github.com/holdpoint/holdpoint/workflows"
)

// build makes the activities and everything they stand on. closeAll closes
// what was opened.
func build(
	ctx context.Context, o options, cfg config.Config, d *drill.Drill, log *zap.Logger,
) (acts *activities.Activities, closeAll func(), err error) {
	policy, err := o.readPolicy(cfg)
	if err != nil {
		return nil, nil, err
	}
	planner := outline.Planner{SourceURLs: cfg.SourceURLs}
	pages, err := gitpages.New(ctx, repositories(cfg), gitpages.Options{})
	if err != nil {
		return nil, nil, err
	}
	registry, err := tools.NewRegistry(pages)
	if err != nil {
		return nil, nil, err
	}
	if err := os.MkdirAll(cfg.Data, 0o700); err != nil {
		return nil, nil, fmt.Errorf("data folder: %w", err)
	}
	store, err := blobs.Open(ctx, config.BlobURL(cfg.Data))
	if err != nil {
		return nil, nil, err
	}
	ledger, err := sqlite.Open(ctx, filepath.Join(cfg.Data, "ledger.db"))
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return &activities.Activities{
		Roots: cfg.Sources,
		Limits: sources.Limits{
			MaxFileBytes: cfg.Limits.FileBytes, MaxTotalBytes: cfg.Limits.TotalBytes, MaxEntries: cfg.Limits.Entries,
		},
		Planners: map[string]planners.Planner{planner.Name(): planner},
		Tools:    registry,
		Blobs:    store,
		Effects: &effects.Protocol{
			Ledger: ledger, Lease: cfg.Timing.Lease, Owner: owner(), Log: log,
			Reached: func(p effects.Point) { d.Reached(drill.At(string(workflows.ExecuteAction), string(p))) },
		},
		Policy:   policy,
		Parallel: cfg.Limits.ParallelActions,
		Log:      log,
	}, func() { _ = errors.Join(ledger.Close(), store.Close()) }, nil
}

// readPolicy reads the policy file, or makes one of the --approver flags with
// a day to decide and eight hours to carry out.
func (o *options) readPolicy(cfg config.Config) (approvals.Policy, error) {
	if cfg.Policy == "" {
		return approvals.NewPolicy("flags", o.approvers, 24*time.Hour, 8*time.Hour)
	}
	raw, err := os.ReadFile(cfg.Policy)
	if err != nil {
		return approvals.Policy{}, fmt.Errorf("policy: %w", err)
	}
	return approvals.ParsePolicy(raw, cfg.Policy)
}

func repositories(cfg config.Config) []gitpages.Repo {
	var repos []gitpages.Repo
	for name, r := range cfg.Repositories {
		repos = append(repos, gitpages.Repo{Name: name, Path: r.Path, Branch: r.Branch})
	}
	slices.SortFunc(repos, func(a, b gitpages.Repo) int { return strings.Compare(a.Name, b.Name) })
	return repos
}

// owner names this process to people who read the ledger.
func owner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown-host"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
