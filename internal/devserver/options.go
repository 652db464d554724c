package devserver

import (
	"maps"
	"slices"
	"strconv"

	enumspb "go.temporal.io/api/enums/v1"
)

// loopback is the only address that a development server listens on.
const loopback = "127.0.0.1"

// defaultNamespace is there on every development server.
const defaultNamespace = "default"

// Options say what server to start.
type Options struct {
	// CLI is the path of the temporal CLI, from [FindCLI].
	CLI string
	// DBFile is the SQLite file that outlives the server; its folder must
	// exist. Empty keeps everything in memory.
	DBFile string
	// UI serves the Web UI too.
	UI bool
	// LogFile receives what the server prints, after what it holds already.
	// Empty keeps the log in a temporary file until the server is stopped.
	LogFile string
	// Namespace is created unless it is there. Empty means "default".
	Namespace string
	// SearchAttributes are registered unless they are there.
	SearchAttributes map[string]enumspb.IndexedValueType
}

func (o Options) namespace() string {
	if o.Namespace == "" {
		return defaultNamespace
	}
	return o.Namespace
}

// DynamicConfig returns the server settings, as keys and JSON values, that
// every Holdpoint installation needs to be quick. By default the server polls
// its transfer and timer queues 20 times a second for each of its shards, and
// the development server has one shard: 50 ms for every hop of a workflow.
// Eager execution saves the hop from a workflow task to its activities.
func DynamicConfig() map[string]string {
	return map[string]string{
		"history.transferProcessorMaxPollRPS": "100000",
		"history.timerProcessorMaxPollRPS":    "100000",
		"system.enableActivityEagerExecution": "true",
	}
}

// args is the CLI's command line.
func (o Options) args(at ports) []string {
	args := []string{"server", "start-dev", "--log-level", "error",
		"--ip", loopback, "--port", strconv.Itoa(at.frontend)}
	if o.UI {
		args = append(args, "--ui-port", strconv.Itoa(at.ui))
	} else {
		args = append(args, "--headless")
	}
	if o.DBFile != "" {
		args = append(args, "--db-filename", o.DBFile)
	}
	if name := o.namespace(); name != defaultNamespace {
		args = append(args, "--namespace", name)
	}
	for _, name := range slices.Sorted(maps.Keys(o.SearchAttributes)) {
		args = append(args, "--search-attribute", name+"="+o.SearchAttributes[name].String())
	}
	config := DynamicConfig()
	for _, key := range slices.Sorted(maps.Keys(config)) {
		args = append(args, "--dynamic-config-value", key+"="+config[key])
	}
	return args
}
