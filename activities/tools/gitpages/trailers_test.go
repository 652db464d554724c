package gitpages

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/holdpoint/holdpoint/activities/gitcli"
)

// However the log is cut on its way, the same pairs come out of it.
func TestMessagesAreTakenWhole(t *testing.T) {
	const log = "id1\x00subject\n\nHoldpoint-Key: k1\n\x00id2\x00\x00id3\x00third\x00"
	want := [][2]string{{"id1", "subject\n\nHoldpoint-Key: k1\n"}, {"id2", ""}, {"id3", "third"}}
	rapid.Check(t, func(t *rapid.T) {
		var got [][2]string
		m := &messages{take: func(id, message string) { got = append(got, [2]string{id, message}) }}
		for rest := log; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			written, err := m.Write([]byte(rest[:n]))
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		require.Equal(t, want, got)
	})
}

func TestMessageWithoutAnEndIsRefused(t *testing.T) {
	m := &messages{take: func(string, string) {}}
	_, err := m.Write(make([]byte, 0))
	require.NoError(t, err)
	piece := make([]byte, 1<<20)
	for i := range piece {
		piece[i] = 'x'
	}
	for range gitcli.MaxOutput >> 20 {
		_, err = m.Write(piece)
		require.NoError(t, err)
	}
	_, err = m.Write(piece)
	require.ErrorIs(t, err, gitcli.ErrOutput)
}
