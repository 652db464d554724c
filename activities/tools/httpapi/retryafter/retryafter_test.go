package retryafter

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestParse(t *testing.T) {
	tests := []struct {
		value string
		want  time.Duration
	}{
		{"3", 3 * time.Second},
		{" 3 ", 3 * time.Second},
		{"0", 0},
		{"00120", 2 * time.Minute},
		{"Mon, 30 Nov 2026 12:00:03 GMT", 3 * time.Second},
		{"Monday, 30-Nov-26 12:00:03 GMT", 3 * time.Second},
		{"Mon Nov 30 12:00:03 2026", 3 * time.Second},
		{"Mon, 30 Nov 2026 11:59:59 GMT", 0},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 0},
		{"9223372036", 9223372036 * time.Second},
		{"9223372037", farOff},
		{"99999999999999999999", farOff},
		{"", 0},
		{"-1", 0},
		{"+3", 0},
		{"1.5", 0},
		{"1e9", 0},
		{"3 s", 0},
		{"soon", 0},
		{"NaN", 0},
		{"٣", 0}, // a digit of another script
		{"2026-11-30T12:00:03Z", 0},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			require.Equal(t, tt.want, parse(tt.value, noon))
		})
	}
}

// A server whose clock is wrong means a wait by its own clock.
func TestDatesAreCountedFromTheAnswersOwnTime(t *testing.T) {
	later := http.Header{"Retry-After": {"Mon, 30 Nov 2026 12:00:03 GMT"}}
	require.Equal(t, 3*time.Second, Of(later, noon))
	later.Set("Date", "Mon, 30 Nov 2026 11:59:00 GMT")
	require.Equal(t, 63*time.Second, Of(later, noon))
	require.Zero(t, Of(http.Header{}, noon))
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"3", "-1", "soon", "99999999999999999999", "Mon, 30 Nov 2026 12:00:03 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		require.GreaterOrEqual(t, parse(value, noon), time.Duration(0))
	})
}
