package notebook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Name is the tool's name in tasks and plans, and the first part of its
// targets.
const Name = "notebook"

// version changes when a plan made by an earlier one must not be carried out.
const version = "1"

// schema is the JSON Schema of the parameters. The pattern keeps a page in the
// folder, and away from the tool's own files, whose names begin with a dot.
const schema = `{
	"type": "object",
	"required": ["page", "text"],
	"additionalProperties": false,
	"properties": {
		"page": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,63}$"},
		"text": {"type": "string", "minLength": 1, "maxLength": 100000}
	}
}`

// parameters are what the schema describes.
type parameters struct {
	Page string `json:"page"`
	Text string `json:"text"`
}

// Notebook is the tool. It is safe for concurrent use, also by several
// processes on one folder.
type Notebook struct {
	folder *os.Root
	spec   tools.Spec
}

var _ tools.Tool = (*Notebook)(nil)

// Open opens the notebook in a folder that exists.
func Open(folder string) (*Notebook, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("NOTEBOOK: %w", err)
	}
	canonical, err := plan.Canonicalize([]byte(schema))
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &Notebook{folder: root, spec: tools.Spec{
		Name: Name, Version: version, Class: plan.Conditional, Risk: plan.LowRisk,
		Schema: canonical, SchemaDigest: plan.Sum(canonical),
		CallTimeout: 10 * time.Second, MaxAttempts: 10, Retry: faults.DefaultRetry(),
	}}, nil
}

// Close closes the folder.
func (n *Notebook) Close() error { return n.folder.Close() }

// Spec implements tools.Tool.
func (n *Notebook) Spec() tools.Spec { return n.spec }

// Prepare implements tools.Tool: it says what the approver must see. A page
// that is there already can never be written, so it is refused here.
func (n *Notebook) Prepare(_ context.Context, p tools.Proposal) (tools.Prepared, error) {
	canonical, err := plan.Canonicalize(p.Parameters)
	if err != nil {
		return tools.Prepared{}, permanent("bad_parameters", "the parameters are %s", err)
	}
	params, err := decode(canonical)
	if err != nil {
		return tools.Prepared{}, err
	}
	target := Name + "/" + params.Page
	if !slices.ContainsFunc(p.Allowed(), func(allowed string) bool { return allowed == Name || allowed == target }) {
		return tools.Prepared{}, permanent("not_allowed", "it writes to %q, and the task allows %q", target, p.Allowed())
	}
	switch _, err := n.folder.Lstat(file(params.Page)); {
	case err == nil:
		return tools.Prepared{}, permanent("page_exists", "the page %s is there already, and this tool writes over nothing", params.Page)
	case !errors.Is(err, fs.ErrNotExist):
		return tools.Prepared{}, faults.Name(err)
	}
	return tools.Prepared{
		Target: target, Parameters: canonical, Precondition: "absent", Preview: "a new page " + params.Page + ":\n\n" + params.Text,
	}, nil
}

// Apply implements tools.Tool.
func (n *Notebook) Apply(ctx context.Context, c tools.Call) (plan.Receipt, error) {
	params, err := decode(c.Action.Parameters)
	if err != nil {
		return plan.Receipt{}, err
	}
	page := marker(c.Action.IdempotencyKey) + params.Text
	// Of this attempt alone: another one, of another process, must not write
	// into a file that this one has linked meanwhile.
	draft := ".draft-" + rand.Text()
	if err := n.write(draft, page); err != nil {
		return plan.Receipt{}, &faults.Fault{Class: faults.Transient, Code: "draft_failed", Reason: "no page was written", Cause: err}
	}
	// Between the claim of the key and the write the approval can expire, or
	// another attempt can take over: this is the last moment to ask.
	if err := c.Allowed(ctx); err != nil {
		return plan.Receipt{}, err
	}
	err = n.folder.Link(draft, file(params.Page))
	_ = n.folder.Remove(draft) // one that stays, as after a crash, is in nobody's way
	switch {
	case err == nil:
		return n.receipt(c, params.Page)
	case errors.Is(err, fs.ErrExist):
		return n.whose(c, params.Page, page)
	default:
		// The link may have been made, or not: nobody has said.
		return plan.Receipt{}, &faults.Fault{Class: faults.Unknown, Code: "link_failed", Reason: "the page may have been written", Cause: err}
	}
}

// whose finds out who took the page's name: an earlier attempt of this action,
// or somebody else.
func (n *Notebook) whose(c tools.Call, page, want string) (plan.Receipt, error) {
	there, err := n.folder.ReadFile(file(page))
	ours := strings.HasPrefix(string(there), marker(c.Action.IdempotencyKey))
	switch {
	case err != nil:
		return plan.Receipt{}, &faults.Fault{Class: faults.Unknown, Code: "unreadable", Reason: "the page is there and cannot be read", Cause: err}
	case string(there) == want:
		return n.receipt(c, page)
	case ours:
		return plan.Receipt{}, permanent("key_conflict", "the key was used for another text of page %s", page)
	default:
		return plan.Receipt{}, &faults.Fault{
			Class: faults.Permanent, Code: "page_changed", Reason: "somebody else has written the page " + page + " meanwhile", Cause: tools.ErrDrift,
		}
	}
}

// Count implements tools.Tool.
func (n *Notebook) Count(_ context.Context, c tools.Call) (int, error) {
	params, err := decode(c.Action.Parameters)
	if err != nil {
		return 0, err
	}
	there, err := n.folder.ReadFile(file(params.Page))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, faults.Name(err)
	case strings.HasPrefix(string(there), marker(c.Action.IdempotencyKey)):
		return 1, nil
	default:
		return 0, nil
	}
}

// receipt is that of a page that is there, the same for every attempt.
func (n *Notebook) receipt(c tools.Call, page string) (plan.Receipt, error) {
	info, err := n.folder.Stat(file(page))
	if err != nil {
		return plan.Receipt{}, &faults.Fault{Class: faults.Unknown, Code: "unreadable", Reason: "the page was written and cannot be seen", Cause: err}
	}
	return plan.Receipt{
		IdempotencyKey: c.Action.IdempotencyKey, Tool: c.Action.Tool, Target: c.Action.Target,
		Ref: file(page), Detail: fmt.Sprintf("%d bytes", info.Size()), At: info.ModTime().UTC().Truncate(time.Second),
	}, nil
}

// write writes a file so that its bytes are on the disk before it is linked.
func (n *Notebook) write(name, text string) error {
	f, err := n.folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func file(page string) string { return page + ".md" }

// marker is a page's first line.
func marker(key string) string { return "<!-- holdpoint " + key + " -->\n" }

func decode(raw json.RawMessage) (parameters, error) {
	var p parameters
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return p, permanent("bad_parameters", "the parameters are a page and a text, and nothing else")
	}
	if strings.Trim(p.Page, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || p.Page == "" || p.Page[0] == '-' || len(p.Page) > 64 {
		return p, permanent("bad_parameters", "a page is named by at most 64 of a to z, 0 to 9 and '-', and not with '-' first")
	}
	if p.Text == "" || len(p.Text) > 100_000 {
		return p, permanent("bad_parameters", "a text has 1 to 100,000 bytes")
	}
	return p, nil
}

func permanent(code, format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: fmt.Sprintf(format, args...)}
}
