package workflows

import (
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// Arrival is a decision or resolution as it reached the workflow: the bytes of
// its payloads, see MarshalPayloads, and what the workflow knows about when it
// came.
type Arrival struct {
	Payloads []byte    `json:"payloads"`
	Via      string    `json:"via"` // approvals.ViaSignal or ViaUpdate
	At       time.Time `json:"at"`
	Late     bool      `json:"late"` // the deadline had passed when the server took it
}

// MarshalPayloads turns payloads into bytes that carry all of them, whatever
// their encoding says. Deterministic order makes equal signals equal bytes.
func MarshalPayloads(payloads *commonpb.Payloads) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(payloads)
}

// JSON returns the JSON that was sent, or says why there is none to read: both
// are empty when the signal had no input.
func (a Arrival) JSON() (raw []byte, unreadable string) {
	var payloads commonpb.Payloads
	if err := proto.Unmarshal(a.Payloads, &payloads); err != nil {
		return nil, "the payloads are damaged"
	}
	switch n := len(payloads.GetPayloads()); {
	case n == 0:
		return nil, ""
	case n > 1:
		return nil, fmt.Sprintf("there are %d inputs instead of one", n)
	}
	payload := payloads.GetPayloads()[0]
	switch encoding := string(payload.GetMetadata()[converter.MetadataEncoding]); encoding {
	case converter.MetadataEncodingJSON:
		return payload.GetData(), ""
	case converter.MetadataEncodingNil:
		return []byte("null"), ""
	default:
		return nil, fmt.Sprintf("its encoding %.40q is not %s", encoding, converter.MetadataEncodingJSON)
	}
}
