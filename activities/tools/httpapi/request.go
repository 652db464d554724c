package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools/template"
)

// outgoing is a request with everything filled in. It can be sent any number
// of times, always with the same bytes.
type outgoing struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
}

// request returns the request for one send. It has no GetBody: there is
// nothing that could send it a second time.
func (o *outgoing) request(ctx context.Context) *http.Request {
	r := &http.Request{
		Method: o.method, URL: o.url, Host: o.url.Host, Header: o.header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: http.NoBody, ContentLength: int64(len(o.body)),
	}
	if len(o.body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(o.body))
	}
	return r.WithContext(ctx)
}

// filling is what a declared request is filled in with.
type filling struct {
	vars     template.Vars
	auth     auth // of the tool, for a request to its host that has none of its own
	limit    int64
	reveal   revealer
	showOnly bool // for people: credentials as references
}

// fill makes the request. Its error is a fault after which nothing was sent.
func (r request) fill(f filling) (*outgoing, error) {
	out, err := r.build(f)
	var secret secretError
	switch {
	case errors.As(err, &secret):
		return nil, faults.SecretMissing("the request to "+r.URL.base.Host, secret)
	case err != nil:
		return nil, badRequest("%s", err)
	case int64(len(out.body)) > f.limit:
		return nil, badRequest("the request's body has %d bytes; the tool's limit is %d", len(out.body), f.limit)
	}
	return out, nil
}

func badRequest(format string, args ...any) error {
	return &faults.Fault{Class: faults.Permanent, Code: "bad_request", Reason: "the request cannot be made: " + fmt.Sprintf(format, args...)}
}

func (r request) build(f filling) (*outgoing, error) {
	u, err := r.URL.render(f.vars)
	if err != nil {
		return nil, err
	}
	body, contentType, err := r.payload(f.vars)
	if err != nil {
		return nil, err
	}
	out := &outgoing{method: r.Method, url: u, header: http.Header{}, body: body}
	out.header.Set("User-Agent", "holdpoint")
	if contentType != "" {
		out.header.Set("Content-Type", contentType)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		value, err := r.Headers[name].render(f.vars, f.reveal)
		if err != nil {
			return nil, err
		}
		if err := out.set(name, value); err != nil {
			return nil, err
		}
	}
	name, value, err := f.auth.header(f.reveal, f.showOnly)
	if err != nil || name == "" {
		return out, err
	}
	return out, out.set(name, value)
}

// set sets a header; its error has no value in it.
func (o *outgoing) set(name, value string) error {
	if !isFieldValue(value) {
		return fmt.Errorf("the value of the header %s has letters that a header cannot carry: printable ASCII only, no blanks at the ends", name)
	}
	o.header.Set(name, value)
	return nil
}

// payload is the body and its content type.
func (r request) payload(v template.Vars) (body []byte, contentType string, err error) {
	switch {
	case !r.Body.IsZero():
		contentType = "application/json"
		value, err := r.Body.Render(v)
		if err != nil {
			return nil, "", err
		}
		if body, err = encode(value); err != nil {
			return nil, "", err
		}
	case len(r.Form) > 0:
		contentType = "application/x-www-form-urlencoded"
		if body, err = r.form(v); err != nil {
			return nil, "", err
		}
	case !r.Text.IsZero():
		text, err := r.Text.Render(v, nil)
		if err != nil {
			return nil, "", err
		}
		body = []byte(text)
	}
	if r.ContentType != "" {
		contentType = r.ContentType
	}
	return body, contentType, nil
}

// encode writes JSON in one form: members by name, nothing escaped that need
// not be. One key must always come with the same bytes.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, errors.New("the body holds a value that JSON cannot carry")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// form writes fields by name. A null leaves its field out: some APIs take a
// field that is there, whatever its value, for yes.
func (r request) form(v template.Vars) ([]byte, error) {
	fields := url.Values{}
	for name, declared := range r.Form {
		value, err := declared.Render(v)
		if err != nil {
			return nil, err
		}
		values, isList := value.([]any)
		if !isList {
			values = []any{value}
		}
		for _, one := range values {
			if one == nil {
				continue
			}
			text, err := formText(one)
			if err != nil {
				return nil, fmt.Errorf("the form field %s %w", name, err)
			}
			fields.Add(name, text)
		}
	}
	return []byte(fields.Encode()), nil
}

func formText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int, int64, uint64:
		return fmt.Sprint(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	default:
		return "", errors.New("is no text, number, true, false or null, and no list of them")
	}
}
