package program

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/planners/budget"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/anthropic"
	"github.com/holdpoint/holdpoint/activities/planners/model/openai"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// The kinds of planners that ask a model.
const (
	kindOpenAI    = "openai"
	kindAnthropic = "anthropic"
)

// plannerSettings are those of a planner that do not depend on its kind.
// docs/models.md says what each field means.
type plannerSettings struct {
	Kind          string  `yaml:"kind"`
	Asks          int     `yaml:"asks"`
	Tries         int     `yaml:"tries"`
	InputTokens   int     `yaml:"input_tokens"`
	Actions       int     `yaml:"actions"`
	RatePerSecond float64 `yaml:"rate_per_second"`
}

type openaiPlanner struct {
	plannerSettings `yaml:",inline"`
	openai.Config   `yaml:",inline"`
}

type anthropicPlanner struct {
	plannerSettings  `yaml:",inline"`
	anthropic.Config `yaml:",inline"`
}

// modelPlanner is a planner that asks a model, as it is declared.
type modelPlanner struct {
	name, kind string
	model      string // its name at the provider
	server     string // scheme and host
	engine     model.Engine
	limits     model.Limits
	timeout    time.Duration // of one call
	rate       float64       // attempts to plan a second, over all workers; 0 is no limit
}

// modelPlanners are those of a configuration, by name, and what they may spend.
type modelPlanners struct {
	declared []modelPlanner
	budgets  budget.Config
}

// readPlanners reads the sections "planners" and "budgets". It reads files of
// authorities, resolves no key, and connects to nothing. Its error names every
// mistake, with file and line.
func readPlanners(cfg config.Config) (modelPlanners, error) {
	var all modelPlanners
	if err := all.readBudgets(cfg.Budgets); err != nil {
		return modelPlanners{}, err
	}
	file, section := cfg.Planners.File, strictyaml.Field(cfg.Planners.Node) // without document and alias
	if strictyaml.Absent(section) {
		return all, nil
	}
	if section.Kind != yaml.MappingNode {
		return modelPlanners{}, strictyaml.Fail(file, section, "planners: declare each planner under its name")
	}
	var byNode map[string]yaml.Node
	errs := []error{strictyaml.Decode(file, section, &byNode)} // a name that stands there twice
	for i := 0; i+1 < len(section.Content); i += 2 {
		p, err := plannerPlace{file, section.Content[i], section.Content[i+1]}.read(all.budgets)
		all.declared, errs = append(all.declared, p), append(errs, err)
	}
	slices.SortFunc(all.declared, func(a, b modelPlanner) int { return cmp.Compare(a.name, b.name) })
	return all, errors.Join(errs...)
}

// readBudgets gives each of Validate's mistakes the line that it is about.
func (m *modelPlanners) readBudgets(section config.Section) error {
	if fields := strictyaml.Field(section.Node); !strictyaml.Absent(fields) && fields.Kind != yaml.MappingNode {
		return strictyaml.Fail(section.File, fields, "budgets: its fields are expected here, such as currency, prices and run")
	}
	if err := strictyaml.Decode(section.File, section.Node, &m.budgets); err != nil {
		return err
	}
	var errs []error
	for _, mistake := range mistakes(m.budgets.Validate()) {
		errs = append(errs, strictyaml.Fail(section.File, nodeOf(section.Node, "budgets", mistake), "%s", mistake))
	}
	return errors.Join(errs...)
}

// nodeOf is the node that a mistake begins with, such as
// "budgets.prices.gpt-4.1.input is missing", or the last one on the way to it: a
// name may have dots in it.
func nodeOf(node *yaml.Node, path, mistake string) *yaml.Node {
	fields := strictyaml.Field(node)
	if fields == nil || fields.Kind != yaml.MappingNode {
		return node
	}
	for i := 0; i+1 < len(fields.Content); i += 2 {
		inner := path + "." + fields.Content[i].Value
		if rest, ok := strings.CutPrefix(mistake, inner); ok && strings.IndexAny(rest, ". :") == 0 {
			return nodeOf(fields.Content[i+1], inner, mistake)
		}
	}
	return node
}

