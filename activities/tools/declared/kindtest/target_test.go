package kindtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// target is a small server that keeps effects in memory. It greets each
// connection, and answers "put KEY PAYLOAD" and "find KEY".
type target struct {
	address string
	forgets bool // makes an effect for every request, as if it knew no keys
	accepts bool // answers a known key with another payload as if it were the same

	mu   sync.Mutex
	made map[string][]string // payloads by key
}

func newTarget(t *testing.T) *target {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	s := &target{address: listener.Addr().String(), made: map[string][]string{}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *target) serve(conn net.Conn) {
	defer conn.Close()
	fmt.Fprintln(conn, "hello")
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		fmt.Fprintln(conn, s.answer(strings.Fields(lines.Text())))
	}
}

func (s *target) answer(words []string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := words[1]
	made := s.made[key]
	switch {
	case words[0] == "find" && len(made) == 0:
		return "absent"
	case words[0] == "find":
		return "done " + key + "-1"
	case s.forgets || len(made) == 0:
		s.made[key] = append(made, words[2])
		return fmt.Sprintf("done %s-%d", key, len(made)+1)
	case made[0] == words[2] || s.accepts:
		return "done " + key + "-1"
	default:
		return "conflict"
	}
}

func (s *target) count(_ testing.TB, key string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.made[key])
}

// client is a tool whose target is a target. Its other fields are lies.
type client struct {
	address string
	spec    tools.Spec

	unknownDial bool // says of a connection that was refused that something may have been sent
	guesses     bool // takes silence for success
	retryable   bool // takes silence for "nothing happened"
	resends     bool // sends again by itself
	noRef       bool // returns half a receipt
	newRef      bool // returns another receipt each time
	swallows    bool // takes a conflict for success
}

func (c *client) Spec() tools.Spec { return c.spec }

func (c *client) Prepare(context.Context, tools.Proposal) (tools.Prepared, error) {
	return tools.Prepared{}, errors.New("not used here")
}

func (c *client) Count(context.Context, tools.Call) (int, error) { return -1, nil }

func (c *client) Apply(ctx context.Context, call tools.Call) (plan.Receipt, error) {
	key := call.Action.IdempotencyKey
	answer, err := c.ask(ctx, "put "+key+" "+string(call.Action.Parameters))
	if c.resends && faults.ClassOf(err) == faults.Unknown && err != nil {
		answer, err = c.ask(ctx, "put "+key+" "+string(call.Action.Parameters))
	}
	ref, done := strings.CutPrefix(answer, "done ")
	switch {
	case faults.ClassOf(err) == faults.Unknown && err != nil && c.guesses, !done && err == nil && c.swallows:
		ref = "guessed"
	case err != nil:
		return plan.Receipt{}, err
	case !done:
		return plan.Receipt{}, &faults.Fault{Class: faults.Permanent, Code: "conflict", Reason: "other parameters"}
	}
	return c.receipt(call, ref), nil
}

func (c *client) receipt(call tools.Call, ref string) plan.Receipt {
	switch {
	case c.noRef:
		ref = ""
	case c.newRef:
		ref += time.Now().String()
	}
	return plan.Receipt{IdempotencyKey: call.Action.IdempotencyKey, Tool: call.Action.Tool, Target: call.Action.Target, Ref: ref, At: time.Now().UTC()}
}

func (c *client) ask(ctx context.Context, request string) (string, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.address)
	if err != nil {
		class := faults.Transient
		if c.unknownDial {
			class = faults.Unknown
		}
		return "", &faults.Fault{Class: class, Code: "dial_failed", Reason: "no connection", Cause: err}
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		conn.SetDeadline(deadline)
	}
	lines := bufio.NewReader(conn)
	if _, err := lines.ReadString('\n'); err != nil {
		return "", &faults.Fault{Class: faults.Transient, Code: "no_greeting", Reason: "nothing was sent", Cause: err}
	}
	fmt.Fprintln(conn, request)
	answer, err := lines.ReadString('\n')
	if err != nil {
		class := faults.Unknown
		if c.retryable {
			class = faults.Transient
		}
		return "", &faults.Fault{Class: class, Code: "no_answer", Reason: "it was sent", Cause: err}
	}
	return strings.TrimSpace(answer), nil
}

// finding is a client that can look.
type finding struct {
	*client
	says *tools.Presence // whatever the target says
}

func (f finding) Find(ctx context.Context, c tools.Call) (tools.Finding, error) {
	answer, err := f.ask(ctx, "find "+c.Action.IdempotencyKey)
	if err != nil {
		return tools.Finding{}, err
	}
	ref, found := strings.CutPrefix(answer, "done ")
	presence := tools.Absent
	if found {
		presence = tools.Found
	}
	if f.says != nil && !(found && *f.says == tools.NotProven) {
		presence = *f.says
	}
	return tools.Finding{Presence: presence, Receipt: f.receipt(c, ref)}, nil
}

func actionFor(key string, payload int) plan.Action {
	parameters, err := json.Marshal(map[string]int{"payload": payload})
	if err != nil {
		panic(err)
	}
	return plan.Action{ID: "a", Tool: "fake", Target: "fake/" + key, IdempotencyKey: key, Parameters: parameters}
}
