package text

import (
	"context"
	"fmt"

	"github.com/klippa-app/go-pdfium"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// pdfEngine is PDFium, which takes seconds to start and is started when the
// first document comes. Who has the turn has all of it.
type pdfEngine struct {
	start func() (pdfium.Pool, error)
	turn  chan struct{} // holds what only one document at a time may have

	pool     pdfium.Pool        // once it has started
	starting chan startedPDFium // what is starting, also when the one who asked has gone
	memory   sandboxMemory      // of the instance whose turn it is
}

type startedPDFium struct {
	pool pdfium.Pool
	err  error
}

// newPDFEngine returns an engine that keeps its machine code in the folder that
// cache returns at each start; see startPDFium.
func newPDFEngine(cache func() string) *pdfEngine {
	e := &pdfEngine{turn: make(chan struct{}, 1)}
	e.start = func() (pdfium.Pool, error) { return startPDFium(cache(), &e.memory) }
	return e
}

// take waits for the turn, however long others have it, and until PDFium has
// started. When err is nil, give must be called. Its errors are those of ctx and
// of the machine: nothing in them is the document's fault, and none is kept.
func (e *pdfEngine) take(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	err := e.started(ctx)
	if err != nil {
		e.give()
	}
	return err
}

func (e *pdfEngine) give() { <-e.turn }

// started waits for PDFium. A start that failed is begun anew by the next one
// who needs it.
func (e *pdfEngine) started(ctx context.Context) error {
	if e.pool != nil {
		return nil
	}
	if e.starting == nil {
		e.starting = make(chan startedPDFium, 1)
		go func(told chan<- startedPDFium) {
			pool, err := guarded(e.start)
			told <- startedPDFium{pool, err}
		}(e.starting)
	}
	select {
	case s := <-e.starting:
		e.starting = nil
		if s.err != nil {
			return noPDFium(s.err)
		}
		e.pool = s.pool
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// instance returns PDFium with a memory of its own, and what gives it back after
// the last call has returned. When ctx ends, calls that are under way fail. The
// caller has the turn. Its errors are as those of take.
func (e *pdfEngine) instance(ctx context.Context) (lib pdfium.Pdfium, release func(), err error) {
	lib, err = guarded(func() (pdfium.Pdfium, error) { return e.pool.GetInstanceWithContext(ctx) })
	if err != nil {
		e.memory.unmap()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		e.pool = nil // which may count what it failed to make as taken for ever
		return nil, nil, noPDFium(err)
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		_ = lib.Kill() // it is gone either way
	})
	return lib, func() {
		defer e.memory.unmap()
		if !stop() {
			<-killed
			return
		}
		_ = lib.Close() // as above
	}, nil
}

// guarded returns f's panic as an error: the runtime panics where the system
// refuses it memory.
func guarded[T any](f func() (T, error)) (result T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}

// noPDFium is the machine's trouble, which says nothing about a document.
func noPDFium(cause error) error {
	return &faults.Fault{
		Class: faults.Transient, Code: "pdf_reader", Cause: cause,
		Reason: "PDFium, which reads PDFs, does not start on this worker: it needs up to 500 MB of memory " +
			"for its first start, and 25 MB in the user's cache folder (holdpoint/pdfium)",
	}
}
