package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrDigestMismatch says that a document is not the one that was approved: its
// canonical bytes have another digest.
var ErrDigestMismatch = errors.New("not the plan of this hash")

// Canonical returns the plan's canonical bytes: what is hashed, stored, shown,
// approved and executed. Lists are written as [] when they are nil, so that an
// absent list has one form. A plan that would lose something on the way is
// refused with ErrMalformed: text that is no UTF-8, parameters that
// Canonicalize refuses, a receipt's time that is not in UTC and whole seconds,
// more than MaxBytes.
//
// Who makes a plan calls Validate too; Load does both.
func (p Plan) Canonical() ([]byte, error) {
	if err := p.checkCarried(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	marshaled, err := json.Marshal(p.withLists())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	canonical, err := Canonicalize(marshaled)
	if err != nil {
		return nil, err
	}
	if len(canonical) > MaxBytes {
		return nil, fmt.Errorf("%w: a plan of %d bytes; at most %d are allowed", ErrMalformed, len(canonical), MaxBytes)
	}
	return canonical, nil
}

// Load reads a plan and verifies that it is the one of digest want. raw may be
// any JSON spelling of the document, for a converter on the way may have
// escaped, ordered or indented it anew; what is hashed is its canonical form.
//
// The error is ErrDigestMismatch when the document is another, and
// ErrMalformed when it is none that this version writes. In particular a
// member that Plan does not have, a missing or null one, a name in other letter
// case and a time in another form are refused: nothing that was hashed is
// dropped, and nothing is filled in. A member that a later version adds
// therefore has to be left out of the document when it is empty.
func Load(raw []byte, want Digest) (Plan, error) {
	canonical, err := Canonicalize(raw)
	if err != nil {
		return Plan{}, err
	}
	if got := Sum(canonical); got != want {
		return Plan{}, fmt.Errorf("%w: %s was asked for, the document has %s", ErrDigestMismatch, want, got)
	}
	var p Plan
	decoder := json.NewDecoder(bytes.NewReader(canonical))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return Plan{}, fmt.Errorf("%w: not a plan: %w", ErrMalformed, err)
	}
	if err := p.Validate(); err != nil {
		return Plan{}, err
	}
	again, err := p.Canonical()
	if err != nil {
		return Plan{}, err
	}
	if !bytes.Equal(again, canonical) {
		return Plan{}, fmt.Errorf("%w: not a plan as this version writes it, from byte %d of the canonical form on: "+
			"a member is missing, null or in other letter case, or a time is not in the form 2006-01-02T15:04:05Z",
			ErrMalformed, firstDifference(again, canonical))
	}
	return p, nil
}

// Find returns the action of this id.
func (p Plan) Find(id string) (Action, bool) {
	for _, a := range p.Actions {
		if a.ID == id {
			return a, true
		}
	}
	return Action{}, false
}

// withLists returns the plan with [] for every nil list. The receiver's own
// lists stay as they are.
func (p Plan) withLists() Plan {
	if p.Notes == nil {
		p.Notes = []string{}
	}
	actions := make([]Action, len(p.Actions))
	for i, a := range p.Actions {
		if a.DependsOn == nil {
			a.DependsOn = []string{}
		}
		actions[i] = a
	}
	p.Actions = actions
	return p
}

// firstDifference returns the offset of the first byte in which a and b differ.
func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
