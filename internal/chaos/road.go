package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// road lies between the workers and one target: a door, toxiproxy, and a
// passage that holds answers. The harness itself goes to the target directly,
// to count.
type road struct {
	name    string
	door    *door
	toxic   *toxiproxy.Proxy
	passage *passage
}

// newRoad opens a road to a target. The text of write is in a request that has
// an effect.
func newRoad(ctx context.Context, name, target string, write *regexp.Regexp, seed uint64) (r *road, err error) {
	r = &road{name: name, passage: newPassage(target, write, seed)}
	if err := r.passage.listen(ctx); err != nil {
		return nil, fmt.Errorf("passage before %s: %w", name, err)
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	r.toxic = toxiproxy.NewProxy(server, name, "127.0.0.1:0", r.passage.address())
	if err := r.toxic.Start(); err != nil {
		r.passage.close()
		return nil, fmt.Errorf("proxy before %s: %w", name, err)
	}
	r.door = newDoor(r.toxic.Listen)
	if err := r.door.listen(ctx); err != nil {
		r.toxic.Stop()
		r.passage.close()
		return nil, fmt.Errorf("door before %s: %w", name, err)
	}
	return r, nil
}

// address is what the workers take for the target's.
func (r *road) address() string { return r.door.address() }

func (r *road) close() error {
	r.door.close()
	r.door.slam()
	r.toxic.Stop()
	r.passage.close()
	return nil
}

// The ways in which an answer does not arrive. Each but the first is a toxic of
// toxiproxy, put on connections that wait for an answer.
const (
	resetAnswers = ""
	cutAnswers   = `{"name":"fault","type":"limit_data","stream":"downstream","attributes":{"bytes":10}}`
	loseAnswers  = `{"name":"fault","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`
	delayAnswers = `{"name":"fault","type":"latency","stream":"downstream","attributes":{"latency":2200,"jitter":800}}`
)

// hurt begins a fault.
func (r *road) hurt(fault string) error {
	if fault == resetAnswers {
		r.door.slam()
		return nil
	}
	_, err := r.toxic.Toxics.AddToxicJson(strings.NewReader(fault))
	return err
}

func (r *road) heal(ctx context.Context) { r.toxic.Toxics.ResetToxics(ctx) }
