package approvals

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// UnmarshalJSON reads terms as they stand in histories. It refuses members of
// a later version, whose rules this one does not know, and reads those of
// before quorums, when a policy was one list of approvers of whom one sufficed.
func (t *Terms) UnmarshalJSON(raw []byte) error {
	var form struct {
		Approvers *json.RawMessage `json:"approvers"`
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return err
	}
	if form.Approvers != nil {
		return t.readList(raw)
	}
	type plain Terms // without this method
	var read plain
	if err := strictly(raw, &read); err != nil {
		return err
	}
	*t = Terms(read)
	return t.check()
}

// readList reads the form of before quorums. Its version is the digest of its
// own bytes, which the history holds in canonical form.
func (t *Terms) readList(raw []byte) error {
	var list struct {
		Approvers    []string `json:"approvers"`
		DecideWithin int64    `json:"decide_within_seconds"`
		GrantLife    int64    `json:"grant_life_seconds"`
		Label        string   `json:"label"`
		Resolvers    []string `json:"resolvers"`
	}
	if err := strictly(raw, &list); err != nil {
		return err
	}
	if list.Label == "" && len(list.Approvers) == 0 && list.DecideWithin == 0 && list.GrantLife == 0 {
		*t = Terms{} // of a request that had not been opened; it allows nobody
		return nil
	}
	if max(list.DecideWithin, list.GrantLife) > int64(MaxPeriod/time.Second) {
		return fmt.Errorf("a period of the policy is longer than %s", MaxPeriod)
	}
	canonical, err := plan.Canonicalize(raw)
	if err != nil {
		return err
	}
	resolvers := list.Resolvers
	if len(resolvers) == 0 {
		resolvers = list.Approvers
	}
	*t = Terms{
		Label:        list.Label,
		Version:      list.Label + "@" + plan.Sum(canonical).String(),
		Quorums:      []Quorum{{Group: "approvers", Need: 1, Members: list.Approvers}},
		DecideWithin: time.Duration(list.DecideWithin) * time.Second,
		GrantLife:    time.Duration(list.GrantLife) * time.Second,
		Proof:        ByClaim,
		Resolvers:    []Resolvers{{Members: resolvers}},
	}
	return t.check()
}

func strictly(raw []byte, into any) error {
	members := json.NewDecoder(bytes.NewReader(raw))
	members.DisallowUnknownFields()
	return members.Decode(into)
}

// check refuses terms that no policy gives, so that what cannot be read never
// means "nobody need be asked".
func (t Terms) check() error {
	if t.Version == "" && len(t.Quorums) == 0 && len(t.ByPolicy) == 0 {
		return nil // the zero Terms
	}
	if err := checkPeriods(t.DecideWithin, t.GrantLife); err != nil {
		return err
	}
	if (len(t.Quorums) == 0) != (len(t.ByPolicy) > 0) {
		return fmt.Errorf("the terms of %s have neither quorums nor rules that ask nobody, or both", t.Version)
	}
	if t.Proof != ByClaim && t.Proof != BySignature {
		return fmt.Errorf("the terms of %s have the proof %+q, which is not known", t.Version, t.Proof)
	}
	for _, q := range t.Quorums {
		if q.Need < 1 || q.Need > len(q.Members) {
			return fmt.Errorf("the terms of %s want %d of the %d members of %s", t.Version, q.Need, len(q.Members), q.Group)
		}
		if err := checkNames(q.Members); err != nil {
			return fmt.Errorf("group %s: %w", q.Group, err)
		}
	}
	for _, r := range t.Resolvers {
		if err := checkNames(r.Members); err != nil {
			return fmt.Errorf("resolvers: %w", err)
		}
	}
	for _, c := range t.Confirmers {
		if err := checkNames(c.Members); err != nil {
			return fmt.Errorf("confirmers: %w", err)
		}
	}
	return nil
}

func checkPeriods(periods ...time.Duration) error {
	for _, p := range periods {
		if p <= 0 || p > MaxPeriod {
			return fmt.Errorf("a period of %s is not above 0 and up to %s", p, MaxPeriod)
		}
	}
	return nil
}

func checkNames(names []string) error {
	for i, name := range names {
		normal, err := NormalizeIdentity(name)
		if err != nil {
			return err
		}
		if normal != name || i > 0 && names[i-1] >= name {
			return fmt.Errorf("the names are not in lower case, sorted and different: %s", name)
		}
	}
	return nil
}
