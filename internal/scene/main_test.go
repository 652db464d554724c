package scene_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"go.temporal.io/sdk/worker"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
	"github.com/holdpoint/holdpoint/internal/scene"
)

// parallel is how many scenes play at one time: they wait more than they work.
const parallel = "6"

var shared = devtest.Shared{Options: devserver.Options{SearchAttributes: scene.SearchAttributes()}}

func TestMain(m *testing.M) {
	worker.SetStickyWorkflowCacheSize(0) // see the package's documentation
	if err := flag.Set("test.parallel", parallel); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(shared.Run(m))
}

// open makes a stage for a scene that plays beside others.
func open(t *testing.T, policy string, options ...scene.Option) *scene.Stage {
	t.Helper()
	t.Parallel()
	return scene.Open(t, shared.Server(t), policy, options...)
}
