package notify

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
	"github.com/holdpoint/holdpoint/workflows"
)

const defaultSubject = `{{.Title}}: {{.BusinessID}} ({{.Tenant}})`

const defaultText = `{{.Explanation}}

Run:           {{.RunID}}
Requested by:  {{.Requester}}
Plan:          {{.PlanHash}}
Size:          {{.Actions}} action{{if ne .Actions 1}}s{{end}}{{with .Risk}}, risk {{.}}{{end}}
{{- with .Waiting}}
Waiting:       {{join . ", "}}{{end}}
{{- with .Needs}}
Still needed:  {{.}}{{end}}
{{- with .People}}
Who may do it: {{join . ", "}}{{end}}
{{- with .Until}}
Time limit:    {{.}}{{end}}

What to type next:

  {{.Command}}

What the plan says is not in this mail. Look at the run before you decide.
A program sent this mail, and nobody reads replies to it.
`

// maxRendered bounds what a template makes, in bytes: one that loops must not
// fill the memory.
const maxRendered = 256 << 10

// parseTemplate reads a template, and renders it for every event that it will
// be used for. So a field that does not exist is found now, at its line, and
// not when somebody should have been told.
func parseTemplate(at place, field, text string, events []workflows.Event) (*template.Template, error) {
	parsed, err := template.New(field).Funcs(template.FuncMap{"join": strings.Join}).Parse(text)
	if err != nil {
		return nil, at.failTemplate(field, err)
	}
	for _, event := range events {
		for _, sample := range samples(event) {
			if _, err := render(parsed, sample); err != nil {
				return nil, at.failTemplate(field, err)
			}
		}
	}
	return parsed, nil
}

// samples are a notice that has everything, and one that has only what every
// notice has, so that both branches of a condition are looked at.
func samples(event workflows.Event) []workflows.Notice {
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	until := at.Add(24 * time.Hour)
	sparse := workflows.Notice{
		Key: "sample", Event: event, At: at, RunID: "acme/weekly", Tenant: "acme", BusinessID: "weekly", Requester: "ann",
		RequestID: "sample", Risk: plan.LowRisk, Command: "approver show acme/weekly",
	}
	full := sparse
	full.Actions, full.People, full.Needs = 2, []string{"bo", "cy"}, "2 of editors"
	full.Waiting, full.Until = []string{"a-1", "a-2"}, &until
	return []workflows.Notice{full, sparse}
}

func render(t *template.Template, n workflows.Notice) (string, error) {
	var out bounded
	err := t.Execute(&out, fieldsOf(n))
	return out.String(), err
}

// bounded is a buffer that does not grow without end.
type bounded struct{ bytes.Buffer }

var errTooLong = errors.New("more than 256 KiB")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxRendered {
		return 0, errTooLong
	}
	return b.Buffer.Write(p)
}

// templateError is the form of the errors of text/template: "template:
// NAME:LINE: what" or "template: NAME:LINE:COLUMN: what".
var templateError = regexp.MustCompile(`^template: [a-z]+:(\d+)(?::\d+)?: (?s:(.*))$`)

// unknownField is how text/template says that a field is not there.
var unknownField = regexp.MustCompile(`can't evaluate field (\w+) in type (\S+)`)

func missingField(name, in string) string {
	all := reflect.TypeFor[fields]()
	if in != all.String() {
		return "there is no ." + name + " in what stands there"
	}
	var known []string
	for field := range all.Fields() {
		known = append(known, "."+field.Name)
	}
	return "there is no ." + name + "; known are " + strings.Join(known, ", ")
}

// failTemplate is an error in a template, at the line where it is in the file
// when the template is a block there (| in YAML), and else at the field.
func (p place) failTemplate(field string, err error) error {
	line, reason := 1, err.Error()
	if parts := templateError.FindStringSubmatch(reason); parts != nil {
		line, _ = strconv.Atoi(parts[1]) // the pattern has digits there
		reason = parts[2]
	}
	if parts := unknownField.FindStringSubmatch(reason); parts != nil {
		reason = missingField(parts[1], parts[2])
	}
	node := strictyaml.Nearest(p.node, strings.Split(p.part+field, ".")...)
	if node == nil {
		return p.fail(field, "%s", reason)
	}
	at := *node
	if node.Kind == yaml.ScalarNode && node.Style&yaml.LiteralStyle != 0 {
		at.Line += line // the block begins below its |
	}
	return strictyaml.Fail(p.file, &at, "%s", fmt.Sprintf("channel %s: %s%s: %s", p.channel, p.part, field, reason))
}
