package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/cli"
	"github.com/holdpoint/holdpoint/workflows"
)

// readTask reads a task from a YAML or JSON file. Unknown fields, and names in
// another letter case, are errors.
func readTask(path string) (workflows.Task, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return workflows.Task{}, fmt.Errorf("task: %w", err)
	}
	task, err := parseTask(raw)
	if err != nil {
		return workflows.Task{}, fmt.Errorf("task %s: %w", path, err)
	}
	return task, nil
}

// parseTask goes by way of JSON, so that one set of field names serves files,
// the temporal CLI and the history.
func parseTask(raw []byte) (workflows.Task, error) {
	read := yamlAsJSON
	if json.Valid(raw) {
		// YAML knows neither all of JSON's escapes nor tabs, and JSON's own
		// reader takes the last of two equal names.
		read = plan.Canonicalize
	}
	asJSON, err := read(raw)
	if err != nil {
		return workflows.Task{}, err
	}
	var names any
	if err := json.Unmarshal(asJSON, &names); err != nil {
		return workflows.Task{}, err
	}
	if err := checkNames(names); err != nil {
		return workflows.Task{}, err
	}
	var task workflows.Task
	strict := json.NewDecoder(bytes.NewReader(asJSON))
	strict.DisallowUnknownFields()
	return task, strict.Decode(&task)
}

func yamlAsJSON(raw []byte) ([]byte, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("holds more than one document")
	}
	asTexts(&document)
	var values any
	if err := document.Decode(&values); err != nil {
		return nil, err
	}
	return json.Marshal(values)
}

// asTexts lets every scalar stand for what is written. A task has nothing but
// texts, and YAML would make a time of the business id 2026-11-24 and the
// number 7 of 007.
func asTexts(node *yaml.Node) {
	if node.Kind == yaml.ScalarNode && node.ShortTag() != "!!null" {
		node.Tag = "!!str"
	}
	for _, child := range node.Content {
		asTexts(child)
	}
}

// checkNames refuses what Go's decoder would take for a field's name although
// it is written in another way.
func checkNames(value any) error {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
				return fmt.Errorf("unknown field %+q", name)
			}
			if err := checkNames(member); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := checkNames(element); err != nil {
				return err
			}
		}
	}
	return nil
}

// taskFlags describe a task in one command line, for one's own folder.
type taskFlags struct {
	file, goal, from, into, tenant, id, requester, version, onFailure string
	include, exclude                                                  []string
}

// task returns the task that the flags name, with its defaults and checked.
func (f taskFlags) task(requester string) (workflows.Task, error) {
	var task workflows.Task
	if f.file != "" {
		if f.goal != "" || f.from != "" || f.into != "" || len(f.include)+len(f.exclude) > 0 {
			return task, cli.Usagef("--task holds the whole task: leave out --goal, --from, --into, --include and --exclude")
		}
		var err error
		if task, err = readTask(f.file); err != nil {
			return task, cli.UsageError{Err: err}
		}
	} else {
		if f.goal == "" || f.from == "" || f.into == "" {
			return task, cli.Usagef("say what is wanted: --goal, --from and --into, or --task FILE")
		}
		source, err := sourceOf(f)
		if err != nil {
			return task, err
		}
		target, path, _ := strings.Cut(f.into, "/")
		task.Goal, task.Context = f.goal, []workflows.Source{source}
		task.Tools = []workflows.ToolUse{{Tool: "gitpages", Target: target, Path: path}}
		task.BusinessID = defaultID(f)
	}
	task.Tenant = cmp.Or(f.tenant, task.Tenant, "default")
	overlay(&task.BusinessID, f.id)
	overlay(&task.SemanticVersion, f.version)
	if f.onFailure != "" {
		task.OnFailure = workflows.OnFailure(f.onFailure)
	}
	overlay(&task.Requester, f.requester)
	if task.Requester == "" {
		task.Requester = requester
	}
	task = task.WithDefaults()
	if err := task.Validate(); err != nil {
		return task, cli.UsageError{Err: err}
	}
	return task, nil
}

func sourceOf(f taskFlags) (workflows.Source, error) {
	if strings.HasPrefix(f.from, "/") || strings.HasPrefix(f.from, ".") {
		return workflows.Source{}, cli.Usagef(
			"--from %s is a path: name a source root of the worker's configuration, e.g. --from notes or --from notes/2026", f.from)
	}
	root, path, _ := strings.Cut(f.from, "/")
	return workflows.Source{Kind: "dir", Root: root, Path: path, Include: f.include, Exclude: f.exclude}, nil
}

// defaultID is the same for the same wish, so that asking twice is noticed.
func defaultID(f taskFlags) string {
	from, into := strings.TrimSuffix(f.from, "/"), strings.TrimSuffix(f.into, "/")
	sum := sha256.Sum256([]byte(strings.Join([]string{f.goal, from, into}, "\x00")))
	var slug strings.Builder
	for _, c := range strings.ToLower(f.goal) {
		switch {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			slug.WriteRune(c)
		case slug.Len() > 0 && !strings.HasSuffix(slug.String(), "-"):
			slug.WriteByte('-')
		}
		if slug.Len() >= 40 {
			break
		}
	}
	name := strings.Trim(slug.String(), "-")
	if name == "" {
		name = "task"
	}
	return name + "-" + hex.EncodeToString(sum[:4])
}

func overlay(field *string, value string) {
	if value != "" {
		*field = value
	}
}

// digest identifies a task's meaning: the SHA-256 of its canonical JSON.
func digest(task workflows.Task) (plan.Digest, error) {
	raw, err := json.Marshal(task)
	if err != nil {
		return plan.Digest{}, err
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return plan.Digest{}, cli.Usagef("task: %w", err)
	}
	return plan.Sum(canonical), nil
}
