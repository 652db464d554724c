package object

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"syscall"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// digestOf reads a file as it is, and keeps at most maxShown bytes of it in head.
func digestOf(root *os.Root, name string) (digest plan.Digest, size int64, head []byte, err error) {
	file, err := root.Open(name)
	if err != nil {
		return plan.Digest{}, 0, nil, err
	}
	defer file.Close()
	all := sha256.New()
	head, err = io.ReadAll(io.TeeReader(io.LimitReader(file, maxShown), all))
	if err != nil {
		return plan.Digest{}, 0, nil, err
	}
	rest, err := io.Copy(all, file)
	return sum(all), int64(len(head)) + rest, head, err
}

func sum(h hash.Hash) plan.Digest { return plan.Digest(h.Sum(nil)) }

// writeSynced writes a file that is not there, and forces it to the disk.
func writeSynced(root *os.Root, name string, content []byte) error {
	file, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// syncFolder forces the names in a folder to the disk.
func syncFolder(root *os.Root, name string) error {
	if runtime.GOOS == "windows" {
		return nil // folders cannot be synced there, and need not be
	}
	folder, err := root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// syncFolders does so for the folder of a file and those above it, because any
// of them may be new.
func syncFolders(root *os.Root, name string) error {
	for at := name; at != "."; {
		at = path.Dir(at)
		if err := syncFolder(root, at); err != nil {
			return err
		}
	}
	return nil
}

// fileFault is a file operation that failed before the effect. Paths of this
// machine are left out.
func fileFault(err error) error {
	if fault, ok := errors.AsType[*faults.Fault](err); ok {
		return fault
	}
	class := faults.Transient
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTDIR) {
		class = faults.Permanent
	}
	return &faults.Fault{Class: class, Code: "file_failed", Reason: whyFile(err) + "; nothing was written", Cause: err}
}

// whyFile is what the system says of a file operation that failed.
func whyFile(err error) string {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return "a file operation failed: " + number.Error()
	}
	return "a file operation failed"
}
