package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/workflows"
)

// verdict is what a campaign has shown, as counted at the targets.
type verdict struct {
	rows     []row
	hung     []*run         // runs that did not come to an end
	unended  []*run         // runs that ended otherwise than COMPLETED
	doubts   int            // actions in doubt of which a machine could have found out
	findable int            // actions of such tools
	hits     map[string]int // by fault
	sum      tally
	bad      []string
}

// row is one line of the table.
type row struct {
	kind, class, fault string
	tally
}

// tally counts actions and effects.
type tally struct{ actions, hit, unheard, effects, duplicates, inDoubt, lost int }

// judge counts every action at its target. What is there more than once is a
// duplicate; what is not there is lost.
func (c campaign) judge(ctx context.Context, s *stage, all []*run) (*verdict, error) {
	s.calm(ctx)
	time.Sleep(settled)
	v := &verdict{}
	places := map[string]int{}
	for _, one := range all {
		switch {
		case !one.status.Ended():
			v.hung = append(v.hung, one)
		case one.status != workflows.Completed:
			v.unended = append(v.unended, one)
		}
		for _, a := range one.actions {
			effects, err := s.count(ctx, a)
			if err != nil {
				return nil, fmt.Errorf("count %s: %w", a, err)
			}
			a.effects, a.unheard = effects, s.wasUnheard(a)
			v.add(places, a)
		}
	}
	v.conclude(c, s)
	return v, nil
}

// settled is how long after the last run a target is given to show an effect
// that is still under way, so that a duplicate cannot come after the count.
const settled = 5 * time.Second

func (v *verdict) add(places map[string]int, a *action) {
	name := a.tool.name + "/" + a.fault
	at, known := places[name]
	if !known {
		at = len(v.rows)
		places[name] = at
		v.rows = append(v.rows, row{kind: a.tool.kind, class: a.tool.declared(), fault: a.fault})
	}
	v.rows[at].count(a)
	v.sum.count(a)
	if v.hits == nil {
		v.hits = map[string]int{}
	}
	if a.hit() {
		v.hits[a.fault]++
	} else {
		v.hits[a.fault] += 0
	}
	switch {
	case a.effects > 1:
		v.bad = append(v.bad, fmt.Sprintf("duplicate: %s is there %d times", a, a.effects))
	case a.effects == 0:
		v.bad = append(v.bad, fmt.Sprintf("lost: %s is not there", a))
	}
	if a.unheard && !a.doubted && a.tool.class == plan.Once {
		v.bad = append(v.bad, fmt.Sprintf("on a guess: %s was sent without an answer, and nobody was asked", a))
	}
	if !a.tool.mayStayUnknown {
		v.findable++
		if a.doubted {
			v.doubts++
		}
	}
}

func (t *tally) count(a *action) {
	t.actions++
	t.effects += a.effects
	t.duplicates += max(a.effects-1, 0)
	for counter, yes := range map[*int]bool{&t.hit: a.hit(), &t.unheard: a.unheard, &t.inDoubt: a.doubted, &t.lost: a.effects == 0} {
		if yes {
			*counter++
		}
	}
}

// mostDoubts is the part of the actions whose tools can find out by
// themselves that may need a person all the same.
const mostDoubts = 0.02

func (v *verdict) conclude(c campaign, s *stage) {
	for _, one := range v.hung {
		v.bad = append(v.bad, fmt.Sprintf("hung: %s is %s: %s", one.id, one.status, one.reason))
	}
	for _, one := range v.unended {
		v.bad = append(v.bad, fmt.Sprintf("not completed: %s is %s: %s", one.id, one.status, one.reason))
	}
	for _, f := range faults() {
		if hit, played := v.hits[f.name]; played && hit == 0 && f.name != calm {
			v.bad = append(v.bad, fmt.Sprintf("the fault %q hit nothing, and so proves nothing", f.name))
		}
	}
	for _, w := range s.workers {
		if n := w.crashes.Load(); n > 0 {
			v.bad = append(v.bad, fmt.Sprintf("%s panicked %d times; see its logs", w.name, n))
		}
	}
	if allowed := mostDoubts * float64(v.findable); float64(v.doubts) > allowed {
		v.bad = append(v.bad, fmt.Sprintf("%d actions needed a person although their tools can find out; at most %.1f may", v.doubts, allowed))
	}
	if kills := int(s.kills.Load()); kills < c.kills {
		v.bad = append(v.bad, fmt.Sprintf("only %d workers were killed; the campaign wants %d", kills, c.kills))
	}
}

// print writes the table, and what is wrong.
func (v *verdict) print(out io.Writer, s *stage) {
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tCLASS\tFAULT\tACTIONS\tHIT\tUNHEARD\tEFFECTS\tDUPLICATES\tIN DOUBT\tLOST")
	for _, r := range append(v.rows, row{kind: "all", tally: v.sum}) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n",
			r.kind, r.class, r.fault, r.actions, r.hit, r.unheard, r.effects, r.duplicates, r.inDoubt, r.lost)
	}
	table.Flush()
	fmt.Fprintf(out, "\n%d kills, %d of them at a named point, %d stops, %d broken links, %d restarts of servers; "+
		"%d of %d actions that can be found out about needed a person\n",
		s.kills.Load(), s.windows.Load(), s.zombies.Load(), s.cuts.Load(), s.restarts.Load(), v.doubts, v.findable)
	for _, bad := range v.bad {
		fmt.Fprintln(out, bad)
	}
}
