package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// campaign is what is asked of the fire test.
type campaign struct {
	runs     int
	kills    int // at least
	seed     uint64
	parallel int
	only     string        // the name of the one fault to try; all when empty
	burn     time.Duration // how long a phase's fault goes on at most
	patience time.Duration // after which a run of a phase counts as hung
	out      io.Writer
}

// play plays all phases and returns every run.
func (c campaign) play(ctx context.Context, s *stage) ([]*run, error) {
	var phases []fault
	for _, f := range faults() {
		if c.only == "" || c.only == f.name {
			phases = append(phases, f)
		}
	}
	if len(phases) == 0 {
		return nil, fmt.Errorf("there is no fault %q", c.only)
	}
	var all []*run
	for i, f := range phases {
		share := (c.runs*(i+1))/len(phases) - (c.runs*i)/len(phases)
		made, err := c.phase(ctx, s, f, len(all), share)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	for extra := 0; extra < mostRounds && c.only == "" && int(s.kills.Load()) < c.kills; extra++ {
		made, err := c.phase(ctx, s, faults()[1], len(all), c.runs/len(phases)) // a quick machine ends its runs before they are hit enough
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	return all, nil
}

// mostRounds is how often a phase is played that hits nothing, as a small one
// may by chance.
const mostRounds = 8

// phase plays so many runs under one fault, and again when it hit none of them.
func (c campaign) phase(ctx context.Context, s *stage, f fault, first, share int) (made []*run, err error) {
	begun := time.Now()
	if err := s.use(ctx, f); err != nil {
		return nil, err
	}
	deal := newDeck(s.tools, rand.New(rand.NewPCG(c.seed, uint64(first)))) //nolint:gosec // the seed is the point
	for range mostRounds {
		more := make([]*run, share)
		for i := range more {
			if more[i], err = s.newRun(ctx, first+len(made)+i, f, deal); err != nil {
				return nil, err
			}
		}
		if err := c.round(ctx, s, f, more, first+len(made)); err != nil {
			return nil, err
		}
		made = append(made, more...)
		if _, hit := hits(made); hit > 0 || f.name == calm {
			break
		}
	}
	actions, hit := hits(made)
	fmt.Fprintf(c.out, "%-24s %4d runs in %4.0f s, %3d of %3d actions hit; so far %d kills, %d stops, %d broken links, %d restarts\n",
		f.name, len(made), time.Since(begun).Seconds(), hit, actions, s.kills.Load(), s.zombies.Load(), s.cuts.Load(), s.restarts.Load())
	return made, nil
}

// hits counts the actions of some runs, and those that their fault met.
func hits(made []*run) (actions, hit int) {
	for _, one := range made {
		for _, a := range one.actions {
			actions++
			if a.hit() {
				hit++
			}
		}
	}
	return actions, hit
}

// round plays runs under one fault, which goes on until all have ended or the
// phase has burnt for long enough; the rest is calm.
func (c campaign) round(ctx context.Context, s *stage, f fault, made []*run, first int) error {
	bad, endFault := context.WithTimeout(ctx, c.burn)
	defer endFault()
	var breaking, playing sync.WaitGroup
	breaking.Go(func() {
		f.make(bad, s, rand.New(rand.NewPCG(c.seed, uint64(first)+1))) //nolint:gosec // as above
		<-bad.Done()
		s.calm(context.WithoutCancel(ctx))
	})
	patient, stop := context.WithTimeout(ctx, c.patience)
	defer stop()
	places := make(chan struct{}, c.parallel)
	errs := make(chan error, len(made))
	for _, one := range made {
		playing.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if err := s.play(patient, one); err != nil {
				errs <- fmt.Errorf("run %s: %w", one.id, err)
			}
		})
	}
	playing.Wait()
	endFault()
	breaking.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return ctx.Err()
	}
}
