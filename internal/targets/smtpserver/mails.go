package smtpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Count says how many mails of that Message-ID the server has taken; the id is
// without its brackets.
func (s *Server) Count(ctx context.Context, id string) (int, error) {
	found, err := s.search(ctx, id)
	return found.Count, err
}

// Mails are those of that Message-ID, as they were taken.
func (s *Server) Mails(ctx context.Context, id string) ([][]byte, error) {
	found, err := s.search(ctx, id)
	if err != nil {
		return nil, err
	}
	var mails [][]byte
	for _, m := range found.Messages {
		var raw []byte
		if err := s.get(ctx, "/api/v1/message/"+url.PathEscape(m.ID)+"/raw", nil, func(body io.Reader) (err error) {
			raw, err = io.ReadAll(body)
			return err
		}); err != nil {
			return nil, err
		}
		mails = append(mails, raw)
	}
	return mails, nil
}

// found is Mailpit's answer to a search.
type found struct {
	Count    int `json:"messages_count"`
	Messages []struct {
		ID string `json:"ID"` //nolint:tagliatelle // Mailpit's name
	} `json:"messages"`
}

func (s *Server) search(ctx context.Context, id string) (found, error) {
	var answer found
	query := url.Values{"query": {fmt.Sprintf("message-id:%q", id)}}
	err := s.get(ctx, "/api/v1/search", query, func(body io.Reader) error { return json.NewDecoder(body).Decode(&answer) })
	return answer, err
}

// get asks the server's HTTP interface. A nil read only looks at the status.
func (s *Server) get(ctx context.Context, path string, query url.Values, read func(io.Reader) error) error {
	at := url.URL{Scheme: "http", Host: s.api, Path: path, RawQuery: query.Encode()}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("mail server: %s answered %s", path, answer.Status)
	}
	if read == nil {
		return nil
	}
	return read(answer.Body)
}
