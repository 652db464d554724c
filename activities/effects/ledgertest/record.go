package ledgertest

import (
	"errors"
	"sync"
	"time"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
)

// claims records what every caller got and did.
type claims struct {
	disturbed bool

	mu          sync.Mutex
	of          map[string][]*held // by key
	failures    []error
	unavailable int
}

// held is one claim, in the words of the one who has it; times are the
// ledger's.
type held struct {
	token     int64
	recover   bool
	at, until time.Time // when it was given, and until when at least
	end       end       // the call that ended it, noted before it is made
	err       error     // that call's answer
}

type end int

const (
	none end = iota
	released
	parked
	complete
)

func (c *claims) add(key string, begun effects.Begun) *held {
	h := &held{token: begun.Token, recover: begun.Recover, at: begun.Row.UpdatedAt, until: begun.Row.LeaseUntil}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of[key] = append(c.of[key], h)
	return h
}

func (c *claims) failed(err error) {
	if err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures = append(c.failures, err)
}

// excuses counts an error of a database that is being disturbed.
func (c *claims) excuses(err error) bool {
	class := faults.ClassOf(err)
	if !c.disturbed || class != faults.Transient && class != faults.Unknown {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unavailable++
	return true
}

func (h *held) ends(how end) { h.end = how }

// ended notes the answer, and returns an error that is none of the ledger's
// rules.
func (h *held) ended(err error) error {
	h.err = err
	return ignoreNotHeld(err)
}

func ignoreNotHeld(err error) error {
	if errors.Is(err, effects.ErrNotHeld) {
		return nil
	}
	return err
}
