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
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/evidence/gather"
	"github.com/holdpoint/holdpoint/internal/regularfile"
	"github.com/holdpoint/holdpoint/internal/runs"
	"github.com/holdpoint/holdpoint/internal/sshkeys"
	"github.com/holdpoint/holdpoint/workflows"
)

// export is what the flags of evidence say.
type export struct {
	output, execution, key, as string
	allowMissing, force        bool
	store                      cli.BlobStore
}

func newEvidence(s *cli.Session) *cobra.Command {
	var e export
	c := &cobra.Command{
		Use:   "evidence RUN",
		Short: "Export a run as one document that 'approver verify' checks without Temporal",
		Long: `Export a run as one document that 'approver verify' checks without Temporal.

It needs no worker, and works while the run waits and after it has ended, for as
long as the server keeps the run's history. The policy's bytes, the list of what
was read and the report come from the worker's blob store. With --key the
document is sealed: whoever has your key knows that it is as you exported it. A
sealed document is not replaced by one that is not, unless you say --force.`,
		Args: cli.OneRun,
		RunE: s.Connected(func(c *cobra.Command, args []string, _ client.Client, reader runs.Reader) error {
			return e.run(c.Context(), reader, args[0], c.OutOrStdout(), c.ErrOrStderr())
		}),
	}
	flags := c.Flags()
	flags.StringVarP(&e.output, "output", "o", "-", "`FILE` to write; - is the standard output")
	e.store.Register(flags)
	flags.StringVar(&e.execution, "execution", "", "the last workflow execution of the chain to export (default: the run's newest)")
	flags.StringVar(&e.key, "key", "", "seal it: an OpenSSH private key `FILE`, a .pub file of a key in ssh-agent, or \"agent\"")
	flags.StringVar(&e.as, "as", "", "in whose name it is sealed (default: HOLDPOINT_REQUESTER, or your login)")
	flags.BoolVar(&e.force, "force", false, "replace a sealed document by one that is not sealed")
	flags.BoolVar(&e.allowMissing, "allow-missing", false, "write it even if something cannot be had; 'approver verify' refuses it")
	return c
}

func (e export) run(ctx context.Context, reader runs.Reader, runID string, out, errOut io.Writer) error {
	if err := e.mayReplace(); err != nil {
		return err
	}
	chain, err := reader.Chain(ctx, runID, e.execution)
	if err != nil {
		return err
	}
	found, err := e.store.Find()
	if err != nil {
		return err
	}
	store, err := blobsIn(ctx, found)
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
			return fmt.Errorf("nothing was written, for the document would not stand alone. Missing in %s (--data, --config):\n  %s\n"+
				"Name the store of the run's workers, by their configuration (--config) or their data folder (--data), "+
				"or write it anyway with --allow-missing", found.Name, missing)
		}
		fmt.Fprintf(errOut, "missing, and so not in the document:\n  %s\n", plan.EscapeLines(missing))
	}
	bundle, err := evidence.New(content)
	if err != nil {
		return err
	}
	if bundle, err = e.seal(ctx, bundle, errOut); err != nil {
		return err
	}
	return e.write(bundle, out)
}

// blobsIn opens the blob store. A folder that is not there is not made: all that
// should be in it is missing.
func blobsIn(ctx context.Context, found cli.Found) (gather.Blobs, error) {
	if found.Absent {
		return func(string, plan.Digest, int64) ([]byte, error) {
			return nil, fmt.Errorf("the data folder has no blob store: %w", blobs.ErrNotFound)
		}, nil
	}
	store, err := found.Store.Open()
	if err != nil {
		return nil, err
	}
	return func(tenant string, digest plan.Digest, limit int64) ([]byte, error) {
		return store.Get(ctx, tenant, digest, limit)
	}, nil
}

// mayReplace refuses to put a document that nobody seals in the place of one
// that somebody has.
func (e export) mayReplace() error {
	if e.output == "-" || e.key != "" || e.force {
		return nil
	}
	raw, err := regularfile.Read(e.output)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var there struct {
		Seal evidence.Seal `json:"seal"`
	}
	if err := json.Unmarshal(raw, &there); err == nil && there.Seal.By != "" {
		return fmt.Errorf("%s is sealed by %s, and this one would not be: seal it with --key, name another file, or say --force",
			e.output, there.Seal.By)
	}
	return nil // another document, or none
}

func (e export) seal(ctx context.Context, bundle evidence.Bundle, errOut io.Writer) (evidence.Bundle, error) {
	if e.key == "" {
		return bundle, nil
	}
	key, err := sshkeys.New().Find(ctx, e.key)
	if err != nil {
		return bundle, fmt.Errorf("--key: %w", err)
	}
	as := e.as
	if as == "" {
		as = cli.Person(requesterVariable)
		if os.Getenv(requesterVariable) == "" {
			fmt.Fprintf(errOut, "sealed in the name of your login, %s: whoever verifies needs your key under that name. --as names another\n", plan.Escape(as))
		}
	}
	return bundle.SealedBy(as, func(statement []byte) (string, error) { return key.Sign(ctx, statement, nil) })
}

// requesterVariable is the environment variable that names who asks.
const requesterVariable = "HOLDPOINT_REQUESTER"

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
	fmt.Fprintf(out, "%s: %s, sealed by %s\nnext: %s\n", e.output, bundle.Seal.Content, sealer(bundle), verifyCommand(bundle, e.output))
	return nil
}

// verifyCommand checks the document that was written. FILE has the keys of those
// whose signatures are in it; without any, none is needed.
func verifyCommand(b evidence.Bundle, file string) string {
	words := []string{"approver", "verify", file}
	if len(b.SignedBy()) > 0 {
		words = append(words, "--allowed-signers", "FILE")
	}
	return workflows.Command(words...)
}

func sealer(b evidence.Bundle) string {
	if b.Seal.By == "" {
		return "nobody"
	}
	return b.Seal.By
}
