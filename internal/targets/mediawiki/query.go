package mediawiki

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Revision is one saved state of a page.
type Revision struct {
	ID      int64
	Parent  int64 // 0: the page was made by this revision
	Page    string
	Summary string
}

// Revisions returns the revisions of all pages whose edit summaries hold a
// text, the oldest first: how often an effect is there, as the wiki counts.
func (s *Server) Revisions(ctx context.Context, text string) ([]Revision, error) {
	var found []Revision
	ask := url.Values{"list": {"allrevisions"}, "arvprop": {"ids|comment"}, "arvlimit": {"max"}, "arvdir": {"newer"}}
	for {
		got, err := query(ctx, s.URL(), ask)
		if err != nil {
			return nil, err
		}
		for _, page := range got.Query.AllRevisions {
			for _, r := range page.Revisions {
				if strings.Contains(r.Comment, text) {
					found = append(found, Revision{ID: r.ID, Parent: r.Parent, Page: page.Title, Summary: r.Comment})
				}
			}
		}
		if len(got.Continue) == 0 {
			return found, nil
		}
		for name, value := range got.Continue {
			ask.Set(name, value)
		}
	}
}

// Text returns the newest text of a page, and the revision that it is of.
func (s *Server) Text(ctx context.Context, page string) (text string, revision int64, err error) {
	got, err := query(ctx, s.URL(), url.Values{"prop": {"revisions"}, "titles": {page}, "rvprop": {"ids|content"}, "rvslots": {"main"}})
	if err != nil {
		return "", 0, err
	}
	for _, p := range got.Query.Pages {
		for _, r := range p.Revisions {
			return r.Slots.Main.Content, r.ID, nil
		}
	}
	return "", 0, fmt.Errorf("the wiki has no page %q", page)
}

// Edit saves a page as somebody else would, whatever is there now, and returns
// its new revision.
func (s *Server) Edit(ctx context.Context, page, text, summary string) (revision int64, err error) {
	got, err := call(ctx, s.URL(), url.Values{"action": {"edit"}, "title": {page}, "text": {text}, "summary": {summary}, "token": {`+\`}})
	return got.Edit.NewRevision, err
}

// answer is the part of the API's answers that matters here.
type answer struct {
	Error struct {
		Code string `json:"code"`
	} `json:"error"`
	Continue map[string]string `json:"continue"`
	Edit     struct {
		NewRevision int64 `json:"newrevid"`
	} `json:"edit"`
	Query struct {
		AllRevisions []pageAnswer `json:"allrevisions"`
		Pages        []pageAnswer `json:"pages"`
	} `json:"query"`
}

type pageAnswer struct {
	Title     string `json:"title"`
	Revisions []struct {
		ID      int64  `json:"revid"`
		Parent  int64  `json:"parentid"`
		Comment string `json:"comment"`
		Slots   struct {
			Main struct {
				Content string `json:"content"`
			} `json:"main"`
		} `json:"slots"`
	} `json:"revisions"`
}

func query(ctx context.Context, base string, fields url.Values) (answer, error) {
	all := url.Values{"action": {"query"}}
	maps.Copy(all, fields)
	return call(ctx, base, all)
}

// call asks the wiki's API.
func call(ctx context.Context, base string, fields url.Values) (answer, error) {
	form := url.Values{"format": {"json"}, "formatversion": {"2"}}
	maps.Copy(form, fields)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api.php", strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	var got answer
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		return answer{}, fmt.Errorf("the wiki answers %s, and no JSON: %w", strconv.Itoa(response.StatusCode), err)
	}
	if got.Error.Code != "" {
		return answer{}, fmt.Errorf("the wiki answers %s", got.Error.Code)
	}
	return got, nil
}
