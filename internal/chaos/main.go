package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// errBroken says that the campaign found what it looks for.
var errBroken = errors.New("the promise was broken")

func execute(ctx context.Context, args []string, out, errOut io.Writer) int {
	c := campaign{out: out}
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.IntVar(&c.runs, "runs", 1000, "how many runs")
	flags.IntVar(&c.kills, "kills", 300, "how many workers must have been killed")
	flags.Uint64Var(&c.seed, "seed", 1, "of plans and faults")
	flags.IntVar(&c.parallel, "parallel", 24, "runs at a time")
	flags.StringVar(&c.only, "fault", "", "only this fault")
	flags.DurationVar(&c.burn, "burn", 2*time.Minute, "how long each fault goes on at most")
	flags.DurationVar(&c.patience, "patience", 6*time.Minute, "of one phase, after which its runs count as hung")
	keep := flags.Bool("keep", false, "keep the folder with the logs")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	err := fight(ctx, c, *keep)
	if err != nil {
		fmt.Fprintln(errOut, "chaos:", err)
		return 1
	}
	return 0
}

// fight sets the stage, plays the campaign and judges it.
func fight(ctx context.Context, c campaign, keep bool) (err error) {
	root, err := toolchain.Root(".")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "holdpoint-chaos-")
	if err != nil {
		return err
	}
	defer func() {
		if keep || err != nil {
			fmt.Fprintln(c.out, "logs:", dir)
			return
		}
		os.RemoveAll(dir)
	}()
	s, err := newStage(ctx, root, dir, c.seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	all, err := c.play(ctx, s)
	if err != nil {
		return err
	}
	v, err := c.judge(ctx, s, all)
	if err != nil {
		return err
	}
	v.print(c.out, s)
	if len(v.bad) > 0 {
		return errBroken
	}
	return nil
}
