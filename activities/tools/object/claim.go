package object

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// records is the folder, inside the one of the objects, that holds the claims.
const records = ".holdpoint"

// claim is what a folder keeps of one key: a folder of its own, made whole by
// one rename and never made twice while it is there.
//
//	.holdpoint/KEY/claim.json   what the key is used for
//	.holdpoint/KEY/content      the content, until it is in its place
//
// The content is moved to its place, not copied. So the file system itself
// says whether the effect was made: it was, when content is gone, or is the
// same file as the object.
type claim struct {
	root  *os.Root
	key   string
	fresh bool // made by this call: no earlier call of the key came so far

	Object      string      `json:"object"`
	Fingerprint string      `json:"fingerprint"` // of the action's parameters
	Content     plan.Digest `json:"content"`
	At          time.Time   `json:"at"`
}

func (c *claim) path() string        { return path.Join(records, c.key) }
func (c *claim) recordPath() string  { return path.Join(c.path(), "claim.json") }
func (c *claim) contentPath() string { return path.Join(c.path(), "content") }

// claimFor opens the claim of w's key, or makes it. One that was made for other
// parameters, and came to nothing, makes room.
func claimFor(root *os.Root, w write) (*claim, error) {
	for {
		c, err := readClaim(root, w.mark.key)
		if errors.Is(err, fs.ErrNotExist) {
			c, err = stage(root, w)
			if errors.Is(err, fs.ErrExist) {
				continue // another call was quicker
			}
			return c, err
		}
		if err != nil {
			return nil, err
		}
		made, err := c.made()
		if err != nil || made || c.Fingerprint == w.mark.fingerprint && c.Object == w.name {
			return c, err
		}
		if err := c.discard(); err != nil {
			return nil, err
		}
	}
}

func readClaim(root *os.Root, key string) (*claim, error) {
	c := &claim{root: root, key: key}
	raw, err := root.ReadFile(c.recordPath())
	if err != nil {
		return nil, err
	}
	return c, json.Unmarshal(raw, c)
}

// stage writes a claim under another name, and gives it its own by a rename,
// which fails where there is one already.
func stage(root *os.Root, w write) (*claim, error) {
	c := &claim{
		root: root, key: w.mark.key, fresh: true,
		Object: w.name, Fingerprint: w.mark.fingerprint, Content: plan.Sum(w.content), At: time.Now().UTC().Truncate(time.Second),
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	building := path.Join(records, "new-"+rand.Text())
	if err := root.MkdirAll(building, 0o755); err != nil {
		return nil, err
	}
	err = errors.Join(
		writeSynced(root, path.Join(building, "content"), w.content),
		writeSynced(root, path.Join(building, "claim.json"), raw),
	)
	if err == nil {
		err = syncFolder(root, building)
	}
	if err == nil {
		err = root.Rename(building, c.path())
	}
	if err != nil {
		root.RemoveAll(building) //nolint:errcheck // what is left there is nothing's
		return nil, err
	}
	return c, syncFolder(root, records)
}

// made reports whether the effect of the claim was made.
func (c *claim) made() (bool, error) {
	content, err := c.root.Lstat(c.contentPath())
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	object, err := c.root.Lstat(c.Object)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(content, object), err
}

// afterFailure finds out what became of a put that failed. An error alone does
// not say that nothing was written: over a network file system a link or a
// rename can be made, and its answer lost (link(2), under BUGS). The error that
// it returns is the put's, as a fault.
func (c *claim) afterFailure(cause error) (made bool, err error) {
	before, err1 := c.root.Lstat(c.recordPath())
	made, err2 := c.made()
	after, err3 := c.root.Lstat(c.recordPath())
	err = errors.Join(err1, err2, err3)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(before, after):
		return false, fileFault(cause) // another attempt gave the claim up, and so found that nothing was made
	case err != nil:
		return false, &faults.Fault{
			Class: faults.Unknown, Code: "file_failed", Cause: errors.Join(cause, err),
			Reason: whyFile(cause) + ", and whether the object was written cannot be seen",
		}
	case made:
		return true, nil
	default:
		return false, fileFault(cause)
	}
}

// spend ends the claim's second name of an object that has been linked. When it
// fails, or the process dies before it, made still sees that they are the same.
func (c *claim) spend() error { return c.root.Remove(c.contentPath()) }

// discard takes the claim away at once, also from a call that is about to use it.
func (c *claim) discard() error {
	gone := path.Join(records, "gone-"+rand.Text())
	if err := c.root.Rename(c.path(), gone); err != nil {
		return err
	}
	return c.root.RemoveAll(gone)
}
