package model

import "unicode/utf8"

// weight is about how many tokens a text has, by a rule that needs no model's
// vocabulary: four ASCII bytes are one, any other letter is one, rounded up. It is
// on the safe side for Chinese, and about right for English.
//
// It is in quarters of a token, so that the weights of two texts add up to that of
// both. No text has more bytes than its weight.
type weight int

func weightOf(text string) weight {
	w := weight(0)
	for _, r := range text {
		w += weightOfRune(r)
	}
	return w
}

func weightOfRune(r rune) weight {
	if r < utf8.RuneSelf {
		return 1
	}
	return perToken
}

const perToken = 4

func (w weight) tokens() int { return int(w+perToken-1) / perToken }
