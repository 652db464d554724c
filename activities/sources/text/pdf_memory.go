package text

import (
	"syscall"

	"github.com/tetratelabs/wazero/experimental"
)

// sandboxMemory is the memory of one instance of PDFium, mapped apart from the
// heap: growing copies nothing, and what a document took is given back at once,
// not when the garbage collector comes to it. A bomb costs its limit, where on
// the heap it cost three times that.
type sandboxMemory struct{ mapped []byte }

// Allocate maps the most that the instance may ever have; the system provides
// pages as they are touched. It is called once for each instance.
func (m *sandboxMemory) Allocate(_, most uint64) experimental.LinearMemory {
	mapped, err := syscall.Mmap(-1, 0, int(most), //nolint:gosec // 128 MiB, see maxPDFMemory
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err == nil {
		m.mapped = mapped
	}
	return m
}

// Reallocate returns the first size bytes, and nil when there are not so many.
func (m *sandboxMemory) Reallocate(size uint64) []byte {
	if size > uint64(len(m.mapped)) {
		return nil
	}
	return m.mapped[:size]
}

// Free does nothing: an instance that is killed may still run for a moment. The
// memory goes when its last call has returned; see unmap.
func (m *sandboxMemory) Free() {}

func (m *sandboxMemory) unmap() {
	if m.mapped != nil {
		_ = syscall.Munmap(m.mapped) // fails for what is no mapping, which this is
		m.mapped = nil
	}
}
