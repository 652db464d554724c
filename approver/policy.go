package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/policyfile"
	"github.com/holdpoint/holdpoint/internal/regularfile"
)

func newPolicy(s *session) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Check a policy file, and test it with examples; needs no Temporal server",
		Args:  knownPolicyCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPolicyCheck(s), newPolicyTest(s))
	return c
}

func knownPolicyCommand(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return cli.Usagef("policy %s is not known; policy check and policy test are", args[0])
	}
	return nil
}

func newPolicyCheck(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "check POLICY",
		Short: "Read a policy file as the worker does, and say what it means",
		Args:  files("check", "POLICY"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := s.CheckOutput(); err != nil {
				return err
			}
			p, err := policyfile.Read(args[0])
			if err != nil {
				return err
			}
			if s.JSON() {
				return cli.PrintJSON(c.OutOrStdout(), policyOutput{
					p.Version(), p.Canonical(), p.UnusedKeys(), p.SharedKeys(), p.UnmetAt(time.Now()),
				})
			}
			return explain(c.OutOrStdout(), p, time.Now())
		},
	}
}

func newPolicyTest(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "test POLICY TABLE",
		Short: "Evaluate a policy for a table of example plans; exit 1 when one is not as expected",
		Args:  files("test", "POLICY", "TABLE"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := s.CheckOutput(); err != nil {
				return err
			}
			p, err := policyfile.Read(args[0])
			if err != nil {
				return err
			}
			raw, err := regularfile.Read(args[1])
			if err != nil {
				return fmt.Errorf("table: %w", err)
			}
			table, err := policy.ParseTable(raw, args[1])
			if err != nil {
				return err
			}
			outcomes := table.Run(p)
			if err := s.printOutcomes(c.OutOrStdout(), p, args[1], outcomes); err != nil {
				return err
			}
			return failures(outcomes)
		},
	}
}

// files is the argument check of a command about files.
func files(command string, names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return cli.Usagef("policy %s takes %s, e.g. %s", command, count(len(names), "file"), fmt.Sprint(names))
		}
		return nil
	}
}

// testOutput is the JSON form of a table's outcomes.
type testOutput struct {
	Version  string          `json:"approval_policy_version"`
	Examples []exampleOutput `json:"examples"`
	Failed   int             `json:"failed"`
}

type exampleOutput struct {
	Name    string   `json:"name"`
	Line    int      `json:"line"`
	OK      bool     `json:"ok"`
	Differs []string `json:"differs,omitempty"`
}

func (s *session) printOutcomes(out io.Writer, p *policy.Policy, file string, outcomes []policy.Outcome) error {
	if s.JSON() {
		report := testOutput{Version: p.Version(), Examples: []exampleOutput{}, Failed: failed(outcomes)}
		for _, o := range outcomes {
			report.Examples = append(report.Examples, exampleOutput{o.Name, o.Line, o.OK(), o.Differs})
		}
		return cli.PrintJSON(out, report)
	}
	for _, o := range outcomes {
		if o.OK() {
			fmt.Fprintf(out, "ok    %s\n", plan.Show(o.Name))
			continue
		}
		fmt.Fprintf(out, "FAIL  %s (%s:%d)\n", plan.Show(o.Name), file, o.Line)
		for _, d := range o.Differs {
			fmt.Fprintf(out, "      %s\n", plan.Show(d))
		}
	}
	_, err := fmt.Fprintf(out, "%d of %s as expected, by %s\n", len(outcomes)-failed(outcomes), count(len(outcomes), "example"), p.Version())
	return err
}

func failed(outcomes []policy.Outcome) int {
	n := 0
	for _, o := range outcomes {
		if !o.OK() {
			n++
		}
	}
	return n
}

func failures(outcomes []policy.Outcome) error {
	if n := failed(outcomes); n > 0 {
		return fmt.Errorf("%d of %s not as expected", n, count(len(outcomes), "example"))
	}
	return nil
}
