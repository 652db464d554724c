// Command gotool is Holdpoint's worker with one more tool, which is written in
// Go: see package notebook. It has the same flags and the same configuration.
package main

import (
	"context"
	"os"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/examples/gotool/notebook"
	"github.com/holdpoint/holdpoint/worker/program"
)

func main() {
	os.Exit(program.Main(os.Args[1:], func(context.Context) (tools.Tool, error) {
		return notebook.Open(os.Getenv("NOTEBOOK"))
	}))
}
