package faults_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/internal/secrets"
)

func TestSecretThatIsMissingWaitsForAWorkerThatHasIt(t *testing.T) {
	text, err := secrets.Parse("Bearer ${env:HOLDPOINT_NO_SUCH_SECRET}")
	require.NoError(t, err)
	_, unread := text.Resolve()

	fault := faults.SecretMissing("the key of the API", unread)
	require.Equal(t, faults.Transient, fault.Class)
	require.True(t, faults.Waits(fault))
	require.EqualError(t, fault, "secret_missing: the key of the API: the environment variable HOLDPOINT_NO_SUCH_SECRET is not set; nothing was sent. "+
		"Another worker may have it, and the step waits for one: every worker of the task queue needs the same secrets")
}

// Only who met it can say that nothing was begun before.
func TestWhatSaysThatNothingWasBegunForWantOfASecret(t *testing.T) {
	missing := faults.SecretMissing("x", errors.New("x"))
	later := *missing
	later.Class = faults.Unknown
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"itself":                     {missing, true},
		"wrapped":                    {fmt.Errorf("tool x: %w", missing), true},
		"after a write":              {&later, false},
		"within a doubt":             {&faults.Fault{Class: faults.Unknown, Code: "x", Cause: missing}, false},
		"within a final word":        {&faults.Fault{Class: faults.Permanent, Code: faults.CodeSecretMissing, Cause: missing}, false},
		"another that waits":         {&faults.Fault{Class: faults.Transient, Code: "x", Waits: true}, false},
		"nothing":                    {nil, false},
		"an error that nobody named": {errors.New("secret_missing: x"), false},
	} {
		require.Equal(t, tt.want, faults.IsSecretMissing(tt.err), name)
	}
}
