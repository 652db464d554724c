package text

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// maxPDFMemory bounds the sandbox, in pages of 64 KiB: 128 MiB, the file and
// all that PDFium makes of it.
const maxPDFMemory = 2048

// pdfEngine is PDFium, which takes seconds to start and starts once.
type pdfEngine struct {
	ready  chan struct{}
	pool   pdfium.Pool   // when ready
	err    error         // when ready
	turn   chan struct{} // holds what only one document at a time may have
	memory sandboxMemory // of the instance whose turn it is
}

// sharedPDFEngine starts PDFium for the process when the first PDF comes. It is
// never stopped: an idle one holds about 30 MB, or 130 MB without a cache.
var sharedPDFEngine = sync.OnceValue(func() *pdfEngine { return startPDFEngine(pdfCache()) })

// startPDFEngine begins to start PDFium. Its machine code is kept in the
// folder cache: making it takes about 9 s of one core and 330 MB, reading it
// 0.3 s and 50 MB. Without a folder PDFium is interpreted, which starts in
// about 1 s with 180 MB and reads ten times as slowly.
func startPDFEngine(cache string) *pdfEngine {
	e := &pdfEngine{ready: make(chan struct{}), turn: make(chan struct{}, 1)}
	go func() {
		defer close(e.ready)
		config := wazero.NewRuntimeConfigInterpreter()
		if cache != "" {
			if kept, err := wazero.NewCompilationCacheWithDir(cache); err == nil {
				config = wazero.NewRuntimeConfig().WithCompilationCache(kept)
			}
		}
		e.pool, e.err = webassembly.Init(webassembly.Config{
			Context:  experimental.WithMemoryAllocator(context.Background(), &e.memory),
			MaxTotal: 1, // in an instance of its own
			Stdout:   io.Discard,
			Stderr:   io.Discard,
			FSConfig: wazero.NewFSConfig(), // no folder; the default is all of them
			RuntimeConfig: config.
				WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling). // PDFium needs them
				WithMemoryLimitPages(maxPDFMemory).
				WithCloseOnContextDone(true), // so that a document can be given up
		})
	}()
	return e
}

// pdfCache returns the folder for PDFium's machine code, which no one but this
// user may write to, and "" when there is none.
func pdfCache() string {
	users, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	folder := filepath.Join(users, "holdpoint", "pdfium")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return ""
	}
	info, err := os.Stat(folder)
	if err != nil || info.Mode().Perm()&0o022 != 0 {
		return ""
	}
	return folder
}

// instance returns PDFium with a memory of its own, and what gives it back after
// the last call has returned. When ctx ends, calls that are under way fail.
func (e *pdfEngine) instance(ctx context.Context) (lib pdfium.Pdfium, release func(), err error) {
	select {
	case <-e.ready:
	case <-ctx.Done():
		return nil, nil, errors.New(stopped)
	}
	if e.err != nil {
		return nil, nil, errors.New("PDFium does not start on this machine")
	}
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, errors.New(stopped)
	}
	done := func() {
		e.memory.unmap()
		<-e.turn
	}
	lib, err = e.pool.GetInstanceWithContext(ctx)
	if err != nil {
		done()
		return nil, nil, errors.New("PDFium does not start on this machine")
	}
	killed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(killed)
		_ = lib.Kill() // it is gone either way
	})
	return lib, func() {
		defer done()
		if !stop() {
			<-killed
			return
		}
		_ = lib.Close() // as above
	}, nil
}
