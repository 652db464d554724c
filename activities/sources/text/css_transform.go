package text

import (
	"math"
	"slices"
)

// cssMoves are the properties that map an element, in the order in which what
// they do holds (CSS Transforms Module Level 2, section 6). ok is false for
// values that are not read.
var cssMoves = []struct {
	property string
	read     func(word string, value []cssToken) (m cssMatrix, ok bool)
}{
	{"zoom", readZoom}, {"translate", readTranslate}, {"rotate", readRotate}, {"scale", readScale}, {"transform", readTransform},
}

// isUnmoved reports whether a value is the word for nothing to do.
func isUnmoved(word string) bool { return word == "none" || word == "initial" }

// readTransform reads a list of functions, of which the last is done first.
func readTransform(word string, value []cssToken) (m cssMatrix, ok bool) {
	m = cssScaling(1, 1, 1)
	if isUnmoved(word) {
		return m, true
	}
	list, ok := calls(value)
	for _, call := range list {
		f := cssTransforms[call.name]
		numbers, valid := f.numbers(call.args)
		if !valid || call.commas != len(call.args)-1 {
			return m, false
		}
		m = m.times(f.matrix(numbers))
	}
	return m, ok
}

// cssTransform is a function of transform.
type cssTransform struct {
	least    int // arguments
	readings []cssReading
	matrix   func(a []float64) cssMatrix
}

// cssReading reads an argument; ok is false for one that is none of its kind.
type cssReading func(t cssToken) (number float64, ok bool)

// cssTransforms are those that are read.
var cssTransforms = map[string]cssTransform{
	"scale":       {1, []cssReading{shareOf, shareOf}, func(a []float64) cssMatrix { return cssScaling(a[0], a[len(a)-1], 1) }},
	"scalex":      {1, []cssReading{shareOf}, func(a []float64) cssMatrix { return cssScaling(a[0], 1, 1) }},
	"scaley":      {1, []cssReading{shareOf}, func(a []float64) cssMatrix { return cssScaling(1, a[0], 1) }},
	"scalez":      {1, []cssReading{shareOf}, func(a []float64) cssMatrix { return cssScaling(1, 1, a[0]) }},
	"scale3d":     {3, []cssReading{shareOf, shareOf, shareOf}, func(a []float64) cssMatrix { return cssScaling(a[0], a[1], a[2]) }},
	"translate":   {1, []cssReading{pixelsOrShare, pixelsOrShare}, func(a []float64) cssMatrix { return cssMoving(a...) }},
	"translatex":  {1, []cssReading{pixelsOrShare}, func(a []float64) cssMatrix { return cssMoving(a...) }},
	"translatey":  {1, []cssReading{pixelsOrShare}, func(a []float64) cssMatrix { return cssMoving(0, a[0]) }},
	"translatez":  {1, []cssReading{pixelsOf}, func(a []float64) cssMatrix { return cssMoving(0, 0, a[0]) }},
	"translate3d": {3, []cssReading{pixelsOrShare, pixelsOrShare, pixelsOf}, func(a []float64) cssMatrix { return cssMoving(a...) }},
	"rotate":      {1, []cssReading{radiansOf}, func(a []float64) cssMatrix { return cssTurning(0, 0, 1, a[0]) }},
	"rotatex":     {1, []cssReading{radiansOf}, func(a []float64) cssMatrix { return cssTurning(1, 0, 0, a[0]) }},
	"rotatey":     {1, []cssReading{radiansOf}, func(a []float64) cssMatrix { return cssTurning(0, 1, 0, a[0]) }},
	"rotatez":     {1, []cssReading{radiansOf}, func(a []float64) cssMatrix { return cssTurning(0, 0, 1, a[0]) }},
	"rotate3d":    {4, []cssReading{numberOf, numberOf, numberOf, radiansOf}, func(a []float64) cssMatrix { return cssTurning(a[0], a[1], a[2], a[3]) }},
	"skew":        {1, []cssReading{radiansOf, radiansOf}, func(a []float64) cssMatrix { return cssSkewing(a[0], append(a, 0)[1]) }},
	"skewx":       {1, []cssReading{radiansOf}, func(a []float64) cssMatrix { return cssSkewing(a[0], 0) }},
	"skewy":       {1, []cssReading{radiansOf}, func(a []float64) cssMatrix { return cssSkewing(0, a[0]) }},
	"perspective": {1, []cssReading{distanceOf}, cssPerspective},
	"matrix":      {6, slices.Repeat([]cssReading{numberOf}, 6), cssFlatMatrix},
	"matrix3d":    {16, slices.Repeat([]cssReading{numberOf}, 16), cssWholeMatrix},
}

// numbers reads arguments; ok is false when they are too few, too many, or of
// another kind.
func (f cssTransform) numbers(args []cssToken) (numbers []float64, ok bool) {
	if len(args) < f.least || len(args) > len(f.readings) || len(args) == 0 {
		return nil, false
	}
	for i, t := range args {
		number, ok := f.readings[i](t)
		if !ok {
			return nil, false
		}
		numbers = append(numbers, number)
	}
	return numbers, true
}

func cssPerspective(a []float64) cssMatrix {
	m := cssScaling(1, 1, 1)
	m[3][2] = -1 / max(a[0], 1) // a nearer reader is taken to be a pixel away
	return m
}

// cssFlatMatrix takes the columns of a matrix of the plane.
func cssFlatMatrix(a []float64) cssMatrix {
	return cssMatrix{{a[0], a[2], 0, a[4]}, {a[1], a[3], 0, a[5]}, {0, 0, 1}, {0, 0, 0, 1}}
}

// cssWholeMatrix takes the columns of a matrix of space.
func cssWholeMatrix(a []float64) (m cssMatrix) {
	for i, number := range a {
		m[i%4][i/4] = number
	}
	return m
}

func numberOf(t cssToken) (number float64, ok bool) {
	return t.number, t.kind == cssNumber && t.unit == ""
}

// pixelsOrShare reads a length. A share of what is around moves by nothing that
// is known.
func pixelsOrShare(t cssToken) (px float64, ok bool) {
	px, ok = pixelsOf(t)
	return px, ok || t.kind == cssNumber && t.unit == "%"
}

// distanceOf reads a length that is not below zero, or the word for no end.
func distanceOf(t cssToken) (px float64, ok bool) {
	if t.kind == cssIdent && t.name == "none" {
		return math.Inf(1), true
	}
	px, ok = pixelsOf(t)
	return px, ok && px >= 0
}

// radiansOf reads an angle, of which 0 may stand alone.
func radiansOf(t cssToken) (angle float64, ok bool) {
	return t.number * cssAngles[t.unit], isAngle(t) || t.kind == cssNumber && t.number == 0 && t.unit == ""
}

// cssAngles are the units of angles, in radians.
var cssAngles = map[string]float64{"deg": math.Pi / 180, "grad": math.Pi / 200, "rad": 1, "turn": 2 * math.Pi}

func isAngle(t cssToken) bool { return t.kind == cssNumber && cssAngles[t.unit] > 0 }
