package notify

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/workflows"
)

// Channels are the channels of a worker's configuration. A nil *Channels has
// none. It is safe for concurrent use.
type Channels struct{ byName []*channel } // sorted

// channel is one way to reach people, and what it is for.
type channel struct {
	name    string
	events  []workflows.Event
	tenants []string // empty: all
	timeout time.Duration
	sender  sender
}

// sender is what a kind of channel does.
type sender interface {
	// kind is the kind's name in the configuration.
	kind() string
	// target says where notices go, without what may be secret.
	target() string
	// refused says what would be refused, when a notice is sent, of the secrets
	// that can be read here and now. One that cannot be read is not among them.
	refused() []error
	// send sends a notice once, and returns the other side's answer in one line.
	send(ctx context.Context, n workflows.Notice) (answer string, err error)
}

// Names are the channels that want to be told of a tenant's runs, sorted, for
// each event that one of them wants to hear of. nil when there are none.
func (c *Channels) Names(tenant string) map[workflows.Event][]string {
	var names map[workflows.Event][]string
	for _, ch := range c.all() {
		for _, event := range allEvents() {
			if !ch.wants(tenant, event) {
				continue
			}
			if names == nil {
				names = map[workflows.Event][]string{}
			}
			names[event] = append(names[event], ch.name)
		}
	}
	return names
}

// Send sends a notice once, through the channel that it names, and returns the
// other side's answer in one line. It takes no longer than the channel's
// timeout. Every error is a fault, see the head of this package.
//
// The channel may be another one than when the workflow asked for its name: one
// that is gone, or no longer wants such notices, is a Permanent fault of code
// "no_channel", so that no tenant's notice reaches who was not to have it.
func (c *Channels) Send(ctx context.Context, n workflows.Notice) (answer string, err error) {
	if !keyPattern.MatchString(n.Key) {
		return "", &faults.Fault{Class: faults.Permanent, Code: "bad_notice", Reason: "the notice's key is no key: 1 to 128 letters, digits, '_' and '-'"}
	}
	for _, ch := range c.all() {
		if ch.name == n.Channel && ch.wants(n.Tenant, n.Event) {
			ctx, cancel := context.WithTimeout(ctx, ch.timeout)
			defer cancel()
			return ch.sender.send(ctx, n)
		}
	}
	return "", &faults.Fault{
		Class: faults.Permanent, Code: "no_channel",
		Reason: fmt.Sprintf("this worker's configuration has no channel %.64q for %.64q of tenant %.64q", n.Channel, n.Event, n.Tenant),
	}
}

// keyPattern is what a signature and a Message-ID can carry as it is. A full
// stop would let two messages have one signature (Standard Webhooks, "Signature
// scheme").
var keyPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// Channel is a channel as its operator wants to see it.
type Channel struct {
	Name    string            `json:"name"`
	Kind    string            `json:"kind"`
	Target  string            `json:"target"` // without what may be secret
	Events  []workflows.Event `json:"events"`
	Tenants []string          `json:"tenants"` // empty: all
}

// List are all channels, by name.
func (c *Channels) List() []Channel {
	var list []Channel
	for _, ch := range c.all() {
		list = append(list, Channel{
			Name: ch.name, Kind: ch.sender.kind(), Target: ch.sender.target(), Events: ch.events, Tenants: ch.tenants,
		})
	}
	return list
}

// RefusedSecrets names, with file and line, the secrets that can be read here
// and now and would be refused when a notice is sent. Those that cannot be read
// may be there where the channels are used.
func (c *Channels) RefusedSecrets() []error {
	var refused []error
	for _, ch := range c.all() {
		refused = append(refused, ch.sender.refused()...)
	}
	return refused
}

func (c *Channels) all() []*channel {
	if c == nil {
		return nil
	}
	return c.byName
}

func (ch *channel) wants(tenant string, event workflows.Event) bool {
	return slices.Contains(ch.events, event) && (len(ch.tenants) == 0 || slices.Contains(ch.tenants, tenant))
}

func byName(a, b *channel) int { return strings.Compare(a.name, b.name) }
