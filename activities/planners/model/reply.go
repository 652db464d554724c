package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// onlyObject finds the one JSON object that a reply is. The whole rule:
//
//   - Blanks at both ends do not count. One block from a leading "<think>" to the
//     first "</think>" is taken off, and then blanks again.
//   - What begins with a brace is the object, and nothing follows it.
//   - Else there is one fenced block: three or more backticks, nothing or "json" in
//     any letter case, the object, and as many backticks. Around it there may be
//     prose, with no brace and no other fence.
//
// Everything else has more than one reading, or none. The error is for the model:
// it says what is wrong in one line.
func onlyObject(reply string) (string, error) {
	text, err := withoutThought(strings.TrimSpace(reply))
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(text, "{") {
		return fenced(text)
	}
	object, after, err := leadingObject(text)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(after) != "" {
		return "", errors.New("something follows the JSON object; reply with one object and nothing else")
	}
	return object, nil
}

func withoutThought(text string) (string, error) {
	rest, thinks := strings.CutPrefix(text, "<think>")
	if !thinks {
		return text, nil
	}
	_, after, ends := strings.Cut(rest, "</think>")
	if !ends {
		return "", errors.New("the <think> block does not end")
	}
	return strings.TrimSpace(after), nil
}

// fenced is the object in the one fenced block of a text.
func fenced(text string) (string, error) {
	const fence = "```"
	before, block, found := strings.Cut(text, fence)
	if !found || strings.ContainsAny(before, "{}") {
		return "", errors.New("the reply is not one JSON object and nothing else")
	}
	label := strings.TrimLeft(block, "`")
	ticks := fence + block[:len(block)-len(label)]
	body := strings.TrimLeft(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	if name := label[:len(label)-len(body)]; name != "" && !strings.EqualFold(name, "json") {
		return "", fmt.Errorf("the fenced block is labeled %.20q and not json", name)
	}
	body = strings.TrimSpace(body)
	if !strings.HasPrefix(body, "{") {
		return "", errors.New("the fenced block does not hold a JSON object")
	}
	object, rest, err := leadingObject(body)
	if err != nil {
		return "", err
	}
	after, closed := strings.CutPrefix(strings.TrimSpace(rest), ticks)
	switch {
	case !closed || strings.HasPrefix(after, "`"):
		return "", errors.New("the fenced block holds more than one JSON object, or does not end")
	case strings.Contains(after, fence):
		return "", errors.New("there is more than one fenced block")
	case strings.ContainsAny(after, "{}"):
		return "", errors.New("there are braces after the fenced block, which may be another object")
	}
	return object, nil
}

// leadingObject splits a text that begins with a brace after its first JSON
// value. The value is JSON, and nothing else is known of it.
func leadingObject(text string) (object, after string, err error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	switch err := decoder.Decode(&value); {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "", "", errors.New("the JSON object is not complete")
	case err != nil:
		return "", "", fmt.Errorf("the reply is no JSON: %w", err)
	}
	end := decoder.InputOffset()
	return text[:end], text[end:], nil
}
