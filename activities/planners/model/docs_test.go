package model_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// The page's table of faults names each code that a planner of this package can end
// with, and no other.
func TestDocumentationNamesEveryCode(t *testing.T) {
	inCode := map[string]bool{"http_…": true} // of a status, in words of its own
	for _, folder := range []string{".", "provider", "openai", "anthropic", "../budget", "../../wire"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				codesIn(t, file, inCode)
			}
		}
	}
	require.Greater(t, len(inCode), 30)

	page, err := os.ReadFile("../../../docs/models.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(page), "| fault | what happened, and what to do |\n|---|---|\n")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	inTable := map[string]bool{}
	for row := range strings.Lines(table) {
		names, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(names, -1) {
			require.False(t, inTable[name[1]], "%s stands there twice", name[1])
			inTable[name[1]] = true
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(inCode)), slices.Sorted(maps.Keys(inTable)))
}

// codesIn finds where a fault gets its code: a field Code, permanent(code, …),
// failure.As(class, code, …) and faults.SecretMissing. Each code is written there in full, but for those of
// statuses and those that are handed on.
func codesIn(t *testing.T, file string, codes map[string]bool) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	require.NoError(t, err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		var code ast.Expr
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if name, ok := n.Key.(*ast.Ident); ok && name.Name == "Code" {
				code = n.Value
			}
		case *ast.CallExpr:
			switch called := n.Fun.(type) {
			case *ast.Ident:
				if called.Name == "permanent" {
					code = n.Args[0]
				}
			case *ast.SelectorExpr:
				if called.Sel.Name == "As" && len(n.Args) == 3 {
					code = n.Args[1]
				}
				if called.Sel.Name == "SecretMissing" {
					codes[faults.CodeSecretMissing] = true
				}
			}
		}
		switch code := code.(type) {
		case nil:
		case *ast.BasicLit:
			text, err := strconv.Unquote(code.Value)
			require.NoError(t, err)
			codes[text] = true
		case *ast.Ident: // As itself, and permanent
			require.Equal(t, "code", code.Name, file)
		case *ast.SelectorExpr: // of a fault that becomes another
			require.Equal(t, "Code", code.Sel.Name, file)
		case *ast.CallExpr:
			format, ok := code.Args[0].(*ast.BasicLit)
			require.True(t, ok && format.Value == `"http_%d"`, file)
		default:
			t.Errorf("%s: a code that is neither written out nor known here: %T", file, code)
		}
		return true
	})
}
