package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// target is a real system that the campaign writes to.
type target interface {
	// address is where it listens, for the road before it.
	address() string
	// writes is what a request that has an effect has in it, and no other has.
	writes() *regexp.Regexp
	// tools are those that write to it, with their declarations in YAML, in
	// which the proxy's address stands for the system's.
	tools(proxied string) ([]tool, declarations)
	// count says how often an action's effect is there, by a look at the system
	// itself.
	count(ctx context.Context, a *action) (int, error)
	close() error
}

// declarations are parts of a worker's configuration, in YAML.
type declarations struct{ tools, repositories string }

// openTargets starts all systems that are written to.
func openTargets(ctx context.Context, s *stage, root string) (all []target, err error) {
	for _, open := range []func() (target, error){
		func() (target, error) { return newWeb(), nil },
		func() (target, error) { return newBooks(ctx, s.postgres) },
		func() (target, error) { return newBroker(ctx) },
		func() (target, error) { return newPost(ctx, root) },
		func() (target, error) { return newStore(ctx) },
		func() (target, error) { return newRemote(ctx, s.dir) },
	} {
		t, err := open()
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, t.close)
		all = append(all, t)
	}
	return all, nil
}

// stringsSchema is a declaration's schema of parameters that are all texts.
func stringsSchema(names ...string) string {
	var properties []string
	for _, name := range names {
		properties = append(properties, name+": {type: string}")
	}
	return "{type: object, additionalProperties: false, required: [" + strings.Join(names, ", ") + "], properties: {" +
		strings.Join(properties, ", ") + "}}"
}

// callTimeout is that of every declared tool but one. Calls are short, so that
// what is in doubt is soon known to be quiet.
const callTimeout = 2 * time.Second

// limits are the same for every declared tool: as many attempts as a campaign
// can ask for.
var limits = callsOf(callTimeout)

func callsOf(timeout time.Duration) string {
	return strings.TrimSpace(fmt.Sprintf(`
    call_timeout: %s
    settle: 500ms
    retry: {attempts: 1000, base: 200ms, max: 2s, budget: 20m}
    concurrency: 32
`, timeout))
}
