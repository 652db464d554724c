package plan

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

const (
	// maxSafe is the largest whole number up to which float64 carries every
	// one (RFC 7493 section 2.2).
	maxSafe = 1<<53 - 1
	// maxSignificant is how many significant digits suffice to name any
	// float64; more claim a precision that it does not have.
	maxSignificant = 17
	// exponentFrom is where RFC 8785 (by ECMAScript) goes over from plain
	// digits to an exponent.
	exponentFrom = 1e21
)

// checkNumber decides whether a JSON number can be carried. RFC 8785 gives
// every number the value of the nearest float64 and writes that, so that
// 1.0, 1 and 10e-1 are one number. The rule:
//
//   - it is within float64's range, and is not rounded to zero;
//   - a whole number keeps its value, and lies within ±(2^53-1) when it is
//     written in plain digits, here or in the canonical form: readers differ
//     about such digits beyond. 1e30 is written with an exponent in both and is
//     a float64 to every reader;
//   - any other has at most 17 significant digits. The last of 16 or 17 may be
//     rounded; it is the rounded number that people are shown and approve.
//
// The canonical form of an accepted number is accepted.
func checkNumber(literal string) error {
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return errors.New("a number beyond the range of float64")
	}
	digits, exponent := decimal(literal)
	if f == 0 {
		if digits != "" {
			return errors.New("a number too small for float64")
		}
		return nil
	}
	plain := !strings.ContainsAny(literal, ".eE")
	whole := f == math.Trunc(f)
	switch {
	case whole && math.Abs(f) > maxSafe && (plain || math.Abs(f) < exponentFrom):
		return errors.New("a whole number beyond ±(2^53-1); write it as a string")
	case whole:
		exactDigits, exactExponent := decimal(strconv.FormatFloat(f, 'e', -1, 64))
		if digits != exactDigits || exponent != exactExponent {
			return errors.New("a number that float64 would round to another; write it as a string")
		}
	case len(digits) > maxSignificant:
		return errors.New("a number of more than 17 significant digits; write it as a string")
	}
	return nil
}

// decimal takes a number's magnitude apart: 0.digits × 10^exponent, with
// neither leading nor trailing zeros among the digits. Zero has none.
func decimal(literal string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(literal, "-")), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent, _ = strconv.Atoi(power) // only zero has an exponent beyond int and yet a float64
	exponent += len(whole)
	significant := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(whole) + len(fraction) - len(significant)
	digits = strings.TrimRight(significant, "0")
	if digits == "" {
		return "", 0
	}
	return digits, exponent
}
