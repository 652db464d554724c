package text

import "slices"

// readZoom reads the property zoom: one factor.
func readZoom(word string, value []cssToken) (m cssMatrix, ok bool) {
	factor := 1.0
	if word != "normal" && word != "initial" {
		if len(value) != 1 {
			return m, false
		}
		if factor, ok = shareOf(value[0]); !ok || factor < 0 {
			return m, false
		}
	}
	return cssScaling(factor, factor, 1), true
}

// readTranslate reads the property translate: one to three lengths.
func readTranslate(word string, value []cssToken) (m cssMatrix, ok bool) {
	if isUnmoved(word) {
		return cssMoving(), true
	}
	f := cssTransforms["translate3d"]
	f.least = 1
	by, ok := f.numbers(value)
	return cssMoving(by...), ok
}

// readScale reads the property scale: one to three factors, of which one is of
// width and height.
func readScale(word string, value []cssToken) (m cssMatrix, ok bool) {
	if isUnmoved(word) {
		return cssScaling(1, 1, 1), true
	}
	f := cssTransforms["scale3d"]
	f.least = 1
	by, ok := f.numbers(value)
	switch len(by) {
	case 0:
		return m, false
	case 1:
		return cssScaling(by[0], by[0], 1), ok
	}
	return cssScaling(by[0], by[1], append(by, 1)[2]), ok
}

// readRotate reads the property rotate: an angle, and before or after it an axis,
// by its name or as a vector.
func readRotate(word string, value []cssToken) (m cssMatrix, ok bool) {
	if isUnmoved(word) {
		return cssMoving(), true
	}
	axis := slices.DeleteFunc(slices.Clone(value), isAngle)
	angles := slices.DeleteFunc(slices.Clone(value), func(t cssToken) bool { return !isAngle(t) })
	if len(angles) != 1 {
		return m, false
	}
	switch {
	case len(axis) == 0:
		axis = cssAxes["z"]
	case len(axis) == 1:
		axis = cssAxes[axis[0].name]
	}
	a, ok := cssTransforms["rotate3d"].numbers(append(slices.Clip(axis), angles...))
	if !ok {
		return m, false
	}
	return cssTurning(a[0], a[1], a[2], a[3]), true
}

// cssAxes are the axes that have a name.
var cssAxes = map[string][]cssToken{
	"x": {{kind: cssNumber, number: 1}, {kind: cssNumber}, {kind: cssNumber}},
	"y": {{kind: cssNumber}, {kind: cssNumber, number: 1}, {kind: cssNumber}},
	"z": {{kind: cssNumber}, {kind: cssNumber}, {kind: cssNumber, number: 1}},
}
