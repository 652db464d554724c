package gitpages

import (
	"bytes"
	_ "embed" // for the schema
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/holdpoint/holdpoint/activities/gitcli"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

const (
	maxContentBytes = 1 << 20
	maxTitleRunes   = 120
)

//go:embed parameters.schema.json
var schema []byte

// parameters are an action's parameters, in the form of the schema.
type parameters struct {
	Page    string `json:"page"`
	Content string `json:"content"`
	Title   string `json:"title"`
}

// parseProposed reads parameters as a planner wrote them and brings them into
// the one form that is approved: CR LF becomes LF, the last line ends in LF,
// the title is one line. After that nothing is changed any more.
func parseProposed(raw json.RawMessage) (parameters, error) {
	p, err := decode(raw)
	if err != nil {
		return parameters{}, err
	}
	p.Content = strings.ReplaceAll(p.Content, "\r\n", "\n")
	if p.Content != "" && !strings.HasSuffix(p.Content, "\n") {
		p.Content += "\n"
	}
	p.Title = shorten(oneLine(p.Title), maxTitleRunes)
	if p.Title == "" {
		p.Title = shorten("Write "+p.Page, maxTitleRunes)
	}
	return p, p.check()
}

// parseApproved reads parameters as they were approved. Whatever parseProposed
// would still have to change was not approved in this form, and is refused.
func parseApproved(raw json.RawMessage) (parameters, error) {
	p, err := parseProposed(raw)
	if err != nil {
		return parameters{}, err
	}
	canonical, err := p.canonical()
	if err != nil {
		return parameters{}, err
	}
	if !bytes.Equal(canonical, raw) {
		return parameters{}, permanent(codeParameters, "the parameters are not in the form in which a plan carries them")
	}
	return p, nil
}

// decode accepts one JSON object with the schema's members, each a text, and
// nothing else. encoding/json alone would take other spellings of the names.
func decode(raw json.RawMessage) (parameters, error) {
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return parameters{}, permanent(codeParameters, "the parameters are no strict JSON")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &members); err != nil || members == nil {
		return parameters{}, permanent(codeParameters, "the parameters are no JSON object")
	}
	var p parameters
	known := map[string]*string{"page": &p.Page, "content": &p.Content, "title": &p.Title}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		into, ok := known[name]
		if !ok {
			return parameters{}, permanent(codeParameters, "the parameter %s does not exist; there are page, content and title", gitcli.Quote(name))
		}
		if len(value) == 0 || value[0] != '"' {
			return parameters{}, permanent(codeParameters, "the parameter %s is no text", name)
		}
		if err := json.Unmarshal(value, into); err != nil {
			return parameters{}, permanent(codeParameters, "the parameter %s is no text", name)
		}
	}
	return p, nil
}

func (p parameters) check() error {
	if err := checkPath(p.Page); err != nil {
		return err
	}
	switch {
	case p.Content == "":
		return permanent(codeContent, "the content of page %s is empty", gitcli.Quote(p.Page))
	case len(p.Content) > maxContentBytes:
		return permanent(codeContent, "the content of page %s has %d bytes; %d is the most", gitcli.Quote(p.Page), len(p.Content), maxContentBytes)
	case strings.ContainsRune(p.Content, 0):
		return permanent(codeContent, "the content of page %s has a NUL in it, so it is no text", gitcli.Quote(p.Page))
	}
	return nil
}

// canonical returns the form that the plan carries.
func (p parameters) canonical() (json.RawMessage, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, permanent(codeParameters, "the parameters cannot be written as JSON")
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return nil, permanent(codeParameters, "the parameters have no canonical form")
	}
	return canonical, nil
}

// oneLine turns a text into one line: every control character and every line
// or paragraph separator becomes a space, and spaces are folded. Nothing that
// passes here can start a line, so nothing can pose as a commit's trailer.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

func shorten(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:runes-1]), " ") + "…"
}
