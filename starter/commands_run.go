package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

func newStart(s *cli.Session) *cobra.Command {
	var f taskFlags
	var queue taskQueue
	var again bool
	c := &cobra.Command{
		Use:   "start",
		Short: "Start a run, or attach to the equal one that is there",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			queue.asked = c.Flags().Changed("task-queue")
			p, err := f.prepare(cli.Person(requesterVariable))
			if err != nil {
				return err
			}
			temporal, reader, err := s.Connect(c.Context())
			if err != nil {
				return err
			}
			defer temporal.Close()
			task, err := p.send(c.Context())
			if err != nil {
				return err
			}
			if !s.JSON() {
				p.parcel.print(c.OutOrStdout())
			}
			l, err := start(c.Context(), temporal, reader, task, queue, again)
			if err != nil {
				return err
			}
			if s.JSON() {
				l.Uploads = p.parcel.items
				return cli.PrintJSON(c.OutOrStdout(), l)
			}
			printLaunch(c.Context(), c.OutOrStdout(), reader, l, queue)
			return nil
		},
	}
	flags := c.Flags()
	f.register(flags)
	flags.StringVarP(&queue.name, "task-queue", "t", workflows.DefaultTaskQueue, "task queue of the workers")
	flags.BoolVar(&again, "again", false, "start once more after REJECTED, EXPIRED, FAILED or CANCELED")
	return c
}

func newStatus(s *cli.Session) *cobra.Command {
	return &cobra.Command{
		Use:   "status RUN",
		Short: "Say where a run stands; needs no worker",
		Args:  cli.OneRun,
		RunE: s.Connected(func(c *cobra.Command, args []string, _ client.Client, reader runs.Reader) error {
			run, err := reader.Read(c.Context(), args[0])
			if err != nil {
				return err
			}
			if s.JSON() {
				return cli.PrintJSON(c.OutOrStdout(), statusJSON(run))
			}
			printStatus(c.OutOrStdout(), run)
			return nil
		}),
	}
}

func newList(s *cli.Session) *cobra.Command {
	f := runs.Filter{}
	var status string
	c := &cobra.Command{
		Use:   "list",
		Short: "List runs, the newest first",
		Args:  cobra.NoArgs,
		RunE: s.Connected(func(c *cobra.Command, _ []string, _ client.Client, reader runs.Reader) error {
			f.Status = workflows.RunStatus(status)
			listed, err := reader.List(c.Context(), f)
			if err != nil {
				return err
			}
			reader.Awaited(c.Context(), listed)
			if s.JSON() {
				return cli.PrintJSON(c.OutOrStdout(), listed)
			}
			return printList(c.OutOrStdout(), listed)
		}),
	}
	c.Flags().StringVar(&f.Tenant, "tenant", "", "only this tenant's")
	c.Flags().StringVar(&status, "status", "", "only those of this status, e.g. WAITING_APPROVAL")
	c.Flags().IntVar(&f.Limit, "limit", 50, "at most so many")
	return c
}

func newWatch(s *cli.Session) *cobra.Command {
	var until string
	c := &cobra.Command{
		Use:   "watch RUN",
		Short: "Print progress until the run ends; exit 1 when it did not complete",
		Args:  cli.OneRun,
		RunE: s.Connected(func(c *cobra.Command, args []string, _ client.Client, reader runs.Reader) error {
			w := watcher{read: reader.Read, out: c.OutOrStdout(), until: workflows.RunStatus(until), wait: time.After, json: s.JSON()}
			return w.watch(c.Context(), args[0])
		}),
	}
	c.Flags().StringVar(&until, "until", "", "stop watching at this status, e.g. WAITING_APPROVAL")
	return c
}

func newCancel(s *cli.Session) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel RUN",
		Short: "Begin no further action; the run ends CANCELED once those in flight are back",
		Args:  cli.OneRun,
		RunE: s.Connected(func(c *cobra.Command, args []string, temporal client.Client, reader runs.Reader) error {
			// Read first: a cancellation would reach any workflow of the namespace.
			run, err := reader.Read(c.Context(), args[0])
			if err != nil {
				return err
			}
			if run.Closed {
				return fmt.Errorf("run %s is %s already; there is nothing to cancel", run.ID, run.Status.Status)
			}
			if err := temporal.CancelWorkflow(c.Context(), args[0], ""); err != nil {
				return fmt.Errorf("cancel %s: %w", args[0], err)
			}
			fmt.Fprintf(c.OutOrStdout(), "cancellation of %s requested\nnext: %s\n", args[0], workflows.Command("starter", "watch", args[0]))
			return nil
		}),
	}
}
