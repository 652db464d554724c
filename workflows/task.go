package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/holdpoint/holdpoint/approvals"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// What bounds a task: it is part of the inputs of its steps.
const (
	maxSources = 32
	maxTools   = 32
	maxGlobs   = 64  // include and exclude of one source together
	maxPath    = 512 // bytes of a path or a glob

	maxBusinessID = 1000 // bytes
)

// Task is what a requester asks for: the input of AgentRun. It names source
// roots, tools and targets of the worker's configuration; it holds no path of
// any machine and no secret.
type Task struct {
	Tenant     string    `json:"tenant"`      // letters, digits, '.', '_', '-'; at most 64
	BusinessID string    `json:"business_id"` // what the run is for, e.g. "weekly-report-2026-W48"; any letters, at most 1,000 bytes
	Goal       string    `json:"goal"`        // in words; at most 4,000 bytes
	Requester  string    `json:"requester"`   // who asks; may not approve
	Context    []Source  `json:"context"`     // at least one
	Tools      []ToolUse `json:"tools"`       // at least one; what the plan may use
	Planner    string    `json:"planner"`     // a planner of the worker, "outline" or "given"; "outline" when empty
	// SemanticVersion is part of every idempotency key: another version is
	// another effect. "v1" when empty.
	SemanticVersion string    `json:"semantic_version"`
	OnFailure       OnFailure `json:"on_failure"` // "stop" when empty
}

// The kinds of sources.
const (
	SourceDir    = "dir"    // a folder of the worker's machine
	SourceGit    = "git"    // a Git repository
	SourceHTTP   = "http"   // pages of the web
	SourceUpload = "upload" // files that the requester has put into the blob store
)

// sourceKinds lists them for messages.
const sourceKinds = `"dir", "git", "http" and "upload"`

// Source names documents to read.
type Source struct {
	Kind string `json:"kind"` // "dir" when empty
	// Root is a source of that kind in the worker's configuration. For an upload,
	// which is in none, it is the name that its documents get; "upload" when empty.
	Root string `json:"root"`
	// Upload is the address of an upload's list, as internal/upload stores it.
	Upload  plan.Digest `json:"upload,omitzero"`
	Path    string      `json:"path,omitempty"`    // within the root; all of it when empty
	Include []string    `json:"include,omitempty"` // globs; all files when empty
	Exclude []string    `json:"exclude,omitempty"`
}

// ToolUse names a tool that the plan may use, and where it may write.
type ToolUse struct {
	Tool string `json:"tool"` // a tool of the worker's configuration, e.g. "gitpages"
	// Target is the name that the tool's targets begin with: a repository's, or
	// the first segment of what a declaration says. "shop/orders" is target "shop"
	// and path "orders".
	Target string `json:"target"`
	Path   string `json:"path,omitempty"` // within the target; all of it when empty
}

// OnFailure says what becomes of the other actions when one has failed.
type OnFailure string

// The two ways to go on after a failed action.
const (
	// Stop begins no further action.
	Stop OnFailure = "stop"
	// Continue goes on with the actions that do not depend on the failed one.
	Continue OnFailure = "continue"
)

// DefaultPlanner is the planner of a task that names none: it works offline.
const DefaultPlanner = "outline"

// WithDefaults fills what a task may leave out. Two tasks that mean the same
// are equal afterwards.
func (t Task) WithDefaults() Task {
	if t.Planner == "" {
		t.Planner = DefaultPlanner
	}
	if t.SemanticVersion == "" {
		t.SemanticVersion = "v1"
	}
	if t.OnFailure == "" {
		t.OnFailure = Stop
	}
	sources := make([]Source, len(t.Context))
	for i, s := range t.Context {
		if s.Kind == "" {
			s.Kind = SourceDir
		}
		if s.Kind == SourceUpload && s.Root == "" {
			s.Root = SourceUpload
		}
		if s.Path = inside(s.Path); s.Path == "." {
			s.Path = ""
		}
		sources[i] = s
	}
	t.Context = sources
	tools := make([]ToolUse, len(t.Tools))
	for i, use := range t.Tools {
		tools[i] = use.split()
	}
	t.Tools = tools
	return t
}

// split writes a target that names what lies below it as target and path.
func (u ToolUse) split() ToolUse {
	u.Path = inside(u.Path)
	name, below, found := strings.Cut(u.Target, "/")
	if !found || name == "" {
		return u
	}
	below = inside(below)
	if below != "" && u.Path != "" {
		below += "/"
	}
	u.Target, u.Path = name, below+u.Path
	return u
}

