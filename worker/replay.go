package main

import (
	"fmt"
	"io"
	"os"

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
	failed := 0
	for _, file := range files {
		if err := replayFile(file); err != nil {
			failed++
			fmt.Fprintf(out, "FAILED  %s: %v\n", file, err)
			continue
		}
		fmt.Fprintf(out, "ok      %s\n", file)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d histories do not replay: this build would break runs like them", failed, len(files))
	}
	return nil
}

func replayFile(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	history, err := replay.Read(file)
	if err != nil {
		return err
	}
	return replay.Run(history)
}
