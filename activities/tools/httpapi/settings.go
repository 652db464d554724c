package httpapi

import (
	"net/http"

	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// settings are a declaration's part under "http". docs/tools/http.md says what
// each field means.
type settings struct {
	Hosts            []string `yaml:"hosts"`
	CAFile           string   `yaml:"ca_file"`
	MaxRequestBytes  int64    `yaml:"max_request_bytes"`
	MaxResponseBytes int64    `yaml:"max_response_bytes"`

	Write request `yaml:",inline"`

	Success   []int      `yaml:"success"`
	Receipt   receipt    `yaml:"receipt"`
	Failed    expression `yaml:"failed"`
	Throttled expression `yaml:"throttled"`

	Key        keySettings `yaml:"key"`
	InProgress expression  `yaml:"in_progress"`
	KeyReused  expression  `yaml:"key_reused"`

	IfMatch    *ifMatch    `yaml:"if_match"`
	CreateOnly *createOnly `yaml:"create_only"`
	ReadBack   *readBack   `yaml:"read_back"`

	Lookup *lookup `yaml:"lookup"`
	Count  *count  `yaml:"count"`
}

// defaultLimit of a request's and an answer's body, in bytes.
const defaultLimit = 1 << 20

func defaults() settings {
	return settings{
		MaxRequestBytes:  defaultLimit,
		MaxResponseBytes: defaultLimit,
		Write:            request{Method: http.MethodPost},
		Success:          []int{http.StatusOK, http.StatusCreated, http.StatusNoContent},
		Key:              keySettings{Header: "Idempotency-Key", Style: styleStructured},
	}
}

// request is a declared request.
type request struct {
	Method      string                    `yaml:"method"`
	URL         urlTemplate               `yaml:"url"`
	Headers     map[string]headerText     `yaml:"headers"`
	Auth        auth                      `yaml:"auth"`
	Body        template.Value            `yaml:"body"`
	Form        map[string]template.Value `yaml:"form"`
	Text        template.Text             `yaml:"text"`
	ContentType string                    `yaml:"content_type"`
}

// read is a request that writes nothing, and the statuses whose answer is
// judged.
type read struct {
	Request  request `yaml:",inline"`
	Statuses []int   `yaml:"statuses"`
}

// receipt says where in an answer the receipt stands.
type receipt struct {
	Ref    expression `yaml:"ref"`
	Detail expression `yaml:"detail"`
	At     expression `yaml:"at"`
}

// The styles of a key in a header.
const (
	styleStructured = "structured" // a String Item of RFC 9651, in quotes
	styleBare       = "bare"
)

// noHeader says that the key stands elsewhere in the request.
const noHeader = "none"

// keySettings say how a keyed request carries the key.
type keySettings struct {
	Header string `yaml:"header"`
	Style  string `yaml:"style"`
}

// ifMatch is a write that changes what is still as it was.
type ifMatch struct {
	Read    read       `yaml:"read"`
	Value   expression `yaml:"value"`
	Absent  expression `yaml:"absent"`
	Before  expression `yaml:"before"`
	Header  *bool      `yaml:"header"`
	Refused expression `yaml:"refused"`
}

func (m *ifMatch) sendsHeader() bool { return m.Header == nil || *m.Header }

// createOnly is a write that creates what is not there.
type createOnly struct {
	Header *bool      `yaml:"header"`
	Exists expression `yaml:"exists"`
}

func (c *createOnly) sendsHeader() bool { return c.Header == nil || *c.Header }

// readBack asks whose effect is there, after a conditional write was refused.
type readBack struct {
	Read          read       `yaml:",inline"`
	Ours          expression `yaml:"ours"`
	Authoritative bool       `yaml:"authoritative"`
	Receipt       receipt    `yaml:"receipt"`
}

// lookup asks for the effect of a key.
type lookup struct {
	Read          read       `yaml:",inline"`
	Found         expression `yaml:"found"`
	Absent        expression `yaml:"absent"`
	Authoritative bool       `yaml:"authoritative"`
	Receipt       receipt    `yaml:"receipt"`
}

// count asks how often the effect is there.
type count struct {
	Read  read       `yaml:",inline"`
	Value expression `yaml:"value"`
}
