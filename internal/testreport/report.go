package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// status is how a test ended.
type status string

const (
	passed  status = "pass"
	failed  status = "fail"
	skipped status = "skip"
)

// testID names one test, or one subtest as "TestX/case", of one package. The
// empty name stands for what failed in a package outside any test: its build,
// its TestMain, a panic.
type testID struct{ pkg, name string }

// event is one line of `go test -json`; see `go doc test2json` and, for those
// of a build, `go help buildjson`.
type event struct {
	Action      string
	Package     string
	ImportPath  string // instead of Package, for a build
	Test        string
	Elapsed     float64 // seconds
	Output      string
	FailedBuild string
}

// report gathers what happened and prints each package as it ends.
type report struct {
	out     io.Writer
	tests   map[testID]status
	seconds map[testID]float64
	running map[testID]bool
	printed map[testID]*strings.Builder // what each running test has printed
	builds  map[string]*strings.Builder // what each build has printed
}

func newReport(out io.Writer) *report {
	return &report{
		out:     out,
		tests:   map[testID]status{},
		seconds: map[testID]float64{},
		running: map[testID]bool{},
		printed: map[testID]*strings.Builder{},
		builds:  map[string]*strings.Builder{},
	}
}

// read takes in events until the stream ends. A line that is no event is
// something that go test wants a person to see.
func (r *report) read(events io.Reader) error {
	const longest = 16 << 20 // bytes in a line: a test may print a document
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil { //nolint:musttag // the Go command's names
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.take(e)
	}
	return lines.Err()
}

func (r *report) take(e event) {
	id := testID{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		write(r.builds, e.ImportPath, e.Output)
	case "output":
		write(r.printed, id, e.Output)
	case "run":
		r.running[id] = true
	case "pass", "fail", "skip":
		if e.Test == "" {
			r.endPackage(e)
			return
		}
		delete(r.running, id)
		r.tests[id] = status(e.Action)
		r.seconds[id] = e.Elapsed
	}
}

// endPackage settles what its events left open. A package without test files
// "skips"; that hides no test and is not counted.
func (r *report) endPackage(e event) {
	if status(e.Action) == failed {
		for id := range r.running {
			if id.pkg == e.Package { // a panic or a timeout ended it
				delete(r.running, id)
				r.tests[id] = failed
			}
		}
		if r.count(e.Package)[failed] == 0 {
			r.tests[testID{pkg: e.Package}] = failed
		}
	}
	r.printPackage(e)
	for id := range r.printed {
		if id.pkg == e.Package {
			delete(r.printed, id)
		}
	}
}

// count counts the tests of one package.
func (r *report) count(pkg string) map[status]int {
	n := map[status]int{}
	for id, s := range r.tests {
		if id.pkg == pkg {
			n[s]++
		}
	}
	return n
}

// named returns the tests with the status, in order.
func (r *report) named(s status) []testID {
	var ids []testID
	for id, has := range r.tests {
		if has == s {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, compareIDs)
	return ids
}

func compareIDs(a, b testID) int {
	if c := strings.Compare(a.pkg, b.pkg); c != 0 {
		return c
	}
	return strings.Compare(a.name, b.name)
}

// problems are the reasons for which this run proves nothing. That go test
// failed is one of its own only when no test explains it.
func (r *report) problems(ci bool, goTest error) []string {
	var found []string
	if n := len(r.named(failed)); n > 0 {
		found = append(found, fmt.Sprintf("%d failed", n))
	} else if goTest != nil {
		found = append(found, fmt.Sprintf("go test: %v", goTest))
	}
	if len(r.tests) == 0 {
		found = append(found, "no test ran")
	}
	if ci {
		for _, id := range r.named(skipped) {
			found = append(found, fmt.Sprintf("%s was skipped, and CI=true", id))
		}
	}
	return found
}

// counts is the last line of the output.
func (r *report) counts() string {
	n := map[status]int{}
	for _, s := range r.tests {
		n[s]++
	}
	return fmt.Sprintf("%d passed, %d failed, %d skipped", n[passed], n[failed], n[skipped])
}

// saved is the form of the report file.
type saved struct {
	Counts string      `json:"counts"`
	Tests  []savedTest `json:"tests"`
}

type savedTest struct {
	Package string  `json:"package"`
	Name    string  `json:"name,omitempty"` // none for a package that failed outside its tests
	Status  status  `json:"status"`
	Seconds float64 `json:"seconds"`
}

// save writes every test to a JSON file, and makes its folder.
func (r *report) save(path string) error {
	s := saved{Counts: r.counts()}
	for _, id := range slices.SortedFunc(maps.Keys(r.tests), compareIDs) {
		s.Tests = append(s.Tests, savedTest{id.pkg, id.name, r.tests[id], r.seconds[id]})
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

func write[K comparable](to map[K]*strings.Builder, key K, text string) {
	if to[key] == nil {
		to[key] = &strings.Builder{}
	}
	to[key].WriteString(text)
}
