package text

import (
	"math"
	"slices"
)

// lengthWords are values of the properties that take a length.
var lengthWords = map[string]bool{
	"auto": true, "none": true, "initial": true, "inherit": true, "unset": true, "revert": true, "revert-layer": true,
	"min-content": true, "max-content": true, "fit-content": true, "stretch": true,
}

// hidingLength reads a value that is one length; words, and shares of what is
// around, hide nothing.
func hidingLength(hides func(px float64) bool) func(string, []cssToken) (bool, bool) {
	return func(word string, value []cssToken) (bool, bool) {
		if word != "" {
			return false, lengthWords[word]
		}
		if len(value) != 1 || value[0].kind != cssNumber {
			return false, false
		}
		px, ok := pixelsOf(value[0])
		return ok && hides(px), ok || value[0].unit == "%"
	}
}

// hidingIndent reads a length, beside which may stand which lines it is of.
func hidingIndent(word string, value []cssToken) (hides, ok bool) {
	lines := func(t cssToken) bool { return t.kind == cssIdent && (t.name == "hanging" || t.name == "each-line") }
	if word == "" {
		value = slices.DeleteFunc(slices.Clone(value), lines)
	}
	return hidingLength(isFarAway)(word, value)
}

// atMost reads a value that is one number or percentage, and hides up to limit.
func atMost(limit float64) func(string, []cssToken) (bool, bool) {
	return func(word string, value []cssToken) (bool, bool) {
		if word != "" {
			return false, word == "initial" || word == "normal"
		}
		if len(value) != 1 {
			return false, false
		}
		share, ok := shareOf(value[0])
		return ok && share <= limit, ok
	}
}

// shareOf reads a number or a percentage, of which 100% is 1.
func shareOf(t cssToken) (share float64, ok bool) {
	switch {
	case t.kind == cssNumber && t.unit == "":
		return t.number, true
	case t.kind == cssNumber && t.unit == "%":
		return t.number / 100, true
	}
	return 0, false
}

func hidingOverflow(_ string, value []cssToken) (hides, ok bool) {
	for _, t := range value {
		switch t.name {
		case "hidden", "clip", "scroll", "auto":
			hides = true
		case "visible", "initial":
		default:
			return false, false
		}
	}
	return hides, true
}

// hidingScale reads the property scale: one to three factors.
func hidingScale(word string, value []cssToken) (hides, ok bool) {
	if word != "" {
		return false, word == "none" || word == "initial"
	}
	return flattens(value), isNumbers(value)
}

// flattens reports whether one of the factors of width and height leaves nothing;
// those below zero mirror.
func flattens(factors []cssToken) bool {
	return slices.ContainsFunc(factors[:min(len(factors), 2)], func(t cssToken) bool {
		share, ok := shareOf(t)
		return ok && math.Abs(share) <= leastScale
	})
}

func isNumbers(value []cssToken) bool {
	return !slices.ContainsFunc(value, func(t cssToken) bool { return t.kind != cssNumber })
}

func hidingFilter(word string, value []cssToken) (hides, ok bool) {
	if word == "none" || word == "initial" {
		return false, true
	}
	list, ok := calls(value)
	for _, call := range list {
		if call.name == "opacity" && len(call.args) == 1 {
			share, ok := shareOf(call.args[0])
			hides = hides || ok && share <= leastOpacity
		}
	}
	return hides, ok
}

// hidingClip reads clip: rect(top right bottom left), from the upper left corner.
func hidingClip(word string, value []cssToken) (hides, ok bool) {
	if word == "auto" || word == "initial" {
		return false, true
	}
	list, ok := calls(value)
	if !ok || len(list) != 1 || list[0].name != "rect" || len(list[0].args) != 4 {
		return false, false
	}
	var edges [4]float64
	for i, t := range list[0].args {
		if t.kind == cssIdent && t.name == "auto" {
			return false, true
		}
		if edges[i], ok = pixelsOf(t); !ok {
			return false, false
		}
	}
	return edges[2]-edges[0] <= leastBox || edges[1]-edges[3] <= leastBox, true
}

// hidingClipPath reads the basic shapes (CSS Shapes Module Level 1, section 3).
func hidingClipPath(word string, value []cssToken) (hides, ok bool) {
	if word == "none" || word == "initial" {
		return false, true
	}
	list, ok := calls(value)
	if !ok || len(list) != 1 {
		return false, false
	}
	args := list[0].args
	switch list[0].name {
	case "inset":
		return insetHides(args), true
	case "circle", "ellipse":
		return len(args) > 0 && slices.ContainsFunc(args[:min(len(args), 2)], isNothing) && args[0].kind == cssNumber, true
	case "polygon":
		return polygonHides(args), true
	}
	return false, false
}

func isNothing(t cssToken) bool { return t.kind == cssNumber && t.number == 0 }

// insetHides reads one to four shares that are taken away from the top, the
// right, the bottom and the left, before the word round.
func insetHides(args []cssToken) bool {
	if i := slices.IndexFunc(args, func(t cssToken) bool { return t.kind != cssNumber }); i >= 0 {
		args = args[:i]
	}
	if len(args) == 0 || len(args) > 4 {
		return false
	}
	share := func(sides ...int) float64 { // as margins do: what is missing is as its opposite, or the first
		for _, side := range sides {
			if side < len(args) && args[side].unit == "%" {
				return args[side].number
			}
			if side < len(args) {
				return 0
			}
		}
		return 0
	}
	return share(0)+share(2, 0) >= 100 || share(1, 0)+share(3, 1, 0) >= 100
}

// polygonHides reports whether all points of a polygon lie on one line that is
// upright or level.
func polygonHides(args []cssToken) bool {
	args = slices.DeleteFunc(slices.Clone(args), func(t cssToken) bool { return t.kind == cssIdent }) // the fill rule
	if len(args) < 2 || len(args)%2 != 0 || !isNumbers(args) {
		return false
	}
	level, upright := true, true
	for i := 2; i < len(args); i += 2 {
		upright = upright && args[i] == args[0]
		level = level && args[i+1] == args[1]
	}
	return level || upright
}
