// Package retryafter reads the Retry-After header of an answer.
package retryafter

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

// Of is how long an answer asks to wait from the moment at which it arrived
// here; 0 when it does not say. Its dates are by the other side's clock, so that
// they are counted from its Date header where there is one.
func Of(header http.Header, arrived time.Time) time.Duration {
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		arrived = date
	}
	return parse(header.Get("Retry-After"), arrived)
}

// parse reads the header's value (RFC 9110, 10.2.3): seconds, or a date in one
// of the three forms of 5.6.7, of which now is the answer's own time. What is
// past, negative or unreadable is 0: the header says nothing.
func parse(value string, now time.Time) time.Duration {
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
