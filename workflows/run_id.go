package workflows

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.temporal.io/sdk/workflow"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	// wholeID is up to how many bytes a business id stands whole in its run's id.
	wholeID = 200
	// beginningOfID bounds what stands there of a longer one. With the longest
	// tenant and the hash the run's id has at most 255 bytes: what SQL stores of
	// Temporal are set to (limit.maxIDLength in
	// https://docs.temporal.io/self-hosted-guide/defaults), where others take 1,000.
	beginningOfID = 255 - len("/") - 64 - len(hashFollows) - 64
	// hashFollows is in no id that is written whole: there two hex digits follow
	// each '%'.
	hashFollows = "%~"
)

// RunID is the workflow ID of the task's run: tenant/business_id. Bytes that
// no header carries are written as in a URL, because Temporal's clients send
// the id in one. Of a business id of more than 200 bytes the beginning is
// written, at most 124 bytes in that form, then "%~" and the SHA-256 of the
// whole in hex. No two tasks of different tenant or business id have one RunID.
func (t Task) RunID() string {
	if len(t.BusinessID) <= wholeID {
		return t.Tenant + "/" + inHeader(t.BusinessID, 3*wholeID)
	}
	return t.Tenant + "/" + inHeader(t.BusinessID, beginningOfID) + hashFollows + plan.Sum([]byte(t.BusinessID)).Hex()
}

// inHeader writes the letters of s, as far as they need at most limit bytes, in
// visible ASCII.
func inHeader(s string, limit int) string {
	var out strings.Builder
	for len(s) > 0 {
		_, size := utf8.DecodeRuneInString(s)
		var letter strings.Builder
		for _, c := range []byte(s[:size]) {
			if c <= ' ' || c == '%' || c >= 0x7f {
				letter.WriteString(fmt.Sprintf("%%%02X", c)) // the determinism check refuses Fprintf
			} else {
				letter.WriteByte(c)
			}
		}
		if out.Len()+letter.Len() > limit {
			break
		}
		out.WriteString(letter.String())
		s = s[size:]
	}
	return out.String()
}

// taskOwnID is a change to the sequence of commands, see doc.go.
const taskOwnID = "task-own-id"

// checkRunID refuses a run under another id than its task's: two could be alive
// for one business id. Who starts a workflow chooses its ID, and starter is not
// the only one who may.
//
// Runs that began before this check and wait under such an id go on, and those
// that continue one of them as new. GetVersion tells them apart, and is asked in
// no other run; nothing else of a history could.
func checkRunID(ctx workflow.Context, task Task, continued bool) error {
	id, own := workflow.GetInfo(ctx).WorkflowExecution.ID, task.RunID()
	switch {
	case id == own:
		return nil
	case !strings.HasPrefix(id, task.Tenant+"/"):
		// Tenants are kept apart by how ids begin, in every version.
		return fmt.Errorf("the workflow ID %q must begin with the task's tenant: %q", id, task.Tenant+"/")
	case continued || workflow.GetVersion(ctx, taskOwnID, workflow.DefaultVersion, 1) == workflow.DefaultVersion:
		return nil
	default:
		return fmt.Errorf("the workflow ID %q must be that of the task's tenant and business id, of which there is one run: %q", id, own)
	}
}
