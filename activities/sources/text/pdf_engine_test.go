package text

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

// What others' documents take is not this one's time, nor is the start: both may
// take longer than the document itself may.
func TestPDFEngine_WaitingIsNotTheDocumentsTime(t *testing.T) {
	const limit = 2 * time.Minute
	synctest.Test(t, func(t *testing.T) {
		deadlines := make(deadlinePool, 1)
		engine := &pdfEngine{turn: make(chan struct{}, 1)}
		engine.start = func() (pdfium.Pool, error) {
			time.Sleep(3 * limit)
			return deadlines, nil
		}
		engine.turn <- struct{}{} // another run reads
		go func() { _, _ = engine.read(t.Context(), nil, limit) }()
		synctest.Wait()
		time.Sleep(5 * limit)
		engine.give()
		require.Equal(t, limit, time.Until(<-deadlines))
		synctest.Wait()
	})
}

// deadlinePool tells until when an instance is wanted, and has none.
type deadlinePool chan time.Time

func (deadlinePool) GetInstance(time.Duration) (pdfium.Pdfium, error) {
	return nil, errors.ErrUnsupported
}
func (deadlinePool) Close() error { return nil }

func (p deadlinePool) GetInstanceWithContext(ctx context.Context) (pdfium.Pdfium, error) {
	deadline, _ := ctx.Deadline()
	p <- deadline
	return nil, errors.ErrUnsupported
}

func TestPDFEngine_WhoIsStoppedWhileWaitingLearnsNothing(t *testing.T) {
	engine := sharedPDFEngine()
	require.NoError(t, engine.take(t.Context()))
	defer engine.give()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d, err := Decode(ctx, typePDF, []byte(pdfOf("", at(720, "x"))))
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, Decoded{}, d)
}

// A machine that cannot start PDFium now says nothing about the document, and
// is asked again by the next.
func TestPDFEngine_TheMachinesTroubleIsNoSkipAndIsNotKept(t *testing.T) {
	good := []byte(pdfOf("", at(720, "fine")))
	working := sharedPDFEngine()
	require.NoError(t, working.take(t.Context()))
	working.give()

	starts := 0
	engine := &pdfEngine{turn: make(chan struct{}, 1)}
	engine.start = func() (pdfium.Pool, error) {
		switch starts++; starts {
		case 1:
			return nil, errors.New("no memory")
		case 2:
			panic("mmap")
		default:
			return startPDFium(pdfCache(), &engine.memory)
		}
	}
	for range 2 {
		d, err := engine.read(t.Context(), good, time.Minute)
		var fault *faults.Fault
		require.ErrorAs(t, err, &fault)
		require.Equal(t, faults.Transient, fault.Class)
		require.NotContains(t, fault.Error(), "mmap", "the cause is for the log")
		require.Equal(t, Decoded{}, d)
	}
	d, err := engine.read(t.Context(), good, time.Minute)
	require.NoError(t, err)
	require.Equal(t, Decoded{Text: "fine\n"}, d)
	require.Equal(t, 3, starts)
}

// An instance that the machine cannot make is the machine's trouble too.
func TestPDFEngine_NoInstance(t *testing.T) {
	engine := &pdfEngine{turn: make(chan struct{}, 1)}
	starts := 0
	engine.start = func() (pdfium.Pool, error) {
		if starts++; starts == 1 {
			return brokenPool{}, nil
		}
		return startPDFium(pdfCache(), &engine.memory)
	}
	_, err := engine.read(t.Context(), []byte(pdfOf("", at(720, "fine"))), time.Minute)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	d, err := engine.read(t.Context(), []byte(pdfOf("", at(720, "fine"))), time.Minute)
	require.NoError(t, err)
	require.Equal(t, "fine\n", d.Text)
}

// brokenPool is a pool whose instances the system has no memory for.
type brokenPool struct{ pdfium.Pool }

func (brokenPool) GetInstanceWithContext(context.Context) (pdfium.Pdfium, error) {
	panic("slice bounds out of range")
}

// Where no folder for machine code is, PDFium is interpreted.
func TestPDFEngine_WithoutACache(t *testing.T) {
	engine := newPDFEngine(func() string { return "" })
	d, err := engine.read(t.Context(), []byte(pdfOf("", at(720, "slowly"))), time.Minute)
	require.NoError(t, err)
	require.Equal(t, Decoded{Text: "slowly\n"}, d)
}

// Machine code that was damaged on the disk does not stay there.
func TestPDFEngine_ADamagedCacheIsMadeAnew(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "pdfium")
	require.NoError(t, os.CopyFS(cache, os.DirFS(warmPDFCache(t))))
	damage(t, cache)
	engine := newPDFEngine(func() string { return cache })
	_, err := engine.read(t.Context(), []byte(pdfOf("", at(720, "fine"))), time.Minute)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.NoDirExists(t, cache)
}

// warmPDFCache returns the folder that has PDFium's machine code.
func warmPDFCache(t *testing.T) string {
	t.Helper()
	engine := sharedPDFEngine()
	require.NoError(t, engine.take(t.Context()))
	engine.give()
	return pdfCache()
}

// damage cuts each file of a folder in half.
func damage(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(name, info.Size()/2))
	}
}
