package model

import "context"

// Spend keeps what calls cost within what a run and a tenant may spend.
// Implementations are safe for concurrent use.
type Spend interface {
	// Made is how many calls of these requests of a run are on record, beside
	// those that surely cost nothing. Its error is a fault.
	Made(ctx context.Context, tenant, runID string, keys []string) (int, error)
	// Reserve is asked before each call. It records the most that the call can
	// use; when that would go over a limit, its error is a Permanent fault, and the
	// call is not made.
	Reserve(ctx context.Context, c Call) (Reservation, error)
	// Cost is what this much costs, such as "0.0123 USD"; empty without a price.
	Cost(u Usage) string
}

// Call is a call that is about to be made.
type Call struct {
	Tenant, RunID string
	Key           string // of the request; a second call of one key is another call
	Most          Usage  // as estimated, and what a reply can have at most
}

// Reservation is the record of one call. One that is never settled stands for
// the most that the call can have used: its worker died, its answer was lost, or
// the server did not say. Settling it with nothing gives it back.
type Reservation interface {
	Settle(ctx context.Context, u Usage) error
}
