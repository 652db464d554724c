package declared

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// A target's first segment is what a task names: see workflows.ToolUse. The
// rule is that of names there.
var targetName = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

const maxTargetName = 64

// maxNameBytes bounds a target and an item: both are shown, and parts of keys.
const maxNameBytes = 1000

// expression is an expression's place in a text.
var expression = regexp.MustCompile(`\{\{.*?\}\}`)

// checkTarget wants a target that begins with a fixed name and has no segment
// that could lead elsewhere.
func (s source) checkTarget(d *Declaration) error {
	if d.Target.IsZero() {
		return nil // missing, or not to be read: said already
	}
	literal, all := d.Target.Prefix()
	name, _, ends := strings.Cut(literal, "/")
	switch {
	case !ends && !all:
		return s.fail("target", "target %q must begin with a fixed name and a slash, such as \"tracker/\", so that a task can allow it", d.Target)
	case !targetName.MatchString(name) || len(name) > maxTargetName:
		return s.fail("target", "target begins with %q; use at most %d letters, digits, '.', '_' and '-'", name, maxTargetName)
	}
	if err := checkSegments(expression.ReplaceAllString(d.Target.String(), "x")); err != nil {
		return s.fail("target", "target %q %s", d.Target, err)
	}
	return nil
}

// checkSegments refuses a target of which parts could be lost on the way, or
// mean another one.
func checkSegments(target string) error {
	for segment := range strings.SplitSeq(target, "/") {
		switch segment {
		case "":
			return errors.New("has an empty segment")
		case ".", "..":
			return fmt.Errorf("has a segment %q", segment)
		}
	}
	return checkName(target)
}

// checkName refuses what could not be shown in one line.
func checkName(text string) error {
	if len(text) > maxNameBytes {
		return fmt.Errorf("has %d bytes; at most %d are allowed", len(text), maxNameBytes)
	}
	for _, r := range text {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return fmt.Errorf("holds the invisible character U+%04X", r)
		}
	}
	return nil
}

// escapeSegment keeps a parameter from adding levels to a target.
func escapeSegment(value string) string {
	value = strings.ReplaceAll(value, "%", "%25")
	value = strings.ReplaceAll(value, "/", "%2F")
	if value == "." || value == ".." {
		value = strings.ReplaceAll(value, ".", "%2E")
	}
	return value
}

// within reports whether a target is an allowed one or lies below it.
func within(target, allowed string) bool {
	return allowed != "" && (target == allowed || strings.HasPrefix(target, allowed+"/"))
}
