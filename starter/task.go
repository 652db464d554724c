package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/workflows"
)

// taskFlags describe a task in one command line, for one's own folder.
type taskFlags struct {
	file, goal, from, into, tenant, id, requester, version, onFailure string
	include, exclude                                                  []string
	uploads                                                           uploadFlags
}

func (f *taskFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "task", "", "task file, YAML or JSON")
	flags.StringVar(&f.goal, "goal", "", "what is wanted, in words")
	flags.StringVar(&f.from, "from", "", "documents: `ROOT[/PATH]` of the worker's configuration")
	flags.StringVar(&f.into, "into", "", "knowledge base: `REPOSITORY[/PATH]` of the worker's configuration")
	flags.StringSliceVar(&f.include, "include", nil, "globs of documents to read (repeatable)")
	flags.StringSliceVar(&f.exclude, "exclude", nil, "globs of documents to leave out (repeatable)")
	flags.StringVar(&f.tenant, "tenant", "", "tenant (default \"default\")")
	flags.StringVar(&f.id, "id", "", "business id: the same id is the same run (default: made from goal, documents and into)")
	flags.StringVar(&f.requester, "requester", "", "who asks, and so may not approve (default: HOLDPOINT_REQUESTER, or your login)")
	flags.StringVar(&f.version, "semantic-version", "", "part of every idempotency key (default \"v1\")")
	f.uploads.register(flags)
	flags.StringVar(&f.onFailure, "on-failure", "", "stop or continue with independent actions (default \"stop\")")
}

// givenPlanner is the planner that takes a plan as it was handed in.
const givenPlanner = "given"

// draft is what the task file, or the flags in its place, say of a task. What
// is uploaded with it is not in it yet.
func (f taskFlags) draft() (workflows.Task, error) {
	globs := len(f.include)+len(f.exclude) > 0
	switch {
	case f.from != "" && f.uploads.folder != "":
		return workflows.Task{}, cli.Usagef("--from and --attach both name the documents: use one of them, or --attach beside --task FILE")
	case f.file != "" && (f.goal != "" || f.from != "" || f.into != ""):
		return workflows.Task{}, cli.Usagef("--task holds the whole task: leave out --goal, --from and --into")
	case f.file != "" && globs && f.uploads.folder == "":
		return workflows.Task{}, cli.Usagef("--task holds the whole task: leave out --include and --exclude, which are for --from and --attach")
	case f.file == "":
		return f.inWords(globs)
	}
	task, err := readTask(f.file)
	if err != nil {
		return task, cli.UsageError{Err: err}
	}
	return task, nil
}

// inWords is the draft of a task without a file.
func (f taskFlags) inWords(globs bool) (task workflows.Task, err error) {
	switch {
	case f.goal == "" || f.into == "" || f.from == "" && !f.uploads.any():
		return task, cli.Usagef("say what is wanted: --goal, --into, and --from, --attach or --plan; or --task FILE")
	case globs && f.from == "" && f.uploads.folder == "":
		return task, cli.Usagef("--include and --exclude are for --from and --attach")
	}
	if f.from != "" {
		source, err := sourceOf(f)
		if err != nil {
			return task, err
		}
		task.Context = []workflows.Source{source}
	}
	target, path, _ := strings.Cut(f.into, "/")
	task.Goal = f.goal
	task.Tools = []workflows.ToolUse{{Tool: "gitpages", Target: target, Path: path}}
	return task, nil
}

// task completes a draft with what is uploaded with it, the other flags and the
// defaults, and checks it.
func (f taskFlags) task(draft workflows.Task, requester string, uploaded []workflows.Source) (workflows.Task, error) {
	task := draft
	task.Context = slices.Concat(draft.Context, uploaded)
	if f.uploads.plan != "" {
		if task.Planner != "" && task.Planner != givenPlanner {
			return task, cli.Usagef("the task names planner %q, and --plan is for planner %q: leave one of them out", task.Planner, givenPlanner)
		}
		task.Planner = givenPlanner
	}
	if f.file == "" {
		task.BusinessID = defaultID(f, uploaded...)
	}
	task.Tenant = cmp.Or(f.tenant, task.Tenant, "default")
	overlay(&task.BusinessID, f.id)
	overlay(&task.SemanticVersion, f.version)
	if f.onFailure != "" {
		task.OnFailure = workflows.OnFailure(f.onFailure)
	}
	overlay(&task.Requester, f.requester)
	if task.Requester == "" {
		task.Requester = requester
	}
	task = task.WithDefaults()
	if err := task.Validate(); err != nil {
		return task, cli.UsageError{Err: err}
	}
	return task, nil
}

// prepared is a task whose uploads are not sent yet, and that is right but for
// their addresses.
type prepared struct {
	flags     taskFlags
	draft     workflows.Task
	requester string
	tenant    string
	parcel    parcel
}

// prepare reads and checks everything that was named.
func (f taskFlags) prepare(requester string) (p prepared, err error) {
	p = prepared{flags: f, requester: requester}
	if p.draft, err = f.draft(); err != nil {
		return p, err
	}
	if p.parcel, err = f.uploads.parcel(f.include, f.exclude, p.draft.Context); err != nil {
		return p, err
	}
	task, err := f.task(p.draft, requester, p.parcel.sources())
	p.tenant = task.Tenant
	return p, err
}

// send stores what goes with the task, and returns the task that names it.
func (p *prepared) send(ctx context.Context) (workflows.Task, error) {
	if err := p.parcel.send(ctx, p.tenant); err != nil {
		return workflows.Task{}, err
	}
	return p.flags.task(p.draft, p.requester, p.parcel.sources())
}

func sourceOf(f taskFlags) (workflows.Source, error) {
	if strings.HasPrefix(f.from, "/") || strings.HasPrefix(f.from, ".") {
		return workflows.Source{}, cli.Usagef(
			"--from %s is a path: name a source root of the worker's configuration, e.g. --from notes or --from notes/2026; "+
				"--attach takes a folder of this machine", f.from)
	}
	root, path, _ := strings.Cut(f.from, "/")
	return workflows.Source{Kind: workflows.SourceDir, Root: root, Path: path, Include: f.include, Exclude: f.exclude}, nil
}

// defaultID is the same for the same wish, so that asking twice is noticed.
// What is uploaded is part of the wish by what it holds, wherever it lies.
func defaultID(f taskFlags, uploaded ...workflows.Source) string {
	wish := []string{f.goal, strings.TrimSuffix(f.from, "/"), strings.TrimSuffix(f.into, "/")}
	for _, source := range uploaded {
		wish = append(wish, source.Root, source.Upload.String())
	}
	sum := sha256.Sum256([]byte(strings.Join(wish, "\x00")))
	var slug strings.Builder
	for _, c := range strings.ToLower(f.goal) {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			slug.WriteRune(c)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
		if slug.Len() >= 40 {
			break
		}
	}
	name := strings.Trim(slug.String(), "-")
	if name == "" {
		name = "task"
	}
	return name + "-" + hex.EncodeToString(sum[:4])
}

func overlay(field *string, value string) {
	if value != "" {
		*field = value
	}
}
