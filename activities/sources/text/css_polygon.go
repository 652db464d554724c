package text

import (
	"cmp"
	"math"
	"slices"
)

// cssPoint is a point of a page, in pixels from its left upper corner.
type cssPoint struct{ x, y float64 }

// cssPolygon is a shape by its corners. With evenOdd, what it goes around twice
// is not in it.
type cssPolygon struct {
	corners []cssPoint
	evenOdd bool
}

// polygonHides reports whether a polygon leaves no more of the page than a strip
// of least width, as long as the polygon is. Its area is taken as it is filled:
// of one that crosses itself, the parts have areas of both signs, and are seen.
func polygonHides(shape cssCall) (hides, ok bool) {
	p, ok := readPolygon(shape)
	if !ok {
		return false, false
	}
	low, high := p.corners[0].onPage(), p.corners[0].onPage()
	for _, c := range p.corners {
		c = c.onPage()
		low, high = cssPoint{min(low.x, c.x), min(low.y, c.y)}, cssPoint{max(high.x, c.x), max(high.y, c.y)}
	}
	long := max(high.x-low.x, high.y-low.y)
	return p.area() <= leastBox*long+rounding, true
}

// readPolygon reads the rule by which it is filled, if it is said, and pairs of
// lengths with commas between them.
func readPolygon(shape cssCall) (p cssPolygon, ok bool) {
	args, commas := shape.args, shape.commas
	if len(args) > 0 && args[0].kind == cssIdent {
		p.evenOdd = args[0].name == "evenodd"
		if !p.evenOdd && args[0].name != "nonzero" {
			return p, false
		}
		args, commas = args[1:], commas-1
	}
	n, ok := numbersOnPage(args)
	if !ok || len(n) == 0 || len(n)%2 != 0 || commas != len(n)/2-1 {
		return p, false
	}
	for pair := range slices.Chunk(n, 2) {
		p.corners = append(p.corners, cssPoint{near(pair[0]), near(pair[1])})
	}
	return p, true
}

// near brings what is very far beside the page to where it can be reckoned with.
func near(px float64) float64 {
	const veryFar = 1000 * pageSize
	return max(-veryFar, min(px, veryFar))
}

func (c cssPoint) onPage() cssPoint {
	return cssPoint{max(0, min(c.x, pageSize)), max(0, min(c.y, pageSize))}
}

// area returns the area of what is filled of the page. Between two heights at
// which nothing begins, ends or crosses, that is as much as on the line halfway,
// times the height.
func (p cssPolygon) area() float64 {
	heights := p.heights()
	sum := 0.0
	for i, to := range heights[1:] {
		from := heights[i]
		sum += p.filled((from+to)/2) * (to - from)
	}
	return sum
}

// edge returns the edge from a corner to the next.
func (p cssPolygon) edge(i int) (from, to cssPoint) {
	return p.corners[i], p.corners[(i+1)%len(p.corners)]
}

// heights returns those of the page, in order, at which an edge begins, ends, or
// meets another or the sides of the page.
func (p cssPolygon) heights() []float64 {
	heights := []float64{0, pageSize}
	add := func(y float64) {
		if 0 < y && y < pageSize {
			heights = append(heights, y)
		}
	}
	for i := range p.corners {
		a, b := p.edge(i)
		add(a.y)
		add(meeting(a, b, cssPoint{0, 0}, cssPoint{0, pageSize}))
		add(meeting(a, b, cssPoint{pageSize, 0}, cssPoint{pageSize, pageSize}))
		for j := range i {
			c, d := p.edge(j)
			add(meeting(a, b, c, d))
		}
	}
	slices.Sort(heights)
	return slices.Compact(heights)
}

// meeting returns the height at which the line through a and b meets the line
// through c and d; for lines side by side, a height of no page.
func meeting(a, b, c, d cssPoint) float64 {
	across := (b.x-a.x)*(d.y-c.y) - (b.y-a.y)*(d.x-c.x)
	if across == 0 {
		return math.Inf(1)
	}
	return a.y + (b.y-a.y)*((c.x-a.x)*(d.y-c.y)-(c.y-a.y)*(d.x-c.x))/across
}

// filled returns how much of the page is filled at a height at which no corner
// is.
func (p cssPolygon) filled(y float64) float64 {
	type crossing struct {
		x    float64
		turn int
	}
	crossings := make([]crossing, 0, maxCSSValue/2) // of all that one value can have, so that it needs no memory of its own
	for i := range p.corners {
		a, b := p.edge(i)
		if (a.y < y) == (b.y < y) {
			continue
		}
		turn := 1
		if a.y > b.y {
			turn = -1
		}
		crossings = append(crossings, crossing{a.x + (b.x-a.x)*(y-a.y)/(b.y-a.y), turn})
	}
	slices.SortFunc(crossings, func(a, b crossing) int { return cmp.Compare(a.x, b.x) })
	sum, turns := 0.0, 0
	for i, c := range crossings {
		if turns != 0 && (!p.evenOdd || turns%2 != 0) {
			sum += max(0, min(c.x, pageSize)-max(crossings[i-1].x, 0))
		}
		turns += c.turn
	}
	return sum
}
