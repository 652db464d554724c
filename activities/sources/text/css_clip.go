package text

import "slices"

// pageSize is the width and the height, in pixels, that a page and what is on it
// are taken to have where a style does not say it.
const pageSize = 1000

// onPage reads a length, or a share of a page, in pixels.
func onPage(t cssToken) (px float64, ok bool) {
	if t.kind == cssNumber && t.unit == "%" {
		return t.number / 100 * pageSize, true
	}
	return pixelsOf(t)
}

// isStrip reports whether of a page not more than a strip of least width is left
// between two edges.
func isStrip(from, to float64) bool { return min(to, pageSize)-max(from, 0) <= leastBox }

// hidingClip reads clip: rect(top right bottom left), from the upper left corner.
func hidingClip(word string, value []cssToken) (hides, ok bool) {
	if word == "auto" || word == "initial" {
		return false, true
	}
	list, ok := calls(value)
	if !ok || len(list) != 1 || list[0].name != "rect" {
		return false, false
	}
	return rectHides(list[0].args, pixelsOf)
}

// rectHides reads the edges of a rectangle: top, right, bottom, left. Those that
// are not said are those of the page.
func rectHides(args []cssToken, read cssReading) (hides, ok bool) {
	if len(args) != 4 {
		return false, false
	}
	edges := [4]float64{0, pageSize, pageSize, 0}
	for i, t := range args {
		if t.kind == cssIdent && t.name == "auto" {
			continue
		}
		if edges[i], ok = read(t); !ok {
			return false, false
		}
	}
	return isStrip(edges[0], edges[2]) || isStrip(edges[3], edges[1]), true
}

// clipBoxes are the boxes of an element that a shape may be of. Which one it is
// makes no shape of nothing.
var clipBoxes = []string{"border-box", "padding-box", "content-box", "margin-box", "fill-box", "stroke-box", "view-box"}

// hidingClipPath reads the basic shapes (CSS Shapes Module Level 1, section 3).
func hidingClipPath(word string, value []cssToken) (hides, ok bool) {
	if word == "none" || word == "initial" {
		return false, true
	}
	list, ok := calls(slices.DeleteFunc(slices.Clone(value), func(t cssToken) bool {
		return t.kind == cssIdent && slices.Contains(clipBoxes, t.name)
	}))
	if !ok || len(list) != 1 {
		return false, false
	}
	shape := list[0]
	switch shape.name {
	case "inset":
		return insetHides(unrounded(shape.args))
	case "rect":
		return rectHides(unrounded(shape.args), onPage)
	case "xywh":
		return xywhHides(unrounded(shape.args))
	case "circle", "ellipse":
		return ovalHides(shape.args)
	case "polygon":
		return polygonHides(shape)
	}
	return false, false
}

// unrounded returns what comes before how corners are rounded.
func unrounded(args []cssToken) []cssToken {
	before, _ := cutWord(args, "round")
	return before
}

func cutWord(args []cssToken, word string) (before, after []cssToken) {
	if i := slices.IndexFunc(args, func(t cssToken) bool { return t.kind == cssIdent && t.name == word }); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// numbersOnPage reads lengths and shares, in pixels of the page.
func numbersOnPage(args []cssToken) (px []float64, ok bool) {
	for _, t := range args {
		number, ok := onPage(t)
		if !ok {
			return nil, false
		}
		px = append(px, number)
	}
	return px, true
}

// insetHides reads one to four lengths that are taken away from the top, the
// right, the bottom and the left; what is missing is as its opposite, or the first.
func insetHides(args []cssToken) (hides, ok bool) {
	off, ok := numbersOnPage(args)
	if !ok || len(off) == 0 || len(off) > 4 {
		return false, false
	}
	for len(off) < 4 {
		off = append(off, off[max(len(off)-2, 0)])
	}
	return isStrip(off[0], pageSize-off[2]) || isStrip(off[3], pageSize-off[1]), true
}

// xywhHides reads the left upper corner of a rectangle, its width and its height.
func xywhHides(args []cssToken) (hides, ok bool) {
	n, ok := numbersOnPage(args)
	if !ok || len(n) != 4 {
		return false, false
	}
	return isStrip(n[0], n[0]+n[2]) || isStrip(n[1], n[1]+n[3]), true
}

// ovalHides reads the radiuses of a circle or an ellipse, and where its middle is.
// Those that are told by words leave something.
func ovalHides(args []cssToken) (hides, ok bool) {
	radiuses, middle := cutWord(args, "at")
	if len(radiuses) > 2 {
		return false, false
	}
	for i, t := range radiuses {
		if t.kind == cssIdent {
			continue
		}
		radius, ok := onPage(t)
		if !ok || radius < 0 {
			return false, false
		}
		hides = hides || radius <= leastBox
		for axis, t := range middle {
			isOfAxis := len(radiuses) == 1 || axis == i
			if at, ok := onPage(t); ok && len(middle) == 2 && isOfAxis {
				hides = hides || isStrip(at-radius, at+radius)
			}
		}
	}
	return hides, true
}
