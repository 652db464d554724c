package budget

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestAmountsAreReadExactly(t *testing.T) {
	for text, want := range map[string]Money{
		"0": 0, "0.00": 0, "2.50": 2_500_000, "2.5": 2_500_000, "007": 7_000_000, "0.000001": 1, "1.234567": 1_234_567,
		"0.1": 100_000, "9223372036854.775807": math.MaxInt64,
	} {
		got, err := parseMoney(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", ".", ".5", "5.", "-1", "+1", "1e3", "1,5", "1_000", "0x1", " 1", "1 ", "1.0000001", "1.2.3", "1.-5", "NaN", "٣", "9223372036854.775808",
	} {
		_, err := parseMoney(text)
		require.ErrorIs(t, err, errAmount, text)
	}
}

func TestAmountsAreWrittenExactly(t *testing.T) {
	for m, want := range map[Money]string{
		0: "0.00", 1: "0.000001", 10_000: "0.01", 12_300: "0.0123", 2_500_000: "2.50", 100_000_000: "100.00", math.MaxInt64: "9223372036854.775807",
	} {
		require.Equal(t, want, m.String())
	}
	rapid.Check(t, func(t *rapid.T) {
		m := Money(rapid.Int64Min(0).Draw(t, "m"))
		back, err := parseMoney(m.String())
		require.NoError(t, err)
		require.Equal(t, m, back)
	})
}

func TestCost(t *testing.T) {
	gpt := perMillion{input: 2_500_000, output: 10_000_000} // 2.50 and 10.00
	for _, c := range []struct {
		price         perMillion
		input, output int64
		want          string
	}{
		{gpt, 0, 0, "0.00"},
		{gpt, 1_000_000, 0, "2.50"},
		{gpt, 0, 1_000_000, "10.00"},
		{gpt, 1200, 300, "0.006"},                        // 0.0030 + 0.0030
		{gpt, 1, 0, "0.000003"},                          // 0.0000025, up
		{gpt, 1, 1, "0.000013"},                          // 0.0000125: rounded once, and not 3 + 10 for each
		{gpt, 3, 1, "0.000018"},                          // 0.0000075 + 0.0000100
		{perMillion{1, 0}, 1, 0, "0.000001"},             // a millionth of a millionth, up
		{perMillion{1, 1}, 500_000, 500_000, "0.000001"}, // just one
		{perMillion{1, 1}, 500_000, 500_001, "0.000002"},
		{perMillion{}, math.MaxInt64, math.MaxInt64, "0.00"},
		{gpt, math.MaxInt64, math.MaxInt64, "9223372036854.775807"}, // beyond every limit
	} {
		require.Equal(t, c.want, c.price.cost(c.input, c.output).String(), c)
	}
}

// cost is the exact cost rounded up, for every price and usage.
func TestCostAgainstLargeNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string) int64 {
			return rapid.OneOf(rapid.Int64Range(0, 5_000_000), rapid.Int64Min(0)).Draw(t, name)
		}
		in, out, pi, po := number("in"), number("out"), number("input"), number("output")
		exact := new(big.Int).Mul(big.NewInt(in), big.NewInt(pi))
		exact.Add(exact, new(big.Int).Mul(big.NewInt(out), big.NewInt(po)))
		exact.Add(exact, big.NewInt(999_999)).Quo(exact, big.NewInt(1_000_000))
		want := int64(math.MaxInt64)
		if exact.IsInt64() {
			want = exact.Int64()
		}
		require.Equal(t, Money(want), perMillion{Money(pi), Money(po)}.cost(in, out))
	})
}

func TestSumsStayBeyondEveryLimit(t *testing.T) {
	require.Equal(t, int64(5), add[int64](2, 3))
	require.Equal(t, int64(math.MaxInt64), add[int64](math.MaxInt64-1, 1))
	require.Equal(t, int64(math.MaxInt64), add[int64](math.MaxInt64, 1))
	require.Equal(t, Money(math.MaxInt64), add[Money](1, math.MaxInt64))
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 16500: "16,500", 2_000_000: "2,000,000", 123_456_789: "123,456,789"} {
		require.Equal(t, want, grouped(n))
	}
}
