package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// Subject is an engine under test.
type Subject struct {
	API modelserver.API
	// Defaults are the engine's own.
	Defaults func() provider.Config
	// New makes one.
	New func(provider.Config) (model.Engine, error)
}

// Key is the key of the engines under test. Its parts are words and numbers of
// their own, so that a piece of it is found wherever it turns up.
const Key = "sk-WALRUS-4711-Kettle"

// Pieces are the parts of Key, which no error may have.
var Pieces = []string{"WALRUS", "walrus", "4711", "Kettle", "kettle"}

// Conversation is what engines under test are asked.
func Conversation() model.Conversation {
	return model.Conversation{
		System:   "You are PROMPT-SECRET.",
		Messages: []model.Message{{Role: model.User, Text: "Make a plan of DOCUMENT-SECRET."}},
		Schema:   json.RawMessage(`{"type":"object","properties":{"actions":{"type":"array"}},"required":["actions"]}`),
	}
}

// Scene is an engine and its server.
type Scene struct {
	tb testing.TB

	Server *modelserver.Server
	Engine model.Engine
	// Data is the folder in which planners of the engine keep replies, and records
	// of what is spent.
	Data string
	// Meter is that of those planners; nil counts nothing.
	Meter model.Meter
}

// Start starts a server with that script, and makes an engine for it, whose
// settings change may change.
func (s Subject) Start(tb testing.TB, change func(*provider.Config), answers ...modelserver.Answer) *Scene {
	tb.Helper()
	return s.StartScript(tb, change, modelserver.Script{Answers: answers})
}

// StartScript is Start with a whole script.
func (s Subject) StartScript(tb testing.TB, change func(*provider.Config), script modelserver.Script) *Scene {
	tb.Helper()
	server := start(tb, script)
	return &Scene{tb: tb, Server: server, Engine: s.engine(tb, base(server, s.API), change), Data: tb.TempDir()}
}

func start(tb testing.TB, script modelserver.Script) *modelserver.Server {
	tb.Helper()
	server, err := modelserver.Start(modelserver.Options{Script: script})
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, server.Close()) })
	return server
}

// base is where the API's paths begin.
func base(server *modelserver.Server, api modelserver.API) string {
	if api == modelserver.OpenAI {
		return server.OpenAIURL()
	}
	return server.AnthropicURL()
}

func (s Subject) engine(tb testing.TB, base string, change func(*provider.Config)) model.Engine {
	tb.Helper()
	c := s.Defaults()
	c.BaseURL, c.Model, c.Timeout, c.Key = base, "asked-1", 20*time.Second, KeyFile(tb, Key)
	if change != nil {
		change(&c)
	}
	engine, err := s.New(c)
	require.NoError(tb, err)
	return engine
}

// KeyFile is a reference to a key in a file.
func KeyFile(tb testing.TB, key string) secrets.Text {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "key")
	require.NoError(tb, os.WriteFile(path, []byte(key), 0o600))
	reference, err := secrets.Parse("${file:" + path + "}")
	require.NoError(tb, err)
	return reference
}

// Ask asks the engine.
func (s *Scene) Ask() ([]byte, error) { return s.Engine.Ask(context.Background(), Conversation()) }

// Reply asks the engine and reads the answer.
func (s *Scene) Reply() (model.Reply, error) {
	s.tb.Helper()
	body, err := s.Ask()
	require.NoError(s.tb, err)
	return s.Engine.Read(body)
}

// RequireFault checks an error's class and code, and that neither it nor
// anything that it wraps says what it must not. It returns the fault.
func RequireFault(tb testing.TB, err error, class faults.Class, code string) faults.Fault {
	tb.Helper()
	require.Error(tb, err)
	fault, ok := errors.AsType[*faults.Fault](err)
	require.True(tb, ok, "%T", err)
	require.Equal(tb, class.String(), fault.Class.String(), err.Error())
	require.Equal(tb, code, fault.Code, err.Error())
	require.NotContains(tb, err.Error(), "\n")
	require.Less(tb, len(err.Error()), 500)
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		for _, secret := range append([]string{"PROMPT-SECRET", "DOCUMENT-SECRET", "BODY-SECRET", "Bearer"}, Pieces...) {
			require.NotContains(tb, inner.Error(), secret)
		}
	}
	return *fault
}
