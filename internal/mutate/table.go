package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/guarantees"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// Table is mutations.yaml.
type Table struct {
	Mutations []Mutation  `yaml:"mutations"`
	Without   []Exception `yaml:"without"`
}

// Mutation takes one guard out.
type Mutation struct {
	Row  string `yaml:"row"`  // the promise, as the first cell of its row has it
	File string `yaml:"file"` // where the guard is, from the module's root
	From string `yaml:"from"` // the guard: a text that the file has once
	To   string `yaml:"to"`   // what stands there without it
	// Package is where the tests are, from the module's root; Tests are of those
	// that the row names, and each must fail.
	Package string   `yaml:"package"`
	Tests   []string `yaml:"tests"`
}

// Exception is a row that has no mutation.
type Exception struct {
	Row    string `yaml:"row"`
	Reason string `yaml:"reason"`
}

// String names the mutation in a line of the report.
func (m Mutation) String() string {
	return fmt.Sprintf("%s (%s: %s)", m.Row, m.File, strings.Join(m.Tests, ", "))
}

func load(path string) (Table, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Table{}, err
	}
	name := filepath.Base(path)
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Table{}, strictyaml.WithLine(name, 1, err)
	}
	var t Table
	if err := strictyaml.Decode(name, &document, &t); err != nil {
		return Table{}, err
	}
	return t, nil
}

// matching are the mutations that have the text in their row, file, package or
// tests; all of them when it is empty.
func (t Table) matching(text string) []Mutation {
	var chosen []Mutation
	for _, m := range t.Mutations {
		if strings.Contains(strings.ToLower(m.String()+" "+m.Package), strings.ToLower(text)) {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// problems says what is wrong with the table, without running a test: a row
// without a mutation, a mutation without a row, a guard that is no longer there.
func (t Table) problems(root string, rows []guarantees.Row) []string {
	var found []string
	byPromise := map[string]guarantees.Row{}
	for _, row := range rows {
		if _, twice := byPromise[row.Promise]; twice {
			found = append(found, fmt.Sprintf("two rows promise %q", row.Promise))
		}
		byPromise[row.Promise] = row
	}
	has := map[string]bool{}
	for _, e := range t.Without {
		has[e.Row] = true
		if _, ok := byPromise[e.Row]; !ok || e.Reason == "" {
			found = append(found, fmt.Sprintf("the exception for %q has no row, or no reason", e.Row))
		}
	}
	for _, m := range t.Mutations {
		has[m.Row] = true
		if err := m.check(root, byPromise); err != nil {
			found = append(found, fmt.Sprintf("%s: %v", m, err))
		}
	}
	for _, row := range rows {
		if len(row.Tests) > 0 && !has[row.Promise] {
			found = append(found, fmt.Sprintf("line %d names tests, and has no mutation: %s", row.Line, row.Promise))
		}
	}
	return found
}

func (m Mutation) check(root string, rows map[string]guarantees.Row) error {
	row, ok := rows[m.Row]
	if !ok {
		return errors.New("there is no such row")
	}
	if len(m.Tests) == 0 {
		return errors.New("it names no test")
	}
	for _, test := range m.Tests {
		if !slices.Contains(row.Tests, test) {
			return fmt.Errorf("its row does not name %s", test)
		}
		if err := declared(filepath.Join(root, m.Package), test); err != nil {
			return err
		}
	}
	mutated, err := m.apply(root)
	if err != nil {
		return err
	}
	if filepath.Ext(m.File) == ".go" {
		if _, err := parser.ParseFile(token.NewFileSet(), m.File, mutated, parser.SkipObjectResolution); err != nil {
			return fmt.Errorf("without its guard it is no Go: %w", err)
		}
	}
	return nil
}

// apply returns the file without the guard.
func (m Mutation) apply(root string) ([]byte, error) {
	if m.From == "" || m.From == m.To {
		return nil, errors.New("it changes nothing")
	}
	if strings.HasSuffix(m.File, "_test.go") {
		return nil, errors.New("a test guards nothing")
	}
	text, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(text), m.From); n != 1 {
		return nil, fmt.Errorf("its guard stands %d times in the file", n)
	}
	return []byte(strings.Replace(string(text), m.From, m.To, 1)), nil
}

// declared reports a test that the package's folder does not have.
func declared(folder, test string) error {
	name, _, _ := strings.Cut(test, "/")
	declaration := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(name) + `\(`)
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if declaration.Match(text) {
			return nil
		}
	}
	return fmt.Errorf("its package has no %s", name)
}
