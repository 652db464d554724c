package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/toolchain"
)

const us = "github.com/holdpoint/holdpoint/"

// rule says what a package, or a tree of packages, may not reach.
type rule struct {
	from    string   // package, or tree when it ends in /...
	only    []string // of our packages and trees, all it may depend on; nil: anything
	never   []string // of our packages and trees, what it may not depend on, also not indirectly
	without []string // packages and trees outside ours that its own code may not import
}

func rules() []rule {
	pure := []string{"os/...", "net/...", "database/sql/...", "math/rand/...", "crypto/rand",
		"log/...", "runtime/...", "syscall", "sync/...", "unsafe"}
	return []rule{
		{from: "approvals/plan", only: []string{}, without: append(pure, "go.temporal.io/...")},
		{from: "approvals/celorder", only: []string{}, without: append(pure, "go.temporal.io/...")},
		{from: "approvals/signature", only: []string{}, without: append(pure, "go.temporal.io/...")},
		{from: "approvals", only: []string{"approvals/plan", "approvals/signature"}, without: append(pure, "go.temporal.io/...")},
		{from: "approvals/policy", only: []string{"approvals", "approvals/celorder", "approvals/plan", "approvals/signature"}, without: append(pure, "go.temporal.io/...")},
		{from: "workflows", only: []string{"approvals", "approvals/plan", "approvals/signature"},
			without: append(pure, "go.temporal.io/sdk/client", "go.temporal.io/api/workflowservice/...", "google.golang.org/grpc/...")},
		{from: "activities/...", never: []string{"worker/...", "starter", "approver"}},
		{from: "internal/...", never: []string{"worker/...", "starter", "approver"}},
		{from: "starter", never: []string{"activities/...", "worker/...", "approver"}},
		{from: "approver", never: []string{"activities/...", "worker/...", "starter"}},
	}
}

// goPackage is what `go list -json` tells about a package.
type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
}

func TestImportRules(t *testing.T) {
	packages := listPackages(t)
	for _, r := range rules() {
		t.Run(r.from, func(t *testing.T) {
			covered := 0
			for _, p := range packages {
				if !matches(p.ImportPath, us+r.from) {
					continue
				}
				covered++
				require.Empty(t, broken(r, p), p.ImportPath)
			}
			require.NotZero(t, covered, "the rule is about no package")
		})
	}
}

// broken lists the dependencies of p that the rule forbids.
func broken(r rule, p goPackage) []string {
	var found []string
	for _, dep := range p.Deps {
		ours, is := strings.CutPrefix(dep, us)
		if is && (r.only != nil && !matchesAny(ours, r.only) || matchesAny(ours, r.never)) {
			found = append(found, dep)
		}
	}
	for _, imported := range p.Imports {
		if matchesAny(imported, r.without) {
			found = append(found, imported)
		}
	}
	return found
}

// The rules themselves, on packages made up for it: a rule that finds nothing
// proves nothing.
func TestBrokenRulesAreFound(t *testing.T) {
	r := rule{from: "workflows", only: []string{"approvals", "approvals/plan"}, never: []string{"activities/..."}, without: []string{"os/...", "net"}}
	require.Empty(t, broken(r, goPackage{
		Deps:    []string{"os", "net/http", us + "approvals", us + "approvals/plan"},
		Imports: []string{"osprey", "net/url", us + "approvals"},
	}), "what others import is theirs; only a whole path matches")
	require.Equal(t, []string{us + "activities/tools", us + "internal/blobs", "os", "os/exec", "net"}, broken(r, goPackage{
		Deps:    []string{us + "activities/tools", us + "internal/blobs", "os"},
		Imports: []string{"os", "os/exec", "net"},
	}))
}

// In these packages every time is an argument: the workflow's own time comes
// from history, and what approvals are judged by comes from the workflow.
func TestNoClock(t *testing.T) {
	for _, p := range listPackages(t) {
		switch strings.TrimPrefix(p.ImportPath, us) {
		case "approvals/plan", "approvals", "workflows":
			for _, file := range p.GoFiles {
				path := filepath.Join(p.Dir, file)
				parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
				require.NoError(t, err)
				require.Empty(t, clockUses(parsed), path)
			}
		}
	}
}

func TestClockUsesAreFound(t *testing.T) {
	for source, want := range map[string][]string{
		`import "time"; var a = time.Now()`:                          {"time.Now"},
		`import clock "time"; var a = clock.Since`:                   {"time.Since"},
		`import "time"; var a, b = time.Until(c), time.After(d)`:     {"time.Until", "time.After"},
		`import "time"; var a = time.Unix(0, 0).Add(time.Second)`:    nil,
		`import "piece/workflow"; var a = workflow.Now(ctx)`:         nil,
		`import "piece"; var a = piece.Now()`:                        nil,
		`import "time"; func f() { time.Sleep(1) }`:                  {"time.Sleep"},
		`import "time"; var a = time.NewTimer(time.Until(d))`:        {"time.NewTimer", "time.Until"},
		`import "time"; type time2 struct{ Now int }; var a = b.Now`: nil,
	} {
		parsed, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+source, parser.SkipObjectResolution)
		require.NoError(t, err)
		require.Equal(t, want, clockUses(parsed), source)
	}
}

// clockUses lists the functions of package time that read the machine's clock
// or wait for it.
func clockUses(file *ast.File) []string {
	name := ""
	for _, spec := range file.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil && path == "time" {
			name = "time"
			if spec.Name != nil {
				name = spec.Name.Name
			}
		}
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, ok := selector.X.(*ast.Ident)
		if ok && name != "" && from.Name == name && slices.Contains(clockFunctions(), selector.Sel.Name) {
			found = append(found, "time."+selector.Sel.Name)
		}
		return true
	})
	return found
}

func clockFunctions() []string {
	return []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer", "Local", "LoadLocation"}
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	root, err := toolchain.Root(".")
	require.NoError(t, err)
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Deps", "./...")
	cmd.Dir = root
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	require.NoError(t, err, complaint.String())
	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}

// matches reports whether the path is the pattern, or below it when the
// pattern ends in /... as the Go command writes it.
func matches(path, pattern string) bool {
	tree, isTree := strings.CutSuffix(pattern, "/...")
	return path == tree || isTree && strings.HasPrefix(path, tree+"/")
}

func matchesAny(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(path, p) })
}
