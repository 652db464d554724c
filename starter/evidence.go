package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/evidence/gather"
	"github.com/holdpoint/holdpoint/internal/runs"
)

// export is what the flags of evidence say.
type export struct {
	output, data, execution, key, as string
	allowMissing                     bool
}

func newEvidence(s *cli.Session) *cobra.Command {
	var e export
	c := &cobra.Command{
		Use:   "evidence RUN",
		Short: "Export a run as one document that 'approver verify' checks without Temporal",
		Long: `Export a run as one document that 'approver verify' checks without Temporal.

It needs no worker, and works while the run waits and after it has ended, for as
long as the server keeps the run's history. The policy's bytes, the list of what
was read and the report come from the worker's data folder. With --key the
document is sealed: whoever has your key knows that it is as you exported it.`,
		Args: cli.OneRun,
		RunE: s.Connected(func(c *cobra.Command, args []string, _ client.Client, reader runs.Reader) error {
			return e.run(c.Context(), reader, args[0], c.OutOrStdout(), c.ErrOrStderr())
		}),
	}
	flags := c.Flags()
	flags.StringVarP(&e.output, "output", "o", "-", "`FILE` to write; - is the standard output")
	flags.StringVar(&e.data, "data", ".holdpoint", "the worker's data folder")
	flags.StringVar(&e.execution, "execution", "", "the last workflow execution of the chain to export (default: the run's newest)")
	flags.StringVar(&e.key, "key", "", "seal it: an OpenSSH private key `FILE`, a .pub file of a key in ssh-agent, or \"agent\"")
	flags.StringVar(&e.as, "as", "", "in whose name it is sealed (default: HOLDPOINT_REQUESTER, or your login)")
	flags.BoolVar(&e.allowMissing, "allow-missing", false, "write it even if something cannot be had; 'approver verify' refuses it")
	return c
}

func (e export) run(ctx context.Context, reader runs.Reader, runID string, out, errOut io.Writer) error {
	chain, err := reader.Chain(ctx, runID, e.execution)
	if err != nil {
		return err
	}
	store, err := e.blobs(ctx)
	if err != nil {
		return err
	}
	content, err := gather.Content(chain, store)
	if err != nil {
		return err
	}
	content.ExportedAt = time.Now().UTC().Truncate(time.Second)
	if missing := strings.Join(content.Missing, "\n  "); missing != "" {
		if !e.allowMissing {
			return fmt.Errorf("nothing was written, for the document would not stand alone. Missing in %s (--data):\n  %s\n"+
				"Name the data folder of the run's worker, or write it anyway with --allow-missing", e.data, missing)
		}
		fmt.Fprintf(errOut, "missing, and so not in the document:\n  %s\n", plan.EscapeLines(missing))
	}
	bundle, err := evidence.New(content)
	if err != nil {
		return err
	}
	if bundle, err = e.seal(ctx, bundle); err != nil {
		return err
	}
	return e.write(bundle, out)
}

// blobs opens the blob store of the data folder. A folder that is not there is
// not made: all that should be in it is missing.
func (e export) blobs(ctx context.Context) (gather.Blobs, error) {
	data, err := filepath.Abs(e.data)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(data, "blobs")); errors.Is(err, os.ErrNotExist) {
		return func(string, plan.Digest, int64) ([]byte, error) {
			return nil, errors.New("the data folder has no blob store")
		}, nil
	}
	store, err := blobs.Open(ctx, config.BlobURL(data))
	if err != nil {
		return nil, err
	}
	return func(tenant string, digest plan.Digest, limit int64) ([]byte, error) {
		return store.Get(ctx, tenant, digest, limit)
	}, nil
}

func (e export) seal(ctx context.Context, bundle evidence.Bundle) (evidence.Bundle, error) {
	if e.key == "" {
		return bundle, nil
	}
	key, done, err := openKey(ctx, e.key)
	if err != nil {
		return bundle, err
	}
	defer done()
	as := e.as
	if as == "" {
		as = cli.Person("HOLDPOINT_REQUESTER")
	}
	return bundle.SealedBy(as, key)
}

// write writes the document whole or not at all. It holds what the plan holds,
// so it is its owner's alone.
func (e export) write(bundle evidence.Bundle, out io.Writer) error {
	if e.output == "-" {
		return cli.PrintJSON(out, bundle)
	}
	raw, err := json.MarshalIndent(bundle, "", "  ")
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(e.output), ".evidence-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(append(raw, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), e.output); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s, sealed by %s\nnext: approver verify %s --allowed-signers FILE\n",
		e.output, bundle.Seal.Content, sealer(bundle), e.output)
	return nil
}

func sealer(b evidence.Bundle) string {
	if b.Seal.By == "" {
		return "nobody"
	}
	return b.Seal.By
}
