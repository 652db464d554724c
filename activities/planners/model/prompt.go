package model

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/actions"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

//go:embed prompts/plan.v2.tmpl
var planPrompt []byte

// promptName is that of the file. A prompt that was used is never changed: the
// next one is another file.
const promptName = "plan.v2"

// promptVersion is what a plan records: name and digest of the prompt's file.
func promptVersion() string { return promptName + "@sha256:" + plan.Sum(planPrompt).Hex()[:12] }

// promptTemplates parses the file. It is part of the program, so an error is one
// of the build's, and New reports it.
func promptTemplates() (*template.Template, error) {
	return template.New(promptName).Option("missingkey=error").Parse(string(planPrompt))
}

// prompt is a first question, and what is not in it.
type prompt struct {
	Conversation
	shown map[string]bool // the documents that are in it, whole or in part, by name
	notes []string
}

// userMessage is what the user's message is made of. All texts are as they are
// shown.
type userMessage struct {
	Mark         string
	Goal         string
	Tools        string // JSON
	Feedback     []wish
	FeedbackLeft int    // how many older ones there are
	Earlier      string // JSON, empty without an earlier plan
	EarlierCut   string // what is missing of it
	Documents    []excerpt
	LeftOut      int // documents
}

// parts are the texts that must not contain the mark.
func (m userMessage) parts() []string {
	parts := []string{m.Goal, m.Tools, m.Earlier}
	for _, w := range m.Feedback {
		parts = append(parts, w.Text)
	}
	for _, d := range m.Documents {
		parts = append(parts, d.Name, d.MediaType, d.Text)
	}
	return parts
}

// ask builds the first question within the budget.
func (p *Planner) ask(ctx context.Context, r planners.Request) (prompt, error) {
	var none prompt
	uses := toolUses(r.Targets)
	schema, err := replySchema(uses, p.limits.Actions)
	if err != nil {
		return none, err
	}
	system, err := p.render("system", nil)
	if err != nil {
		return none, err
	}
	message := userMessage{Mark: noMark, Goal: readable(r.Goal), Tools: listTools(uses)}
	room := weight(p.limits.InputTokens*perToken) - weightOf(system) - weightOf(string(schema))
	notes, err := p.revise(&message, r, room)
	if err != nil {
		return none, err
	}
	fixed, err := p.render("user", message)
	if err != nil {
		return none, err
	}
	room -= weightOf(fixed) + lineAboutDocuments
	chosen, err := p.choose(ctx, r.Documents, room)
	if err != nil {
		return none, err
	}
	message.Documents, message.LeftOut = chosen.shown, len(chosen.left)
	message.seal()
	user, err := p.render("user", message)
	if err != nil {
		return none, err
	}
	shown := map[string]bool{}
	for _, d := range r.Documents[:len(chosen.shown)] {
		shown[actions.Name(d)] = true
	}
	c := Conversation{System: system, Messages: []Message{{User, user}}, Schema: schema}
	return prompt{Conversation: c, shown: shown, notes: append(notes, chosen.notes(p.limits.InputTokens)...)}, nil
}

// rejection is what the model is told of a reply that cannot be used. Its number
// makes the question after it another one, also when the same reply has come
// twice.
type rejection struct {
	Number, Most int
	Reason       string
}

// again goes on from a conversation's first question: with the reply to it that
// could not be used, the latest alone, and what is wrong with it.
func (p *Planner) again(first Conversation, reply string, r rejection) (Conversation, error) {
	text, err := p.render("again", r)
	if err != nil {
		return first, err
	}
	kept, _ := cutText(reply, countLines(reply), weight(p.limits.OutputTokens*perToken))
	if strings.TrimSpace(kept) == "" {
		kept = "(nothing)" // some servers refuse a message without a word
	}
	first.Messages = append(slices.Clone(first.Messages[:1]), Message{Assistant, kept}, Message{User, text})
	return first, nil
}

func (p *Planner) render(name string, data any) (string, error) {
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		return "", permanent("bad_prompt", "the prompt %s of this version cannot be written", promptName)
	}
	return b.String(), nil
}

const markLength = 32

// noMark stands for a mark while it is not known.
const noMark = "00000000000000000000000000000000"

// seal sets the mark: a digest of all parts. A part that held it would have to
// hold a digest of itself; nobody can write one, and it is looked for all the
// same.
func (m *userMessage) seal() {
	parts := m.parts()
	for salt := 0; ; salt++ {
		var b strings.Builder
		fmt.Fprint(&b, salt)
		for _, part := range parts {
			fmt.Fprintf(&b, "\n%d\n%s", len(part), part)
		}
		m.Mark = plan.Sum([]byte(b.String())).Hex()[:markLength]
		if !slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(part, m.Mark) }) {
			break
		}
	}
	for i := range m.Feedback {
		m.Feedback[i].Mark = m.Mark
	}
	for i := range m.Documents {
		m.Documents[i].Mark = m.Mark
	}
}

// listTools writes the tools one a line.
func listTools(uses []toolUse) string {
	var lines []string
	for _, use := range uses {
		lines = append(lines, compact(use))
	}
	return readable(strings.Join(lines, "\n"))
}

// compact is v as JSON in one line, with '<', '>' and '&' as they are.
func compact(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil { // a schema that is no JSON, which replySchema has refused
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
