package text

import "math"

// cssMatrix maps points of space, of which the reader looks along the third axis:
// rows of a matrix that columns (x, y, z, 1) are multiplied with (CSS Transforms
// Module Level 2).
type cssMatrix [4][4]float64

func cssScaling(x, y, z float64) cssMatrix {
	return cssMatrix{{x}, {0, y}, {0, 0, z}, {0, 0, 0, 1}}
}

// cssMoving moves by up to three lengths, in pixels.
func cssMoving(by ...float64) cssMatrix {
	m := cssScaling(1, 1, 1)
	for axis, px := range by {
		m[axis][3] = px
	}
	return m
}

// cssTurning turns by an angle around the axis that goes through a point. There
// is none through the origin, and nothing turns.
func cssTurning(x, y, z, angle float64) cssMatrix {
	length := math.Hypot(math.Hypot(x, y), z)
	if length == 0 {
		return cssScaling(1, 1, 1)
	}
	x, y, z = x/length, y/length, z/length
	sin, cos := math.Sincos(angle)
	rest := 1 - cos
	return cssMatrix{
		{x*x*rest + cos, x*y*rest - z*sin, x*z*rest + y*sin},
		{x*y*rest + z*sin, y*y*rest + cos, y*z*rest - x*sin},
		{x*z*rest - y*sin, y*z*rest + x*sin, z*z*rest + cos},
		{0, 0, 0, 1},
	}
}

func cssSkewing(x, y float64) cssMatrix {
	m := cssScaling(1, 1, 1)
	m[0][1], m[1][0] = math.Tan(x), math.Tan(y)
	return m
}

// times returns what maps as second does, and then as m does.
func (m cssMatrix) times(second cssMatrix) cssMatrix {
	var product cssMatrix
	for row := range 4 {
		for column := range 4 {
			for i := range 4 {
				product[row][column] += m[row][i] * second[i][column]
			}
		}
	}
	return product
}

// rounding is more than what many products of fractions are off by.
const rounding = 1e-9

// shows reports whether something is seen of an element that is mapped so. The
// origin is its middle: that must be before the reader and not beside the page,
// and what is around it must keep some width in all directions. What comes of
// numbers that are too large is not seen.
func (m cssMatrix) shows() bool {
	far := m[3][3] // 1 for what is as far away as the page
	x, y := m[0][3]/far, m[1][3]/far
	a, c := (m[0][0]-x*m[3][0])/far, (m[0][1]-x*m[3][1])/far // how the place changes around it: by columns
	b, d := (m[1][0]-y*m[3][0])/far, (m[1][1]-y*m[3][1])/far
	widest := (math.Hypot(a+d, b-c) + math.Hypot(a-d, b+c)) / 2 // the singular values of that; their product is the area
	narrowest := math.Abs(a*d-b*c) / widest
	return far > 0 && x > -farAway && y > -farAway && narrowest > leastScale+rounding
}
