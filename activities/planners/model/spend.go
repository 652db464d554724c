package model

import (
	"context"
	"time"
)

// Spend keeps what calls cost within what a run and a tenant may spend.
// Implementations are safe for concurrent use.
type Spend interface {
	// Made is how many calls of these requests of a run are on record, beside
	// those that surely cost nothing. Its error is a fault.
	Made(ctx context.Context, tenant, runID string, keys []string) (int, error)
	// Reserve is asked before each call. It records the most that the call can
	// use. Its error is a fault, and then the call is not made: a Permanent one when
	// it would go over a limit, one that waits when only calls under way leave no
	// room, or when there are more than Tries calls of its question.
	Reserve(ctx context.Context, c Call) (Reservation, error)
	// SettleStored says what the stored reply to a request cost. Where no record of
	// the request says so, the worker that bought the reply died after storing it,
	// and the newest record is settled.
	SettleStored(ctx context.Context, tenant, runID, key string, u Usage) error
	// Cost is what this much costs, such as "0.0123 USD"; empty without a price.
	Cost(u Usage) string
}

// Call is a call that is about to be made.
type Call struct {
	Tenant, RunID string
	Key           string // of the request; a second call of one key is another call
	Most          Usage  // as estimated, and what a reply can have at most
	// Question has the keys of all requests of the question, this one among them, of
	// which Tries calls may be on record with this one; 0 is any number.
	Question []string
	Tries    int
	// Until is when the call is over at the latest; zero when it is not known, and
	// then nobody waits for what it gives back.
	Until time.Time
}

// Reservation is the record of one call. One that is never settled stands for
// the most that the call can have used: its worker died, its answer was lost, or
// the server did not say.
type Reservation interface {
	// Settle says what the call used. Nothing gives the reservation back.
	Settle(ctx context.Context, u Usage) error
	// Keep says that the call is over and that nobody knows what it used.
	Keep(ctx context.Context) error
}
