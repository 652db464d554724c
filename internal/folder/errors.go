package folder

import (
	"errors"
	"io/fs"
	"syscall"
)

// closedError is a folder that cannot be looked into. The walk goes on.
type closedError struct{ reason string }

func (e *closedError) Error() string { return "folder cannot be read (" + e.reason + ")" }

// closed is the error for a folder that could not be opened or listed.
func closed(err error) error {
	if machine := unavailable(err); machine != nil {
		return machine
	}
	return &closedError{reasonOf(err)}
}

// unread is the error for a file that could not be opened or read.
func unread(err error) error {
	if machine := unavailable(err); machine != nil {
		return machine
	}
	return errors.New(reasonOf(err))
}

// unavailable returns the error when err speaks of the machine and not of the
// file: then another attempt may read what this one could not, and skipping
// would quietly leave out documents.
func unavailable(err error) error {
	for _, errno := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT} {
		if errors.Is(err, errno) {
			return &Unavailable{errno}
		}
	}
	return nil
}

// reasonOf says why something could not be opened, without the machine's paths.
func reasonOf(err error) string {
	var errno syscall.Errno
	switch {
	case errors.Is(err, errSwapped):
		return errSwapped.Error()
	case errors.Is(err, fs.ErrNotExist):
		return "no longer there"
	case errors.As(err, &errno):
		return errno.Error()
	default:
		// os.Root's refusal to leave the root has no name of its own.
		return "leads out of the root, or is no folder"
	}
}
