package program

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/holdpoint/holdpoint/activities"
	"github.com/holdpoint/holdpoint/internal/config"
	"github.com/holdpoint/holdpoint/workflows"
)

// withModels is a configuration with a repository to write to, and these
// sections. They begin in its sixth line.
const withModels = "repositories: {kb: {path: kb}}\ntask_queue: reports\n"

func TestConfigShowsPlannersAndAsksNobody(t *testing.T) {
	t.Setenv("OPENAI_KEY", "sk-123")
	require.NoError(t, os.Unsetenv("ANTHROPIC_KEY_ABSENT"))
	site := newSite(t, withModels+`planners:
  writer:
    kind: openai
    base_url: https://models.example.com/v1
    model: gpt-x
    key: ${env:OPENAI_KEY}
    rate_per_second: 0.5
  careful: {kind: anthropic, model: claude-x, key: "${env:ANTHROPIC_KEY_ABSENT}"}
budgets:
  currency: USD
  prices: {gpt-x: {input: "2.50", output: "10"}, claude-x: {input: "3", output: "15"}}
  run: {cost: "5.00"}
`)
	p := site.run("", "config")
	require.Zero(t, p.code, p.err)
	var rows []string
	for line := range strings.Lines(p.out) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	require.Contains(t, rows, "planner writer: openai, model gpt-x at https://models.example.com, at most 0.5 attempts a second over all workers")
	require.Contains(t, rows, "planner careful: anthropic, model claude-x at https://api.anthropic.com")
	require.Contains(t, rows, "blobs a folder, in the data folder")
	require.Contains(t, p.out, "holdpoint.yaml:13: planners: the environment variable ANTHROPIC_KEY_ABSENT is not set")
	require.NotContains(t, p.out, "sk-123")

	p = site.run("", "config", "-o", "json")
	require.Zero(t, p.code, p.err)
	var got view
	require.NoError(t, json.Unmarshal([]byte(p.out), &got))
	require.Equal(t, []plannerView{
		{Name: "careful", Kind: "anthropic", Model: "claude-x", Server: "https://api.anthropic.com"}, {Name: "given"}, {Name: "outline"},
		{Name: "writer", Kind: "openai", Model: "gpt-x", Server: "https://models.example.com", Rate: 0.5},
	}, got.Planners)
}

func TestPlannerThatIsRefused(t *testing.T) {
	const openai = "  p: {kind: openai, model: m, key: \"${env:K}\"}\n"
	for name, tt := range map[string]struct{ text, says string }{
		"a list":             {"planners: [p]\n", ":6: planners: declare each planner under its name"},
		"twice":              {"planners:\n" + openai + openai, ":8: p stands in line 7 already"},
		"no kind":            {"planners:\n  p: {model: m}\n", `:7: planner p: kind "": the known kinds are "openai" and "anthropic"`},
		"another kind":       {"planners:\n  p:\n    model: m\n    kind: llama\n", `:9: planner p: kind "llama"`},
		"nothing":            {"planners:\n  p:\n", ":7: planner p: fields are expected here"},
		"a name that is had": {"planners:\n  outline: {kind: openai, model: m}\n", ":7: planner outline: the name is that of a planner that every worker has"},
		"the other name":     {"planners:\n  given: {kind: openai, model: m}\n", ":7: planner given: the name is that of"},
		"a name":             {"planners:\n  P: {kind: openai, model: m}\n", ":7: planner P: a planner's name has 1 to 64 lower-case letters"},
		"an unknown field":   {"planners:\n  p:\n    kind: openai\n    model: m\n    modell: n\n", `:10: unknown field "modell"; known are kind, asks, tries, input_tokens, actions, rate_per_second, base_url,`},
		"of the other kind":  {"planners:\n  p:\n    kind: openai\n    model: m\n    api_version: x\n", `:10: unknown field "api_version"`},
		"a type":             {"planners:\n  p:\n    kind: openai\n    model: m\n    asks: often\n", `:10: asks: "often" is no whole number`},
		"no model":           {"planners:\n  p: {kind: anthropic}\n", ":7: planner p: model: name the model"},
		"the key itself":     {"planners:\n  p:\n    kind: openai\n    model: m\n    key: sk-123\n", ":10: planner p: key: write a reference"},
		"an address":         {"planners:\n  p:\n    kind: openai\n    model: m\n    base_url: ftp://x\n", ":10: planner p: base_url: this is no http or https URL"},
		"asks":               {"planners:\n  p:\n    kind: openai\n    model: m\n    asks: 11\n", ":10: planner p: asks: use a number from 0 to 10"},
		"tries":              {"planners:\n  p:\n    kind: openai\n    model: m\n    tries: 0\n", ":10: planner p: tries: use a number from 1 to 10"},
		"input tokens":       {"planners:\n  p:\n    kind: openai\n    model: m\n    input_tokens: 0\n", ":10: planner p: input_tokens: use a number from 1"},
		"output tokens":      {"planners:\n  p:\n    kind: openai\n    model: m\n    output_tokens: 0\n", ":10: planner p: output_tokens: use a number from 1 on"},
		"actions":            {"planners:\n  p:\n    kind: openai\n    model: m\n    actions: 1001\n", ":10: planner p: actions: use a number from 1 to 1000"},
		"a rate of nothing":  {"planners:\n  p:\n    kind: openai\n    model: m\n    rate_per_second: 0\n", ":10: planner p: rate_per_second: use a number above 0"},
		"no rate":            {"planners:\n  p:\n    kind: openai\n    model: m\n    rate_per_second: .nan\n", ":10: planner p: rate_per_second: use a number above 0"},
		"authorities":        {"planners:\n  p:\n    kind: openai\n    model: m\n    ca_file: no-such.pem\n", ":10: planner p: ca_file: cannot be read: stat /"},
		"a list of budgets":  {"budgets: [USD]\n", ":6: budgets: its fields are expected here, such as currency, prices and run"},
		"budgets' field":     {"budgets:\n  curency: USD\n", `:7: unknown field "curency"; known are currency, prices, run, tenant, tenants`},
		"a price":            {"budgets:\n  currency: USD\n  prices:\n    gpt-4.1:\n      input: \"2,50\"\n      output: \"1\"\n", `:10: budgets.prices.gpt-4.1.input: "2,50" is no amount`},
		"half a price":       {"budgets:\n  currency: USD\n  prices:\n    gpt-4.1: {input: \"1\"}\n", ":9: budgets.prices.gpt-4.1.output is missing"},
		"no currency":        {"budgets:\n  run: {cost: \"5\"}\n", ":7: budgets.currency must be three capital letters"},
		"a model without a price": {"budgets:\n  currency: USD\n  run: {cost: \"5\"}\nplanners:\n  p:\n    kind: openai\n    model: m\n",
			":12: planner p: budgets limit what is spent in USD, and budgets.prices has no price of the model m"},
	} {
		t.Run(name, func(t *testing.T) {
			site := newSite(t, withModels+tt.text)
			p := site.run("", "config")
			require.Equal(t, 1, p.code, p.out)
			require.Contains(t, p.err, site.path("holdpoint.yaml")+tt.says)
			require.NotContains(t, p.err, "sk-123")
		})
	}
}

