package main

import (
	"context"
	"math/rand/v2"
	"time"
)

// fault is what goes wrong during one phase, again and again, until ctx ends.
type fault struct {
	name string
	make func(ctx context.Context, s *stage, r *rand.Rand)
	// config is the workers' configuration: onPostgres when empty.
	config string
	// point is where the first worker's process is to stop, from the phase's
	// beginning on.
	point string
}

// calm is the name of the phase without a fault.
const calm = "none"

// The points of a drill at which workers are killed or stopped.
const (
	atBegun    = "execute_action.begun"
	atEffect   = "execute_action.effect"
	atRecorded = "execute_action.recorded"
)

// faults are the phases of a campaign, in their order.
func faults() []fault {
	return []fault{
		{name: calm, make: func(context.Context, *stage, *rand.Rand) {}},
		{name: "kill -9 at random", make: killAtRandom},
		{name: "killed before the send", make: killAt(atBegun), point: atBegun},
		{name: "killed after the effect", make: killAt(atEffect), point: atEffect},
		{name: "killed after the record", make: killAt(atRecorded), point: atRecorded},
		{name: "stopped and continued", make: stopAndContinue, point: atEffect},
		{name: "answers reset", make: hurt(resetAnswers, mostHold)},
		{name: "answers cut", make: hurt(cutAnswers, mostHold)},
		{name: "answers lost", make: hurt(loseAnswers, overdue)},
		{name: "answers late", make: hurt(delayAnswers, overdue)},
		{name: "PostgreSQL restarts", make: restartPostgres},
		{name: "Temporal restarts", make: restartTemporal},
		{name: "everything", make: everything},
		{name: "kill -9, SQLite ledger", make: killAtRandom, config: onSQLite},
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

// aim waits for a moment between an effect and its answer, for so long at
// most, and reports where there is one: at a target drawn from all that hold an
// answer then.
func (s *stage) aim(ctx context.Context, r *rand.Rand, most time.Duration) (at *road, caught bool) {
	caught = until(ctx, most, func() bool {
		for _, i := range r.Perm(len(s.roads)) {
			if at = s.roads[i]; at.passage.holds() {
				return true
			}
		}
		return false
	})
	return at, caught
}

// until waits for a condition, for so long at most, and reports whether it has
// come.
func until(ctx context.Context, most time.Duration, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
	return true
}

// killAtRandom kills most often while an answer is on its way, and now and then
// at any other moment.
func killAtRandom(ctx context.Context, s *stage, r *rand.Rand) {
	for between(ctx, r, 100*time.Millisecond, 600*time.Millisecond) {
		s.aim(ctx, r, 400*time.Millisecond)
		s.kill(r.IntN(len(s.workers)))
	}
}

// patience is how long a moment that a fault needs is waited for.
const patience = 8 * time.Second

// killAt lets the processes of one worker stop at a point, each at the first
// attempt that comes there, and kills them there, while the other worker goes
// on; then the other way round.
func killAt(point string) func(context.Context, *stage, *rand.Rand) {
	return func(ctx context.Context, s *stage, r *rand.Rand) {
		for turn := 0; ctx.Err() == nil; turn++ {
			i := turn % len(s.workers)
			w := s.workers[i]
			if w.arm(point) {
				s.kill(i)
			}
			for range 2 + r.IntN(4) {
				if !w.stands(ctx, point, patience) {
					break
				}
				if s.kill(i) {
					s.windows.Add(1)
				}
			}
			w.disarm()
			s.kill(i) // its process would still stop there
		}
	}
}

// stopAndContinue makes zombies: the server and the ledger give a stopped
// worker's work to the other one, and then it wakes up. Most stop right after
// or right before they make an effect, the rest anywhere.
func stopAndContinue(ctx context.Context, s *stage, r *rand.Rand) {
	points := []string{atEffect, atBegun}
	for turn := 0; ctx.Err() == nil; turn++ {
		w := s.workers[turn%len(s.workers)]
		if at := turn % (len(points) + 1); at < len(points) {
			point := points[at]
			if w.arm(point) {
				w.kill()
			}
			stands := w.stands(ctx, point, patience)
			w.disarm()
			if !stands {
				w.kill() // it would stop when nobody watches it any more
				continue
			}
		} else {
			s.aim(ctx, r, time.Second)
			w.pause()
		}
		between(ctx, r, 5*time.Second, 8*time.Second)
		w.goOn()
		s.zombies.Add(1)
		between(ctx, r, 100*time.Millisecond, 500*time.Millisecond)
	}
}

// overdue is when nobody waits any more for an answer that is lost.
const overdue = callTimeout + 500*time.Millisecond

// hurt breaks the connections to one target after the other, each at a moment
// when an answer is on its way, and for so long.
func hurt(fault string, lasts time.Duration) func(context.Context, *stage, *rand.Rand) {
	return func(ctx context.Context, s *stage, r *rand.Rand) {
		for ctx.Err() == nil {
			road, caught := s.aim(ctx, r, time.Second)
			if !caught {
				continue
			}
			if road.hurt(fault) == nil {
				s.cuts.Add(1)
			}
			between(ctx, r, lasts, lasts+200*time.Millisecond)
			road.heal(context.WithoutCancel(ctx))
			between(ctx, r, 50*time.Millisecond, 300*time.Millisecond)
		}
	}
}

// restartPostgres meets a COMMIT in its middle, and every other time whatever
// answer is held: the ledger is there too.
func restartPostgres(ctx context.Context, s *stage, r *rand.Rand) {
	for turn := 0; ctx.Err() == nil; turn++ {
		caught := turn%2 == 0 && until(ctx, patience/2, s.books().works)
		if !caught {
			_, caught = s.aim(ctx, r, patience/2)
		}
		if caught {
			s.restartPostgres(context.WithoutCancel(ctx), r)
		}
		between(ctx, r, 200*time.Millisecond, 3*time.Second)
	}
}

func restartTemporal(ctx context.Context, s *stage, r *rand.Rand) {
	for ctx.Err() == nil {
		if _, caught := s.aim(ctx, r, patience); caught {
			s.restartTemporal(context.WithoutCancel(ctx), r)
		}
		between(ctx, r, 200*time.Millisecond, 5*time.Second)
	}
}

// everything is all of it, one after the other and over each other.
func everything(ctx context.Context, s *stage, r *rand.Rand) {
	s.aim(ctx, r, patience) // there is nothing to hit before the first action
	for ; ctx.Err() == nil; between(ctx, r, 200*time.Millisecond, time.Second) {
		short, cancel := context.WithTimeout(ctx, 3*time.Second)
		long, cancelLong := context.WithTimeout(ctx, 10*time.Second)
		switch r.IntN(9) {
		case 0, 1, 2, 3, 4:
			s.aim(ctx, r, 400*time.Millisecond)
			s.kill(r.IntN(len(s.workers)))
		case 5:
			stopAndContinue(long, s, r)
		case 6:
			hurt([]string{resetAnswers, cutAnswers, loseAnswers, delayAnswers}[r.IntN(4)], overdue)(short, s, r)
		case 7:
			s.restartPostgres(context.WithoutCancel(ctx), r)
		case 8:
			if r.IntN(3) == 0 {
				s.restartTemporal(context.WithoutCancel(ctx), r)
			}
		}
		cancel()
		cancelLong()
	}
}
