package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	historypb "go.temporal.io/api/history/v1"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/signature"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/evidence/gather"
	"github.com/holdpoint/holdpoint/internal/policyfile"
	"github.com/holdpoint/holdpoint/internal/regularfile"
	"github.com/holdpoint/holdpoint/internal/replay"
)

// verification is what the flags of verify say.
type verification struct {
	signers, sealedBy   string
	policies, histories []string
}

func newVerify() *cobra.Command {
	var v verification
	c := &cobra.Command{
		Use:   "verify BUNDLE",
		Short: "Check the document that 'starter evidence' exported; needs no Temporal",
		Long: `Check the document that 'starter evidence' exported, without Temporal and without
the worker's data. It says, action by action, what was approved by whom, and ends
with exit code 0 only when everything fits.

Signatures count by your allowed signers, never by the keys in the document; one
that has no signature, and no seal, needs none. Give the policy that you know to
be yours, or any policy in the document will do; and the run's histories, or what
is only recorded in the document is believed.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usagef("verify takes one file, as 'starter evidence -o FILE' wrote it")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return v.run(args[0], c.OutOrStdout()) },
	}
	flags := c.Flags()
	flags.StringVar(&v.signers, "allowed-signers", "",
		"whose signatures count: an allowed_signers `FILE`, as ssh-keygen(1) describes it (needed where the document has any)")
	flags.StringVar(&v.sealedBy, "sealed-by", "", "who must have sealed it (default: anybody in the file, or nobody)")
	flags.StringSliceVar(&v.policies, "policy", nil, "policy `FILE` that you know to be yours; by no other may anything have been judged (repeatable)")
	flags.StringSliceVar(&v.histories, "history", nil, "`FILE` of 'temporal workflow show -o json' of the run (repeatable)")
	return c
}

func (v verification) run(path string, out io.Writer) error {
	options, err := v.options()
	if err != nil {
		return err
	}
	raw, err := regularfile.Read(path)
	if err != nil {
		return err
	}
	bundle, err := evidence.Parse(raw)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := v.mayJudge(bundle); err != nil {
		return err
	}
	findings := evidence.Verify(bundle, options)
	if err := v.compare(bundle, &findings); err != nil {
		return err
	}
	if err := findings.Print(out); err != nil {
		return err
	}
	if !findings.Fits() {
		return fmt.Errorf("%s: %d things do not fit", path, len(findings.Problems))
	}
	return nil
}

// mayJudge wants the verifier's keys where there is a signature to check, or one
// is asked for.
func (v verification) mayJudge(bundle evidence.Bundle) error {
	by := cli.Escaped(bundle.SignedBy())
	switch {
	case v.signers != "":
		return nil
	case len(by) > 0:
		return cli.Usagef("verify needs --allowed-signers FILE: the document has signatures of %s, and whose count is yours to say", strings.Join(by, ", "))
	case v.sealedBy != "":
		return cli.Usagef("--sealed-by needs --allowed-signers FILE, with the key of %s", v.sealedBy)
	default:
		return nil
	}
}

func (v verification) options() (evidence.Options, error) {
	var o evidence.Options
	if v.signers != "" {
		raw, err := regularfile.Read(v.signers)
		if err != nil {
			return o, fmt.Errorf("--allowed-signers: %w", err)
		}
		if o.Signers, err = signature.ParseAllowedSigners(raw); err != nil {
			return o, fmt.Errorf("--allowed-signers: %s: %w", v.signers, err)
		}
	}
	var err error
	if v.sealedBy != "" {
		if o.SealedBy, err = approvals.NormalizeIdentity(v.sealedBy); err != nil {
			return o, cli.Usagef("--sealed-by: %s", err)
		}
	}
	for _, file := range v.policies {
		p, err := policyfile.Read(file)
		if err != nil {
			return o, err
		}
		o.Policies = append(o.Policies, p.Version())
	}
	return o, nil
}

// compare makes the content again from the histories that were given.
func (v verification) compare(bundle evidence.Bundle, findings *evidence.Findings) error {
	if len(v.histories) == 0 {
		return nil
	}
	var histories []*historypb.History
	for _, path := range v.histories {
		history, err := replay.ReadFile(path)
		if err != nil {
			return fmt.Errorf("--history: %w", err)
		}
		histories = append(histories, history)
	}
	compared, problems := gather.Compare(bundle.Content, histories)
	findings.Histories = compared
	findings.Problems = append(findings.Problems, problems...)
	return nil
}
