package modelserver

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/internal/regularfile"
)

// Answer is what a server does with one call. The zero Answer is an empty reply.
type Answer struct {
	// Times is how many calls get it; 1 when it is 0.
	Times int `yaml:"times"`

	// What the model says.

	Text     string `yaml:"text"`
	TextFile string `yaml:"text_file"` // of a script file: where the text is, as it is
	// Finish is why the model ends; FinishStop when empty. What is no Finish is
	// sent as it stands.
	Finish  Finish `yaml:"finish"`
	Refusal string `yaml:"refusal"` // the model will not
	Tool    *Tool  `yaml:"tool"`    // the model calls a tool
	Model   string `yaml:"model"`   // the id that is reported, when it is another than the script's
	Usage   *Usage `yaml:"usage"`   // nil: a fourth of the bytes in and out
	// NoChoices leaves out what the model says: an empty list of choices, or of
	// blocks.
	NoChoices bool `yaml:"no_choices"`

	// What is no reply of a model.

	Status     int    `yaml:"status"`      // 200 when it is 0
	RetryAfter string `yaml:"retry_after"` // the header, or imf:3s, rfc850:3s, asctime:3s for a date in that form
	// Headers are further ones; they replace the server's own.
	Headers map[string]string `yaml:"headers"`
	Error   *Error            `yaml:"error"` // an error object, with whatever status
	// Echo puts the request's credentials into the error's message, its code and
	// its type, as a careless server does.
	Echo bool `yaml:"echo"`
	// Body replaces the whole body, and ContentType its type, text/html when empty.
	Body        string `yaml:"body"`
	ContentType string `yaml:"content_type"`
	// Stream sends the reply as a stream of events.
	Stream bool `yaml:"stream"`
	// Padding is a number of blanks after the body.
	Padding int `yaml:"padding"`

	// How it arrives.

	Delay time.Duration `yaml:"delay"` // before the answer; it ends early when the client hangs up
	// Connection is how the connection ends, when the answer does not arrive whole.
	Connection Connection `yaml:"connection"`
}

// Finish is why a model ends, in one word for both APIs.
type Finish string

// The ends of a reply, and what they are to OpenAI and to Anthropic.
const (
	FinishStop   Finish = "stop"   // stop, end_turn
	FinishLength Finish = "length" // length, max_tokens
	FinishFilter Finish = "filter" // content_filter, refusal
	FinishTool   Finish = "tool"   // tool_calls, tool_use
)

// Tool is a call of a tool.
type Tool struct {
	Name      string `yaml:"name"`
	Arguments string `yaml:"arguments"` // JSON; for OpenAI's API it may be broken
	Twice     bool   `yaml:"twice"`
}

// Usage is what is reported as used.
type Usage struct {
	Input  int64 `yaml:"input"`
	Output int64 `yaml:"output"`
}

// Error is an error object. Empty fields are those that the API has for the
// status.
type Error struct {
	Type    string `yaml:"type"`
	Code    string `yaml:"code"` // only in OpenAI's API
	Message string `yaml:"message"`
}

// Connection is how a connection ends.
type Connection string

// The ends of a connection. The request was read whole before each.
const (
	ResetBefore  Connection = "reset_before"  // RST, before anything of the answer
	ResetWithin  Connection = "reset_within"  // RST, in the middle of its body
	ClosedWithin Connection = "closed_within" // FIN, in the middle of its body
)

const (
	// firstError is the status from which on an answer is an error.
	firstError = 400
	// maxPadding bounds what a script may make a server hold in memory.
	maxPadding = 256 << 20
)

// complete refuses what cannot be meant, and reads the text's file.
func (a *Answer) complete(folder string) error {
	if a.TextFile != "" {
		if a.Text != "" {
			return errors.New("give one of text and text_file")
		}
		path := a.TextFile
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		raw, err := regularfile.Read(path)
		if err != nil {
			return fmt.Errorf("text_file: %w", err)
		}
		a.Text = string(raw)
	}
	return a.check()
}

func (a *Answer) check() error {
	if err := a.checkNumbers(); err != nil {
		return err
	}
	if err := a.checkHeaders(); err != nil {
		return err
	}
	says, isError := a.says(), a.Error != nil || a.Echo
	switch {
	case !slices.Contains([]Connection{"", ResetBefore, ResetWithin, ClosedWithin}, a.Connection):
		return fmt.Errorf("connection: use %s, %s or %s", ResetBefore, ResetWithin, ClosedWithin)
	case a.Body != "" && (says || isError):
		return errors.New("body stands for the whole answer: leave out what it replaces")
	case says && (isError || a.Status >= firstError):
		return errors.New("an answer is a reply of the model, or an error: leave one of them out")
	default:
		return nil
	}
}

// says reports an answer that has something of a model's in it.
func (a *Answer) says() bool {
	return a.Text != "" || a.Refusal != "" || a.Tool != nil || a.NoChoices || a.Finish != "" || a.Usage != nil || a.Stream
}

func (a *Answer) checkNumbers() error {
	switch {
	case a.Times < 0 || a.Delay < 0 || a.Padding < 0 || a.Padding > maxPadding:
		return errors.New("times, delay and padding are numbers from 0 on, and padding is at most 256 MiB")
	case a.Status != 0 && (a.Status < 200 || a.Status > 599):
		return errors.New("status: use a number from 200 to 599")
	default:
		return nil
	}
}

func (a *Answer) checkHeaders() error {
	for name, value := range a.Headers {
		if name == "" || strings.ContainsAny(name, "\r\n: ") || strings.ContainsAny(value, "\r\n") {
			return errors.New("headers: a name has no blanks and no colon, and a value is one line")
		}
	}
	if strings.ContainsAny(a.RetryAfter, "\r\n") {
		return errors.New("retry_after: a header is one line")
	}
	_, err := retryAfter(a.RetryAfter, time.Time{})
	return err
}

// Summary is the answer in a few words, for whoever watches.
func (a Answer) Summary() string {
	switch {
	case a.Connection != "":
		return "connection " + string(a.Connection)
	case a.Body != "":
		return fmt.Sprintf("a body of %d bytes", len(a.Body))
	case a.Status >= firstError:
		return fmt.Sprintf("status %d", a.Status)
	case a.Error != nil || a.Echo:
		return "an error"
	case a.Refusal != "":
		return "a refusal"
	case a.Tool != nil:
		return "a call of " + a.Tool.Name
	case a.NoChoices:
		return "no choices"
	default:
		return fmt.Sprintf("a text of %d bytes", len(a.Text))
	}
}
