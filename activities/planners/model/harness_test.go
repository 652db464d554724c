package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// scene is a planner, the model's server and the stores beside it.
type scene struct {
	t       *testing.T
	planner *model.Planner
	server  *server
	replies *memory
	spend   *book
	meter   *meter
}

// newScene has a server that gives these answers in turn, see server.
func newScene(t *testing.T, answers ...any) *scene {
	t.Helper()
	return newSceneWithin(t, model.Limits{}, answers...)
}

func newSceneWithin(t *testing.T, limits model.Limits, answers ...any) *scene {
	t.Helper()
	s := &scene{t: t, server: &server{answers: answers}, replies: &memory{bodies: map[string][]byte{}}, spend: &book{}, meter: &meter{counts: map[string]int64{}}}
	var err error
	s.planner, err = model.New(model.Config{Name: "test", Engine: s.server, Replies: s.replies, Spend: s.spend, Meter: s.meter, Limits: limits})
	require.NoError(t, err)
	return s
}

func (s *scene) plan(r planners.Request) (planners.Draft, error) {
	return s.planner.Plan(s.t.Context(), r)
}

// attempts plans as Temporal does, until there is a draft or a permanent fault.
func (s *scene) attempts(r planners.Request) (draft planners.Draft, err error) {
	for range 20 {
		if draft, err = s.plan(r); err == nil || faults.ClassOf(err) == faults.Permanent {
			return draft, err
		}
	}
	s.t.Fatalf("it does not end: %v", err)
	return draft, err
}

// refusedAs says that planning ended for good, with this code.
func (s *scene) refusedAs(err error, code, text string) {
	s.t.Helper()
	require.ErrorContains(s.t, err, text)
	require.Equal(s.t, code, faults.Name(err).Code)
	require.Equal(s.t, faults.Permanent, faults.ClassOf(err))
	require.NotContains(s.t, err.Error(), "\n")
}

// envelope is how the server's answers are written.
type envelope struct {
	Text, Refusal string
	Stop          model.Stop
	In, Out       int64
}

// server is an engine that follows a script. An answer of it is a text, an
// envelope, or an error; a text that begins with '<h' is a page of HTML, and no
// answer of a model. The last answer stands for all further ones.
type server struct {
	mu      sync.Mutex
	answers []any
	heard   []model.Conversation
}

func (s *server) Identity() json.RawMessage {
	return json.RawMessage(`{"model":"m","url":"http://model"}`)
}

func (s *server) Ask(_ context.Context, c model.Conversation) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, c)
	answer := s.answers[min(len(s.heard), len(s.answers))-1]
	switch a := answer.(type) {
	case error:
		return nil, a
	case string:
		if strings.HasPrefix(a, "<h") {
			return []byte(a), nil
		}
		return json.Marshal(envelope{Text: a, Stop: model.Ended, In: 100, Out: 10})
	default:
		return json.Marshal(a)
	}
}

func (s *server) Read(body []byte) (model.Reply, error) {
	var e envelope
	if json.Unmarshal(body, &e) != nil {
		return model.Reply{}, &faults.Fault{Class: faults.Transient, Code: "not_an_answer", Reason: "the server sent no answer of a model"}
	}
	return model.Reply{
		Text: e.Text, Refusal: e.Refusal, Stop: e.Stop, ModelID: "m-2026-11", Usage: model.Usage{InputTokens: e.In, OutputTokens: e.Out},
	}, nil
}

// calls is how often the server was asked.
func (s *server) calls() int { return len(s.heard) }

// last is the latest message that the model has got.
func (s *server) last() string {
	messages := s.heard[len(s.heard)-1].Messages
	return messages[len(messages)-1].Text
}

// memory keeps replies; the hooks stand for what can happen around storing one.
type memory struct {
	mu            sync.Mutex
	bodies        map[string][]byte
	before, after func()
	fails         error
	probes        int
}

func (m *memory) Load(_ context.Context, tenant, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if body, ok := m.bodies[tenant+"/"+key]; ok {
		return body, nil
	}
	return nil, model.ErrNoReply
}

// Probe fails as Store does.
func (m *memory) Probe(context.Context, string) error {
	m.probes++
	return m.fails
}

func (m *memory) Store(ctx context.Context, tenant, key string, body []byte) ([]byte, error) {
	if m.before != nil {
		m.before()
	}
	if err := errors.Join(ctx.Err(), m.fails); err != nil {
		return nil, err
	}
	m.mu.Lock()
	if first, there := m.bodies[tenant+"/"+key]; there {
		body = first
	}
	m.bodies[tenant+"/"+key] = body
	m.mu.Unlock()
	if m.after != nil {
		m.after()
	}
	return body, nil
}

