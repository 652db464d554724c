package text

import (
	"math"
	"slices"
)

// hidingTransform reads a list of functions, of which one may leave no area (CSS
// Transforms Module Level 2).
func hidingTransform(word string, value []cssToken) (hides, ok bool) {
	if word == "none" || word == "initial" {
		return false, true
	}
	list, ok := calls(value)
	for _, call := range list {
		leavesNothing, known := cssTransforms[call.name]
		if !known {
			return false, false
		}
		hides = hides || leavesNothing != nil && leavesNothing(call.args)
	}
	return hides, ok
}

// cssTransforms are the functions of transform; nil for those that leave the page
// its area.
var cssTransforms = map[string]func(args []cssToken) bool{
	"scale": flattens, "scalex": flattens, "scaley": flattens, "scale3d": flattens,
	"matrix":    func(args []cssToken) bool { return len(args) == 6 && isNoArea(args, 0, 1, 2, 3) },
	"matrix3d":  func(args []cssToken) bool { return len(args) == 16 && isNoArea(args, 0, 1, 4, 5) },
	"translate": movesAway, "translatex": movesAway, "translatey": movesAway, "translate3d": movesAway,
	"rotatex": tipsOver, "rotatey": tipsOver, "rotate3d": turnsOnEdge,
	"skew": tipsOver, "skewx": tipsOver, "skewy": tipsOver, // to no end, which is beside every page
	"rotate": nil, "rotatez": nil, "translatez": nil, "scalez": nil, "perspective": nil,
}

// tipsOver reports whether one of the angles turns a page on its edge.
func tipsOver(angles []cssToken) bool {
	return slices.ContainsFunc(angles, func(t cssToken) bool { return isOnEdge(0, t) })
}

// isNoArea reports whether a matrix with a, b, c and d at these places maps the
// plane to a line.
func isNoArea(matrix []cssToken, a, b, c, d int) bool {
	return isNumbers(matrix) && matrix[a].number*matrix[d].number == matrix[b].number*matrix[c].number
}

func movesAway(by []cssToken) bool {
	return slices.ContainsFunc(by, func(t cssToken) bool { px, ok := pixelsOf(t); return ok && isFarAway(px) })
}

// hidingTranslate reads the property translate.
func hidingTranslate(word string, value []cssToken) (hides, ok bool) {
	if word != "" {
		return false, word == "none" || word == "initial"
	}
	return movesAway(value), isNumbers(value)
}

// hidingRotate reads the property rotate: an angle, and before or after it an
// axis, by its name or as a vector.
func hidingRotate(word string, value []cssToken) (hides, ok bool) {
	if word == "none" || word == "initial" {
		return false, true
	}
	axis := slices.DeleteFunc(slices.Clone(value), isAngle)
	angles := slices.DeleteFunc(slices.Clone(value), func(t cssToken) bool { return !isAngle(t) })
	switch {
	case len(angles) != 1:
		return false, false
	case len(axis) == 3 && isNumbers(axis):
		return turnsOnEdge(append(axis, angles...)), true
	case len(axis) == 1 && axis[0].kind == cssIdent && (axis[0].name == "x" || axis[0].name == "y"):
		return isOnEdge(0, angles[0]), true
	}
	return false, len(axis) == 0 || len(axis) == 1 && axis[0].name == "z"
}

// turnsOnEdge reads an axis and an angle around it.
func turnsOnEdge(args []cssToken) bool {
	if len(args) != 4 || !isNumbers(args) {
		return false
	}
	length := math.Hypot(math.Hypot(args[0].number, args[1].number), args[2].number)
	return length > 0 && isOnEdge(args[2].number/length, args[3])
}

// isOnEdge reports whether a turn by an angle leaves a page that is seen from its
// edge: depth is how much of the axis points to the reader, 0 to 1. What is left
// of the page is the depth of its normal after the turn.
func isOnEdge(depth float64, t cssToken) bool {
	angle := t.number * cssAngles[t.unit]
	return isAngle(t) && math.Abs(math.Cos(angle)+depth*depth*(1-math.Cos(angle))) <= leastScale
}

// cssAngles are the units of angles, in radians.
var cssAngles = map[string]float64{"deg": math.Pi / 180, "grad": math.Pi / 200, "rad": 1, "turn": 2 * math.Pi}

func isAngle(t cssToken) bool { return t.kind == cssNumber && cssAngles[t.unit] > 0 }
