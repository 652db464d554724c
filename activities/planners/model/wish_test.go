package model_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
)

// wished is a revision after these words.
func wished(t *testing.T, limits model.Limits, feedback ...string) (message, notes string) {
	t.Helper()
	r := revision()
	r.Feedback = feedback
	c, draft := asked(t, limits, r)
	require.LessOrEqual(t, model.EstimateTokens(c.System+c.Messages[0].Text+string(c.Schema)), limits.InputTokens)
	return c.Messages[0].Text, strings.Join(draft.Notes, "\n")
}

var feedbackPart = regexp.MustCompile(`(?s)\[\[[0-9a-f]{32} feedback\]\]\n(.*?)\n\[\[[0-9a-f]{32} end of feedback([^\]]*)\]\]`)

// However often a plan is revised, the latest words reach the model, whole, and those
// that do not are named to the model and to the approver.
func TestFeedbackIsBoundedAndTheLatestCounts(t *testing.T) {
	var feedback []string
	for i := range 12 {
		feedback = append(feedback, fmt.Sprintf("Wish %d: %s", i, strings.Repeat("be brief in this part ", 180)))
	}
	// System, schema, goal and tools have about 1,100 tokens; of the rest half is the
	// feedback's, of which each has about 1,000.
	message, notes := wished(t, model.Limits{InputTokens: 8000}, feedback...)
	shown := feedbackPart.FindAllStringSubmatch(message, -1)
	require.Len(t, shown, 3)
	for i, part := range shown {
		require.Equal(t, feedback[9+i], part[1], "oldest first")
		require.Empty(t, part[2], "and whole")
	}
	require.Contains(t, message, "\n\nOf their words the oldest are not shown, because there is no room for them: 9 of the parts \"feedback\".\n\n[[")
	require.Contains(t, notes, "of 12 feedbacks the model was given the latest 3, to keep within its tokens; not given: “Wish 0: be brief")
	require.Contains(t, notes, "“Wish 8: ")
	require.NotContains(t, notes, "“Wish 9: ")
	require.NotContains(t, notes, "in part")

	message, notes = wished(t, model.Limits{InputTokens: 60_000}, feedback...)
	require.Len(t, feedbackPart.FindAllString(message, -1), 12)
	require.NotContains(t, message, "not shown")
	require.True(t, strings.HasPrefix(notes, "the model says"), "nothing is left out: %s", notes)
}

// A feedback that is too large by itself is cut, and everybody is told.
func TestFeedbackThatIsTooLargeIsCutAndSaysSo(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("请写得简短一些。\n", 400), "\n")
	message, notes := wished(t, model.Limits{InputTokens: 3000}, "Older.", long)
	shown := feedbackPart.FindAllStringSubmatch(message, -1)
	require.Len(t, shown, 1)
	lines := strings.Count(shown[0][1], "\n") + 1
	require.Equal(t, strings.TrimSuffix(strings.Repeat("请写得简短一些。\n", lines), "\n"), shown[0][1], "whole lines")
	require.Greater(t, lines, 50)
	require.Equal(t, fmt.Sprintf("; cut after line %d of 400", lines), shown[0][2])
	require.Contains(t, notes, fmt.Sprintf("the latest feedback was given to the model in part, to keep within its tokens: cut after line %d of 400", lines))
	require.Contains(t, notes, "of 2 feedbacks the model was given the latest 1, to keep within its tokens; not given: “Older.”")
}

// What people and plans say ends no run: where a short wish has room, any has.
func TestNoFeedbackEndsARun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := revision()
		limits := model.Limits{InputTokens: rapid.IntRange(1000, 6000).Draw(t, "tokens")}
		ask := func(feedback ...string) error {
			r.Feedback = feedback
			s := &scene{server: &server{answers: []any{good}}, replies: &memory{bodies: map[string][]byte{}}, spend: &book{}}
			planner, err := model.New(model.Config{Name: "test", Engine: s.server, Replies: s.replies, Spend: s.spend, Limits: limits})
			require.NoError(t, err)
			_, err = planner.Plan(context.Background(), r)
			if len(s.server.heard) > 0 {
				c := s.server.heard[0]
				require.LessOrEqual(t, model.EstimateTokens(c.System+c.Messages[0].Text+string(c.Schema)), limits.InputTokens)
				require.Contains(t, c.Messages[0].Text, feedback[len(feedback)-1][:1])
			}
			return err
		}
		least := ask(strings.Repeat("a", 800)) // 200 tokens
		if least != nil && faults.Name(least).Code == "prompt_too_large" {
			return
		}
		var feedback []string
		for range rapid.IntRange(1, 8).Draw(t, "feedbacks") {
			line := rapid.SampledFrom([]string{"shorter, please\n", "请简短。\n", "one line without an end "}).Draw(t, "line")
			feedback = append(feedback, strings.Repeat(line, rapid.IntRange(1, 200).Draw(t, "lines")))
		}
		for i := range r.Earlier.Actions {
			r.Earlier.Actions[i].Parameters = []byte(fmt.Sprintf(`{"text":%q}`, strings.Repeat("word ", rapid.IntRange(0, 3000).Draw(t, "words"))))
			r.Earlier.Actions[i].ID = strings.Repeat("i", 64-i)
		}
		if err := ask(feedback...); err != nil {
			require.NotEqual(t, "prompt_too_large", faults.Name(err).Code, err)
		}
	})
}
