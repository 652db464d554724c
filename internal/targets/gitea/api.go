package gitea

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Issue is one issue.
type Issue struct {
	Number int64  `json:"number"`
	Title  string `json:"title"`
	Body   string `json:"body"`
}

// CreateRepository makes an empty repository of Owner.
func (s *Server) CreateRepository(ctx context.Context, name string) error {
	return s.call(ctx, http.MethodPost, "/api/v1/user/repos", map[string]any{"name": name}, nil)
}

// CreateIssue opens an issue as somebody else would.
func (s *Server) CreateIssue(ctx context.Context, repository, title, body string) (Issue, error) {
	var made Issue
	err := s.call(ctx, http.MethodPost, issues(repository), map[string]any{"title": title, "body": body}, &made)
	return made, err
}

// Issues returns the issues of a repository of Owner whose text holds a text,
// open or closed, the newest first: how often an effect is there, as Gitea's
// database has it. The search index is not asked.
func (s *Server) Issues(ctx context.Context, repository, text string) ([]Issue, error) {
	var found []Issue
	for page := 1; ; page++ {
		var listed []Issue
		query := url.Values{"state": {"all"}, "type": {"issues"}, "limit": {"50"}, "page": {strconv.Itoa(page)}}
		if err := s.call(ctx, http.MethodGet, issues(repository)+"?"+query.Encode(), nil, &listed); err != nil {
			return nil, err
		}
		for _, issue := range listed {
			if strings.Contains(issue.Body, text) {
				found = append(found, issue)
			}
		}
		if len(listed) == 0 {
			return found, nil
		}
	}
}

func issues(repository string) string {
	return "/api/v1/repos/" + Owner + "/" + url.PathEscape(repository) + "/issues"
}

// knowsToken is nil when the server takes the token for Owner's.
func (s *Server) knowsToken(ctx context.Context) error {
	var user struct {
		Login string `json:"login"`
	}
	if err := s.call(ctx, http.MethodGet, "/api/v1/user", nil, &user); err != nil {
		return err
	}
	if user.Login != Owner {
		return fmt.Errorf("the token is that of %q", user.Login)
	}
	return nil
}

// call asks the server's API as Owner, and reads a JSON answer into out.
func (s *Server) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL()+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "token "+s.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("the server answers %s: %.300s", response.Status, raw)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(raw, out)
}
