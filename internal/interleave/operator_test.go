package interleave

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/holdpoint/holdpoint/internal/scene"
)

// operator is who runs the workers, and whoever runs the bank.
type operator struct {
	stage  *scene.Stage
	rand   *rand.Rand
	deeds  []func()
	houses []house       // the policies still to come
	beside *scene.Worker // a second worker, of another policy; nil when there is none
	done   []string
}

// newOperator makes an operator who does everything a few times, in an order of
// chance.
func newOperator(stage *scene.Stage, chance *rand.Rand) *operator {
	o := &operator{stage: stage, rand: chance}
	o.deeds = slices.Concat(
		slices.Repeat([]func(){o.deploy}, 4), slices.Repeat([]func(){o.cutOff}, 4), slices.Repeat([]func(){o.hireOrFire}, 4),
		slices.Repeat([]func(){o.leave}, 2), slices.Repeat([]func(){o.turnAway}, 2), slices.Repeat([]func(){o.loseAnswers}, 3),
	)
	o.rand.Shuffle(len(o.deeds), func(i, j int) { o.deeds[i], o.deeds[j] = o.deeds[j], o.deeds[i] })
	return o
}

// operate does all its deeds, and then leaves one worker at work.
func (o *operator) operate(ctx context.Context) {
	for _, deed := range o.deeds {
		o.pause(100, 500) // that others find something to do
		if ctx.Err() != nil {
			return
		}
		deed()
	}
	if o.beside != nil {
		o.beside.Stops()
	}
	o.stage.Bank.Refuses(0)
	o.note("a last worker, of policy two")
	two, _ := houseOf("two")
	o.stage.PolicyBecomes(two.yaml())
}

func (o *operator) pause(least, most int) {
	time.Sleep(time.Duration(least+o.rand.IntN(most-least)) * time.Millisecond)
}

func (o *operator) note(format string, args ...any) {
	o.done = append(o.done, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// policy is the next one: all of them come before any comes again.
func (o *operator) policy() string {
	if len(o.houses) == 0 {
		o.houses = slices.Clone(houses)
		o.rand.Shuffle(len(o.houses), func(i, j int) { o.houses[i], o.houses[j] = o.houses[j], o.houses[i] })
	}
	next := o.houses[0]
	o.houses = o.houses[1:]
	o.note("the next policy is %s", next.name)
	return next.yaml()
}

func (o *operator) deploy() {
	o.note("deploy")
	o.stage.PolicyBecomes(o.policy())
}

// cutOff takes the server from a worker in the middle of what it does.
func (o *operator) cutOff() {
	o.note("cut off; another worker")
	o.stage.WorkerIsCutOff()
	o.stage.PolicyBecomes(o.policy())
}

// hireOrFire lets two workers with two policies work side by side.
func (o *operator) hireOrFire() {
	if o.beside == nil {
		o.note("a second worker")
		o.beside = o.stage.Hires(o.policy())
		return
	}
	o.note("the second worker is cut off")
	o.beside.IsCutOff()
	o.beside = nil
}

// leave lets nobody be there for so long that time may run out.
func (o *operator) leave() {
	o.note("no worker for a while")
	o.stage.WorkerStops()
	o.pause(500, 1500)
	o.stage.WorkerStarts()
}

func (o *operator) turnAway() {
	o.note("the bank turns calls away")
	o.stage.Bank.Refuses(1 + o.rand.IntN(30))
}

func (o *operator) loseAnswers() {
	o.note("the bank loses answers")
	o.stage.Bank.LosesAnswers(1 + o.rand.IntN(3))
}
