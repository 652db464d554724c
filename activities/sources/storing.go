package sources

import (
	"context"
	"fmt"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// A store answers after the time that its disk, or the network, takes, however
// small a document is, so that several are stored beside one another: at most
// maxStoring of them, with at most storingBytes in all. A larger one is stored
// alone, so that a collection needs little more memory than for one document.
const (
	maxStoring   = 4
	storingBytes = 8 << 20
)

// storing is what a collection is about to store.
type storing struct {
	store Store
	begun []*job // in their order
	bytes int    // of them all
	// failed is the first error: from then on not everything is stored.
	failed error
}

// job is one document's blobs.
type job struct {
	bytes int
	done  chan struct{}
	err   error // when done
}

// add stores blobs, sooner or later. Its error may be that of others that were
// added before. When end returns nil, all are stored.
func (s *storing) add(ctx context.Context, blobs [][]byte) error {
	j := &job{done: make(chan struct{})}
	for _, blob := range blobs {
		j.bytes += len(blob)
	}
	for len(s.begun) > 0 && (len(s.begun) >= maxStoring || s.bytes+j.bytes > storingBytes) {
		s.first()
	}
	if s.failed != nil {
		return s.failed
	}
	s.begun, s.bytes = append(s.begun, j), s.bytes+j.bytes
	go func() {
		defer close(j.done)
		j.err = put(ctx, s.store, blobs)
	}()
	if j.bytes > storingBytes {
		return s.end()
	}
	return nil
}

// end waits until everything is stored, or was tried, and returns the first
// error of all.
func (s *storing) end() error {
	for len(s.begun) > 0 {
		s.first()
	}
	return s.failed
}

// first waits for the job that was begun first.
func (s *storing) first() {
	j := s.begun[0]
	<-j.done
	s.begun, s.bytes = s.begun[1:], s.bytes-j.bytes
	if s.failed == nil {
		s.failed = j.err
	}
}

func put(ctx context.Context, store Store, blobs [][]byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = faults.Panicked("storing a document", r)
		}
	}()
	for _, blob := range blobs {
		at, err := store.Put(ctx, blob)
		if err != nil {
			return err
		}
		if want := plan.Sum(blob); at != want {
			return fmt.Errorf("the store has put %s at %s", want, at)
		}
	}
	return nil
}
