package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/toolchain"
	"github.com/holdpoint/holdpoint/workflows"
)

// runID is the example's run.
const runID = "acme/weekly-report-2026-W48"

// demo is one run of the demonstration.
type demo struct {
	root    string // the repository
	home    string // .holdpoint
	cli     string // the temporal CLI
	address string
	in      *bufio.Reader
	out     io.Writer
	news    *news
}

// run goes through the whole example. approve "yes" answers the question
// beforehand.
func run(ctx context.Context, home, approve string, in io.Reader, out io.Writer) error {
	d, err := prepare(ctx, home, in, out)
	if err != nil {
		return err
	}
	server, err := d.serve(ctx)
	if err != nil {
		return err
	}
	defer server.Stop() //nolint:errcheck // the demo is over either way
	worker, err := d.startWorker(ctx)
	if err != nil {
		return err
	}
	defer worker.stop()

	before, err := d.commits(ctx)
	if err != nil {
		return err
	}
	d.section("start")
	if err := d.start(ctx); err != nil {
		return err
	}
	if err := d.hold(ctx, approve); err != nil {
		return err
	}
	return d.report(ctx, before)
}

// prepare builds what is not built yet.
func prepare(ctx context.Context, home string, in io.Reader, out io.Writer) (*demo, error) {
	root, err := toolchain.Root(".")
	if err != nil {
		return nil, err
	}
	if home == "" {
		home = filepath.Join(root, ".holdpoint")
	}
	if home, err = filepath.Abs(home); err != nil {
		return nil, err
	}
	d := &demo{root: root, home: home, in: bufio.NewReader(in), out: out, news: &news{out: out}}
	if err := os.MkdirAll(filepath.Join(d.home, "bin"), 0o755); err != nil {
		return nil, err
	}
	if d.cli, err = devserver.FindCLI(ctx, root, out); err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "building worker, starter and approver (some seconds; the first time some minutes, for their modules)")
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(d.home, "bin")+string(filepath.Separator), "./worker", "./starter", "./approver")
	build.Dir, build.Stdout, build.Stderr = root, out, out
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	return d, build.Run()
}

func (d *demo) serve(ctx context.Context) (*devserver.Server, error) {
	attributes := map[string]enumspb.IndexedValueType{}
	for _, a := range workflows.SearchAttributes() {
		attributes[a.Name] = a.Type
	}
	server, err := devserver.Start(ctx, devserver.Options{
		CLI: d.cli, DBFile: filepath.Join(d.home, "temporal.db"), UI: true,
		LogFile: filepath.Join(d.home, "temporal.log"), SearchAttributes: attributes,
	})
	if err != nil {
		return nil, err
	}
	d.address = server.Address()
	fmt.Fprintf(d.out, "Temporal     %s\nWeb UI       %s\nworker's log %s\n", d.address, server.UIAddress(), filepath.Join(d.home, "worker.log"))
	return server, nil
}

// hold watches the run to the hold point and past it, if it comes to it: a
// run that was completed before does not.
func (d *demo) hold(ctx context.Context, approve string) error {
	if err := d.watch(ctx, "--until", string(workflows.WaitingApproval)); err != nil {
		return err
	}
	status, err := d.status(ctx)
	if err != nil {
		return err
	}
	if status.Status != workflows.WaitingApproval {
		return nil
	}
	d.section("the plan")
	if err := d.program(ctx, "approver", "show", runID); err != nil {
		return err
	}
	command := runs.ApproveCommand(status)
	d.section("hold point")
	yes, err := d.ask(ctx, approve, fmt.Sprintf("plan_hash %s\n\nThis approves exactly that plan:\n\n  %s\n", status.PlanHash, d.here(command)))
	if err != nil {
		return err
	}
	// Somebody may have decided from another terminal meanwhile.
	if status, err = d.status(ctx); err != nil {
		return err
	}
	switch waits := status.Status == workflows.WaitingApproval; {
	case waits && !yes:
		fmt.Fprintf(d.out, "not approved; the run waits until %s\n", status.DecideBy.Format(time.RFC3339))
		return errors.New("nothing was written")
	case waits:
		fmt.Fprintf(d.out, "$ %s\n", command)
		if err := d.shell(ctx, command); err != nil {
			return err
		}
	default:
		fmt.Fprintf(d.out, "decided elsewhere: the run is %s\n", status.Status)
	}
	d.section("carry out")
	return d.watch(ctx)
}

// start starts the run, or finds the one that is there.
func (d *demo) start(ctx context.Context) error {
	var answer struct {
		Started bool `json:"started"`
	}
	if err := d.answer(ctx, &answer, "starter", "start", "-o", "json", "--again", "--task", d.example("task.yaml")); err != nil {
		return err
	}
	if answer.Started {
		fmt.Fprintf(d.out, "started %s\n", runID)
		return nil
	}
	fmt.Fprintf(d.out, "%s is there already: the same business id is the same run\n", runID)
	return nil
}

// watch prints what is new about the run.
func (d *demo) watch(ctx context.Context, args ...string) error {
	return d.command(ctx, d.news, d.binary("starter"), append([]string{"watch", runID}, args...)...).Run()
}

// here is a command as one types it in another terminal.
func (d *demo) here(command string) string {
	return strings.Replace(command, "temporal ", d.cli+" --address "+d.address+" ", 1)
}

// ask wants a clear yes: from APPROVE, or from the terminal.
func (d *demo) ask(ctx context.Context, approve, question string) (bool, error) {
	fmt.Fprintln(d.out, question)
	if approve != "" {
		return approve == "yes", nil
	}
	fmt.Fprint(d.out, "Run it? [yes/no] ")
	answers := make(chan string, 1)
	go func() {
		line, _ := d.in.ReadString('\n') // no line is no yes
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case answer := <-answers:
		return answer == "yes" || answer == "y", nil
	}
}

// report ends with what can be looked at: receipts, commits, the pages.
func (d *demo) report(ctx context.Context, before int) error {
	d.section("receipts")
	if err := d.program(ctx, "starter", "status", runID); err != nil {
		return err
	}
	after, err := d.commits(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\ncommits in Git: %d before, %d now\n", before, after)
	if after == before {
		fmt.Fprintln(d.out, "nothing was made twice: every page was there already, each with its receipt")
	}
	fmt.Fprintf(d.out, "knowledge base: %s\n", d.kb())
	return nil
}

func (d *demo) section(title string) { fmt.Fprintf(d.out, "\n── %s ──\n", title) }

func (d *demo) example(file string) string {
	return filepath.Join(d.root, "examples", "weekly-report", file)
}

func (d *demo) kb() string { return filepath.Join(d.home, "kb") }

// place is the knowledge base as the worker is told of it: within the
// repository as the example's own configuration writes it, from the example's
// folder. A plan is held to the path as it is written, so its hash does not
// depend on where the clone lies.
func (d *demo) place() string {
	within, err := filepath.Rel(d.root, d.kb())
	if err != nil || !filepath.IsLocal(within) {
		return d.kb()
	}
	return filepath.Join("..", "..", within)
}
