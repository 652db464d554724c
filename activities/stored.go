package activities

import (
	"context"
	"errors"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/blobs"
	"github.com/holdpoint/holdpoint/workflows"
)

// stored reads what an earlier step put into the blob store. What is missing
// or damaged stays so, however often one looks; a store that is away comes back.
func (a *Activities) stored(ctx context.Context, tenant string, digest plan.Digest, limit int64) ([]byte, error) {
	raw, err := a.Blobs.Get(ctx, tenant, digest, limit)
	switch {
	case errors.Is(err, blobs.ErrNotFound):
		return nil, &faults.Fault{
			Class: faults.Permanent, Code: "blob_missing", Cause: err,
			Reason: digest.String() + " is not in the blob store: was the worker's data folder moved or emptied since the run began?",
		}
	case errors.Is(err, blobs.ErrCorrupt), errors.Is(err, blobs.ErrTooLarge):
		return nil, &faults.Fault{
			Class: faults.Permanent, Code: "blob_changed", Cause: err,
			Reason: "what the blob store has at " + digest.String() + " are other bytes than were put there",
		}
	}
	return raw, storeFault(err)
}

// put stores data durably, at its digest.
func (a *Activities) put(ctx context.Context, tenant string, data []byte) (plan.Digest, error) {
	digest, err := a.Blobs.Put(ctx, tenant, data)
	return digest, storeFault(err)
}

// storeFault names an error of the blob store. Without the store no worker does
// anything, so its trouble is one to wait for. What is beyond doubt has its own
// name: a step that was stopped, a folder that this worker may not write to.
func storeFault(err error) error {
	if err == nil || errors.Is(err, blobs.ErrTenant) || faults.Name(err).Code != faults.CodeUnnamed {
		return err
	}
	return &faults.Fault{
		Class: faults.Transient, Code: "store_unavailable", Cause: err, Waits: true,
		Reason: "the blob store cannot be read or written; the worker's log says why",
	}
}

// loadPlan reads a plan from its address and verifies every byte of it. Other
// bytes than the approved ones are never executed.
func (a *Activities) loadPlan(
	ctx context.Context, tenant string, blob workflows.BlobRef, hash plan.Digest,
) (plan.Plan, error) {
	if blob.Digest != hash {
		return plan.Plan{}, planChanged(plan.ErrDigestMismatch)
	}
	raw, err := a.stored(ctx, tenant, hash, plan.MaxBytes)
	if errors.Is(err, blobs.ErrCorrupt) || errors.Is(err, blobs.ErrTooLarge) {
		return plan.Plan{}, planChanged(err)
	}
	if err != nil {
		return plan.Plan{}, err
	}
	// The bytes have been read and verified just now; only their decoding,
	// which takes seconds for a plan of many megabytes, is remembered.
	return a.decoded.get(hash, func() (plan.Plan, error) {
		p, err := plan.Load(raw, hash)
		if err != nil {
			return plan.Plan{}, planChanged(err)
		}
		return p, nil
	})
}

func planChanged(cause error) error {
	return &faults.Fault{
		Class: faults.Permanent, Code: "plan_changed", Cause: cause,
		Reason: "plan changed after approval: the stored bytes do not have the approved plan_hash",
	}
}
