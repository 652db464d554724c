package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects"
	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/httpapi/scripted"
)

// pages writes the page "home"; GUARD stands for what keeps a second write
// away.
const pages = head + `
class: conditional
http:
  hosts: ["ADDRESS"]
  method: PUT
  url: URL/pages/home
  body: {text: "{{params.number}}", reference: "{{key}}"}
  receipt: {ref: "headers['etag']"}
  read_back:
    url: URL/pages/home
    ours: status == 200 && body.reference == key && body.text == params.number
    receipt: {ref: "headers['etag']"}
`

const (
	ifMatch = `
  if_match:
    read: {url: URL/pages/home}
    before: body.text
`
	createOnly = `
  create_only: {}
`
	// throughHistory is ours also when others have written since.
	throughHistory = `
  read_back:
    url: URL/pages/home/past
    ours: body.items.exists(v, v.reference == key)
    authoritative: true
    receipt: {ref: "string(body.items.filter(v, v.reference == key)[0].number)"}
`
)

// withHistory looks through the history instead of at the page.
func withHistory(declaration string) string {
	return before(declaration, "  read_back:") + strings.TrimPrefix(throughHistory, "\n") + ifMatch
}

func TestChangeOfWhatIsStillThere(t *testing.T) {
	server := serve(t, scripted.Options{})
	server.Edit("home", "old text")
	s := newScene(t, open(t, server, pages+ifMatch), "week-48", "new text")
	require.Equal(t, `"v1"`, s.action.Precondition)
	require.Contains(t, s.action.Preview, "If-Match: \"v1\"\n")
	require.Contains(t, s.action.Preview, "Now there:\nold text\n")

	out, err := s.attempt()
	require.NoError(t, err)
	require.Equal(t, `"v2"`, out.Receipt.Ref)
	require.Equal(t, `"v1"`, server.Writes()[0].Header.Get("If-Match"))
	text, writes := server.Page("home", s.action.IdempotencyKey)
	require.Equal(t, "new text", text)
	require.Equal(t, 1, writes)
}

func TestPageThatSomebodyChangedIsDrift(t *testing.T) {
	server := serve(t, scripted.Options{})
	server.Edit("home", "old text")
	s := newScene(t, open(t, server, pages+ifMatch), "week-48", "new text")
	server.Edit("home", "hers")

	out, err := s.attempt()
	require.NoError(t, err)
	require.True(t, out.Drifted)
	require.Equal(t, effects.Released, s.row().State)
	text, writes := server.Page("home", s.action.IdempotencyKey)
	require.Equal(t, "hers", text)
	require.Zero(t, writes)
}

func TestLostAnswerOfAConditionalWriteIsFoundByReadingBack(t *testing.T) {
	for name, guard := range map[string]string{"if_match": ifMatch, "create_only": createOnly} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, scripted.Options{})
			if guard == ifMatch {
				server.Edit("home", "old text")
			}
			s := newScene(t, open(t, server, pages+guard), "week-48", "new text")
			server.Script(scripted.Answer{Ending: scripted.Reset})
			_, err := s.attempt()
			requireFault(t, err, faults.Unknown, "answer_cut")
			out, err := s.attempt()
			require.NoError(t, err)
			require.NotEmpty(t, out.Receipt.Ref)
			require.True(t, out.Recovered)
			_, writes := server.Page("home", s.action.IdempotencyKey)
			require.Equal(t, 1, writes)
			require.Len(t, bodies(server), 1)
		})
	}
}

// An earlier call may have had its effect, and somebody has written over it:
// "not ours" then proves nothing, unless the history was asked.
func TestChangeOverOursAfterALostAnswer(t *testing.T) {
	lost := func(t *testing.T, declaration string) (*scene, *scripted.Server) {
		server := serve(t, scripted.Options{})
		server.Edit("home", "old text")
		s := newScene(t, open(t, server, declaration), "week-48", "new text")
		server.Script(scripted.Answer{Ending: scripted.Reset})
		_, err := s.attempt()
		requireFault(t, err, faults.Unknown, "answer_cut")
		server.Edit("home", "hers")
		return s, server
	}
	t.Run("a look at the page does not settle it", func(t *testing.T) {
		s, server := lost(t, pages+ifMatch)
		_, err := s.retried()
		fault := requireFault(t, err, faults.Unknown, faults.CodeOutcomeUnknown)
		require.Contains(t, fault.Reason, s.action.IdempotencyKey)
		require.Equal(t, effects.Started, s.row().State)
		text, writes := server.Page("home", s.action.IdempotencyKey)
		require.Equal(t, "hers", text)
		require.Equal(t, 1, writes)
	})
	t.Run("the history does", func(t *testing.T) {
		s, server := lost(t, withHistory(pages+ifMatch))
		out, err := s.retried()
		require.NoError(t, err)
		require.Equal(t, "2", out.Receipt.Ref)
		text, _ := server.Page("home", "")
		require.Equal(t, "hers", text)
	})
	t.Run("and shows that it was not ours", func(t *testing.T) {
		server := serve(t, scripted.Options{})
		server.Edit("home", "old text")
		s := newScene(t, open(t, server, withHistory(pages+ifMatch)), "week-48", "new text")
		server.Script(scripted.Answer{NoEffect: true, Ending: scripted.Reset})
		_, err := s.attempt()
		requireFault(t, err, faults.Unknown, "answer_cut")
		server.Edit("home", "hers")
		out, err := s.retried()
		require.NoError(t, err)
		require.True(t, out.Drifted)
	})
}

