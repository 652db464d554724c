package wire

import (
	"errors"
	"io"
)

// ErrTooLarge says that an answer is over the limit.
var ErrTooLarge = errors.New("the answer is larger than the limit")

// ReadAll reads an answer's body of at most limit bytes. It returns either all
// of the body or an error: the connection's, or ErrTooLarge.
func ReadAll(body io.Reader, limit int64) ([]byte, error) {
	whole, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(whole)) > limit:
		return nil, ErrTooLarge
	default:
		return whole, nil
	}
}
