package jetstream_test

import (
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared/kindtest"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func matrixSubject(t *testing.T, window string, change ...func(*natsjs.StreamConfig)) kindtest.Subject {
	t.Helper()
	b := newBroker(t, change...)
	link := kindtest.NewLink(t, b.Address())
	return kindtest.Subject{
		Tool: open(t, quick(declaration("nats://"+link.Addr(), window))), Link: link, Sent: "Nats-Msg-Id", TellsPayload: true,
		Action:  func(key string, payload int) plan.Action { return action(key, []string{"", "one", "two"}[payload]) },
		Effects: func(_ testing.TB, key string) int { return len(b.messages(key)) },
	}
}

// elapsed is a tool whose window is over at once, so that the stream is always
// asked first.
type elapsed struct{ tools.Finder }

func (e elapsed) Spec() tools.Spec {
	spec := e.Finder.Spec()
	spec.KeyWindow = spec.CallTimeout
	return spec
}

func outside(t *testing.T, change ...func(*natsjs.StreamConfig)) kindtest.Subject {
	s := matrixSubject(t, "1500ms", append(change, func(c *natsjs.StreamConfig) { c.Duplicates = 1500 * time.Millisecond })...)
	s.Tool = elapsed{s.Tool.(tools.Finder)}
	return s
}

func TestMatrixInsideTheWindow(t *testing.T) {
	t.Parallel()
	kindtest.Matrix(t, func(t *testing.T) kindtest.Subject { return matrixSubject(t, "1h") })
}

func TestMatrixOutsideTheWindow(t *testing.T) {
	t.Parallel()
	kindtest.Matrix(t, func(t *testing.T) kindtest.Subject { return outside(t) })
}

func TestMatrixOutsideTheWindowOfAStreamThatForgets(t *testing.T) {
	t.Parallel()
	kindtest.Matrix(t, func(t *testing.T) kindtest.Subject {
		s := outside(t, func(c *natsjs.StreamConfig) { c.Storage = natsjs.MemoryStorage })
		s.NotAuthoritative = true
		return s
	})
}
