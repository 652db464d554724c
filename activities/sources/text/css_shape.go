package text

import "slices"

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

// readOpacity reads the property opacity, from 0 to 1.
func readOpacity(word string, value []cssToken) (share float64, ok bool) {
	if word == "initial" {
		return 1, true
	}
	if len(value) != 1 {
		return 0, false
	}
	share, ok = shareOf(value[0])
	return max(0, min(share, 1)), ok
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

// cssFilters are the functions of filter, of which one takes opacity away.
var cssFilters = []string{
	"opacity", "blur", "brightness", "contrast", "drop-shadow", "grayscale", "hue-rotate", "invert", "saturate", "sepia", "url",
}

// readFilter reads how much opacity a list of filters leaves, from 0 to 1. Those
// that have an address are passed over.
func readFilter(word string, value []cssToken) (share float64, ok bool) {
	if word == "none" || word == "initial" {
		return 1, true
	}
	list, ok := calls(slices.DeleteFunc(slices.Clone(value), func(t cssToken) bool { return t.kind == cssOther }))
	share = 1
	for _, call := range list {
		if !slices.Contains(cssFilters, call.name) {
			return 0, false
		}
		if call.name != "opacity" || len(call.args) == 0 {
			continue
		}
		by, valid := shareOf(call.args[0])
		if !valid || by < 0 || len(call.args) > 1 {
			return 0, false
		}
		share *= min(by, 1)
	}
	return share, ok
}
