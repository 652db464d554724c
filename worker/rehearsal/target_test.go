package rehearsal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// target is a system and the tool for it, in memory. What is set among its
// fields is how it departs from what its class promises.
type target struct {
	class plan.DeliveryClass

	forgets    bool // makes an effect for every call
	hides      bool // as forgets, and answers as if it had not
	takesOther bool // makes a second effect for another payload
	replays    bool // answers another payload as the first
	conflicts  bool // calls its own first effect somebody else's
	busy       int  // calls that it answers with "in progress" first
	racy       bool // looks for the key, and writes it down later
	disowns    bool // calls an effect of its own that was made meanwhile somebody else's
	down       bool // takes no call at all

	refusesSecond bool // refuses a call while another one of the key is at work
	silent        bool // cannot be counted
	haunted       bool // counts an effect that nobody made
	late          int  // counts that do not show the effect yet
	finds         *tools.Finding
	settle        time.Duration

	mu     sync.Mutex
	made   map[string][]string // parameters by key
	atWork map[string]int      // calls of a key that race
	sent   int
}

func (s *target) Spec() tools.Spec {
	spec := tools.Spec{
		Name: "book", Version: "1", Class: s.class, Risk: plan.LowRisk, CallTimeout: 300 * time.Millisecond,
		Settle: s.settle, MaxAttempts: 5,
	}
	if s.class == plan.Keyed {
		spec.KeyWindow = time.Hour
	}
	return spec
}

// parameters of the tool.
type parameters struct {
	Shelf string `json:"shelf"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
	Count int    `json:"count,omitempty"`
}

func (s *target) Prepare(_ context.Context, p tools.Proposal) (tools.Prepared, error) {
	var params parameters
	if err := json.Unmarshal(p.Parameters, &params); err != nil || params.Title == "" {
		return tools.Prepared{}, &faults.Fault{Class: faults.Permanent, Code: "bad_parameters", Reason: "no title"}
	}
	canonical, err := plan.Canonicalize(p.Parameters)
	return tools.Prepared{Target: "books/" + params.Shelf, Item: params.Title, Parameters: canonical, Preview: "writes " + params.Title}, err
}

func (s *target) Apply(_ context.Context, c tools.Call) (plan.Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "http_403", Reason: "books: forbidden"}
	}
	s.sent++
	if s.racy || s.disowns || s.refusesSecond {
		if receipt, raced, err := s.race(c); raced {
			return receipt, err
		}
	}
	key, payload := c.Action.IdempotencyKey, string(c.Action.Parameters)
	made := s.made[key]
	switch {
	case len(made) == 0, s.forgets, s.hides, s.class == plan.Lookup, s.class == plan.Once:
	case s.conflicts:
		return plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "conflict", Reason: "books: exists already"}
	case s.busy > 0:
		s.busy--
		return plan.Receipt{}, &faults.Fault{Class: faults.InProgress, Code: "http_409", Reason: "books: in progress"}
	case made[0] == payload || s.replays:
		return s.receipt(c, 1), nil
	case !s.takesOther:
		return plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "http_422", Reason: "books: the key was used for another payload"}
	}
	if s.made == nil {
		s.made = map[string][]string{}
	}
	s.made[key] = append(made, payload)
	if s.hides {
		return s.receipt(c, 1), nil
	}
	return s.receipt(c, len(made)+1), nil
}

// race lets two calls meet that are made at the same time with a key that is
// not known yet. s.mu is held, but for the time in which one waits for another.
func (s *target) race(c tools.Call) (_ plan.Receipt, raced bool, err error) {
	key := c.Action.IdempotencyKey
	if len(s.made[key]) > 0 {
		return plan.Receipt{}, false, nil
	}
	if s.atWork == nil {
		s.atWork, s.made = map[string]int{}, map[string][]string{}
	}
	s.atWork[key]++
	alone := s.atWork[key] == 1
	if !alone && s.refusesSecond {
		return plan.Receipt{}, true, &faults.Fault{Class: faults.Permanent, Code: "http_409", Reason: "books: somebody is at work on it"}
	}
	for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end) && (s.refusesSecond || s.atWork[key] < 2); {
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
		s.mu.Lock()
	}
	if !alone && s.disowns {
		return plan.Receipt{}, true, &faults.Fault{Class: faults.Permanent, Code: "changed", Reason: "books: it is somebody's", Cause: tools.ErrDrift}
	}
	s.made[key] = append(s.made[key], string(c.Action.Parameters)) // whatever another has written since
	return s.receipt(c, len(s.made[key])), true, nil
}

func (s *target) receipt(c tools.Call, n int) plan.Receipt {
	return plan.Receipt{
		IdempotencyKey: c.Action.IdempotencyKey, Tool: "book", Target: c.Action.Target,
		Ref: fmt.Sprintf("book-%d", n), At: time.Unix(1_800_000_000, 0).UTC(),
	}
}

func (s *target) Count(_ context.Context, c tools.Call) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.made[c.Action.IdempotencyKey])
	switch {
	case s.silent:
		return -1, nil
	case s.haunted:
		return n + 1, nil
	case n > 0 && s.late > 0:
		s.late--
		return 0, nil
	}
	return n, nil
}

func (s *target) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent
}

// findingTarget can be asked.
type findingTarget struct{ *target }

func (f findingTarget) Find(_ context.Context, c tools.Call) (tools.Finding, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.finds != nil:
		return *f.finds, nil
	case len(f.made[c.Action.IdempotencyKey]) == 0:
		return tools.Finding{Presence: tools.Absent}, nil
	}
	return tools.Finding{Presence: tools.Found, Receipt: f.receipt(c, 1)}, nil
}

// tool is what a worker would have.
func (s *target) tool() tools.Tool {
	if s.class == plan.Lookup {
		return findingTarget{s}
	}
	return s
}