// inside is a path without the slash that one may write behind a folder. A
// lone slash stays, to be refused: it is not a way to say "all of it".
func inside(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

// Digest is the SHA-256 of the task's canonical JSON: by it a start finds out
// whether it asks for what a run was started with. Two tasks that mean the same
// have one Digest when both have their defaults.
func (t Task) Digest() (plan.Digest, error) {
	raw, err := json.Marshal(t)
	if err != nil {
		return plan.Digest{}, err
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return plan.Digest{}, fmt.Errorf("task: %w", err)
	}
	return plan.Sum(canonical), nil
}

// Validate reports everything that is wrong with a task, each with the name of
// its field. Whether roots, tools and targets exist only the worker knows.
func (t Task) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if !validName(t.Tenant) {
		bad("tenant %q: use 1 to 64 letters, digits, '.', '_' or '-', no '..', and no '.' at its ends", t.Tenant)
	}
	for _, field := range []struct {
		name, text string
		limit      int
		takes      func(rune) bool
	}{
		{"business_id", t.BusinessID, maxBusinessID, anyLetter},
		{"goal", t.Goal, 4000, letterOfLines},
		{"semantic_version", t.SemanticVersion, 64, visible},
	} {
		if problem := textProblem(field.text, field.limit, field.takes); problem != "" {
			bad("%s: %s", field.name, problem)
		}
	}
	if _, err := approvals.NormalizeIdentity(t.Requester); err != nil {
		bad("requester: %w; nobody could be told apart from them at the gate", err)
	}
	if t.OnFailure != Stop && t.OnFailure != Continue {
		bad("on_failure %q: use %q or %q", t.OnFailure, Stop, Continue)
	}
	if len(t.Context) == 0 || len(t.Context) > maxSources {
		bad("context: name 1 to %d sources", maxSources)
	}
	for i, s := range t.Context {
		s.validate(func(format string, args ...any) { bad("context[%d]"+format, append([]any{i}, args...)...) })
	}
	if len(t.Tools) == 0 || len(t.Tools) > maxTools {
		bad("tools: name at least one tool that the plan may use, and at most %d", maxTools)
	}
	for i, use := range t.Tools {
		use.validate(func(format string, args ...any) { bad("tools[%d]"+format, append([]any{i}, args...)...) })
	}
	return errors.Join(errs...)
}

func (s Source) validate(bad func(format string, args ...any)) {
	switch s.Kind {
	case SourceDir, SourceGit, SourceHTTP:
		if !s.Upload.IsZero() {
			bad(".upload is for a source of kind %q", SourceUpload)
		}
	case SourceUpload:
		if s.Upload.IsZero() {
			bad(".upload is missing: it is the address that storing the files has given")
		}
	default:
		bad(".kind %q: the known kinds are %s", s.Kind, sourceKinds)
	}
	if !validName(s.Root) {
		bad(".root %q: name a source root of the worker's configuration, not a path", s.Root)
	}
	if leaves(s.Path) {
		bad(".path %q: name a folder within the root, without '..' and without a leading '/'", s.Path)
	}
	if tooLong(s.Path) || len(s.Include)+len(s.Exclude) > maxGlobs ||
		slices.ContainsFunc(s.Include, tooLong) || slices.ContainsFunc(s.Exclude, tooLong) {
		bad(": at most %d globs, and %d bytes for each of them and for the path", maxGlobs, maxPath)
	}
}

func (u ToolUse) validate(bad func(format string, args ...any)) {
	if leaves(u.Path) {
		bad(".path %q: name a place within the target, without '..', '.git' and a leading '/'", u.Path)
	}
	if !validName(u.Tool) {
		bad(".tool %q: name a tool of the worker's configuration", u.Tool)
	}
	if !validName(u.Target) {
		bad(".target %q: name a target of the tool, such as a repository or the first segment of a declared target; what lies below it is its path", u.Target)
	}
	if tooLong(u.Path) {
		bad(".path has %d bytes; at most %d are allowed", len(u.Path), maxPath)
	}
}

// leaves reports whether a path could lead out of what it is within. Tools and
// sources check again, against what is there.
func leaves(path string) bool {
	return path != "" && (!fs.ValidPath(path) || slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool {
		return strings.EqualFold(part, ".git")
	}))
}

func tooLong(path string) bool { return len(path) > maxPath }

// validName is also the blob store's rule for a tenant, whose name is part of
// addresses.
func validName(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '.' || s[len(s)-1] == '.' || strings.Contains(s, "..") {
		return false
	}
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || '9' < c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func textProblem(s string, limit int, takes func(rune) bool) string {
	switch {
	case strings.TrimSpace(s) == "":
		return "is missing"
	case strings.TrimSpace(s) != s:
		return "has blanks at its ends"
	case len(s) > limit:
		return fmt.Sprintf("has %d bytes; at most %d are allowed", len(s), limit)
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	}
	for _, c := range s {
		if !takes(c) {
			return fmt.Sprintf("holds the invisible character U+%04X", c)
		}
	}
	return ""
}

// anyLetter is for names that come from elsewhere: they go nowhere as they are,
// and are shown escaped.
func anyLetter(rune) bool { return true }

func letterOfLines(c rune) bool { return visible(c) || c == '\n' || c == '\t' }

func visible(c rune) bool { return !unicode.IsControl(c) && !unicode.Is(unicode.Cf, c) }
