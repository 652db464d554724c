package declared

import (
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/tools/template"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// Declaration is one tool as holdpoint.yaml declares it. Its limits are those
// of checkLimits.
type Declaration struct {
	Version string             `yaml:"version"`
	Kind    string             `yaml:"kind"`
	Class   plan.DeliveryClass `yaml:"class"`
	Risk    plan.Risk          `yaml:"risk"`
	// Schema is a JSON Schema (draft 2020-12) of the parameters, written as
	// YAML. It must describe an object, and refer to nothing outside itself. The
	// formats that it names are checked.
	Schema yaml.Node `yaml:"schema"`
	// Target names what is written to, "name/…", from the parameters. Its first
	// segment is a fixed name, because a task allows a target by name, and all
	// that lies below it.
	Target template.Text `yaml:"target"`
	// Item is the business identity of the effect inside the target, such as an
	// order number; empty when the target alone is one effect.
	Item template.Text `yaml:"item"`

	CallTimeout time.Duration `yaml:"call_timeout"` // of one call; 30s when left out
	Settle      time.Duration `yaml:"settle"`       // see tools.Spec
	KeyWindow   time.Duration `yaml:"key_window"`   // see tools.Spec; required for class keyed, and for no other
	Retry       retryLimits   `yaml:"retry"`
	Concurrency int           `yaml:"concurrency"` // calls at a time; 8 when left out
	Rate        float64       `yaml:"rate"`        // calls a second; 0 is no limit

	// The kinds' own settings. Exactly the one of Kind is given.
	HTTP     yaml.Node `yaml:"http"`
	Postgres yaml.Node `yaml:"postgres"`
	NATS     yaml.Node `yaml:"nats"`
	SMTP     yaml.Node `yaml:"smtp"`
	Object   yaml.Node `yaml:"object"`
}

// retryLimits say how an action is tried again, see faults.Retry.
type retryLimits struct {
	Attempts int           `yaml:"attempts"`  // 10 when left out
	Base     time.Duration `yaml:"base"`      // 200ms when left out
	Max      time.Duration `yaml:"max"`       // 10s when left out
	MaxAfter time.Duration `yaml:"max_after"` // 1m when left out: the longest wait that the other side may ask for
	Budget   time.Duration `yaml:"budget"`    // 30m when left out: no failed attempt after it is tried again
}

// settings are those of each kind, by the kind's name.
func (d *Declaration) settings() map[string]*yaml.Node {
	return map[string]*yaml.Node{
		"http": &d.HTTP, "postgres": &d.Postgres, "nats": &d.NATS, "smtp": &d.SMTP, "object": &d.Object,
	}
}
