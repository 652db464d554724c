package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// modulePrefix is left out of what people read.
const modulePrefix = "github.com/holdpoint/holdpoint/"

func (id testID) String() string {
	return strings.TrimSpace(strings.TrimPrefix(id.pkg, modulePrefix) + " " + id.name)
}

// printPackage prints a package's line and below it what a person must see:
// the output of what failed, the reason of what was skipped.
func (r *report) printPackage(e event) {
	if status(e.Action) == skipped {
		return // no test files
	}
	verdict := "ok  "
	if status(e.Action) == failed {
		verdict = "FAIL"
	}
	n := r.count(e.Package)
	line := fmt.Sprintf("%s  %-44s %7.2fs  %d passed", verdict, strings.TrimPrefix(e.Package, modulePrefix), e.Elapsed, n[passed])
	if n[failed] > 0 {
		line += fmt.Sprintf(", %d failed", n[failed])
	}
	if n[skipped] > 0 {
		line += fmt.Sprintf(", %d skipped", n[skipped])
	}
	fmt.Fprintln(r.out, line)
	if build := r.builds[e.FailedBuild]; build != nil {
		r.printBody("build", build)
	}
	for _, id := range slices.SortedFunc(maps.Keys(r.tests), compareIDs) {
		if id.pkg == e.Package && r.tests[id] != passed {
			heading := string(r.tests[id]) + " " + id.name
			if id.name == "" {
				heading = "failed outside its tests"
			}
			r.printBody(heading, r.printed[id])
		}
	}
	own := testID{pkg: e.Package}
	if status(e.Action) == failed && r.tests[own] == "" && speaks(r.printed[own]) {
		// What ends a whole package, like a time limit, may be told there only.
		r.printBody("the package printed", r.printed[own])
	}
}

// speaks reports whether the text has a line that is not go test's own.
func speaks(text *strings.Builder) bool {
	if text == nil {
		return false
	}
	for line := range strings.Lines(text.String()) {
		if !frame(line) {
			return true
		}
	}
	return false
}

// printBody prints a heading and below it the text, if any, without the lines
// that go test frames each test with.
func (r *report) printBody(heading string, text *strings.Builder) {
	fmt.Fprintln(r.out, "      "+heading)
	if text == nil {
		return
	}
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimRight(line, "\n"); !frame(line) {
			fmt.Fprintln(r.out, "        "+line)
		}
	}
}

// frame reports whether go test wrote the line itself.
func frame(line string) bool {
	line = strings.TrimSpace(line)
	for _, prefix := range []string{"=== ", "--- ", "FAIL\t", "ok  \t"} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return line == "PASS" || line == "FAIL" || line == "exit status 1" || line == ""
}
