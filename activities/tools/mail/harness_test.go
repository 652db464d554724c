package mail

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/effects/sqlite"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	theKey = "5aa624e1059045bb634147f4e2b0973cef577656"
	theID  = theKey + "@example.com" // of a mail from reports@example.com
)

// declare makes the tool "send_report" with these smtp settings, one a line.
func declare(t *testing.T, callTimeout time.Duration, lines ...string) (tools.Tool, error) {
	t.Helper()
	text := fmt.Sprintf(`tools:
  send_report:
    version: "1"
    kind: smtp
    class: once
    risk: high
    schema:
      type: object
      additionalProperties: false
      properties:
        to: {type: [string, array]}
        cc: {type: [string, array]}
        subject: {type: string}
        text: {type: string}
        name: {type: string}
    target: "mail/reports"
    call_timeout: %s
    smtp:
      %s
`, callTimeout, strings.Join(lines, "\n      "))
	var file struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &file), text)
	node := file.Tools["send_report"]
	tool, err := declared.New("send_report", "holdpoint.yaml", &node, []declared.Kind{Kind{}})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { tool.(io.Closer).Close() })
	return tool, nil
}

// settingsFor are settings of a plain mail through a server on this machine.
func settingsFor(address string, more ...string) []string {
	return append([]string{
		"address: " + address, "tls: none", `from: "周报 <reports@example.com>"`,
		`to: "{{params.to}}"`, `subject: "{{params.subject}}"`, `text: "{{params.text}}"`,
	}, more...)
}

// mailer is the tool with those settings.
func mailer(t *testing.T, address string, more ...string) tools.Tool {
	t.Helper()
	tool, err := declare(t, time.Second, settingsFor(address, more...)...)
	require.NoError(t, err)
	return tool
}

func theAction(key string, params map[string]any) plan.Action {
	raw, err := json.Marshal(params)
	if err != nil {
		panic(err)
	}
	return plan.Action{
		ID: "mail-1", Tool: "send_report", Target: "mail/reports", IdempotencyKey: key,
		Parameters: raw, DeliveryClass: plan.Once,
	}
}

// aMail is the parameters of a mail to two people.
func aMail() map[string]any {
	return map[string]any{"to": []any{"mei@example.com", "ops@example.com"}, "subject": "Week 48", "text": "All is well.\n"}
}

func theCall() tools.Call { return callWith(aMail()) }

func callWith(params map[string]any) tools.Call {
	return tools.Call{
		RunID: "acme/demo-001", PlanHash: plan.Sum([]byte("plan")), Approver: "mei.chen@example.com",
		Action: theAction(theKey, params),
	}
}

// newProtocol has a ledger of its own and a lease that dead attempts free soon.
func newProtocol(t *testing.T) *effects.Protocol {
	t.Helper()
	ledger, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "effects.db"))
	require.NoError(t, err)
	t.Cleanup(func() { ledger.Close() })
	return &effects.Protocol{Ledger: ledger, Owner: "worker-1", Lease: 500 * time.Millisecond}
}

func requireFault(t *testing.T, err error, class faults.Class, code string) *faults.Fault {
	t.Helper()
	var f *faults.Fault
	require.ErrorAs(t, err, &f)
	require.Equal(t, class.String()+" "+code, f.Class.String()+" "+f.Code, f.Reason)
	return f
}

// apply is one call, with the time limit that the protocol gives it.
func apply(t *testing.T, tool tools.Tool, call tools.Call) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), tool.Spec().CallTimeout)
	defer cancel()
	_, err := tool.Apply(ctx, call)
	return err
}

func prepare(tool tools.Tool, params map[string]any) (tools.Prepared, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return tools.Prepared{}, err
	}
	return tool.Prepare(context.Background(), tools.Proposal{Tool: "send_report", Parameters: raw, AllowedTarget: "mail/reports"})
}
