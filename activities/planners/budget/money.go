package budget

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Money is an amount in millionths of a currency's unit.
type Money int64

const (
	micros   = 1_000_000 // of a unit
	decimals = 6
)

// errAmount says what a decimal is.
var errAmount = errors.New(`is no amount; write one such as "2.50", with at most 6 decimals`)

// parseMoney reads a decimal such as "2.50": digits, and at most six more after
// a point. It rounds nothing.
func parseMoney(text string) (Money, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > decimals || !isDigits(whole) || (strings.Contains(text, ".") && !isDigits(fraction)) {
		return 0, errAmount
	}
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil {
		return 0, errAmount
	}
	return Money(n), nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// String is the amount without its currency, with two to six decimals. None is
// negative.
func (m Money) String() string {
	digits := fmt.Sprintf("%0*d", decimals+1, int64(m))
	point := len(digits) - decimals
	return digits[:point] + "." + digits[point:point+2] + strings.TrimRight(digits[point+2:], "0")
}

// add is a sum that stays at the largest number instead of becoming negative:
// what is beyond every limit stays beyond it.
func add[T ~int64](a, b T) T {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// perMillion is what a million tokens cost.
type perMillion struct{ input, output Money }

// cost is what so many tokens cost, exactly, and then rounded up to the next
// millionth of a unit, once for the whole call. No argument is negative.
func (p perMillion) cost(input, output int64) Money {
	// In millionths of a millionth.
	high, low := bits.Mul64(uint64(input), uint64(p.input))     //nolint:gosec // not negative
	high2, low2 := bits.Mul64(uint64(output), uint64(p.output)) //nolint:gosec // not negative
	low, carry := bits.Add64(low, low2, 0)
	high, _ = bits.Add64(high, high2, carry)
	low, carry = bits.Add64(low, micros-1, 0)
	high += carry
	if high >= micros {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, micros)
	return Money(min(quotient, math.MaxInt64))
}
