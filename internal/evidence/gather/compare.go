package gather

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	historypb "go.temporal.io/api/history/v1"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/internal/evidence"
	"github.com/holdpoint/holdpoint/internal/runs"
)

// Compare finds, for each execution of a bundle, its history among those given,
// and makes the content again from them. It returns how many of the executions
// were found, and everything in which the content is another. A history may have
// events that came after the export.
func Compare(c evidence.Content, histories []*historypb.History) (found int, problems []string) {
	var chain []runs.Execution
	for i, e := range c.Executions {
		history := find(e, histories)
		if history == nil {
			problems = append(problems, fmt.Sprintf("history of execution %d: none that was given has the digest %s in its first %d events",
				i, e.History, e.Events))
			continue
		}
		chain = append(chain, runs.Execution{RunID: e.RunID, History: history})
	}
	if len(problems) > 0 || len(chain) == 0 {
		return len(chain), problems
	}
	again, err := Content(chain, carried(c))
	if err != nil {
		return len(chain), []string{fmt.Sprintf("history: %v", err)}
	}
	again.ExportedAt, again.Missing = c.ExportedAt, c.Missing
	if !c.SaysWhom() { // as an earlier version wrote it
		for i := range again.Requests {
			again.Requests[i].Notify = nil
		}
	}
	c.Judgements = slices.Clone(c.Judgements)
	for i := range c.Judgements { // where an earlier version wrote them
		c.Judgements[i].Waiting = evidence.WithoutAnew(c.Judgements[i].Waiting)
	}
	differing, err := difference(c, again)
	if err != nil {
		return len(chain), []string{fmt.Sprintf("history: %v", err)}
	}
	for _, name := range differing {
		problems = append(problems, fmt.Sprintf("history: the %s of the bundle are not those of the histories that were given", name))
	}
	return len(chain), problems
}

func find(e evidence.Execution, histories []*historypb.History) *historypb.History {
	for _, h := range histories {
		if e.Events < 1 || len(h.GetEvents()) < e.Events {
			continue
		}
		first := First(h, e.Events)
		if sum, err := Digest(first); err == nil && sum == e.History {
			return first
		}
	}
	return nil
}

// carried are the bundle's own documents, by their digests.
func carried(c evidence.Content) Blobs {
	documents := map[plan.Digest]string{}
	add := func(text string) { documents[plan.Sum([]byte(text))] = text }
	for _, p := range c.Plans {
		add(p.Text)
	}
	for _, p := range c.Policies {
		add(p.Canonical)
	}
	if c.Context != nil {
		add(c.Context.Manifest.Text)
	}
	if c.Result.Report != nil {
		add(c.Result.Report.Text)
	}
	return func(_ string, digest plan.Digest, _ int64) ([]byte, error) {
		if text, ok := documents[digest]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("it is not in the bundle: %w", blobs.ErrNotFound)
	}
}

// difference names the members in which two contents differ.
func difference(a, b evidence.Content) ([]string, error) {
	first, err := members(a)
	if err != nil {
		return nil, err
	}
	second, err := members(b)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(first)) {
		if !bytes.Equal(first[name], second[name]) {
			names = append(names, name)
		}
	}
	return names, nil
}

func members(c evidence.Content) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return nil, err
	}
	var parts map[string]json.RawMessage
	return parts, json.Unmarshal(canonical, &parts)
}
