package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/modelserver"
	"github.com/holdpoint/holdpoint/workflows"
)

// Replies with more than one reading are never taken for a plan: the model is
// asked again so often and no more, nobody is asked to approve, and nothing is
// written.
func TestC068_AmbiguousRepliesReachNothing(t *testing.T) {
	t.Parallel()
	one, other := goodProposal().Text, proposal("gitpages", "other.md", "# Other\n").Text
	actions := func(reply string) string { // {"actions":[…],…} without its braces
		begin, end := strings.Index(reply, `"actions":`), strings.Index(reply, `,"format"`)
		return reply[begin:end]
	}
	for name, reply := range map[string]string{
		"two plans":               one + other,
		"a correction":            one + "\n\nCorrection: " + other,
		"a member twice":          strings.Replace(one, "{", "{"+actions(other)+",", 1),
		"an example, and a plan":  "The document shows:\n```json\n" + other + "\n```\nThe plan:\n```json\n" + one + "\n```",
		"an example in the prose": "The document shows " + other + "\n```json\n" + one + "\n```",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, weekOfNotes())
			server := s.models("", modelserver.Answer{Text: reply})
			s.worker()
			s.failedFor(s.startModel("w40"), "bad_reply")
			require.Len(t, server.Calls(), 3, "bounded")
		})
	}
}

// What the tools cannot do comes to no gate and to no target.
func TestC071_WhatCannotRunReachesNothing(t *testing.T) {
	t.Parallel()
	order := func(id, tool, more, parameters string) string {
		return fmt.Sprintf(`{"id":%q,"tool":%q%s,"parameters":%s}`, id, tool, more, parameters)
	}
	var many []string
	for i := range 500 {
		many = append(many, order(fmt.Sprintf("a%d", i), "open_order", "", fmt.Sprintf(`{"number":"%d"}`, i)))
	}
	for name, tt := range map[string]struct {
		actions []string
		want    string
	}{
		"an unknown tool":      {[]string{order("a", "shell.exec", "", `{}`)}, "it allows open_order"},
		"caps and a blank":     {[]string{order("a", "HTTP.Post ", "", `{}`)}, "it allows open_order"},
		"no target":            {[]string{order("a", "open_order", `,"into":""`, `{"number":"1"}`)}, "/actions/0/into"},
		"an extra argument":    {[]string{order("a", "open_order", "", `{"number":"1","timeout":"1h"}`)}, "timeout"},
		"500 actions":          {many, "there are 500 actions"},
		"a cycle":              {[]string{order("a", "open_order", `,"depends_on":["b"]`, `{"number":"1"}`), order("b", "open_order", `,"depends_on":["a"]`, `{"number":"2"}`)}, "wait for each other"},
		"a good one beside it": {[]string{order("a", "open_order", "", `{"number":"1"}`), order("b", "shell.exec", "", `{}`)}, "it allows open_order"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, shop := newSite(t, weekOfNotes()), newShop(t, 0)
			reply := `{"format":"holdpoint.actions/1","actions":[` + strings.Join(tt.actions, ",") + `]}`
			server := s.models("tools:\n"+shop.declaration(4), modelserver.Answer{Text: reply})
			s.worker()
			s.write("task.yaml", fmt.Sprintf("tenant: %s\nbusiness_id: w40\ngoal: open the orders\nrequester: ann.wu\ncontext: [{root: notes}]\n"+
				"tools: [{tool: open_order, target: shop}]\nplanner: writer\n", s.name))
			s.starter("start", "--task", "task.yaml", "-t", s.name)
			status := s.failedFor(s.name+"/w40", "bad_reply")
			require.Contains(t, status.Reason, tt.want)
			require.Zero(t, scheduled(s.history(s.name+"/w40"), workflows.ExecuteAction))
			require.Len(t, server.Calls(), 3, "it is told twice")
			require.Contains(t, string(server.Calls()[2].Body), "Your reply 2 of at most 3 cannot be used")
			requests, _ := shop.counts()
			require.Zero(t, requests, "the target was sent nothing")
		})
	}
}
