package activities

import (
	"slices"
	"sync"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// maxDecoded is how many decoded plans a worker remembers.
const maxDecoded = 8

// decodedPlans remembers plans by their hash, so that an action of a large
// plan does not decode it anew. A plan is a value that nobody changes, and its
// hash is of all its bytes, so what is remembered cannot grow old.
type decodedPlans struct {
	mu    sync.Mutex
	plans []decodedPlan // the most recently used last
}

type decodedPlan struct {
	hash plan.Digest
	plan plan.Plan
}

// get returns the plan of a hash, decoded by decode when it is not remembered.
func (d *decodedPlans) get(hash plan.Digest, decode func() (plan.Plan, error)) (plan.Plan, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if i := slices.IndexFunc(d.plans, func(p decodedPlan) bool { return p.hash == hash }); i >= 0 {
		p := d.plans[i]
		d.plans = append(slices.Delete(d.plans, i, i+1), p)
		return p.plan, nil
	}
	// Decoding under the lock keeps a hundred actions that begin together from
	// decoding the same plan a hundred times.
	p, err := decode()
	if err != nil {
		return plan.Plan{}, err
	}
	d.plans = append(d.plans, decodedPlan{hash, p})
	if len(d.plans) > maxDecoded {
		d.plans = slices.Delete(d.plans, 0, 1)
	}
	return p, nil
}
