package model

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"text/template"

	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Config is what a planner is made of.
type Config struct {
	Name    string // in tasks and plans: lower-case letters, digits, '_', '-'
	Engine  Engine
	Replies Replies
	Spend   Spend
	Meter   Meter // nil: nothing is counted
	Limits  Limits
	Log     *zap.Logger // nil: nothing is logged
}

// Planner asks a model. It is safe for concurrent use.
type Planner struct {
	name      string
	engine    Engine
	replies   Replies
	spend     Spend
	meter     Meter
	limits    Limits
	log       *zap.Logger
	templates *template.Template
}

var _ planners.Planner = (*Planner)(nil)

var plannerName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`)

// New makes a planner.
func New(c Config) (*Planner, error) {
	limits := c.Limits.withDefaults()
	switch {
	case !plannerName.MatchString(c.Name):
		return nil, fmt.Errorf("a planner's name has 1 to 64 lower-case letters, digits, '_' or '-', not %.64q", c.Name)
	case c.Engine == nil || c.Replies == nil || c.Spend == nil:
		return nil, errors.New("a planner needs an engine, a store for replies, and records of what is spent")
	case limits.InputTokens < 0 || limits.OutputTokens < 0 || limits.Tries < 0 || limits.Actions < 0:
		return nil, errors.New("a planner's limits are not negative")
	case limits.Actions > plan.MaxActions:
		return nil, fmt.Errorf("a plan has at most %d actions", plan.MaxActions)
	}
	templates, err := promptTemplates()
	if err != nil {
		return nil, fmt.Errorf("prompt %s: %w", promptName, err)
	}
	p := &Planner{
		name: c.Name, engine: c.Engine, replies: c.Replies, spend: c.Spend, meter: c.Meter,
		limits: limits, log: c.Log, templates: templates,
	}
	if p.meter == nil {
		p.meter = uncounted{}
	}
	if p.log == nil {
		p.log = zap.NewNop()
	}
	return p, nil
}

// Name is the planner's name in tasks and plans.
func (p *Planner) Name() string { return p.name }

// Version changes when the same reply would give another plan. What is asked
// has a version of its own, see planners.Draft.
func (p *Planner) Version() string { return "1" }

// Plan asks the model for actions. Its errors are faults; the table at the head
// of this package says which.
func (p *Planner) Plan(ctx context.Context, r planners.Request) (planners.Draft, error) {
	if len(r.Targets) == 0 {
		return planners.Draft{}, permanent("no_tools", "the task allows no tool, so there is nothing to plan")
	}
	question, err := p.ask(ctx, r)
	if err != nil {
		return planners.Draft{}, err
	}
	t := talk{Planner: p, request: r, shown: question.shown}
	draft, err := t.draft(ctx, question.Conversation)
	if err != nil {
		return planners.Draft{}, err
	}
	draft.Notes = append(question.notes, draft.Notes...)
	return draft, nil
}

type uncounted struct{}

func (uncounted) Add(context.Context, Counter, string, int64) {}
