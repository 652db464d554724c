// Package planfile reads the file in which somebody hands in a plan of their
// own, in JSON or YAML. The requester's program reads it before anything is
// stored, and the worker before it plans; both do so here, and refuse the same.
//
// The file is taken as it is or not at all, because nobody has looked at what a
// repair would make of it: no byte is replaced and no character left out. What
// cannot be seen is not refused where it is written as an escape, since then
// whoever wrote it meant it.
package planfile

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// Source is the name that a plan has among a task's sources when it was handed
// in with the task. What lies there is the plan, whatever the other sources hold.
const Source = "plan"

// MaxBytes bounds a file, like the plan that is made of it.
const MaxBytes = plan.MaxBytes

// Format is what a file is written in.
type Format string

// The formats, by the ends of the names that Source has for them.
const (
	JSON Format = ".json"
	YAML Format = ".yaml"
)

// FormatOf is the format that a file's name stands for, and whether there is one.
func FormatOf(name string) (Format, bool) {
	switch strings.ToLower(path.Ext(name)) {
	case ".json":
		return JSON, true
	case ".yaml", ".yml":
		return YAML, true
	default:
		return "", false
	}
}

// Name is what the planner looks for: "actions.json" or "actions.yaml".
func (f Format) Name() string { return "actions" + string(f) }

// File is a file that was read.
type File struct {
	JSON []byte // canonical (RFC 8785)
	name string
	node *yaml.Node // of a YAML file, for its lines
}

// Read reads a file, which errors call by name, in the form "name:line: reason"
// or "name: reason". It refuses
//
//   - more than MaxBytes, and more than plan.MaxValues: of YAML that is judged
//     before it is read, and a comma in brackets counts as two;
//   - bytes that are no UTF-8, and U+FFFD, the mark that some program could not
//     read what stood there before. A byte order mark at the beginning is none;
//   - characters that leave no mark on a screen, or reorder what does, but for
//     line ends, tabs, and those with which words and emoji are spelled
//     (U+200C, U+200D, U+FE0E, U+FE0F);
//   - what is not one JSON document that means the same to every reader (see
//     plan.Canonicalize), or YAML that can be written as such.
func Read(name string, format Format, data []byte) (*File, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: the file has %d bytes; at most %d are read", name, len(data), MaxBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if err := clean(name, data); err != nil {
		return nil, err
	}
	f := &File{name: name, JSON: data}
	if format == YAML {
		if strictyaml.MaxNodes(string(data)) > plan.MaxValues {
			return nil, fmt.Errorf("%s: more than %d values, or marks that can begin one: "+
				"leave some out, or write long texts as block scalars (|) or in quotes", name, plan.MaxValues)
		}
		var err error
		if f.node, err = strictyaml.Document(name, data); err != nil {
			return nil, err
		}
		if len(f.node.Content) == 0 {
			return nil, fmt.Errorf("%s: the file is empty", name)
		}
		if f.JSON, err = strictyaml.JSON(name, f.node); err != nil {
			return nil, err
		}
	}
	var err error
	if f.JSON, err = plan.Canonicalize(f.JSON); err != nil {
		return nil, fmt.Errorf("%s: the file is %w", name, err)
	}
	return f, nil
}

// Place is where a value stands, for people: "name:line", or the name alone of
// JSON, where a line says little. at are the members and indexes that lead to it.
func (f *File) Place(at ...string) string {
	if f.node == nil {
		return f.name
	}
	return fmt.Sprintf("%s:%d", f.name, strictyaml.Nearest(f.node, at...).Line)
}

// clean refuses what Read says of bytes and characters.
func clean(name string, data []byte) error {
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if reason := unclean(r, size, data[i]); reason != "" {
			line := 1 + bytes.Count(data[:i], []byte("\n"))
			column := 1 + utf8.RuneCount(data[bytes.LastIndexByte(data[:i], '\n')+1:i])
			return fmt.Errorf("%s:%d: character %d of the line is %s", name, line, column, reason)
		}
		i += size
	}
	return nil
}

func unclean(r rune, size int, first byte) string {
	switch {
	case ' ' <= r && r <= '~', r == '\n', r == '\r', r == '\t':
		return ""
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("no UTF-8 (byte 0x%02X): save the file as UTF-8", first)
	case r == utf8.RuneError:
		return "U+FFFD, the mark of something that could not be read before: put back what stood there"
	case strings.ContainsRune("\u200C\u200D\uFE0E\uFE0F", r):
		return ""
	case plan.Escape(string(r)) != string(r):
		return fmt.Sprintf(`U+%04X, which nobody can see: take it out, or write it as the escape of a text`, r)
	}
	return ""
}
