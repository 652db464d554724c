package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// farOff stands for a wait that no duration can hold. Whoever waits has a
// bound of its own.
const farOff = time.Duration(math.MaxInt64)

// parseRetryAfter reads a Retry-After header (RFC 9110, 10.2.3): seconds, or a
// date in one of the three forms of 5.6.7, of which now is the answer's own
// time. What is past, negative or unreadable is 0: the header says nothing.
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(farOff/time.Second) {
			return farOff
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(date.Sub(now), 0)
}
