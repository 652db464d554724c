package object

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

const (
	// maxName is that of S3, in bytes.
	maxName = 1024
	// maxSegment is what file systems take between two slashes, in bytes.
	maxSegment = 255
)

// objectName fills the name in.
func objectName(name template.Text, vars template.Vars) (string, error) {
	text, err := name.Render(vars, escapeSegment)
	if err == nil {
		err = checkName(text)
	}
	return text, err
}

// checkName refuses names that lead out of a folder, that could not be shown,
// or that two stores read differently.
func checkName(name string) error {
	if len(name) > maxName {
		return fmt.Errorf("the name has %d bytes; at most %d are allowed", len(name), maxName)
	}
	for _, r := range name {
		if !unicode.IsGraphic(r) || r == '\\' || r == unicode.ReplacementChar {
			return fmt.Errorf("the name holds U+%04X", r)
		}
	}
	for segment := range strings.SplitSeq(name, "/") {
		switch {
		case segment == "":
			return errors.New("the name has an empty part between its slashes")
		case segment == "." || segment == "..":
			return fmt.Errorf("the name has the part %q", segment)
		case strings.EqualFold(segment, records):
			return fmt.Errorf("the name has the part %q, which is ours", segment)
		case len(segment) > maxSegment:
			return fmt.Errorf("the name has a part of %d bytes; at most %d are allowed", len(segment), maxSegment)
		}
	}
	return nil
}

// escapeSegment keeps a parameter from adding levels to a name, as it does in a
// target.
func escapeSegment(value string) string {
	value = strings.ReplaceAll(value, "%", "%25")
	value = strings.ReplaceAll(value, "/", "%2F")
	if value == "." || value == ".." {
		value = strings.ReplaceAll(value, ".", "%2E")
	}
	return value
}
