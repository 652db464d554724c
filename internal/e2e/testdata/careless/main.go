// Careless is a worker with a tool whose author thinks of no secrets: they are in
// its errors, in what these wrap, and in its panics.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/worker/program"
)

func main() {
	os.Exit(program.Main(os.Args[1:], func(context.Context) (tools.Tool, error) { return newCareless() }))
}

// careless is a tool that fails in the way that its parameter says.
type careless struct{ spec tools.Spec }

func newCareless() (*careless, error) {
	schema, err := plan.Canonicalize([]byte(`{"type":"object","required":["fails"],"properties":{"fails":{"type":"string"}}}`))
	if err != nil {
		return nil, err
	}
	return &careless{tools.Spec{
		Name: "careless", Version: "1", Class: plan.Once, Risk: plan.LowRisk, Schema: schema, SchemaDigest: plan.Sum(schema),
		CallTimeout: 10 * time.Second, MaxAttempts: 1000, Retry: faults.DefaultRetry(),
	}}, nil
}

// Spec implements tools.Tool.
func (c *careless) Spec() tools.Spec { return c.spec }

// Prepare implements tools.Tool.
func (c *careless) Prepare(_ context.Context, p tools.Proposal) (tools.Prepared, error) {
	how, err := howToFail(p.Parameters)
	return tools.Prepared{Target: "careless/" + how, Parameters: p.Parameters, Preview: how}, err
}

// Apply implements tools.Tool.
func (c *careless) Apply(_ context.Context, call tools.Call) (plan.Receipt, error) {
	how, err := howToFail(call.Action.Parameters)
	if err != nil {
		return plan.Receipt{}, err
	}
	wrapped := fmt.Errorf("token=MSG-SECRET: %w", errors.New("CAUSE-SECRET"))
	switch how {
	case "fault":
		return plan.Receipt{}, &faults.Fault{Class: faults.Transient, Code: "shop_away", Reason: "the shop is away", Cause: wrapped}
	case "panic":
		panic("token=PANIC-SECRET")
	default:
		return plan.Receipt{}, wrapped
	}
}

// Count implements tools.Tool: nobody can tell.
func (c *careless) Count(context.Context, tools.Call) (int, error) { return -1, nil }

func howToFail(parameters json.RawMessage) (string, error) {
	var in struct {
		Fails string `json:"fails"`
	}
	err := json.Unmarshal(parameters, &in)
	return in.Fails, err
}
