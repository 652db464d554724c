package program

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/drill"
	"github.com/holdpoint/holdpoint/internal/temporalclient"
	"github.com/holdpoint/holdpoint/workflows"
)

// options are the worker's flags.
type options struct {
	temporal     temporalclient.Flags
	config       string
	taskQueue    string
	data         string
	policy       string
	sources      map[string]string
	repositories map[string]string
	approvers    []string
	logFormat    string
	metrics      string
	goTools      []ToolMaker

	crashBefore, crashBeforeCheckpoint, crashAfter string
	crashAt, stopAt                                string
}

// registerConfiguration adds the flags that say what a worker is and has.
func (o *options) registerConfiguration(flags *pflag.FlagSet) {
	flags.StringVarP(&o.config, "config", "c", "", "configuration file (default: "+config.DefaultFile+" where it exists)")
	flags.StringVarP(&o.taskQueue, "task-queue", "t", "", "task queue to poll")
	flags.StringVar(&o.data, "data", "", "folder of the blob store and the ledger")
	flags.StringVar(&o.policy, "policy", "", "policy file")
	flags.StringToStringVar(&o.sources, "source", nil, "source root that tasks may read, NAME=FOLDER (repeatable)")
	flags.StringToStringVar(&o.repositories, "repository", nil, "Git repository that tasks may write pages to, NAME=FOLDER (repeatable)")
	flags.StringSliceVar(&o.approvers, "approver", nil, "who may approve, instead of a policy file (repeatable)")
}

// register adds all the flags of a worker that runs.
func (o *options) register(flags *pflag.FlagSet) {
	o.temporal.Register(flags)
	o.registerConfiguration(flags)
	flags.StringVar(&o.logFormat, "log-format", "console", "console or json")
	flags.StringVar(&o.metrics, "metrics", "", "`HOST:PORT` at which Prometheus can read the worker's metrics")

	step := "drill: exit " + fmt.Sprint(drill.ExitCode)
	flags.StringVar(&o.crashBefore, "crash-before", "", step+" before `STEP`")
	flags.StringVar(&o.crashBeforeCheckpoint, "crash-before-checkpoint", "",
		step+" after the side effect of `STEP` and before its completion is recorded")
	flags.StringVar(&o.crashAfter, "crash-after", "", step+" once the completion of `STEP` is durable in the history")
	flags.StringVar(&o.crashAt, "crash-at", "", step+" at `POINT`, e.g. execute_action.begun, .effect or .recorded, or make_plan.reply_stored")
	flags.StringVar(&o.stopAt, "stop-at", "", "drill: stop the process (SIGSTOP) at `POINT`")
}

// configuration is the whole of a worker's: load, and who may approve.
func (o *options) configuration() (config.Config, error) {
	c, err := o.load()
	switch {
	case err != nil:
		return c, err
	case c.Policy == "" && len(o.approvers) == 0:
		return c, cli.Usagef("nobody may approve: name a policy file (policy: or --policy) or --approver")
	case c.Policy != "" && len(o.approvers) > 0:
		return c, cli.Usagef("--approver and the policy file %s are both given: use one", c.Policy)
	}
	return c, nil
}

// load lays the flags over the file.
func (o *options) load() (config.Config, error) {
	c := config.Default()
	path := o.config
	if path == "" {
		if _, err := os.Stat(config.DefaultFile); err == nil {
			path = config.DefaultFile
		}
	}
	if path != "" {
		var err error
		if c, err = config.Load(path); err != nil {
			return c, err
		}
	}
	if o.taskQueue != "" {
		c.TaskQueue = o.taskQueue
	}
	if o.data != "" {
		c.Data = o.data
	}
	if o.policy != "" {
		c.Policy = o.policy
	}
	if o.metrics != "" {
		c.Metrics = o.metrics
	}
	for name, folder := range o.sources {
		c.Sources[name] = config.Source{Kind: config.SourceDir, Path: folder}
	}
	for name, folder := range o.repositories {
		c.Repositories[name] = config.Repository{Path: folder, Place: folder}
	}
	o.claim(&c)
	return c, c.Validate()
}

// claim says which fields of the file the flags have set instead.
func (o *options) claim(c *config.Config) {
	for field, flag := range map[string]string{"task_queue": o.taskQueue, "data": o.data, "policy": o.policy, "metrics": o.metrics} {
		if flag != "" {
			c.ByFlag(field)
		}
	}
	for name := range o.sources {
		c.ByFlag("sources", name)
	}
	for name := range o.repositories {
		c.ByFlag("repositories", name)
	}
}

// drillOf turns the drill flags into one point, and what happens there.
func (o *options) drillOf() (*drill.Drill, error) {
	var d drill.Drill
	given := 0
	set := func(flag string, p drill.Point, stop bool) error {
		if p == "" {
			return nil
		}
		if given++; given > 1 {
			return cli.Usagef("one drill at a time")
		}
		step, moment, _ := strings.Cut(string(p), ".")
		if !slices.Contains(workflows.StepNames(), workflows.StepName(step)) {
			return cli.Usagef("--%s: no step %q; the steps are %v", flag, step, workflows.StepNames())
		}
		if !slices.Contains(drill.Moments(workflows.StepName(step)), moment) {
			return cli.Usagef("--%s: step %s has no moment %q", flag, step, moment)
		}
		d.Point, d.Act = p, drill.Exit(os.Stderr)
		if stop {
			d.Act = drill.Stop(os.Stderr)
		}
		return nil
	}
	at := func(step, moment string) drill.Point {
		if step == "" {
			return ""
		}
		// The side effect of an action is behind it, and nothing is recorded
		// anywhere, right after the tool's call.
		if step == string(workflows.ExecuteAction) && moment == drill.BeforeCheckpoint {
			moment = drill.Effect
		}
		return drill.At(step, moment)
	}
	for _, err := range []error{
		set("crash-before", at(o.crashBefore, drill.Before), false),
		set("crash-before-checkpoint", at(o.crashBeforeCheckpoint, drill.BeforeCheckpoint), false),
		set("crash-after", at(o.crashAfter, drill.After), false),
		set("crash-at", drill.Point(o.crashAt), false),
		set("stop-at", drill.Point(o.stopAt), true),
	} {
		if err != nil {
			return nil, err
		}
	}
	return &d, nil
}
