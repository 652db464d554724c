package modelserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/regularfile"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// DefaultModel is the id that a script without another one reports.
const DefaultModel = "scripted-1"

// Script is what a server answers.
type Script struct {
	// Model is the id that answers report; DefaultModel when empty.
	Model string `yaml:"model"`
	// Answers are given in order, one a call.
	Answers []Answer `yaml:"answers"`
	// Default is the answer of all calls after the last of Answers; nil stands for
	// the last one, again and again.
	Default *Answer `yaml:"default"`
}

// Load reads a script from a YAML file. Files that it names are relative to its
// folder. The error joins one for each mistake, with file and line.
func Load(path string) (Script, error) {
	raw, err := regularfile.Read(path)
	if err != nil {
		return Script{}, err
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return Script{}, fmt.Errorf("%s: the script is empty", path)
	case err != nil:
		return Script{}, fmt.Errorf("%s: %w", path, err)
	case !errors.Is(decoder.Decode(new(any)), io.EOF):
		return Script{}, fmt.Errorf("%s: more follows after the end of the script", path)
	}
	var s Script
	if err := strictyaml.Decode(path, &document, &s); err != nil {
		return Script{}, err
	}
	return s, s.complete(path, &document)
}

// complete checks the answers and reads the files that they name.
func (s *Script) complete(path string, document *yaml.Node) error {
	if len(s.Answers) == 0 && s.Default == nil {
		return fmt.Errorf("%s: the script has no answers", path)
	}
	answers := strictyaml.Field(document.Content[0], "answers")
	var errs []error
	for i := range s.Answers {
		if err := s.Answers[i].complete(filepath.Dir(path)); err != nil {
			errs = append(errs, strictyaml.Fail(path, answers.Content[i], "answer %d: %s", i+1, err))
		}
	}
	if s.Default != nil {
		if err := s.Default.complete(filepath.Dir(path)); err != nil {
			errs = append(errs, strictyaml.Fail(path, strictyaml.Field(document.Content[0], "default"), "default: %s", err))
		}
	}
	return errors.Join(errs...)
}