// mistakes are the lines of a joined error.
func mistakes(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// plannerPlace is where a planner is declared, for errors about it.
type plannerPlace struct {
	file       string
	name, node *yaml.Node
}

// fail is an error at a field, or at the nearest that there is.
func (p plannerPlace) fail(field, format string, args ...any) error {
	at := strictyaml.Field(p.node, field)
	if at == nil {
		at = p.name
	}
	return strictyaml.Fail(p.file, at, "planner %s: %s", p.name.Value, fmt.Sprintf(format, args...))
}

func (p plannerPlace) read(budgets budget.Config) (modelPlanner, error) {
	m := modelPlanner{name: p.name.Value}
	for _, taken := range builtIn(config.Config{}) {
		if taken.Name() == m.name {
			return m, p.fail("", "the name is that of a planner that every worker has: choose another")
		}
	}
	if strictyaml.Absent(p.node) || strictyaml.Field(p.node).Kind != yaml.MappingNode {
		return m, p.fail("", "fields are expected here; kind is %q or %q", kindOpenAI, kindAnthropic)
	}
	if kind := strictyaml.Field(p.node, "kind"); kind != nil {
		m.kind = kind.Value
	}
	s := m.defaults()
	var err error
	switch m.kind {
	case kindOpenAI:
		c := openaiPlanner{s, openai.Defaults()}
		if err := p.decode(&c, &c.CAFile); err != nil {
			return m, err
		}
		s, m.model, m.timeout, m.server = c.plannerSettings, c.Model, c.Timeout, hostOf(c.BaseURL)
		m.limits.OutputTokens = int(c.MaxOutputTokens)
		m.engine, err = openai.New(c.Config)
	case kindAnthropic:
		c := anthropicPlanner{s, anthropic.Defaults()}
		if err := p.decode(&c, &c.CAFile); err != nil {
			return m, err
		}
		s, m.model, m.timeout, m.server = c.plannerSettings, c.Model, c.Timeout, hostOf(c.BaseURL)
		m.limits.OutputTokens = int(c.MaxOutputTokens)
		m.engine, err = anthropic.New(c.Config)
	default:
		return m, p.fail("kind", "kind %q: the known kinds are %q and %q", m.kind, kindOpenAI, kindAnthropic)
	}
	if err := errors.Join(p.placed(err), m.take(s, p)); err != nil {
		return m, err
	}
	return m, p.tryOpen(m, budgets)
}

// decode reads the settings, and takes ca_file from the folder of the file.
func (p plannerPlace) decode(settings any, caFile *string) error {
	if err := strictyaml.Decode(p.file, p.node, settings); err != nil || *caFile == "" || filepath.IsAbs(*caFile) {
		return err
	}
	at, err := filepath.Abs(filepath.Join(filepath.Dir(p.file), *caFile))
	*caFile = at
	return err
}

// placed gives each of an engine's mistakes, "field: reason", its line.
func (p plannerPlace) placed(err error) error {
	var errs []error
	for _, mistake := range mistakes(err) {
		field, _, _ := strings.Cut(mistake, ":")
		errs = append(errs, p.fail(field, "%s", mistake))
	}
	return errors.Join(errs...)
}

func (m *modelPlanner) defaults() plannerSettings {
	l := model.DefaultLimits()
	return plannerSettings{Asks: l.Asks, Tries: l.Tries, InputTokens: l.InputTokens, Actions: l.Actions}
}

// take checks the settings and makes them the planner's.
func (m *modelPlanner) take(s plannerSettings, p plannerPlace) error {
	var errs []error
	for _, f := range []struct {
		name          string
		value         int
		least, utmost int
	}{
		{"asks", s.Asks, 0, 10}, {"tries", s.Tries, 1, 10},
		{"input_tokens", s.InputTokens, 1, 10_000_000}, {"actions", s.Actions, 1, 1_000},
	} {
		if f.value < f.least || f.value > f.utmost {
			errs = append(errs, p.fail(f.name, "%s: use a number from %d to %d", f.name, f.least, f.utmost))
		}
	}
	if strictyaml.Field(p.node, "rate_per_second") != nil && !(s.RatePerSecond > 0 && s.RatePerSecond <= 1000) {
		errs = append(errs, p.fail("rate_per_second", "rate_per_second: use a number above 0, at most 1000; leave it out for no limit"))
	}
	m.rate = s.RatePerSecond
	m.limits.Asks, m.limits.Tries, m.limits.InputTokens, m.limits.Actions = s.Asks, s.Tries, s.InputTokens, s.Actions
	if s.Asks == 0 {
		m.limits.Asks = -1 // for which 0 is the default
	}
	return errors.Join(errs...)
}

// tryOpen finds out what only a planner itself would say, without any store.
func (p plannerPlace) tryOpen(m modelPlanner, budgets budget.Config) error {
	book, err := budget.New(nil, budgets)
	if err != nil {
		return err
	}
	if _, err := book.Account(m.model, startOfAttempt); err != nil {
		return p.fail("model", "%s", err)
	}
	if _, err := m.open(nil, book, nil, nil); err != nil {
		return p.fail("", "%s", err)
	}
	return nil
}

// hostOf is the part of an address that has no secret in it.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}
