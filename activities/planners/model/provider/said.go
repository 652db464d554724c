package provider

import "github.com/holdpoint/holdpoint/activities/planners/model"

// ToolName is the tool that a model must call where Structured is Tool. The
// call's arguments are the reply.
const ToolName = "submit_plan"

// Said is what a model said in one answer, in the parts that decide.
type Said struct {
	Text    string
	Refusal string // the words for that it will not
	Calls   []ToolCall
	Unasked bool       // there is more, which nobody asked for: a picture, a search, a second choice
	Stop    model.Stop // why the answer ended, by the API's word for it
	ByCall  bool       // that word is that it ended with a call
}

// ToolCall is a call of a tool, with its arguments as the model wrote them.
type ToolCall struct{ Name, Arguments string }

// Settle is the text of the reply, and why it ended. A text beside a call of our
// tool is what a model says while it works, and is left out. A call that is not of
// our tool, two calls and what nobody asked for are not the one reply that was
// asked for, and nobody picks one: they are model.Other, without a text.
func (c *Client) Settle(s Said) (text string, stop model.Stop) {
	switch {
	case s.Unasked:
		return "", model.Other
	case len(s.Calls) == 0:
		return s.Text, s.Stop
	case len(s.Calls) > 1 || c.config.Structured != Tool || s.Calls[0].Name != ToolName:
		return "", model.Other
	case s.ByCall:
		return s.Calls[0].Arguments, model.Ended
	default:
		return s.Calls[0].Arguments, s.Stop
	}
}
