package program

import (
	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/internal/modelserver"
)

func newCommand(goTools []ToolMaker) *cobra.Command {
	o := options{goTools: goTools}
	command := &cobra.Command{
		Use:   "worker",
		Short: "Run Holdpoint's workflow and activities for one task queue",
		Long: `Run Holdpoint's workflow and activities for one task queue, until SIGINT or SIGTERM.

The configuration is ` + "`holdpoint.yaml`" + ` where it exists, or the file of --config; flags are laid over
it. With --source, --repository and --approver no file is needed.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.register(command.Flags())
	command.AddCommand(newConfigCommand(goTools), newDrillCommand(goTools), newReplayCommand(), modelserver.NewCommand())
	return command
}
