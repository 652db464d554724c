package scripted

import (
	"fmt"
	"net/http"
)

// version is one write of a page.
type version struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Key    string `json:"reference"`
}

func (v version) etag() string { return fmt.Sprintf(`"v%d"`, v.Number) }

// Edit is somebody else's write of a page.
func (s *Server) Edit(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(name, text, "")
}

// Remove takes a page away.
func (s *Server) Remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pages, name)
}

// Page is a page's text and how many versions a key has written of it.
func (s *Server) Page(name, key string) (text string, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.pages[name] {
		text = v.Text
		if v.Key == key {
			writes++
		}
	}
	return text, writes
}

func (s *Server) add(name, text, key string) version {
	v := version{Number: len(s.pages[name]) + 1, Text: text, Key: key}
	s.pages[name] = append(s.pages[name], v)
	return v
}

func (s *Server) putPage(r *http.Request, body string) reply {
	name := r.PathValue("name")
	versions := s.pages[name]
	current := ""
	if len(versions) > 0 {
		current = versions[len(versions)-1].etag()
	}
	if tag := r.Header.Get("If-Match"); tag != "" && tag != current {
		return reply{status: http.StatusPreconditionFailed, body: "{}"}
	}
	if r.Header.Get("If-None-Match") == "*" && current != "" {
		return reply{status: http.StatusPreconditionFailed, body: "{}"}
	}
	object := fields(body)
	text, _ := object["text"].(string)
	key, _ := object["reference"].(string)
	return pageReply(s.add(name, text, key))
}

func pageReply(v version) reply {
	return reply{status: http.StatusOK, body: mustJSON(v), header: http.Header{"Etag": {v.etag()}}}
}

func (s *Server) getPage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := s.pages[r.PathValue("name")]
	out := reply{status: http.StatusNotFound, body: `{}`}
	if len(versions) > 0 {
		out = pageReply(versions[len(versions)-1])
	}
	out.scripted(Answer{}).write(w)
}

func (s *Server) getPast(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	versions := s.pages[r.PathValue("name")]
	if versions == nil {
		versions = []version{}
	}
	reply{status: http.StatusOK, body: mustJSON(map[string]any{"items": versions})}.scripted(Answer{}).write(w)
}
