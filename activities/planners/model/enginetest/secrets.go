package enginetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

// NoSecretsInErrors is servers that quote credentials, and what they were sent,
// wherever an answer has room for it.
func NoSecretsInErrors(t *testing.T, s Subject) {
	for _, status := range []int{400, 401, 403, 429, 500} {
		scene := s.Start(t, nil, modelserver.Answer{Status: status, Echo: true})
		_, err := scene.Ask()
		require.Contains(t, RequireFault(t, err, faults.ClassOf(err), faults.Name(err).Code).Reason, scene.Server.URL[len("http://"):])
	}
	for _, code := range []string{
		"WALRUS", "invalid_WALRUS", "walrus_kettle", "Bearer " + Key, "BODY-SECRET", "line\nend", strings.Repeat("long_", 20) + "code", "4711",
	} {
		scene := s.Start(t, nil, modelserver.Answer{Status: 401, Error: &modelserver.Error{Type: code, Code: code, Message: "BODY-SECRET " + Key}})
		_, err := scene.Ask()
		reason := RequireFault(t, err, faults.Permanent, "http_401").Reason
		require.Contains(t, reason, "(401 Unauthorized) ", "no code is shown")
	}
	t.Run("a code is shown", func(t *testing.T) {
		scene := s.Start(t, nil, modelserver.Answer{Status: 401, Error: &modelserver.Error{Type: "expired_credentials", Code: "expired_credentials"}})
		_, err := scene.Ask()
		require.Contains(t, RequireFault(t, err, faults.Permanent, "http_401").Reason, "(401 Unauthorized, expired_credentials) ")
	})
	t.Run("in the identity", func(t *testing.T) {
		scene := s.Start(t, nil, modelserver.Answer{})
		for _, piece := range append([]string{"key"}, Pieces...) {
			require.NotContains(t, string(scene.Engine.Identity()), piece)
		}
	})
}

// Keys is where the key comes from: its reference, at each call, and nowhere
// else.
func Keys(t *testing.T, s Subject) {
	t.Run("afresh", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "key")
		reference, err := secrets.Parse("${file:" + path + "}")
		require.NoError(t, err)
		scene := s.Start(t, func(c *provider.Config) { c.Key = reference }, modelserver.Answer{Text: "{}"})

		_, err = scene.Ask()
		RequireFault(t, err, faults.Transient, faults.CodeSecretMissing)
		require.Empty(t, scene.Server.Calls())

		for _, key := range []string{"first\n", "second"} {
			require.NoError(t, os.WriteFile(path, []byte(key), 0o600))
			_, err = scene.Ask()
			require.NoError(t, err)
		}
		calls := scene.Server.Calls()
		require.Equal(t, "Bearer first", calls[0].Header.Get("Authorization"))
		require.Equal(t, "Bearer second", calls[1].Header.Get("Authorization"))
	})
	t.Run("that no header carries", func(t *testing.T) {
		scene := s.Start(t, func(c *provider.Config) { c.Key = KeyFile(t, "sk-WALRUS\nX-Evil: 1") }, modelserver.Answer{Text: "{}"})
		_, err := scene.Ask()
		RequireFault(t, err, faults.Permanent, "bad_key")
		require.Empty(t, scene.Server.Calls())
	})
	t.Run("none", func(t *testing.T) {
		scene := s.Start(t, func(c *provider.Config) { c.Key = secrets.Text{} }, modelserver.Answer{Text: "{}"})
		_, err := scene.Ask()
		require.NoError(t, err)
		require.Empty(t, scene.Server.Calls()[0].Header.Values("Authorization"))
		require.Empty(t, scene.Server.Calls()[0].Header.Values("X-Api-Key"))
	})
}

// Environment is that nothing of it is used: what the SDKs would read, and what
// Go's own transport would.
func Environment(t *testing.T, s Subject) {
	elsewhere, err := modelserver.Start(modelserver.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, elsewhere.Close()) })
	home := t.TempDir()
	for name, value := range map[string]string{ //nolint:gosec // no credentials of anybody
		"OPENAI_API_KEY": "ENV-openai", "OPENAI_ADMIN_KEY": "ENV-admin", "OPENAI_BASE_URL": elsewhere.OpenAIURL(), "OPENAI_ORG_ID": "ENV-org",
		"OPENAI_PROJECT_ID": "ENV-project", "OPENAI_CUSTOM_HEADERS": "X-Env: ENV-header", "OPENAI_WEBHOOK_SECRET": "ENV-webhook",
		"ANTHROPIC_API_KEY": "ENV-anthropic", "ANTHROPIC_AUTH_TOKEN": "ENV-token", "ANTHROPIC_BASE_URL": elsewhere.AnthropicURL(),
		"ANTHROPIC_CUSTOM_HEADERS": "X-Env: ENV-header", "ANTHROPIC_PROFILE": "ENV-profile", "ANTHROPIC_CONFIG_DIR": home,
		"HOME": home, "XDG_CONFIG_HOME": home,
		"HTTP_PROXY": elsewhere.URL, "http_proxy": elsewhere.URL, "HTTPS_PROXY": elsewhere.URL, "ALL_PROXY": elsewhere.URL,
	} {
		t.Setenv(name, value)
	}
	for _, withKey := range []bool{true, false} {
		scene := s.Start(t, func(c *provider.Config) {
			if !withKey {
				c.Key = secrets.Text{}
			}
		}, modelserver.Answer{Text: "{}"})
		_, err := scene.Ask()
		require.NoError(t, err)
		require.Len(t, scene.Server.Calls(), 1)
		for name, values := range scene.Server.Calls()[0].Header {
			require.NotContains(t, strings.Join(values, " "), "ENV-", name)
		}
	}
	// Go asks no proxy for this machine, but would for another name.
	_, err = s.engine(t, "http://models.invalid/v1", nil).Ask(t.Context(), Conversation())
	require.ErrorContains(t, err, "nothing was sent")
	require.Empty(t, elsewhere.Calls())
}