// Every planner that is wrong is named.
func TestPlannersNameEveryMistake(t *testing.T) {
	p := newSite(t, withModels+"planners:\n  a: {kind: openai}\n  b: {kind: openai, model: m, tries: 0, asks: -1}\n").run("", "config")
	for _, says := range []string{"planner a: model: name the model", "planner b: asks:", "planner b: tries:"} {
		require.Contains(t, p.err, says)
	}
}

// An attempt may take as long as its calls can, and is never cut short of the
// usual time. A planner with a rate has a queue of its own.
func TestSettingsFollowThePlanners(t *testing.T) {
	for name, tt := range map[string]struct {
		planners string
		want     time.Duration
	}{
		"none":     {"", 10 * time.Minute},
		"a quick":  {"planners: {p: {kind: openai, model: m, timeout: 30s, asks: 0}}\n", 10 * time.Minute},
		"usual":    {"planners: {p: {kind: openai, model: m}}\n", 20 * time.Minute}, // 3 calls of 5 minutes, and 5
		"the slow": {"planners: {p: {kind: openai, model: m, timeout: 1m}, q: {kind: anthropic, model: m, timeout: 30m, asks: 1}}\n", 65 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := loaded(t, withModels+tt.planners)
			models, err := readPlanners(cfg)
			require.NoError(t, err)
			s := settings(cfg, models)
			require.Equal(t, tt.want, s.PlanTimeout)
			require.Equal(t, workflows.DefaultSettings().StepTimeout, s.StepTimeout)
			require.Empty(t, s.PlanQueues)
		})
	}
	cfg := loaded(t, withModels+"planners: {p: {kind: openai, model: m, rate_per_second: 2}, q: {kind: openai, model: m}}\n")
	models, err := readPlanners(cfg)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"p": "reports/plans/p"}, settings(cfg, models).PlanQueues)
}

// How long a step persists is the configuration's to say.
func TestAttemptsFollowTheConfiguration(t *testing.T) {
	require.Equal(t, activities.StepLimits{Attempts: 10, Patience: 24 * time.Hour}, newAttempts(loaded(t, withModels), zap.NewNop()).Steps)
	cfg := loaded(t, withModels+"limits: {step_attempts: 3, step_patience: 90m}\n")
	require.Equal(t, activities.StepLimits{Attempts: 3, Patience: 90 * time.Minute}, newAttempts(cfg, zap.NewNop()).Steps)
}

func loaded(t *testing.T, text string) config.Config {
	t.Helper()
	cfg, err := config.Load(newSite(t, text).path("holdpoint.yaml"))
	require.NoError(t, err)
	return cfg
}

// A path in the file is one of its folder.
func TestAuthoritiesOfAModelLieBesideTheFile(t *testing.T) {
	site := newSite(t, withModels+"planners: {p: {kind: openai, model: m, ca_file: ca.pem}}\n")
	site.write("ca.pem", "nothing")
	p := site.run("", "config")
	require.Contains(t, p.err, "planner p: ca_file: holds no certificate in PEM form", "it was found")
}

func TestModelServerIsPartOfTheProgram(t *testing.T) {
	command, _, err := newCommand(nil).Find([]string{"model-server"})
	require.NoError(t, err)
	require.NotNil(t, command.Flags().Lookup("script"))
}
