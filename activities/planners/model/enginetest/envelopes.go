package enginetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

// Envelope is a body of one provider's form, and what it says.
type Envelope struct {
	Name, Body string
	// Structured is what the engine asks for; its own default when empty.
	Structured provider.Structured
	Want       model.Reply
	// Fails is what the error says; empty when there is none.
	Fails string
}

const readerHost = "models.example.com"

// reader is an engine that nobody asks, and that asks for that form of reply.
func (s Subject) reader(tb testing.TB, structured provider.Structured) model.Engine {
	tb.Helper()
	return s.engine(tb, "https://"+readerHost, func(c *provider.Config) {
		if structured != "" {
			c.Structured = structured
		}
	})
}

// Envelopes is that each body is read as it should be.
func Envelopes(t *testing.T, s Subject, envelopes []Envelope) {
	for _, e := range envelopes {
		t.Run(e.Name, func(t *testing.T) {
			got, err := s.reader(t, e.Structured).Read([]byte(e.Body))
			if e.Fails != "" {
				require.ErrorContains(t, err, e.Fails)
				require.Equal(t, faults.Transient, faults.ClassOf(err))
				require.ErrorContains(t, err, readerHost)
				require.Zero(t, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, e.Want, got)
		})
	}
}

// FuzzRead is that any body is a reply or a fault, whether the engine asks for a
// tool or for a schema. It begins with the envelopes.
func FuzzRead(f *testing.F, s Subject, envelopes []Envelope) {
	asksTool := s.Defaults().Structured == provider.Tool
	for _, e := range envelopes {
		f.Add([]byte(e.Body), e.Structured == provider.Tool || e.Structured == "" && asksTool)
	}
	engines := map[bool]model.Engine{false: s.reader(f, provider.JSONSchema), true: s.reader(f, provider.Tool)}
	f.Fuzz(func(t *testing.T, body []byte, tool bool) {
		reply, err := engines[tool].Read(body)
		if err != nil {
			require.Equal(t, faults.Transient, faults.ClassOf(err))
			require.Less(t, len(err.Error()), 300)
			require.Zero(t, reply)
			return
		}
		require.Contains(t, []model.Stop{model.Ended, model.Cut, model.Filtered, model.Other}, reply.Stop)
		require.GreaterOrEqual(t, reply.Usage.InputTokens, int64(0))
		require.GreaterOrEqual(t, reply.Usage.OutputTokens, int64(0))
	})
}
