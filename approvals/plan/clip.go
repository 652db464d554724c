package plan

import "unicode/utf8"

// Clip shortens s so that JSON needs at most limit bytes for it, at a letter's
// border, and shows that it did with an ellipsis, which is not counted.
// Counting as JSON writes keeps a text of nothing but '<', six bytes each in
// Go's encoder, from outgrowing every bound.
func Clip(s string, limit int) string {
	cost := 0
	for i, c := range s {
		if cost += jsonCost(c); cost > limit {
			return s[:i] + "…"
		}
	}
	return s
}

// jsonCost is how many bytes Go's JSON encoder needs for a letter at most.
func jsonCost(c rune) int {
	switch {
	case c < ' ', c == '<', c == '>', c == '&', c == '\u2028', c == '\u2029', c == utf8.RuneError:
		return 6
	case c == '"', c == '\\':
		return 2
	default:
		return utf8.RuneLen(c)
	}
}
