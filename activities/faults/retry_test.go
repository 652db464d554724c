package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

func TestDelay(t *testing.T) {
	const (
		lowest  = 0.0
		middle  = 0.5
		highest = 1.0 // never drawn, but it shows the ceiling itself
	)
	tests := []struct {
		name    string
		attempt int
		after   time.Duration
		draw    float64
		want    time.Duration
	}{
		{"first attempt, ceiling", 1, 0, highest, 100 * time.Millisecond},
		{"second attempt doubles", 2, 0, highest, 200 * time.Millisecond},
		{"fifth attempt", 5, 0, highest, 1600 * time.Millisecond},
		{"seventh attempt is capped", 7, 0, highest, 5 * time.Second},
		{"attempt 10,000 does not overflow", 10_000, 0, highest, 5 * time.Second},
		{"full jitter", 5, 0, middle, 800 * time.Millisecond},
		{"never zero, which the server reads as none given", 5, 0, lowest, time.Millisecond},
		{"asked for more than the ceiling", 1, 3 * time.Second, highest, 3 * time.Second},
		{"asked for less than the ceiling: at least that", 5, 600 * time.Millisecond, lowest, 600 * time.Millisecond},
		{"asked for less than the ceiling: spread above it", 5, 600 * time.Millisecond, middle, 1100 * time.Millisecond},
		{"asked for more than Max, less than MaxAfter", 1, 20 * time.Second, highest, 20 * time.Second},
		{"asked for more than MaxAfter", 1, time.Hour, highest, 30 * time.Second},
		{"asked for a time in the past", 1, -time.Hour, highest, 100 * time.Millisecond},
		{"attempt 0 counts as the first", 0, 0, highest, 100 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := faults.Retry{
				Base: 100 * time.Millisecond, Max: 5 * time.Second, MaxAfter: 30 * time.Second,
				Rand: func() float64 { return tt.draw },
			}
			require.Equal(t, tt.want, r.Delay(tt.attempt, tt.after))
		})
	}
}

func TestDelayWithoutSettings(t *testing.T) {
	t.Run("MaxAfter 0 stands for Max", func(t *testing.T) {
		r := faults.Retry{Base: time.Second, Max: 5 * time.Second, Rand: func() float64 { return 0 }}
		require.Equal(t, 5*time.Second, r.Delay(1, time.Hour))
	})
	t.Run("the zero Retry tries at once", func(t *testing.T) {
		require.Equal(t, time.Millisecond, faults.Retry{}.Delay(3, 0))
	})
	t.Run("without Rand the draws differ and stay in bounds", func(t *testing.T) {
		r := faults.Retry{Base: time.Second, Max: time.Second}
		seen := map[time.Duration]bool{}
		for range 100 {
			d := r.Delay(1, 0)
			require.Positive(t, d)
			require.LessOrEqual(t, d, time.Second)
			seen[d] = true
		}
		require.Greater(t, len(seen), 50)
	})
}
