package anthropic

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/activities/planners/model/provider"
)

// Engine asks one model.
type Engine struct {
	config   Config
	client   *provider.Client
	identity json.RawMessage
}

var _ model.Engine = (*Engine)(nil)

// New makes an engine. It reads the file of authorities, and neither resolves
// the key nor connects. Its error is Validate's, or about that file.
func New(c Config) (*Engine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	client, err := provider.NewClient(c.Config)
	if err != nil {
		return nil, err
	}
	identity := client.Identity("anthropic")
	identity.APIVersion = c.APIVersion
	raw, err := identity.JSON()
	if err != nil {
		return nil, err
	}
	return &Engine{config: c, client: client, identity: raw}, nil
}

// Identity implements model.Engine.
func (e *Engine) Identity() json.RawMessage { return e.identity }

// Ask implements model.Engine.
func (e *Engine) Ask(ctx context.Context, c model.Conversation) ([]byte, error) {
	params := e.params(c)
	return e.client.Ask(ctx, func(ctx context.Context, key string, over *http.Client) error {
		// A client of the SDK looks for keys and addresses in the environment and in
		// profiles below the home folder; a service has the options that it is given.
		options := []option.RequestOption{
			option.WithBaseURL(e.client.Base()), option.WithHTTPClient(over), option.WithMaxRetries(0),
			// Without it the SDK refuses a large max_tokens, because it guesses that the
			// answer takes over ten minutes.
			option.WithRequestTimeout(e.config.Timeout),
			// Its spans go to whatever tracer the process has, and a variable of the
			// environment puts documents into them.
			option.WithoutOpenTelemetry(),
			option.WithHeader("Anthropic-Version", e.config.APIVersion),
		}
		switch {
		case key == "":
		case e.config.APIVersion == Version2023:
			options = append(options, option.WithHeader("X-Api-Key", key))
		default:
			options = append(options, option.WithAPIKey(key))
		}
		service := anthropic.NewMessageService(options...)
		_, err := service.New(ctx, params)
		return err
	}, e.Read)
}
