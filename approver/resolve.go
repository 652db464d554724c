package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/workflows"
)

func newResolve(s *session) *cobra.Command {
	var as, evidence string
	c := &cobra.Command{
		Use:   "resolve RUN ACTION happened|not_happened|abort",
		Short: "Say what became of an action of unknown outcome",
		Long: `Say what became of an action of unknown outcome, after a look at its target.

  happened      the effect is there: your word is its receipt, and it is not sent again
  not_happened  it is not there and will not come: it is sent again, under the same key
  abort         it stays unknown: the run ends, and names it`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return cli.Usagef("resolve needs RUN, ACTION and one of happened, not_happened, abort")
			}
			return nil
		},
		RunE: s.Connected(func(c *cobra.Command, args []string, temporal client.Client, reader runs.Reader) error {
			if strings.TrimSpace(evidence) == "" {
				return cli.Usagef("resolve needs --evidence: say how you know, such as what you saw at the target")
			}
			run, err := reader.Read(c.Context(), args[0])
			if err != nil {
				return err
			}
			payload, err := resolution(run, args[1], args[2], approverName(as), evidence)
			if err != nil {
				return err
			}
			return s.send(c.Context(), temporal, run, message{workflows.ResolutionName, payload}, c.OutOrStdout())
		}),
	}
	c.Flags().StringVar(&as, "as", "", "who says so (default: HOLDPOINT_APPROVER, or your login)")
	c.Flags().StringVar(&evidence, "evidence", "", "how you know")
	return c
}

// resolution speaks of the claim that is in doubt now, so that a copy which
// arrives late resolves nothing else.
func resolution(run *runs.Run, action, outcome, operator, evidence string) ([]byte, error) {
	r := approvals.Resolution{
		ActionID: action, PlanHash: run.Status.PlanHash, Outcome: approvals.Outcome(outcome), Operator: operator, Evidence: evidence,
	}
	found := false
	for _, a := range run.State.Actions {
		if a.ID != action {
			continue
		}
		found = true
		if a.Doubt != nil {
			r.Claim = strconv.FormatInt(a.Doubt.Token, 10)
		}
	}
	if !found {
		return nil, fmt.Errorf("the plan of %s has no action %q", run.ID, action)
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if _, err := approvals.ParseResolution(raw); err != nil {
		return nil, cli.Usagef("%s", err)
	}
	return raw, nil
}
