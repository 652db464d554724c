package devserver

import (
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
)

func TestArgs(t *testing.T) {
	settings := []string{
		"--dynamic-config-value", "history.timerProcessorMaxPollRPS=100000",
		"--dynamic-config-value", "history.transferProcessorMaxPollRPS=100000",
		"--dynamic-config-value", "system.enableActivityEagerExecution=true",
	}
	start := []string{"server", "start-dev", "--log-level", "error", "--ip", "127.0.0.1", "--port", "4001"}

	bare := Options{}.args(ports{frontend: 4001})
	require.Equal(t, append(append([]string{}, append(start, "--headless")...), settings...), bare)

	full := Options{
		UI: true, DBFile: "/data/t.db", Namespace: "acme",
		SearchAttributes: map[string]enumspb.IndexedValueType{
			"Status":   enumspb.INDEXED_VALUE_TYPE_KEYWORD,
			"DecideBy": enumspb.INDEXED_VALUE_TYPE_DATETIME,
		},
	}.args(ports{frontend: 4001, ui: 4002})
	want := append(append([]string{}, start...), "--ui-port", "4002", "--db-filename", "/data/t.db",
		"--namespace", "acme", "--search-attribute", "DecideBy=Datetime", "--search-attribute", "Status=Keyword")
	require.Equal(t, append(want, settings...), full)
}
