package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const histories = "../../workflows/testdata/histories"

// C044: a plan of twelve actions replays 200 times out of 200, each time in a
// process of its own, where maps have another order and the clock has gone on.
// That the replay ends with the same keys, order, hashes and times is compared
// in package workflows.
func TestC044_TwoHundredFreshProcessesReplayAlike(t *testing.T) {
	need(t)
	t.Parallel()
	const processes, atOnce = 200, 4
	failures := make(chan string, processes)
	slots := make(chan struct{}, atOnce)
	for range processes {
		slots <- struct{}{}
		go func() {
			defer func() { <-slots }()
			out, err := exec.Command(programs.worker, "replay", filepath.Join(histories, "twelve-actions.json")).CombinedOutput()
			if err != nil {
				failures <- string(out)
			}
		}()
	}
	for range atOnce {
		slots <- struct{}{}
	}
	close(failures)
	for failure := range failures {
		t.Error(failure)
	}
}

// `worker replay` tells the histories that this build would break from those
// that it continues.
func TestWorkerReplayTellsGoodFromBad(t *testing.T) {
	need(t)
	t.Parallel()
	replay := func(files ...string) (string, error) {
		args := []string{"replay"}
		for _, f := range files {
			args = append(args, filepath.Join(histories, f))
		}
		out, err := exec.Command(programs.worker, args...).CombinedOutput()
		return string(out), err
	}
	out, err := replay("completed.json", "waiting.json")
	require.NoError(t, err, out)
	require.Equal(t, 2, strings.Count(out, "ok      "))

	out, err = replay("completed.json", "bad-renamed-activity.json", "bad-other-step.json")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 1, exit.ExitCode())
	require.Contains(t, out, "2 of 3 histories do not replay")
	require.Contains(t, out, "validate_plan")

	out, err = replay("no-such-file.json")
	require.Error(t, err)
	require.Contains(t, out, "no such file")
}
