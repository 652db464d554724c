package program

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/loopback"
	"github.com/holdpoint/holdpoint/workflows"
)

// preflight looks at everything that would otherwise fail later, in the
// middle of a run: the namespace, its search attributes, and whether files
// can be the stores of a server that is elsewhere.
func preflight(ctx context.Context, c client.Client, options client.Options, cfg config.Config) error {
	if err := storesInReach(options.HostPort, cfg); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	have, err := c.OperatorService().ListSearchAttributes(ctx,
		&operatorservice.ListSearchAttributesRequest{Namespace: options.Namespace})
	if err != nil {
		return fmt.Errorf("namespace %q at %s: %w", options.Namespace, options.HostPort, err)
	}
	var missing []string
	for _, want := range workflows.SearchAttributes() {
		got, ok := have.GetCustomAttributes()[want.Name]
		switch {
		case !ok:
			missing = append(missing, fmt.Sprintf("--name %s --type %s", want.Name, want.Type))
		case got != want.Type:
			return fmt.Errorf("search attribute %s of namespace %q has type %s; Holdpoint needs %s",
				want.Name, options.Namespace, got, want.Type)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("namespace %q at %s lacks search attributes; create them with\n\n  temporal operator search-attribute create --namespace %s %s",
			options.Namespace, options.HostPort, options.Namespace, strings.Join(missing, " "))
	}
	return nil
}

// storesInReach refuses files as the stores of a server elsewhere: another
// worker of the same task queue would not find what this one stored.
func storesInReach(address string, cfg config.Config) error {
	if loopback.IsAddress(address) || cfg.SingleMachine {
		return nil
	}
	var files []string
	if !cfg.Blobs.Shared() {
		files = append(files, "the blob store")
	}
	if cfg.Ledger.IsZero() {
		files = append(files, "the ledger")
	}
	if len(files) == 0 {
		return nil
	}
	return fmt.Errorf("the Temporal server at %s is not on this machine, but %s in %s would be: "+
		"workers elsewhere would not see them. If all workers of task queue %q run here, say so: single_machine: true",
		address, strings.Join(files, " and "), cfg.Data, cfg.TaskQueue)
}
