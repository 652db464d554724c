package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/pflag"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/folder"
	"github.com/holdpoint/holdpoint/internal/planfile"
	"github.com/holdpoint/holdpoint/internal/regularfile"
	"github.com/holdpoint/holdpoint/internal/upload"
	"github.com/holdpoint/holdpoint/workflows"
)

// uploadFlags say what of this machine goes with a task, through the blob store.
type uploadFlags struct {
	folder, plan string
	store        cli.BlobStore
}

func (u *uploadFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&u.folder, "attach", "", "documents: a `FOLDER` of this machine, whose files go to the worker through the blob store")
	flags.StringVar(&u.plan, "plan", "", "your own plan: a JSON or YAML `FILE` of format holdpoint.actions/1; the planner is \"given\"")
	u.store.Register(flags)
}

func (u *uploadFlags) any() bool { return u.folder != "" || u.plan != "" }

// parcel checks everything that can be before anything is stored: what there is
// to send, and where it is to go. taken are the sources that the task has already.
func (u *uploadFlags) parcel(include, exclude []string, taken []workflows.Source) (p parcel, err error) {
	if !u.any() {
		return p, nil
	}
	if p.to, err = u.store.Find(); err != nil {
		return p, err
	}
	if p.to.Absent && !p.to.Configured {
		// To make one here would only hide that the worker has another.
		return p, cli.Usagef("there is no blob store at %s: name the worker's data folder with --data, or its configuration with --config", p.to.Name)
	}
	if u.folder != "" {
		write, err := u.documents(include, exclude, p.to)
		if err != nil {
			return p, cli.UsageError{Err: err}
		}
		p.add(workflows.SourceUpload, "--attach "+u.folder, write, taken)
	}
	if u.plan != "" {
		write, err := u.ownPlan()
		if err != nil {
			return p, cli.UsageError{Err: err}
		}
		if hasSource(taken, planfile.Source) {
			return p, cli.Usagef("the task has a source named %q, and that is the name of what --plan hands in: leave one of them out", planfile.Source)
		}
		p.add(planfile.Source, "--plan "+u.plan, write, taken)
	}
	return p, nil
}

// writer stores one upload.
type writer func(context.Context, upload.Put) (upload.Written, error)

// documents is the folder, within the worker's own limits: what it would leave
// out need not be stored.
func (u *uploadFlags) documents(include, exclude []string, to cli.Found) (writer, error) {
	scope, err := folder.NewScope("", include, exclude)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(u.folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("--attach %s: there is no such folder", u.folder)
	case err != nil:
		return nil, fmt.Errorf("--attach: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("--attach %s is a file: name its folder, and the file with --include", u.folder)
	}
	limits := upload.Limits{FileBytes: to.Limits.FileBytes, TotalBytes: to.Limits.TotalBytes, Entries: to.Limits.Entries}
	return func(ctx context.Context, put upload.Put) (upload.Written, error) {
		return upload.Write(ctx, u.folder, scope, limits, put)
	}, nil
}

// ownPlan is the file with the agent's plan. What it says is for the worker to
// judge, which alone knows the tools; here it is only found out that it can be
// read, just as the worker will.
func (u *uploadFlags) ownPlan() (writer, error) {
	format, known := planfile.FormatOf(u.plan)
	if !known {
		return nil, fmt.Errorf("--plan %s: the name of a plan ends in .json, .yaml or .yml", u.plan)
	}
	file, err := regularfile.Open(u.plan)
	if err != nil {
		return nil, fmt.Errorf("--plan: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, planfile.MaxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("--plan: %w", err)
	case len(data) > planfile.MaxBytes:
		return nil, fmt.Errorf("--plan %s: the file has more than %d bytes, which no plan may have", u.plan, planfile.MaxBytes)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("--plan %s: the file is empty", u.plan)
	}
	if _, err := planfile.Read(u.plan, format, data); err != nil {
		return nil, fmt.Errorf("--plan: %w", err)
	}
	return func(ctx context.Context, put upload.Put) (upload.Written, error) {
		return upload.One(ctx, format.Name(), data, put)
	}, nil
}
