package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/workflows"
)

// What a server did not say is not shown as nothing.
func TestStatusSaysWhatAPlanCost(t *testing.T) {
	const server = "model      m-1, prompt plan.v1: 2 calls, 0 stored replies, "
	for want, m := range map[string]workflows.ModelUse{
		"1200 tokens in, 80 out, 0.0038 USD":         {InputTokens: 1200, OutputTokens: 80, Cost: "0.0038 USD"},
		"1200 tokens in, 80 out":                     {InputTokens: 1200, OutputTokens: 80},
		"tokens and cost not reported by the server": {Unreported: 2},
		"1200 tokens in, 80 out, 0.0038 USD, and for 1 of the replies not reported by the server": {InputTokens: 1200, OutputTokens: 80, Cost: "0.0038 USD", Unreported: 1},
		"0 tokens in, 0 out": {}, // of a plan from before it was known which were not reported
	} {
		m.ModelID, m.PromptVersion, m.Calls = "m-1", "plan.v1", 2
		var out bytes.Buffer
		printModel(&out, &m)
		require.Equal(t, server+want+"\n", out.String())
	}
	var out bytes.Buffer
	printModel(&out, nil)
	require.Empty(t, out.String())
}
