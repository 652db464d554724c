package openai

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

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
	identity := client.Identity("openai")
	identity.TokenLimit = c.TokenLimit
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
		// A client of the SDK reads OPENAI_API_KEY, OPENAI_BASE_URL and more from the
		// environment; a service has the options that it is given, and no others.
		options := []option.RequestOption{
			option.WithBaseURL(e.client.Base()), option.WithHTTPClient(over), option.WithMaxRetries(0),
		}
		if key != "" {
			options = append(options, option.WithAPIKey(key))
		}
		service := openai.NewChatCompletionService(options...)
		_, err := service.New(ctx, params)
		return err
	}, e.Read)
}