// book is a Spend with a limit on the calls.
type book struct {
	limit   int // calls; 0 is none
	fails   error
	calls   []model.Call
	settled map[int]model.Usage
	kept    []int
	waits   int // so many times others' calls leave no room
}

type entry struct {
	*book

	n int
}

// Made counts what was neither refused nor given back.
func (b *book) Made(_ context.Context, tenant, runID string, keys []string) (int, error) {
	made := 0
	if b.fails != nil {
		return 0, b.fails
	}
	for n, c := range b.calls {
		used, settled := b.settled[n]
		if c.Tenant == tenant && c.RunID == runID && slices.Contains(keys, c.Key) && (!settled || used != (model.Usage{})) {
			made++
		}
	}
	return made, nil
}

func (b *book) Reserve(_ context.Context, c model.Call) (model.Reservation, error) {
	if b.limit > 0 && len(b.calls) == b.limit {
		return nil, &faults.Fault{Class: faults.Permanent, Code: "over_budget", Reason: "the run may spend no more"}
	}
	if b.waits > 0 {
		b.waits--
		return nil, &faults.Fault{Class: faults.Transient, Code: "budget_reserved", Waits: true, Reason: "others' calls are under way"}
	}
	b.calls = append(b.calls, c)
	return entry{b, len(b.calls) - 1}, nil
}

// SettleStored settles the newest call of a request, unless one is settled.
func (b *book) SettleStored(ctx context.Context, tenant, runID, key string, u model.Usage) error {
	newest := -1
	for n, c := range b.calls {
		used, settled := b.settled[n]
		switch {
		case c.Tenant != tenant || c.RunID != runID || c.Key != key:
		case settled && used != (model.Usage{}):
			return nil
		case !settled:
			newest = n
		}
	}
	if newest < 0 {
		return errors.New("no such call")
	}
	return entry{b, newest}.Settle(ctx, u)
}

func (b *book) Cost(u model.Usage) string { return fmt.Sprintf("%d USD", u.InputTokens+u.OutputTokens) }

func (e entry) Keep(context.Context) error {
	e.kept = append(e.kept, e.n)
	return nil
}

func (e entry) Settle(_ context.Context, u model.Usage) error {
	if e.settled == nil {
		e.settled = map[int]model.Usage{}
	}
	e.settled[e.n] = u
	return nil
}

type meter struct{ counts map[string]int64 }

func (m *meter) Add(_ context.Context, c model.Counter, reason string, n int64) {
	m.counts[strings.TrimSuffix(string(c)+" "+reason, " ")] += n
}

// pageSchema is that of a tool for pages.
const pageSchema = `{"type":"object","additionalProperties":false,"required":["page","content"],"properties":{
  "page":{"type":"string"},"content":{"type":"string"}}}`

// request is one whose task allows pages in two places, and notes to one.
func request() planners.Request {
	return planners.Request{
		Tenant: "acme", RunID: "acme/weekly", BusinessID: "weekly", Goal: "Write the weekly report.",
		Documents: []planners.Document{
			{Source: "notes", Path: "monday.md", MediaType: "text/markdown", Text: "# Monday\nThe search was slow.\n"},
			{Source: "notes", Path: "周二.md", MediaType: "text/markdown", Text: "# 周二\n搜索恢复正常。\n"},
		},
		Targets: []planners.Target{
			{Tool: "page", Name: "kb", Schema: json.RawMessage(pageSchema)},
			{Tool: "page", Name: "kb/weekly", Schema: json.RawMessage(pageSchema)},
			{Tool: "note", Name: "board", Schema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)},
		},
	}
}

// good is a reply that can be used.
const good = `{"format":"holdpoint.actions/1","notes":["周二 is short"],"actions":[` +
	`{"id":"week","tool":"page","into":"kb/weekly","parameters":{"page":"w48.md","content":"# 周报\n` + "```sh\\nls\\n```" + `\n"},"documents":["notes/monday.md","notes/周二.md"]},` +
	`{"id":"tell","tool":"note","parameters":{"text":"done"},"depends_on":["week"]}]}`

// with is the good reply with something else in one place.
func with(t *testing.T, old, text string) string {
	t.Helper()
	require.Contains(t, good, old)
	return strings.Replace(good, old, text, 1)
}

// planned are a draft's actions as the canonical bytes that a plan would carry.
func planned(t *testing.T, draft planners.Draft) string {
	t.Helper()
	raw, err := json.Marshal(draft.Actions)
	require.NoError(t, err)
	canonical, err := plan.Canonicalize(raw)
	require.NoError(t, err)
	return string(canonical)
}
