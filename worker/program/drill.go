package program

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/gitpages"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/regularfile"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
	"github.com/holdpoint/holdpoint/worker/rehearsal"
)

// drillID in a parameters file stands for the drill's own id, for targets
// whose names must be new each time.
const drillID = "{{drill_id}}"

// drillFlags are those of `worker drill`, besides the configuration's.
type drillFlags struct {
	options

	parameters, other, target string
	yes                       bool
}

func newDrillCommand(goTools []ToolMaker) *cobra.Command {
	f := drillFlags{options: options{goTools: goTools}}
	command := &cobra.Command{
		Use:   "drill TOOL --parameters FILE --target SANDBOX",
		Short: "Rehearse a tool's delivery class against a sandbox of yours",
		Long: `Rehearse a tool's delivery class against a sandbox of yours: is the target what the declaration says?

One action is sent to the target, its receipt is lost on purpose, and it is recovered as a worker would recover it;
then the same key is sent once more, and another payload under the same key. Where the target deduplicates, a
second key is sent twice at the same time. The effects are counted at the target. A ledger of its own is used and
thrown away; runs and approvals are not touched. The effects stay at the target.

FILE holds the tool's parameters, as JSON or YAML; ` + drillID + ` in it is replaced by an id that is new for each drill.
SANDBOX is the target that may be written to, or what lies below it: an action that leads elsewhere is refused.
Exit 0: the class holds, but for what the last line says was not tried; 1: it does not, or nothing could be found out.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return f.rehearse(c.Context(), args[0], c.InOrStdin(), c.OutOrStdout())
		},
	}
	f.registerConfiguration(command.Flags())
	command.Flags().StringVar(&f.parameters, "parameters", "", "`FILE` with the parameters")
	command.Flags().StringVar(&f.other, "other", "", "`FILE` with other parameters for the same target and item (default: made of the first)")
	command.Flags().StringVar(&f.target, "target", "", "`SANDBOX` that may be written to, as a task names it")
	command.Flags().BoolVar(&f.yes, "yes", false, "write without asking")
	return command
}

func (f *drillFlags) rehearse(ctx context.Context, name string, in io.Reader, out io.Writer) error {
	if f.parameters == "" || f.target == "" {
		return cli.Usagef("name the parameters (--parameters FILE) and the sandbox (--target SANDBOX)")
	}
	cfg, err := f.load()
	if err != nil {
		return err
	}
	box, err := openTools(ctx, cfg, f.pages(name, cfg), f.goTools)
	if err != nil {
		return err
	}
	defer box.Close()
	tool, ok := box.Get(name)
	if !ok {
		return cli.Usagef("there is no tool %q; `worker config` lists those that there are", name)
	}
	wish, err := f.wish()
	if err != nil {
		return err
	}
	subject, err := rehearsal.Prepare(ctx, tool, wish)
	if err != nil {
		return err
	}
	printSubject(out, tool, subject)
	if !f.yes && !confirmed(in, out) {
		return errors.New("nothing was written")
	}
	return rehearse(ctx, tool, subject, out)
}

// pages are the repositories, for the tool that writes to them alone: opening
// one can make it.
func (f *drillFlags) pages(name string, cfg config.Config) []gitpages.Repo {
	if name != config.PagesTool {
		return nil
	}
	return repositories(cfg)
}

// wish reads the parameters, once for each key of the rehearsal.
func (f *drillFlags) wish() (rehearsal.Wish, error) {
	w := rehearsal.Wish{ID: newDrillID(), Target: f.target}
	var err error
	if w.Parameters, err = readParameters(f.parameters, w.ID); err != nil {
		return w, err
	}
	if w.TwinParameters, err = readParameters(f.parameters, newDrillID()); err != nil || f.other == "" {
		return w, err
	}
	w.Other, err = readParameters(f.other, w.ID)
	return w, err
}

func newDrillID() string {
	id := make([]byte, 8)
	rand.Read(id) // never fails
	return "drill-" + hex.EncodeToString(id)
}

func readParameters(path, id string) (json.RawMessage, error) {
	raw, err := regularfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	text := []byte(strings.ReplaceAll(string(raw), drillID, id))
	if !json.Valid(text) {
		node, err := strictyaml.Document(path, text)
		if err != nil {
			return nil, err
		}
		if text, err = strictyaml.JSON(path, node); err != nil {
			return nil, err
		}
	}
	canonical, err := plan.Canonicalize(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return canonical, nil
}

func printSubject(out io.Writer, tool tools.Tool, s rehearsal.Subject) {
	spec := tool.Spec()
	fmt.Fprintf(out, "tool    %s: class %s; %s\n", spec.Name, spec.Class, deduplicates(spec))
	fmt.Fprintf(out, "target  %s\n", plan.Escape(s.Action.Target))
	if s.Action.Item != "" {
		fmt.Fprintf(out, "item    %s\n", plan.Escape(s.Action.Item))
	}
	fmt.Fprintf(out, "key     %s\n\n", s.Action.IdempotencyKey)
	fmt.Fprintf(out, "%s\n\n", strings.TrimRight(plan.EscapeLines(s.Action.Preview), "\n"))
}

func confirmed(in io.Reader, out io.Writer) bool {
	fmt.Fprint(out, "This is written to the target, and stays there. Go on? [y/N] ")
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && answer == "" {
		fmt.Fprintln(out)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// rehearse goes through the steps with a ledger that is thrown away.
func rehearse(ctx context.Context, tool tools.Tool, subject rehearsal.Subject, out io.Writer) error {
	folder, err := os.MkdirTemp("", "holdpoint-drill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ledger, err := sqlite.Open(ctx, filepath.Join(folder, "ledger.db"))
	if err != nil {
		return err
	}
	defer ledger.Close()
	result, err := rehearsal.Rehearsal{
		Tool: tool, Subject: subject, Ledger: ledger,
		Found: func(c rehearsal.Check) {
			fmt.Fprintf(out, "%-6s  %s: %s\n", c.Verdict, c.Step, plan.Escape(c.Detail))
		},
		Wait: func(why string, d time.Duration) {
			fmt.Fprintf(out, "        waiting %s: %s\n", d.Round(100*time.Millisecond), plan.Escape(why))
		},
	}.Run(ctx)
	if err != nil {
		return err
	}
	spec := tool.Spec()
	if !result.Holds() {
		fmt.Fprintf(out, "\nclass %s does not hold\n", spec.Class)
		return fmt.Errorf("the target of tool %s does not do what class %s says: declare another class, or mend the target", spec.Name, spec.Class)
	}
	fmt.Fprintf(out, "\nclass %s holds%s\n", spec.Class, except(result.Open()))
	return nil
}

// except names what a verdict does not speak of.
func except(open []string) string {
	switch len(open) {
	case 0:
		return ""
	case 1:
		return ", except: " + open[0] + " was not tried"
	default:
		return ", except: " + strings.Join(open, ", ") + " were not tried"
	}
}
