package main

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/natsserver"
)

// broker is a JetStream stream, which deduplicates by message id.
type broker struct{ *natsserver.Server }

func newBroker(ctx context.Context) (*broker, error) {
	server, err := natsserver.Launch(natsserver.Options{})
	if err != nil {
		return nil, err
	}
	b := &broker{server}
	return b, b.ask(func(js jetstream.JetStream) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "EVENTS", Subjects: []string{"events.>"}, Duplicates: 2 * time.Hour})
		return err
	})
}

func (b *broker) ask(question func(jetstream.JetStream) error) error {
	conn, err := nats.Connect(b.URL())
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	return question(js)
}

func (b *broker) address() string { return b.Address() }
func (b *broker) close() error    { return b.Close() }

// writes is the header of a publish that is to be deduplicated.
func (b *broker) writes() *regexp.Regexp { return regexp.MustCompile(`Nats-Msg-Id:`) }

func (b *broker) count(ctx context.Context, a *action) (n int, err error) {
	err = b.ask(func(js jetstream.JetStream) error {
		stream, err := js.Stream(ctx, "EVENTS")
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter("events."+a.Effect))
		if err != nil {
			return err
		}
		n = int(info.State.Subjects["events."+a.Effect]) //nolint:gosec // a handful
		return nil
	})
	return n, err
}

func (b *broker) tools(proxied string) ([]tool, declarations) {
	text := strings.NewReplacer("HOST", proxied, "LIMITS", limits).Replace(`
  events:
    version: "1"
    kind: nats
    class: keyed
    risk: low
    key_window: 1h
    schema: ` + stringsSchema("name") + `
    target: "broker/events"
    item: "{{params.name}}"
    LIMITS
    nats:
      servers: ["nats://HOST"]
      stream: EVENTS
      subject: "events.{{params.name}}"
      body: {name: "{{params.name}}"}
`)
	return []tool{{
		name: "events", kind: "nats", class: plan.Keyed, target: "broker/events",
		parameters: func(effect string) map[string]any { return map[string]any{"name": effect} },
	}}, declarations{tools: text}
}
