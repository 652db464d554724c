package provider

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/holdpoint/holdpoint/internal/secrets"
)

// Config is what an engine is told, whoever the provider is.
type Config struct {
	// BaseURL is where the API's paths begin, http or https, without user info,
	// query and fragment. With http the key and all documents travel in clear.
	BaseURL string `yaml:"base_url"`
	// Model is the model's name at the provider.
	Model string `yaml:"model"`
	// Key is a reference to the API key, resolved afresh for each call. Without
	// one no credentials are sent, as a server in the own house may want it.
	Key secrets.Text `yaml:"key"`
	// CAFile holds, in PEM form, the authorities to trust instead of the system's.
	CAFile string `yaml:"ca_file"`
	// Temperature is sent when it is given; newer models refuse any.
	Temperature *float64 `yaml:"temperature"`
	// MaxOutputTokens bounds what a model writes in one reply.
	MaxOutputTokens int64 `yaml:"output_tokens"`
	// Timeout is of one whole call, from its connection to the answer's last byte.
	Timeout time.Duration `yaml:"timeout"`
	// MaxAnswerBytes bounds an answer's body, which is held in memory.
	MaxAnswerBytes int64 `yaml:"max_answer_bytes"`
	// Structured is how a model is held to the reply's form.
	Structured Structured `yaml:"structured"`
}

// Structured is how a model is held to the form of its reply. Whichever it is,
// the reply is checked afterwards as if nobody had told the model.
type Structured string

// The ways. Not every provider has every one.
const (
	JSONSchema Structured = "json_schema" // the provider holds it to the schema
	JSONObject Structured = "json_object" // the provider holds it to JSON; the prompt says the form
	Tool       Structured = "tool"        // it must call one tool, whose arguments are the reply
	Text       Structured = "text"        // the prompt alone says the form
)

// Defaults are an engine's settings where the configuration has none.
func Defaults() Config {
	return Config{MaxOutputTokens: 16_000, Timeout: 5 * time.Minute, MaxAnswerBytes: 8 << 20}
}

// Limits of settings that are certainly mistakes beyond them.
const (
	maxName        = 200
	maxTimeout     = time.Hour
	leastAnswer    = 1 << 10
	largestAnswer  = 64 << 20
	maxTemperature = 2
)

// Validate checks the settings without looking at files, secrets or the
// network. The error joins one for each mistake, in the form "field: reason".
func (c Config) Validate(structured ...Structured) error {
	var errs []error
	refuse := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if _, err := parseBase(c.BaseURL); err != nil {
		errs = append(errs, err)
	}
	refuse(c.Model == "", "model: name the model")
	refuse(len(c.Model) > maxName || c.Model != strings.TrimSpace(c.Model) || strings.ContainsFunc(c.Model, unicode.IsControl),
		"model: this is no name of a model")
	refuse(!c.Key.IsZero() && !c.Key.HasReference(), "key: write a reference, ${env:NAME} or ${file:PATH}, and not the key itself")
	refuse(c.Temperature != nil && !(*c.Temperature >= 0 && *c.Temperature <= maxTemperature), "temperature: use a number from 0 to %d", maxTemperature)
	refuse(c.MaxOutputTokens < 1, "output_tokens: use a number from 1 on")
	refuse(c.Timeout <= 0 || c.Timeout > maxTimeout, "timeout: use a time of at most %s", maxTimeout)
	refuse(c.MaxAnswerBytes < leastAnswer || c.MaxAnswerBytes > largestAnswer, "max_answer_bytes: use a number from %d to %d", leastAnswer, largestAnswer)
	refuse(!slices.Contains(structured, c.Structured), "structured: use one of %s", list(structured))
	return errors.Join(errs...)
}

func list(ways []Structured) string {
	names := make([]string, len(ways))
	for i, way := range ways {
		names[i] = string(way)
	}
	return strings.Join(names, ", ")
}

// parseBase reads a base URL. Its errors do not quote it: it may hold what it
// should not.
func parseBase(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	switch {
	case base == "":
		return nil, errors.New("base_url: say where the API is")
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Opaque != "":
		return nil, errors.New("base_url: this is no http or https URL")
	case u.User != nil:
		return nil, errors.New("base_url: leave user and password out; key names the credentials")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(base, "#"):
		return nil, errors.New("base_url: leave query and fragment out")
	}
	u.Host = strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u, nil
}
