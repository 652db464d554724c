package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

func newList(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the runs that wait for approval, or for a resolution",
		Args:  cobra.NoArgs,
		RunE: s.Connected(func(c *cobra.Command, _ []string, _ client.Client, reader runs.Reader) error {
			var listed []runs.Listed
			for _, status := range []workflows.RunStatus{workflows.WaitingApproval, workflows.WaitingResolution} {
				some, err := reader.List(c.Context(), runs.Filter{Status: status, Limit: 200})
				if err != nil {
					return err
				}
				listed = append(listed, some...)
			}
			reader.Awaited(c.Context(), listed)
			return s.printList(c.OutOrStdout(), listed)
		}),
	}
}

func (s *session) printList(out io.Writer, listed []runs.Listed) error {
	if s.JSON() {
		return cli.PrintJSON(out, listed)
	}
	if len(listed) == 0 {
		_, err := fmt.Fprintln(out, "nothing waits for approval or for a resolution")
		return err
	}
	return table(out, listed)
}

// widestID is how many letters of a run's id stand in the list's own column. A
// longer one is written on a line of its own, above the rest of its row.
const widestID = 36

// table writes one row for each run.
func table(out io.Writer, listed []runs.Listed) error {
	var rows bytes.Buffer
	columns := tabwriter.NewWriter(&rows, 0, 4, 2, ' ', 0)
	fmt.Fprintln(columns, "RUN\tWAITS FOR\tRISK\tDECIDE BY\tPLAN")
	above := make([]string, 1, len(listed)+1) // the heading has none
	for _, l := range listed {
		id, own := plan.Show(l.ID), ""
		if utf8.RuneCountInString(id) > widestID {
			id, own = "", id+"\n"
		}
		waits, until := awaited(l)
		decide := ""
		if until != nil {
			decide = until.Format(time.RFC3339)
		}
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\n", id, plan.Show(waits), plan.Show(l.Risk), decide, plan.Show(l.PlanHash))
		above = append(above, own)
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	var text strings.Builder
	i := 0
	for row := range strings.Lines(rows.String()) {
		text.WriteString(above[i] + row)
		i++
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// awaited is what a run waits for, and until when; nil when for as long as it
// takes.
func awaited(l runs.Listed) (what string, until *time.Time) {
	switch more := len(l.Confirm) - 1; {
	case l.Status != workflows.WaitingApproval:
		return "resolution", nil
	case more < 0:
		return "approval", l.DecideBy
	case more == 0:
		return "confirmation of " + l.Confirm[0], l.ConfirmBy
	default:
		return fmt.Sprintf("confirmation of %s and %d more", l.Confirm[0], more), l.ConfirmBy
	}
}

func newShow(s *session) *cobra.Command {
	var canonical bool
	c := &cobra.Command{
		Use:   "show RUN",
		Short: "Show a run's plan; the hash is computed here, from the bytes that are shown",
		Args:  cli.OneRun,
		RunE: s.Connected(func(c *cobra.Command, args []string, _ client.Client, reader runs.Reader) error {
			run, err := reader.Read(c.Context(), args[0])
			if err != nil {
				return err
			}
			p, err := s.plan(c.Context(), run)
			if err != nil {
				return err
			}
			if canonical || s.JSON() {
				raw, err := p.Canonical()
				if err != nil {
					return err
				}
				_, err = c.OutOrStdout().Write(raw)
				return err
			}
			if err := show(c.OutOrStdout(), run, p); err != nil {
				return err
			}
			showNext(c.OutOrStdout(), run)
			return nil
		}),
	}
	c.Flags().BoolVar(&canonical, "canonical", false, "print the canonical bytes: '| sha256sum' gives the plan hash")
	return c
}

// plan returns a run's present plan, verified against the run's plan hash.
func (s *session) plan(ctx context.Context, run *runs.Run) (plan.Plan, error) {
	made := run.State.Plan
	if made == nil {
		return plan.Plan{}, noPlan(run, "show")
	}
	raw := []byte(made.Plan)
	if len(raw) == 0 {
		found, err := s.store.Find()
		if err != nil {
			return plan.Plan{}, err
		}
		store, err := found.Store.Open()
		if err != nil {
			return plan.Plan{}, err
		}
		defer store.Close()
		if raw, err = store.Get(ctx, run.Task.Tenant, made.PlanHash, plan.MaxBytes); err != nil {
			return plan.Plan{}, fmt.Errorf("plan %s of %d bytes is not in the history and could not be read from %s (--config, --data): %w",
				made.PlanHash, made.Blob.Size, found.Name, err)
		}
	}
	return plan.Load(raw, made.PlanHash)
}
