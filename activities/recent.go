package activities

import (
	"slices"
	"sync"
)

// maxRecent is how many values a worker remembers.
const maxRecent = 8

// recent remembers what was computed for the last few keys, so that an action
// of a large plan does not compute it anew. It is for values that nobody
// changes under keys that say all that they follow from: what is remembered
// cannot grow old.
type recent[K comparable, V any] struct {
	mu     sync.Mutex
	values []remembered[K, V] // the most recently used last
}

type remembered[K comparable, V any] struct {
	key   K
	value V
}

// get returns the value of a key, made by compute when it is not remembered.
// Errors are not.
func (r *recent[K, V]) get(key K, compute func() (V, error)) (V, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.values, func(v remembered[K, V]) bool { return v.key == key }); i >= 0 {
		v := r.values[i]
		r.values = append(slices.Delete(r.values, i, i+1), v)
		return v.value, nil
	}
	// Computing under the lock keeps a hundred actions that begin together from
	// computing the same a hundred times.
	value, err := compute()
	if err != nil {
		var none V
		return none, err
	}
	r.values = append(r.values, remembered[K, V]{key, value})
	if len(r.values) > maxRecent {
		r.values = slices.Delete(r.values, 0, 1)
	}
	return value, nil
}
