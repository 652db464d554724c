package modelserver

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// dateForms are the three forms of a date in HTTP (RFC 9110, 5.6.7).
var dateForms = map[string]string{"imf": http.TimeFormat, "rfc850": "Monday, 02-Jan-06 15:04:05 GMT", "asctime": time.ANSIC}

// retryAfter is the value of the header. "imf:3s", "rfc850:3s" and "asctime:3s"
// are dates in that form, so long after now, or before it with a minus; anything
// else is sent as it stands.
func retryAfter(value string, now time.Time) (string, error) {
	form, after, ok := strings.Cut(value, ":")
	layout, known := dateForms[form]
	if !ok || !known {
		return value, nil
	}
	wait, err := time.ParseDuration(after)
	if err != nil {
		return "", fmt.Errorf("retry_after: %s: is followed by a time such as 3s", form)
	}
	return now.UTC().Add(wait).Format(layout), nil
}
