package main

import (
	"math/rand/v2"
	"slices"
)

// deck deals tools: each comes once before any comes again, so that every
// phase has them all, however few its runs.
type deck struct {
	*rand.Rand

	all, left []tool
}

func newDeck(all []tool, r *rand.Rand) *deck { return &deck{Rand: r, all: all} }

// draw returns n different tools.
func (d *deck) draw(n int) []tool {
	var drawn []tool
	for len(drawn) < n {
		if len(d.left) == 0 {
			d.left = slices.Clone(d.all)
			d.Shuffle(len(d.left), func(i, j int) { d.left[i], d.left[j] = d.left[j], d.left[i] })
		}
		next := d.left[0]
		d.left = d.left[1:]
		if !slices.ContainsFunc(drawn, func(t tool) bool { return t.name == next.name }) {
			drawn = append(drawn, next)
		}
	}
	return drawn
}
