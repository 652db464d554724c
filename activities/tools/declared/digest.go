package declared

import (
	"bytes"
	"encoding/json"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/strictyaml"
)

// binding is what an approval holds a declaration to: everything that says what
// is sent, where to, and how a lost answer is recovered. Name, version and
// schema stand in the plan beside its digest. Not in it are call_timeout, retry,
// concurrency and rate, so that an operator may change them while runs wait:
// they say when, and never what. The end of each call is in the ledger.
type binding struct {
	Format    string             `json:"format"`
	Kind      string             `json:"kind"`
	Class     plan.DeliveryClass `json:"class"`
	Risk      plan.Risk          `json:"risk"`
	Target    string             `json:"target"`
	Item      string             `json:"item"`
	Settle    string             `json:"settle"`
	KeyWindow string             `json:"key_window"`
	Settings  any                `json:"settings"`
}

// digest is of the declaration as it means, and not as it is written: order,
// quotes, comments and aliases do not count. References to secrets are left as
// they are; what they lead to is no part of it.
func (s source) digest(d *Declaration) (plan.Digest, error) {
	written, err := strictyaml.JSON(s.file, d.settings()[d.Kind])
	if err != nil {
		return plan.Digest{}, err
	}
	b := binding{
		Format: "holdpoint.tool/1", Kind: d.Kind, Class: d.Class, Risk: d.Risk, Target: d.Target.String(), Item: d.Item.String(),
		Settle: d.Settle.String(), KeyWindow: d.KeyWindow.String(),
	}
	// Numbers keep their digits: those that RFC 8785 cannot carry can be sent.
	decoder := json.NewDecoder(bytes.NewReader(written))
	decoder.UseNumber()
	if err := decoder.Decode(&b.Settings); err != nil {
		return plan.Digest{}, s.fail(d.Kind, "its settings: %s", err)
	}
	raw, err := json.Marshal(b) // members of objects in the order of their names
	if err != nil {
		return plan.Digest{}, s.fail(d.Kind, "its settings: %s", err)
	}
	return plan.Sum(raw), nil
}
