package interleave

import (
	"os"
	"testing"

	"go.temporal.io/sdk/worker"

	"github.com/holdpoint/holdpoint/internal/devserver"
	"github.com/holdpoint/holdpoint/internal/devserver/devtest"
	"github.com/holdpoint/holdpoint/internal/scene"
)

var shared = devtest.Shared{Options: devserver.Options{SearchAttributes: scene.SearchAttributes()}}

func TestMain(m *testing.M) {
	worker.SetStickyWorkflowCacheSize(0) // see package scene
	os.Exit(shared.Run(m))
}
