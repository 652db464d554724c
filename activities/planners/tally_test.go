package planners_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
)

func TestTallyNamesTheFirstTwenty(t *testing.T) {
	var few, many planners.Tally
	require.Zero(t, few.Len())
	require.Empty(t, few.String())
	few.Add("a")
	few.Add("b")
	require.Equal(t, "a, b", few.String())
	for i := range 3000 {
		many.Add(fmt.Sprint(i))
	}
	require.Equal(t, 3000, many.Len())
	require.Equal(t, "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 2980 more", many.String())
}
