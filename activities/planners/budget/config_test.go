package budget_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/planners/budget"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

func read(t *testing.T, text string) budget.Config {
	t.Helper()
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	var c budget.Config
	require.NoError(t, strictyaml.Decode("holdpoint.yaml", &document, &c))
	return c
}

func TestConfigIsReadFromYAML(t *testing.T) {
	c := read(t, `
currency: USD
prices:
  gpt-x: {input: "2.50", output: 10.00}   # also without quotes it stays the text that it is
run: {tokens: 2000000, cost: "5.00"}
tenant: {tokens: 50000000}
tenants:
  acme: {cost: "500.00"}
`)
	require.Equal(t, budget.Config{
		Currency: "USD",
		Prices:   map[string]budget.Price{"gpt-x": {Input: "2.50", Output: "10.00"}},
		Run:      budget.Limits{Tokens: 2_000_000, Cost: "5.00"},
		Tenant:   budget.Limits{Tokens: 50_000_000},
		Tenants:  map[string]budget.Limits{"acme": {Cost: "500.00"}},
	}, c)
	require.NoError(t, c.Validate())
	require.NoError(t, budget.Config{}.Validate(), "nothing has to be limited")
	require.NoError(t, read(t, `{run: {tokens: 5}}`).Validate(), "tokens need no currency")
}

func TestConfigIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{prices: {m: {input: "1", output: "1"}}}`:                        "budgets.currency must be",
		`{run: {cost: "1"}}`:                                              "budgets.currency must be",
		`{tenants: {acme: {cost: "1"}}}`:                                  "budgets.currency must be",
		`{currency: usd}`:                                                 "budgets.currency must be",
		`{currency: USD, prices: {m: {input: "1"}}}`:                      "budgets.prices.m.output is missing",
		`{currency: USD, prices: {m: {output: "1"}}}`:                     "budgets.prices.m.input is missing",
		`{currency: USD, prices: {m: {input: "1.0000001", output: "1"}}}`: `budgets.prices.m.input: "1.0000001" is no amount`,
		`{currency: USD, prices: {m: {input: "-1", output: "1"}}}`:        `budgets.prices.m.input: "-1" is no amount`,
		`{run: {tokens: -1}}`:                                             "budgets.run.tokens is negative",
		`{currency: USD, tenant: {cost: "0.00"}}`:                         "budgets.tenant.cost is 0",
		`{currency: USD, tenants: {acme: {cost: "5 USD"}}}`:               `budgets.tenants.acme.cost: "5 USD" is no amount`,
	} {
		err := read(t, text).Validate()
		require.ErrorContains(t, err, want, text)
		_, newErr := budget.New(nil, read(t, text))
		require.Equal(t, err, newErr)
	}
	all := read(t, `{run: {tokens: -1}, tenant: {tokens: -1}, tenants: {b: {tokens: -1}, a: {tokens: -1}}}`).Validate()
	require.Len(t, strings.Split(all.Error(), "\n"), 4, "every mistake is named")
}
