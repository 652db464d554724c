package main

import (
	"context"
	"math/rand/v2"
	"syscall"
	"time"
)

// fault is what goes wrong during one phase, again and again, until ctx ends.
type fault struct {
	name string
	make func(ctx context.Context, s *stage, r *rand.Rand)
}

// faults are the phases of a campaign, in their order.
func faults() []fault {
	return []fault{
		{"none", func(context.Context, *stage, *rand.Rand) {}},
		{"kill -9 at random", killAtRandom},
		{"killed before the send", crashAt("execute_action.begun")},
		{"killed after the effect", crashAt("execute_action.effect")},
		{"killed after the record", crashAt("execute_action.recorded")},
		{"stopped and continued", stopAndContinue},
		{"answers reset", hurt(resetAnswers)},
		{"answers cut", hurt(cutAnswers)},
		{"answers lost", hurt(loseAnswers)},
		{"answers late", hurt(delayAnswers)},
		{"PostgreSQL restarts", restartPostgres},
		{"Temporal restarts", restartTemporal},
		{"everything", everything},
	}
}

// between waits a random time, and reports false when ctx ended.
func between(ctx context.Context, r *rand.Rand, least, most time.Duration) bool {
	timer := time.NewTimer(least + time.Duration(r.Int64N(int64(most-least))))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func killAtRandom(ctx context.Context, s *stage, r *rand.Rand) {
	for between(ctx, r, 150*time.Millisecond, 800*time.Millisecond) {
		s.kill(r.IntN(len(s.workers)))
	}
}

// crashAt lets the processes of one worker die at a point, each at the first
// attempt that comes there, while the other worker goes on; then the other way
// round.
func crashAt(point string) func(context.Context, *stage, *rand.Rand) {
	return func(ctx context.Context, s *stage, r *rand.Rand) {
		for turn := 0; ctx.Err() == nil; turn++ {
			i := turn % len(s.workers)
			w := s.workers[i]
			w.next("--crash-at", point)
			s.kill(i)
			before := w.lived()
			between(ctx, r, 3*time.Second, 5*time.Second)
			w.next()
			s.kills.Add(int64(w.lived() - before))
			s.kill(i) // its process would still die there
		}
	}
}

// stopAndContinue makes zombies: the server and the ledger give a stopped
// worker's work to the other one, and then it wakes up.
func stopAndContinue(ctx context.Context, s *stage, r *rand.Rand) {
	for between(ctx, r, 200*time.Millisecond, time.Second) {
		w := s.workers[r.IntN(len(s.workers))]
		w.signal(syscall.SIGSTOP)
		between(ctx, r, 4*time.Second, 7*time.Second)
		w.signal(syscall.SIGCONT)
		s.zombies.Add(1)
	}
}

// hurt breaks the connections to one target after the other, for a while each.
func hurt(toxic string) func(context.Context, *stage, *rand.Rand) {
	return func(ctx context.Context, s *stage, r *rand.Rand) {
		for ctx.Err() == nil {
			p := s.proxies[r.IntN(len(s.proxies))]
			if p.hurt(toxic) == nil {
				s.cuts.Add(1)
			}
			between(ctx, r, time.Second, 2*time.Second)
			p.heal(context.WithoutCancel(ctx))
			if !between(ctx, r, 100*time.Millisecond, 500*time.Millisecond) {
				return
			}
		}
	}
}

func restartPostgres(ctx context.Context, s *stage, r *rand.Rand) {
	for between(ctx, r, time.Second, 4*time.Second) {
		s.restartPostgres(context.WithoutCancel(ctx), r)
	}
}

func restartTemporal(ctx context.Context, s *stage, r *rand.Rand) {
	for between(ctx, r, 4*time.Second, 8*time.Second) {
		s.restartTemporal(context.WithoutCancel(ctx), r)
	}
}

// everything is all of it, one after the other and over each other.
func everything(ctx context.Context, s *stage, r *rand.Rand) {
	for between(ctx, r, 200*time.Millisecond, time.Second) {
		short, cancel := context.WithTimeout(ctx, 3*time.Second)
		switch r.IntN(9) {
		case 0, 1, 2, 3, 4:
			s.kill(r.IntN(len(s.workers)))
		case 5:
			stopAndContinue(short, s, r)
		case 6:
			hurt([]string{resetAnswers, cutAnswers, loseAnswers, delayAnswers}[r.IntN(4)])(short, s, r)
		case 7:
			s.restartPostgres(context.WithoutCancel(ctx), r)
		case 8:
			if r.IntN(3) == 0 {
				s.restartTemporal(context.WithoutCancel(ctx), r)
			}
		}
		cancel()
	}
}
