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

// sharedPDFEngine is the process's. It is never stopped: an idle one holds about
// 30 MB, or 130 MB without a cache.
var sharedPDFEngine = sync.OnceValue(func() *pdfEngine { return newPDFEngine(pdfCache) })

// startPDFium starts PDFium. Its machine code is kept in the folder cache: making
// it takes about 9 s of one core and 350 MB, 450 MB on a busy machine, where
// garbage is collected late; reading it takes 0.3 s and 50 MB. Without a folder
// PDFium is interpreted, which starts in about 1 s with 190 MB and reads ten times
// as slowly. What instances need is taken of memory.
func startPDFium(cache string, memory *sandboxMemory) (pdfium.Pool, error) {
	config := wazero.NewRuntimeConfigInterpreter()
	if cache != "" {
		kept, err := wazero.NewCompilationCacheWithDir(cache)
		if err != nil {
			return nil, err
		}
		config = wazero.NewRuntimeConfig().WithCompilationCache(kept)
	}
	pool, err := webassembly.Init(webassembly.Config{
		Context:  experimental.WithMemoryAllocator(context.Background(), memory),
		MaxTotal: 1, // in an instance of its own
		Stdout:   io.Discard,
		Stderr:   io.Discard,
		FSConfig: wazero.NewFSConfig(), // no folder; the default is all of them
		RuntimeConfig: config.
			WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling). // PDFium needs them
			WithMemoryLimitPages(maxPDFMemory).
			WithCloseOnContextDone(true), // so that a document can be given up
	})
	if err != nil && cache != "" {
		return nil, errors.Join(err, os.RemoveAll(cache)) // a damaged one must not stay
	}
	return pool, err
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