func TestCreateOnly(t *testing.T) {
	server := serve(t, scripted.Options{})
	s := newScene(t, open(t, server, pages+createOnly), "week-48", "new text")
	require.Empty(t, s.action.Precondition)
	server.Edit("home", "hers")
	out, err := s.attempt()
	require.NoError(t, err)
	require.True(t, out.Drifted)
	require.Contains(t, out.Detail, "exists already")
	require.Equal(t, "*", server.Writes()[0].Header.Get("If-None-Match"))
}

func TestCreateOrChange(t *testing.T) {
	server := serve(t, scripted.Options{})
	tool := open(t, server, pages+ifMatch+createOnly)
	first := newScene(t, tool, "week-48", "one")
	require.Equal(t, "absent", first.action.Precondition)
	_, err := first.attempt()
	require.NoError(t, err)
	second := newScene(t, tool, "week-49", "two")
	require.Equal(t, `"v1"`, second.action.Precondition)
	_, err = second.attempt()
	require.NoError(t, err)

	writes := server.Writes()
	require.Equal(t, "*", writes[0].Header.Get("If-None-Match"))
	require.Empty(t, writes[0].Header.Get("If-Match"))
	require.Equal(t, `"v1"`, writes[1].Header.Get("If-Match"))
	require.Empty(t, writes[1].Header.Get("If-None-Match"))
}

// As MediaWiki does it: the state and the refusal are in the bodies.
func TestPreconditionAndRefusalInTheBody(t *testing.T) {
	server := serve(t, scripted.Options{})
	server.Edit("home", "old text")
	s := newScene(t, open(t, server, strings.Replace(pages, "{text:", `{base: "{{precondition}}", text:`, 1)+`
  if_match:
    read: {url: URL/pages/home}
    value: body.number
    header: false
    refused: body.error.code == 'editconflict'
`), "week-48", "new text")
	require.Equal(t, "1", s.action.Precondition)
	server.Script(scripted.Refusal(http.StatusOK, `{"error":{"code":"editconflict"}}`))
	out, err := s.attempt()
	require.NoError(t, err)
	require.True(t, out.Drifted)
	require.Contains(t, server.Writes()[0].Body, `"base":"1"`)
	require.Empty(t, server.Writes()[0].Header.Get("If-Match"))
}

func TestPrepareRefusesWhatCannotBeGuarded(t *testing.T) {
	propose := func(t *testing.T, declaration string, prepare func(*scripted.Server)) error {
		t.Helper()
		server := serve(t, scripted.Options{})
		prepare(server)
		_, err := open(t, server, declaration).Prepare(t.Context(), tools.Proposal{Parameters: []byte(`{"number":"x"}`), AllowedTarget: "shop"})
		require.Empty(t, server.Writes())
		return err
	}
	nothing := func(*scripted.Server) {}
	page := func(s *scripted.Server) { s.Edit("home", "x") }
	requireFault(t, propose(t, pages+ifMatch, nothing), faults.Permanent, "nothing_to_change")
	requireFault(t, propose(t, pages+strings.Replace(ifMatch, "before", "value: \"'W/' + headers['etag']\"\n    before", 1), page), faults.Permanent, "no_precondition")
	requireFault(t, propose(t, pages+strings.Replace(ifMatch, "before", "value: \"''\"\n    before", 1), page), faults.Permanent, "no_precondition")
	requireFault(t, propose(t, pages+strings.Replace(ifMatch, "before: body.text", "value: body.revision.id", 1), page), faults.Permanent, "answer_not_judged")
	requireFault(t, propose(t, pages+ifMatch, func(s *scripted.Server) { s.Close() }), faults.Transient, "dial_failed")
}

func TestReadBackThatFailsChangesNothing(t *testing.T) {
	server := serve(t, scripted.Options{})
	s := newScene(t, open(t, server, strings.Replace(pages, "url: URL/pages/home\n    ours", "url: URL/broken\n    method: POST\n    ours", 1)+createOnly), "week-48", "new text")
	server.Edit("home", "hers")
	server.Script(scripted.Answer{}, scripted.Refusal(500, "{}"))
	_, err := s.attempt()
	fault := requireFault(t, err, faults.Transient, "http_500")
	require.Contains(t, fault.Reason, "read request")
	_, writes := server.Page("home", s.action.IdempotencyKey)
	require.Zero(t, writes)
}
