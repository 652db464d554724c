package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/notify"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

func newConfigCommand(goTools []ToolMaker) *cobra.Command {
	o := options{goTools: goTools}
	output := "text"
	command := &cobra.Command{
		Use:   "config",
		Short: "Check the configuration, and list the tools with who deduplicates",
		Long: `Check the configuration as a worker does when it starts, without a Temporal server and without a
connection to any target, and list what it has: for each tool its delivery class, who deduplicates, and where
it writes; the planners, and which model each asks; the channels through which people are told. Exit 1 when the configuration is refused.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if output != "text" && output != "json" {
				return cli.Usagef("--output %q: use text or json", output)
			}
			v, err := o.view(c.Context())
			if err != nil {
				return err
			}
			if output == "json" {
				return cli.PrintJSON(c.OutOrStdout(), v)
			}
			return v.print(c.OutOrStdout())
		},
	}
	o.registerConfiguration(command.Flags())
	command.Flags().StringVarP(&output, "output", "o", output, "text or json")
	return command
}

// view is a configuration as its operator wants to see it.
type view struct {
	TaskQueue string            `json:"task_queue"`
	Data      string            `json:"data"`
	Ledger    string            `json:"ledger"`
	Blobs     string            `json:"blobs"`
	Policy    string            `json:"policy"` // its version
	Sources   map[string]string `json:"sources"`
	Planners  []plannerView     `json:"planners"`
	Tools     []toolView        `json:"tools"`
	Channels  []notify.Channel  `json:"channels"`
	// Warnings are what may be right where the worker will run.
	Warnings []string `json:"warnings"`
}

// plannerView is a planner; only one that asks a model has more than a name.
type plannerView struct {
	Name   string  `json:"name"`
	Kind   string  `json:"kind,omitempty"`
	Model  string  `json:"model,omitempty"`
	Server string  `json:"server,omitempty"`
	Rate   float64 `json:"rate_per_second,omitempty"`
}

type toolView struct {
	Name         string             `json:"name"`
	Kind         string             `json:"kind"` // of a declaration; "repositories" or "go" otherwise
	Version      string             `json:"version"`
	Class        plan.DeliveryClass `json:"class"`
	Risk         plan.Risk          `json:"risk"`
	Target       string             `json:"target"`
	Deduplicates string             `json:"deduplicates"`
}

func (o *options) view(ctx context.Context) (view, error) {
	cfg, err := o.configuration()
	if err != nil {
		return view{}, err
	}
	policy, err1 := o.readPolicy(cfg)
	channels, err2 := notify.Parse(cfg.Notify.File, cfg.Notify.Node)
	_, err3 := openSources(ctx, cfg)
	box, err4 := openTools(ctx, cfg, nil, o.goTools)
	models, err5 := readPlanners(cfg)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		if box != nil {
			err = errors.Join(err, box.Close())
		}
		return view{}, err
	}
	v := view{
		TaskQueue: cfg.TaskQueue, Data: cfg.Data, Ledger: ledgerName(cfg), Blobs: blobsName(cfg), Policy: policy.Version(),
		Sources: sourceNames(cfg), Planners: viewPlanners(cfg, models), Channels: channels.List(),
		Warnings: warningsOf(cfg, channels),
	}
	for _, tool := range box.all {
		v.Tools = append(v.Tools, viewTool(tool, cfg))
	}
	return v, box.Close()
}

func sourceNames(cfg config.Config) map[string]string {
	names := map[string]string{}
	for name, source := range cfg.Sources {
		names[name] = source.String()
	}
	return names
}

// viewPlanners are all planners, by name.
func viewPlanners(cfg config.Config, models modelPlanners) []plannerView {
	var views []plannerView
	for _, p := range builtIn(cfg) {
		views = append(views, plannerView{Name: p.Name()})
	}
	for _, p := range models.declared {
		views = append(views, plannerView{Name: p.name, Kind: p.kind, Model: p.model, Server: p.server, Rate: p.rate})
	}
	slices.SortFunc(views, func(a, b plannerView) int { return strings.Compare(a.Name, b.Name) })
	return views
}

func (v plannerView) String() string {
	if v.Kind == "" {
		return v.Name
	}
	text := fmt.Sprintf("%s: %s, model %s at %s", v.Name, v.Kind, plan.Escape(v.Model), plan.Escape(v.Server))
	if v.Rate > 0 {
		text += fmt.Sprintf(", at most %g attempts a second over all workers", v.Rate)
	}
	return text
}

// blobsName says where the blob store is, without the address's parameters.
func blobsName(cfg config.Config) string {
	if cfg.Blobs.IsZero() {
		return "a folder, in the data folder"
	}
	address, _, _ := strings.Cut(cfg.Blobs.URL, "?")
	return address
}

// ledgerName says where the ledger is, without what may be a secret.
func ledgerName(cfg config.Config) string {
	switch {
	case cfg.Ledger.IsZero():
		return "SQLite, in the data folder"
	case cfg.Ledger.HasReference():
		return "PostgreSQL, " + cfg.Ledger.String()
	default:
		return "PostgreSQL"
	}
}

func viewTool(tool tools.Tool, cfg config.Config) toolView {
	spec := tool.Spec()
	v := toolView{
		Name: spec.Name, Kind: "go", Version: spec.Version, Class: spec.Class, Risk: spec.Risk, Deduplicates: deduplicates(spec),
	}
	if declared, ok := tool.(interface {
		Kind() string
		Target() string
	}); ok {
		v.Kind, v.Target = declared.Kind(), declared.Target()
	} else if spec.Name == config.PagesTool {
		v.Kind, v.Target = "repositories", fmt.Sprint(sortedNames(cfg.Repositories))
	}
	return v
}

// deduplicates says who keeps a second effect away.
func deduplicates(s tools.Spec) string {
	switch s.Class {
	case plan.Transactional:
		return "the target database: effect and receipt commit together"
	case plan.Conditional:
		return "the target: it refuses a second effect"
	case plan.Keyed:
		return fmt.Sprintf("the target, by our key, for %s", s.KeyWindow)
	case plan.Lookup:
		return fmt.Sprintf("a look at the target, %s after a call began", s.CallTimeout+s.Settle)
	case plan.Once:
		return "nobody: an unknown outcome goes to a person"
	default:
		return ""
	}
}

// warningsOf are what may be right where the worker will run, and is not here.
func warningsOf(cfg config.Config, channels *notify.Channels) []string {
	warnings := missingSecrets(cfg)
	for _, refused := range channels.RefusedSecrets() {
		warnings = append(warnings, refused.Error())
	}
	return warnings
}

// missingSecrets lists the references in declarations that lead to nothing
// here. Secrets are read when they are used, so this is no mistake yet.
func missingSecrets(cfg config.Config) []string {
	var warnings []string
	look := func(file, what string, node *yaml.Node) {
		for _, scalar := range scalars(node, nil) {
			text, err := secrets.Parse(scalar.Value)
			if err == nil && text.HasReference() {
				_, err = text.Resolve()
				if err != nil {
					warnings = append(warnings, fmt.Sprintf("%s:%d: %s: %s", file, scalar.Line, what, err))
				}
			}
		}
	}
	for _, tool := range cfg.Tools {
		look(tool.File, "tool "+tool.Name, tool.Node)
	}
	if cfg.Notify.Node != nil {
		look(cfg.Notify.File, "notify", cfg.Notify.Node)
	}
	if cfg.Planners.Node != nil {
		look(cfg.Planners.File, "planners", cfg.Planners.Node)
	}
	for _, key := range []struct {
		field string
		text  secrets.Text
	}{{"access_key", cfg.Blobs.AccessKey}, {"secret_key", cfg.Blobs.SecretKey}, {"session_token", cfg.Blobs.SessionToken}} {
		if _, err := key.text.Resolve(); err != nil {
			warnings = append(warnings, cfg.At("blobs", key.field)+"blobs: "+err.Error())
		}
	}
	if _, err := cfg.Ledger.Resolve(); err != nil {
		warnings = append(warnings, cfg.At("ledger")+"ledger: "+err.Error())
	}
	return warnings
}

// scalars collects the scalars below a node. An alias stands elsewhere too.
func scalars(node *yaml.Node, found []*yaml.Node) []*yaml.Node {
	if node.Kind == yaml.ScalarNode {
		return append(found, node)
	}
	for _, inside := range node.Content {
		found = scalars(inside, found)
	}
	return found
}

func (v view) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "task queue\t%s\n", plan.Escape(v.TaskQueue))
	fmt.Fprintf(w, "data\t%s\n", plan.Escape(v.Data))
	fmt.Fprintf(w, "ledger\t%s\n", plan.Escape(v.Ledger))
	fmt.Fprintf(w, "blobs\t%s\n", plan.Escape(v.Blobs))
	fmt.Fprintf(w, "policy\t%s\n", plan.Escape(v.Policy))
	for _, name := range sortedNames(v.Sources) {
		fmt.Fprintf(w, "source\t%s: %s\n", name, plan.Escape(v.Sources[name]))
	}
	for _, p := range v.Planners {
		fmt.Fprintf(w, "planner\t%s\n", p)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nTOOL\tKIND\tVERSION\tCLASS\tRISK\tTARGET\tWHO DEDUPLICATES\n")
	for _, t := range v.Tools {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			t.Name, t.Kind, plan.Escape(t.Version), t.Class, t.Risk, plan.Escape(t.Target), t.Deduplicates)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := v.printChannels(w); err != nil {
		return err
	}
	for _, warning := range v.Warnings {
		fmt.Fprintf(out, "\nwarning: %s\n", plan.Escape(warning))
	}
	return nil
}

// printChannels prints nothing when nobody is told.
func (v view) printChannels(w *tabwriter.Writer) error {
	if len(v.Channels) > 0 {
		fmt.Fprintf(w, "\nCHANNEL\tKIND\tTO\tTENANTS\tEVENTS\n")
	}
	for _, c := range v.Channels {
		tenants := "all"
		if len(c.Tenants) > 0 {
			tenants = strings.Join(c.Tenants, ", ")
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%v\n", c.Name, c.Kind, plan.Escape(c.Target), tenants, c.Events)
	}
	return w.Flush()
}
