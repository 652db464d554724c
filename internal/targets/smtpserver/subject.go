package smtpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
)

// CountSubject says how many mails with that subject the server has taken.
func (s *Server) CountSubject(ctx context.Context, subject string) (int, error) {
	var answer found
	query := url.Values{"query": {fmt.Sprintf("subject:%q", subject)}}
	err := s.get(ctx, "/api/v1/search", query, func(body io.Reader) error { return json.NewDecoder(body).Decode(&answer) })
	return answer.Count, err
}
