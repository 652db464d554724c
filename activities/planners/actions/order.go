package actions

import (
	"slices"
	"strings"
)

// checkOrder verifies that ids are unique, that dependencies exist, and that
// they can be followed to an end. A plan is checked for the same; here the place
// in the document is known.
func (d Document) checkOrder() error {
	place := make(map[string]int, len(d.Actions))
	for i, a := range d.Actions {
		if first, taken := place[a.ID]; taken {
			return problem(inAction(i, "id"), "action %d has the id %s already", first, a.ID)
		}
		place[a.ID] = i
	}
	for i, a := range d.Actions {
		for _, id := range a.DependsOn {
			if _, ok := place[id]; !ok {
				return problem(inAction(i, "depends_on"), "there is no action %s", id)
			}
		}
	}
	w := walk{actions: d.Actions, place: place, ends: make([]bool, len(d.Actions))}
	for i := range d.Actions {
		if cycle := w.cycle(i, nil); cycle != nil {
			return problem(inAction(cycle[0], "depends_on"), "these actions wait for each other: %s", w.names(cycle))
		}
	}
	return nil
}

// walk follows dependencies, each action once.
type walk struct {
	actions []Action
	place   map[string]int
	ends    []bool // of the actions that are known to lead into no cycle
}

// cycle is the first one met on the way on from action i; trail is the way to it.
func (w walk) cycle(i int, trail []int) []int {
	if w.ends[i] {
		return nil
	}
	if at := slices.Index(trail, i); at >= 0 {
		return slices.Clone(trail[at:])
	}
	trail = append(trail, i)
	for _, id := range w.actions[i].DependsOn {
		if found := w.cycle(w.place[id], trail); found != nil {
			return found
		}
	}
	w.ends[i] = true
	return nil
}

// names lists a cycle for people: its first few actions and the way back.
func (w walk) names(cycle []int) string {
	const shown = 8
	var ids []string
	for _, i := range cycle[:min(len(cycle), shown)] {
		ids = append(ids, w.actions[i].ID)
	}
	if len(cycle) > shown {
		ids = append(ids, "…")
	}
	return strings.Join(append(ids, w.actions[cycle[0]].ID), " → ")
}
