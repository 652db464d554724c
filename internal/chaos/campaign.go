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
	r := rand.New(rand.NewPCG(c.seed, 0)) //nolint:gosec // the seed is the point
	for i, f := range phases {
		share := (c.runs*(i+1))/len(phases) - (c.runs*i)/len(phases)
		begun := time.Now()
		made, err := c.phase(ctx, s, f, r, len(all), share)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
		fmt.Fprintf(c.out, "%-24s %4d runs in %4.0f s; so far %d kills, %d stops, %d broken links, %d restarts\n",
			f.name, share, time.Since(begun).Seconds(), s.kills.Load(), s.zombies.Load(), s.cuts.Load(), s.restarts.Load())
	}
	return all, nil
}

// phase plays so many runs under one fault, which goes on until all have ended
// or the phase has burnt for long enough; the rest is calm.
func (c campaign) phase(ctx context.Context, s *stage, f fault, r *rand.Rand, first, share int) ([]*run, error) {
	made := make([]*run, share)
	for i := range made {
		var err error
		if made[i], err = s.newRun(first+i, f, r); err != nil {
			return nil, err
		}
	}
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
	errs := make(chan error, share)
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
		return nil, err
	default:
		return made, ctx.Err()
	}
}
