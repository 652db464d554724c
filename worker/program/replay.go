package program

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/holdpoint/holdpoint/internal/replay"
)

func newReplayCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "replay FILE…",
		Short: "Replay saved histories against this build; exit 1 when one does not fit",
		Long: `Replay saved histories against this build, before it meets the runs that wait.

Save a history with

  temporal workflow show --workflow-id RUN -o json > FILE`,
		Args:          cobra.MinimumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, files []string) error { return replayFiles(files, c.OutOrStdout()) },
	}
}

// replayFiles says of each file whether this build makes the same commands.
func replayFiles(files []string, out io.Writer) error {
	var unread, broken int
	for _, file := range files {
		history, err := replay.ReadFile(file)
		if err != nil {
			unread++
			fmt.Fprintf(out, "UNREAD  %v\n", err)
			continue
		}
		if err := replay.Run(history); err != nil {
			broken++
			fmt.Fprintf(out, "FAILED  %s: %v\n", file, err)
			continue
		}
		fmt.Fprintf(out, "ok      %s\n", file)
	}
	switch {
	case broken > 0:
		return fmt.Errorf("%d of %d histories do not replay: this build would break runs like them", broken, len(files))
	case unread > 0:
		return fmt.Errorf("%d of %d files hold no history that can be read", unread, len(files))
	}
	return nil
}
