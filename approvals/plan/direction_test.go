package plan

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/bidi"
	"pgregory.net/rapid"
)

// directed are texts of every direction.
func directed() *rapid.Generator[string] {
	pieces := []string{
		"א", "בג", "م", "ع", "a", "周", "1", "25", "٣", "۴", " ", " ", ", ", "/", "-", "(", ")", "%", "$", "\u0301", "\u05b0", "\u202e", "\u00a0",
	}
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 25).Draw(t, "pieces"), "")
	})
}

// However a terminal orders the letters of a line by their direction, all but the
// right-to-left words keep their places.
func TestNoLetterCarriesADigitAway(t *testing.T) {
	require.NotEmpty(t, moved("name א 100 200 ב"), "the judge of this test sees it")
	require.NotEmpty(t, moved("name א 1"))
	require.Empty(t, moved("name 1 שלום עולם, a 2"))
	rapid.Check(t, func(t *rapid.T) {
		text := directed().Draw(t, "text")
		var field bytes.Buffer
		require.NoError(t, WriteField(&field, "name", text))
		for line := range strings.Lines(field.String()) {
			require.Empty(t, moved(strings.TrimSuffix(line, "\n")), "%q", line)
		}
		var block strings.Builder
		barred(&block, text)
		for line := range strings.Lines(block.String()) {
			require.Empty(t, moved(strings.TrimSuffix(line, "\n")), "%q", line)
		}
		for line := range strings.Lines(field.String() + block.String()) {
			first := strings.IndexFunc(line, func(r rune) bool { return isRightToLeft(r) || classOf(r) == bidi.L })
			require.False(t, first >= 0 && strings.IndexFunc(line[first:], isRightToLeft) == 0, "a terminal that looks would turn the line around: %q", line)
		}
	})
}

// fixed are the classes of what must never move.
var fixed = []bidi.Class{bidi.L, bidi.EN, bidi.AN}

// moved are the letters that do not stand where the line has them, without those
// of right-to-left words, which are ordered among themselves.
func moved(line string) (out []string) {
	logical := []rune(line)
	shown := ordered(logical)
	for i := 0; i < len(logical); i++ {
		if isRightToLeft(logical[i]) {
			for j := i + 1; j < len(logical) && !slices.Contains(fixed, classOf(logical[j])); j++ {
				if class := classOf(logical[j]); class == bidi.R || class == bidi.AL || class == bidi.NSM && j == i+1 {
					i = j
				}
			}
			continue
		}
		if shown[i] != logical[i] {
			out = append(out, string(logical[i]))
		}
	}
	return out
}

// ordered is a line as Unicode Standard Annex 9 has a terminal show it that runs
// from left to right: rules W1 to W7, N1, N2, I1 and L2, without explicit marks,
// which Show lets nobody else make, and without the pairing of brackets (N0), which
// only ever keeps one at the side of what is left of it.
func ordered(line []rune) []rune {
	classes := weak(line)
	levels := make([]int, len(line))
	for i, c := range neutral(classes) {
		switch { // of every other class the level is 0
		case c == bidi.R:
			levels[i] = 1
		case c == bidi.EN || c == bidi.AN:
			levels[i] = 2
		}
	}
	shown := slices.Clone(line)
	for level := 2; level > 0; level-- { // L2
		for i := 0; i < len(levels); i++ {
			end := i
			for end < len(levels) && levels[end] >= level {
				end++
			}
			if end > i {
				slices.Reverse(shown[i:end])
				i = end
			}
		}
	}
	return shown
}

// weak are the classes after the rules W1 to W7: L, R, EN, AN and ON are left.
func weak(line []rune) []bidi.Class {
	classes := make([]bidi.Class, len(line))
	before := bidi.L // the start of the line
	for i, r := range line {
		if classes[i] = classOf(r); classes[i] == bidi.NSM {
			classes[i] = before // W1
		}
		before = classes[i]
	}
	strong := bidi.L
	for i, c := range classes {
		switch {
		case c == bidi.L, c == bidi.R, c == bidi.AL:
			strong = c
		case c == bidi.EN && strong == bidi.AL:
			classes[i] = bidi.AN // W2
		}
	}
	between := func(i int, c bidi.Class) bool {
		return i > 0 && i+1 < len(classes) && classes[i-1] == c && classes[i+1] == c
	}
	for i, c := range classes {
		switch {
		case c == bidi.AL:
			classes[i] = bidi.R // W3
		case (c == bidi.ES || c == bidi.CS) && between(i, bidi.EN), c == bidi.CS && between(i, bidi.AN):
			classes[i] = classes[i-1] // W4
		}
	}
	for i := range classes { // W5
		for j := i; classes[i] == bidi.EN && j > 0 && classes[j-1] == bidi.ET; j-- {
			classes[j-1] = bidi.EN
		}
		if classes[i] == bidi.ET && i > 0 && classes[i-1] == bidi.EN {
			classes[i] = bidi.EN
		}
	}
	strong = bidi.L
	for i, c := range classes {
		switch {
		case c == bidi.L, c == bidi.R:
			strong = c
		case c == bidi.EN && strong == bidi.L:
			classes[i] = bidi.L // W7
		case c == bidi.EN, c == bidi.AN:
		default:
			classes[i] = bidi.ON // W6
		}
	}
	return classes
}

// neutral gives the neutral ones the direction of their neighbours, if both have
// one, and else the line's: N1 and N2.
func neutral(classes []bidi.Class) []bidi.Class {
	side := func(i int) bidi.Class {
		if i < 0 || i >= len(classes) || classes[i] == bidi.L {
			return bidi.L
		}
		return bidi.R // digits count as such
	}
	out := slices.Clone(classes)
	for i := 0; i < len(classes); i++ {
		end := i
		for end < len(classes) && classes[end] == bidi.ON {
			end++
		}
		for j := i; j < end; j++ {
			if out[j] = bidi.L; side(i-1) == side(end) {
				out[j] = side(end)
			}
		}
		i = max(i, end-1)
	}
	return out
}
