package sources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// file reads one file, or skips it with the reason.
func (w walk) file(ctx context.Context, dir *os.Root, f found, path string) error {
	e := Entry{Source: w.source, Path: EscapePath(path)}
	if f.err != nil {
		if fault := machineFault(f.err); fault != nil {
			return fault
		}
		e.Skipped = "cannot be read (" + reasonOf(f.err) + ")"
		return w.add(e)
	}
	e.Size = f.info.Size()
	if e.Skipped = w.reasonToSkip(f, path); e.Skipped != "" {
		return w.add(e)
	}
	if w.beforeOpen != nil {
		w.beforeOpen(path)
	}
	data, err := w.read(dir, f)
	if fault := machineFault(err); fault != nil {
		return fault
	}
	if err != nil {
		e.Skipped = "cannot be read (" + reasonOf(err) + ")"
		return w.add(e)
	}
	e.Size = int64(len(data))
	if e.Skipped = w.reasonOfSize(e.Size); e.Skipped != "" {
		return w.add(e)
	}
	if e.Digest, err = w.Store(ctx, data); err != nil {
		return err
	}
	e.MediaType = MediaType(f.name)
	return w.add(e)
}

// reasonToSkip judges what was listed; nothing is opened for it.
func (w walk) reasonToSkip(f found, path string) string {
	switch mode := f.info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return w.linkReason(path)
	case !mode.IsRegular():
		return "not a regular file (" + kindOf(mode) + ")"
	case f.hidden():
		return "hidden"
	case MediaType(f.name) == "":
		return unsupported(f.name)
	}
	return w.reasonOfSize(f.info.Size())
}

func (w walk) reasonOfSize(size int64) string {
	left := w.Limits.MaxTotalBytes - w.manifest.Bytes
	switch {
	case size == 0:
		return "empty"
	case size > w.Limits.MaxFileBytes:
		return fmt.Sprintf("too large: %d bytes, the limit for a file is %d", size, w.Limits.MaxFileBytes)
	case size > left:
		return fmt.Sprintf("past the total limit: %d bytes, of %d in all %d are left", size, w.Limits.MaxTotalBytes, left)
	}
	return ""
}

// linkReason says where a link leads, which is all that is done with it.
func (w walk) linkReason(path string) string {
	_, err := w.top.Stat(path)
	switch {
	case err == nil:
		return "link inside the root"
	case errors.Is(err, syscall.ELOOP):
		return "link loop"
	case errors.Is(err, fs.ErrNotExist):
		return "dangling link"
	case errors.Is(err, fs.ErrPermission):
		return "link to what cannot be read"
	default:
		return "link leaves the root"
	}
}

// read returns the bytes of f, at most one more than the file limit. It opens
// without waiting, because what was a file when it was listed may be a pipe
// now, and reads only what was listed.
func (w walk) read(dir *os.Root, f found) ([]byte, error) {
	file, err := dir.OpenFile(f.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	now, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !now.Mode().IsRegular() || !os.SameFile(f.info, now) {
		return nil, errSwapped
	}
	return io.ReadAll(io.LimitReader(file, w.Limits.MaxFileBytes+1))
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "fifo"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	default:
		return "special file"
	}
}
