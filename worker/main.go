// Command worker is the operator's program: it runs the workflow and the
// activities for one task queue until it is told to stop.
//
//	worker [flags]                       run until SIGINT or SIGTERM
//	worker config [flags]                check the configuration; list tools and who deduplicates
//	worker drill TOOL [flags]            rehearse a tool's delivery class against a sandbox
//	worker replay [flags] FILE…          replay saved histories against this build
//	worker model-server --script FILE    answer from a script as a model's server does, for tests
//
// Exit codes: 0 stopped as told, 1 an error, 2 wrong usage, 75 a crash drill.
package main

import (
	"os"

	"github.com/holdpoint/holdpoint/worker/program"
)

func main() {
	os.Exit(program.Main(os.Args[1:]))
}
