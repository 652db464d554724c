package effects_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// folder is a conditional tool whose target counts for itself. An effect is a
// file that can be created only once, and a line in a journal that no attempt
// looks at.
type folder struct {
	dir    string
	before func() // called between the protocol's last check and the write
}

const journal = "journal"

func (f *folder) Spec() tools.Spec {
	return tools.Spec{Name: "folder", Version: "1", Class: plan.Conditional, Risk: plan.LowRisk}
}

func (f *folder) Prepare(context.Context, tools.Proposal) (tools.Prepared, error) {
	return tools.Prepared{}, errors.New("not used here")
}

// Apply does not look at its context: the worst case of a tool that is
// suspended just before it writes.
func (f *folder) Apply(_ context.Context, c tools.Call) (plan.Receipt, error) {
	if f.before != nil {
		f.before()
	}
	key := c.Action.IdempotencyKey
	path := filepath.Join(f.dir, key)
	receipt := plan.Receipt{
		IdempotencyKey: key, Tool: "folder", Target: c.Action.Target,
		Ref: fmt.Sprint("written by process ", os.Getpid()), At: time.Now().UTC().Truncate(time.Second),
	}
	text, err := json.Marshal(receipt)
	if err != nil {
		return plan.Receipt{}, err
	}
	marker, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return f.earlier(path)
	}
	if err != nil {
		return plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "no_folder", Reason: "the target is missing", Cause: err}
	}
	lines, err := os.OpenFile(filepath.Join(f.dir, journal), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return plan.Receipt{}, err
	}
	_, err = lines.WriteString(key + "\n")
	_, err2 := marker.Write(text)
	return receipt, errors.Join(err, err2, marker.Close(), lines.Close())
}

func (f *folder) earlier(path string) (plan.Receipt, error) {
	var receipt plan.Receipt
	text, err := os.ReadFile(path)
	if err != nil {
		return plan.Receipt{}, err
	}
	return receipt, json.Unmarshal(text, &receipt)
}

func (f *folder) Count(_ context.Context, c tools.Call) (int, error) {
	key := c.Action.IdempotencyKey
	text, err := os.ReadFile(filepath.Join(f.dir, journal))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	return bytes.Count(text, []byte(key+"\n")), err
}
