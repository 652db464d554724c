package main

import (
	"context"
	"fmt"
	"strings"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// proxy stands between the workers and one target. The harness itself goes to
// the target directly, to count.
type proxy struct {
	name string
	*toxiproxy.Proxy
}

// newProxy listens on a free port.
func newProxy(name, target string) (*proxy, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := &proxy{name, toxiproxy.NewProxy(server, name, "127.0.0.1:0", target)}
	if err := p.Start(); err != nil {
		return nil, fmt.Errorf("proxy before %s: %w", name, err)
	}
	return p, nil
}

// The ways in which an answer does not arrive. Each is a toxic of toxiproxy.
const (
	resetAnswers = `{"name":"fault","type":"reset_peer","stream":"downstream","attributes":{"timeout":0}}`
	cutAnswers   = `{"name":"fault","type":"limit_data","stream":"downstream","attributes":{"bytes":10}}`
	loseAnswers  = `{"name":"fault","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`
	delayAnswers = `{"name":"fault","type":"latency","stream":"downstream","attributes":{"latency":1500,"jitter":1500}}`
)

func (p *proxy) hurt(toxic string) error {
	_, err := p.Toxics.AddToxicJson(strings.NewReader(toxic))
	return err
}

func (p *proxy) heal(ctx context.Context) { p.Toxics.ResetToxics(ctx) }
