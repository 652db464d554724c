package wire_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/wire"
)

func TestABodyIsWholeOrAnError(t *testing.T) {
	body, err := wire.ReadAll(strings.NewReader("0123456789"), 10)
	require.NoError(t, err)
	require.Equal(t, "0123456789", string(body))

	body, err = wire.ReadAll(strings.NewReader("0123456789x"), 10)
	require.ErrorIs(t, err, wire.ErrTooLarge)
	require.Nil(t, body)

	body, err = wire.ReadAll(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("01"))), 10)
	require.ErrorIs(t, err, iotest.ErrTimeout)
	require.Nil(t, body)
}
