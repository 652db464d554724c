package peak_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/peak"
)

// What a piece of work takes is seen, and what was taken before it is not.
func TestOf(t *testing.T) {
	const large = 64 << 20
	fill := func() {
		b := make([]byte, large)
		for i := 0; i < large; i += 4096 {
			b[i] = 1
		}
	}
	filling := func() func() { return fill }
	filled := func() func() { fill(); return func() {} }
	if took := peak.Of(t, "much", filling); took != 0 {
		require.Greater(t, took, large-large/8)
		require.Less(t, took, 2*large)
	}
	require.Less(t, peak.Of(t, "before", filled), large/4)
}
