package notify

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/strictyaml"
	"github.com/holdpoint/holdpoint/workflows"
)

// settings are one channel as it stands in the configuration.
// docs/notifications.md says what each field means.
type settings struct {
	Webhook *webhook          `yaml:"webhook"`
	Mail    *mailer           `yaml:"mail"`
	Events  []workflows.Event `yaml:"events"`
	Tenants []string          `yaml:"tenants"`
	Timeout time.Duration     `yaml:"timeout"`
}

// A notice is small, and nobody waits for it but a slot of the worker.
const (
	defaultTimeout = 20 * time.Second
	leastTimeout   = 100 * time.Millisecond
	// maxTimeout is shorter than the workflow's own limit of an attempt, a
	// minute, so that an attempt that takes too long can say so.
	maxTimeout = 45 * time.Second
)

// names is the rule of a channel's name, as of a tool's.
var names = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

const maxName = 64

// Parse makes the channels that stand at node in file: the section "notify" of
// a configuration. A node that is absent makes none. It reads certificates,
// resolves no secret, and connects to nothing. Its error names every channel
// that is wrong, with file and line.
func Parse(file string, node *yaml.Node) (*Channels, error) {
	channels := &Channels{}
	if strictyaml.Absent(node) {
		return channels, nil
	}
	section := strictyaml.Field(node) // without document and alias
	if section.Kind != yaml.MappingNode {
		return nil, strictyaml.Fail(file, section, "notify: declare each channel under its name")
	}
	var byNode map[string]yaml.Node
	if err := strictyaml.Decode(file, section, &byNode); err != nil { // a name that stands there twice
		return nil, err
	}
	var errs []error
	for i := 0; i+1 < len(section.Content); i += 2 {
		name, value := section.Content[i], section.Content[i+1]
		ch, err := place{file: file, channel: name.Value, node: value}.parse(name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		channels.byName = append(channels.byName, ch)
	}
	slices.SortFunc(channels.byName, byName)
	return channels, errors.Join(errs...)
}

// place is where a channel stands, or a part of it, for errors about it.
type place struct {
	file, channel string
	node          *yaml.Node
	part          string // "webhook.", "mail." or ""
}

// fail is an error about one field, such as "auth.password", at its line.
func (p place) fail(field, format string, args ...any) error {
	field = p.part + field
	node := strictyaml.Nearest(p.node, strings.Split(field, ".")...)
	return strictyaml.Fail(p.file, node, "channel %s: %s %s", p.channel, field, fmt.Sprintf(format, args...))
}

func (p place) in(part string) place {
	p.part = part + "."
	return p
}

// folder is the one that paths in the file are relative to.
func (p place) folder() string { return filepath.Dir(p.file) }

// field is the node of a field; nil when it is not there.
func (p place) field(name string) *yaml.Node {
	return strictyaml.Field(p.node, strings.Split(p.part+name, ".")...)
}

func (p place) parse(name *yaml.Node) (*channel, error) {
	if !names.MatchString(name.Value) || len(name.Value) > maxName {
		return nil, strictyaml.Fail(p.file, name, "notify: name %q: use at most %d letters, digits, '.', '_' and '-'", name.Value, maxName)
	}
	var s settings
	if err := strictyaml.Decode(p.file, p.node, &s); err != nil {
		return nil, err
	}
	if err := s.check(p); err != nil {
		return nil, err
	}
	ch := &channel{name: name.Value, events: s.Events, tenants: s.Tenants, timeout: s.Timeout}
	switch {
	case s.Webhook != nil && s.Mail != nil:
		return nil, strictyaml.Fail(p.file, name, "channel %s has webhook and mail: it is one of the two", name.Value)
	case s.Webhook != nil:
		ch.sender = s.Webhook
		return ch, s.Webhook.check(p.in("webhook"))
	case s.Mail != nil:
		ch.sender = s.Mail
		return ch, s.Mail.check(p.in("mail"), s.Events)
	default:
		return nil, strictyaml.Fail(p.file, name, "channel %s has neither webhook nor mail", name.Value)
	}
}

// check refuses what cannot be meant, and fills in what was left out.
func (s *settings) check(at place) error {
	if !strictyaml.Absent(at.field("events")) && len(s.Events) == 0 {
		return at.fail("events", "is empty: name what the channel wants to be told of, or leave it out for everything")
	}
	for i, event := range s.Events {
		if !slices.Contains(allEvents(), event) {
			return at.fail(fmt.Sprintf("events.%d", i), "is %q; there are %v", event, allEvents())
		}
	}
	if len(s.Events) == 0 {
		s.Events = allEvents()
	}
	if !strictyaml.Absent(at.field("tenants")) && len(s.Tenants) == 0 {
		return at.fail("tenants", "is empty: name the tenants, or leave it out for all of them")
	}
	for i, tenant := range s.Tenants {
		if !names.MatchString(tenant) || len(tenant) > maxName {
			return at.fail(fmt.Sprintf("tenants.%d", i), "is %q, which is the name of no tenant", tenant)
		}
	}
	if at.field("timeout") != nil && (s.Timeout < leastTimeout || s.Timeout > maxTimeout) {
		return at.fail("timeout", "is %s; %s to %s are allowed", s.Timeout, leastTimeout, maxTimeout)
	}
	s.Timeout = cmp.Or(s.Timeout, defaultTimeout)
	return nil
}
