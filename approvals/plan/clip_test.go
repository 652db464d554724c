package plan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestClip(t *testing.T) {
	require.Equal(t, "abc", Clip("abc", 3))
	require.Equal(t, "ab…", Clip("abc", 2))
	require.Equal(t, "周…", Clip("周报", 5))
	require.Equal(t, "<<…", Clip("<<<", 12))
	require.Equal(t, "…", Clip("\x1b", 5))
	require.Empty(t, Clip("", 0))
}

func TestClipBoundsWhatJSONWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(0, 50).Draw(t, "limit")
		raw, err := json.Marshal(Clip(s, limit))
		require.NoError(t, err)
		require.LessOrEqual(t, len(raw), limit+len(`"…"`))
		require.True(t, strings.HasPrefix(s, strings.TrimSuffix(Clip(s, limit), "…")))
	})
}
