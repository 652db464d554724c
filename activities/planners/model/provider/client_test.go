package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/modelserver"
)

func scripted(t *testing.T, answers ...modelserver.Answer) (*modelserver.Server, *Client) {
	t.Helper()
	server, err := modelserver.Start(modelserver.Options{Script: modelserver.Script{Answers: answers}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	c := Defaults()
	c.BaseURL, c.Timeout = server.OpenAIURL(), 20*time.Second
	client, err := NewClient(c)
	require.NoError(t, err)
	return server, client
}

// noReply takes every body for no answer of a model.
func noReply([]byte) (model.Reply, error) { return model.Reply{}, errors.New("no reply") }

// post is what an SDK does.
func post(ctx context.Context, over *http.Client, url string) (string, error) {
	body := strings.NewReader(`{"model":"m","messages":[{}]}`)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/chat/completions", body)
	if err != nil {
		return "", err
	}
	response, err := over.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	return string(raw), err
}

// An SDK that asks again, whatever for, gets no second request through.
func TestAskIsOneRequest(t *testing.T) {
	server, client := scripted(t, modelserver.Answer{Body: "first"}, modelserver.Answer{Body: "second"})
	body, err := client.Ask(t.Context(), func(ctx context.Context, _ string, over *http.Client) error {
		saw, err := post(ctx, over, client.Base())
		require.NoError(t, err)
		require.Equal(t, "first", saw, "an SDK sees the body, too")
		_, err = post(ctx, over, client.Base())
		require.ErrorIs(t, err, errAgain)
		return err
	}, noReply)
	require.NoError(t, err)
	require.Equal(t, "first", string(body))
	require.Len(t, server.Calls(), 1)
}

// What an SDK makes of an answer does not count.
func TestAskDoesNotAskTheSDK(t *testing.T) {
	_, client := scripted(t, modelserver.Answer{Body: "<html>"}, modelserver.Answer{Status: 401})
	call := func(made error) Call {
		return func(ctx context.Context, _ string, over *http.Client) error {
			post(ctx, over, client.Base())
			return made
		}
	}
	body, err := client.Ask(t.Context(), call(errors.New("no JSON")), noReply)
	require.NoError(t, err)
	require.Equal(t, "<html>", string(body))
	_, err = client.Ask(t.Context(), call(nil), noReply)
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
}

func TestAskWithoutARequest(t *testing.T) {
	server, client := scripted(t)
	refuses := func(context.Context, string, *http.Client) error { return errors.New("max_tokens SECRET") }
	_, err := client.Ask(t.Context(), refuses, noReply)
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.ErrorContains(t, err, "bad_request: no request to 127.0.0.1:")
	require.NotContains(t, err.Error(), "SECRET")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client.Ask(ctx, func(ctx context.Context, _ string, _ *http.Client) error { return ctx.Err() }, noReply)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.Empty(t, server.Calls())
}

func TestTokens(t *testing.T) {
	for raw, want := range map[string]int64{
		"7": 7, "0": 0, "1099511627776": 1 << 40, "1099511627777": 0, "-1": 0, "1.5": 0, "1e3": 0, `"7"`: 0, "null": 0, "": 0, "[]": 0,
	} {
		require.Equal(t, want, Tokens([]byte(raw)), raw)
	}
}
