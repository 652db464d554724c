package enginetest

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

// Schema has what maps would lose: the order of members, and a number's digits.
const Schema = `{"type":"object","properties":{"z":{"maximum":12345678901234567890},"a":{}}}`

// Talk is a conversation with all that one can have: "be brief", then "plan <b>",
// "{}" and "again" in turn, and the Schema.
func Talk() model.Conversation {
	return model.Conversation{
		System:   "be brief",
		Messages: []model.Message{{Role: model.User, Text: "plan <b>"}, {Role: model.Assistant, Text: "{}"}, {Role: model.User, Text: "again"}},
		Schema:   json.RawMessage(Schema),
	}
}

// Sent is the request that an engine, made for a base URL, makes of Talk.
func Sent(t *testing.T, api modelserver.API, engine func(base string) (model.Engine, error)) modelserver.Call {
	t.Helper()
	server := start(t, modelserver.Script{Answers: []modelserver.Answer{{Text: "{}"}}})
	e, err := engine(base(server, api))
	require.NoError(t, err)
	_, err = e.Ask(t.Context(), Talk())
	require.NoError(t, err)
	calls := server.Calls()
	require.Len(t, calls, 1)
	require.Equal(t, api, calls[0].API)
	return calls[0]
}
