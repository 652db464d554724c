package object

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// maxContent bounds an object, in bytes: an approver reads all of it.
const maxContent = 4 << 20

// content fills the object's content in. JSON is written with two blanks a
// level, so that what is stored is byte for byte what the preview shows.
func (s *settings) content(vars template.Vars) ([]byte, error) {
	raw, err := s.render(vars)
	if err == nil && len(raw) > maxContent {
		err = fmt.Errorf("the content has %d bytes; at most %d are allowed", len(raw), maxContent)
	}
	return raw, err
}

func (s *settings) render(vars template.Vars) ([]byte, error) {
	if s.JSON.IsZero() {
		text, err := s.Text.Render(vars, nil)
		return []byte(text), err
	}
	value, err := s.JSON.Render(vars)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
