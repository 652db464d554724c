package budget

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Config is what runs and tenants may spend, as the head of this package shows
// it. The zero Config limits nothing and knows no price.
type Config struct {
	// Currency is the one of all amounts, such as "USD" (ISO 4217). It has to be
	// given with an amount.
	Currency string `yaml:"currency"`
	// Prices are by the name that the model has in the configuration.
	Prices map[string]Price `yaml:"prices"`
	// Run limits one run.
	Run Limits `yaml:"run"`
	// Tenant limits each tenant in a calendar month (UTC).
	Tenant Limits `yaml:"tenant"`
	// Tenants has the limits of those that have their own, in the place of Tenant.
	Tenants map[string]Limits `yaml:"tenants"`
}

// Price is what a million tokens cost: decimals such as "2.50", with at most 6
// digits after the point.
type Price struct {
	Input  string `yaml:"input"`
	Output string `yaml:"output"`
}

// Limits are what may be spent. What is left out is not limited.
type Limits struct {
	Tokens int64  `yaml:"tokens"` // input and output together
	Cost   string `yaml:"cost"`   // a decimal as in Price, above 0
}

// Validate reports everything that is wrong, each with its place in the
// configuration.
func (c Config) Validate() error {
	_, err := c.read()
	return err
}

// terms are a Config as numbers.
type terms struct {
	currency string
	prices   map[string]perMillion
	run      limits
	tenant   limits
	tenants  map[string]limits
}

// limits are Limits as numbers; 0 limits nothing.
type limits struct {
	setting string // where they stand in the configuration
	tokens  int64
	cost    Money
}

func (l limits) any() bool { return l.tokens > 0 || l.cost > 0 }

// hasCost reports whether anybody's money is limited.
func (t terms) hasCost() bool {
	for _, l := range t.tenants {
		if l.cost > 0 {
			return true
		}
	}
	return t.run.cost > 0 || t.tenant.cost > 0
}

func (t terms) of(tenant string) limits {
	if own, ok := t.tenants[tenant]; ok {
		return own
	}
	return t.tenant
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

func (c Config) read() (terms, error) {
	t := terms{currency: c.Currency, prices: map[string]perMillion{}, tenants: map[string]limits{}}
	var errs []error
	collect := func(err error) { errs = append(errs, err) }
	for _, model := range slices.Sorted(maps.Keys(c.Prices)) {
		price, err := c.Prices[model].read("budgets.prices." + model)
		t.prices[model] = price
		collect(err)
	}
	var err error
	t.run, err = c.Run.read("budgets.run")
	collect(err)
	t.tenant, err = c.Tenant.read("budgets.tenant")
	collect(err)
	for _, tenant := range slices.Sorted(maps.Keys(c.Tenants)) {
		own, err := c.Tenants[tenant].read("budgets.tenants." + tenant)
		t.tenants[tenant] = own
		collect(err)
	}
	if (c.Currency != "" || len(c.Prices) > 0 || t.hasCost()) && !currency.MatchString(c.Currency) {
		collect(errors.New(`budgets.currency must be three capital letters, such as USD`))
	}
	return t, errors.Join(errs...)
}

func (p Price) read(setting string) (perMillion, error) {
	input, err1 := amount(setting+".input", p.Input)
	output, err2 := amount(setting+".output", p.Output)
	return perMillion{input, output}, errors.Join(err1, err2)
}

func (l Limits) read(setting string) (limits, error) {
	read := limits{setting: setting, tokens: l.Tokens}
	var errs [2]error
	if l.Tokens < 0 {
		errs[0] = fmt.Errorf("%s.tokens is negative; leave it out for no limit", setting)
	}
	if l.Cost != "" {
		if read.cost, errs[1] = amount(setting+".cost", l.Cost); errs[1] == nil && read.cost == 0 {
			errs[1] = fmt.Errorf("%s.cost is 0; leave it out for no limit", setting)
		}
	}
	return read, errors.Join(errs[:]...)
}

func amount(setting, text string) (Money, error) {
	if text == "" {
		return 0, fmt.Errorf("%s is missing", setting)
	}
	m, err := parseMoney(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %.40q %w", setting, text, err)
	}
	return m, nil
}
