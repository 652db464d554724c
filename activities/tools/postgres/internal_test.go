package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
)

func TestWhatAnAnswerToCommitMeans(t *testing.T) {
	says := func(severity, state string) error {
		return &pgconn.PgError{Severity: "FEHLER", SeverityUnlocalized: severity, Code: state}
	}
	for _, tt := range []struct {
		name   string
		err    error
		class  faults.Class
		code   string
		absent bool
	}{
		{"a serialization failure", says("ERROR", "40001"), faults.Transient, "sqlstate_40001", true},
		{"a deferred constraint", says("ERROR", "23503"), faults.Permanent, "sqlstate_23503", true},
		{"a trigger's exception", says("ERROR", "P0001"), faults.Permanent, "sqlstate_P0001", true},
		{"rolled back instead", pgx.ErrTxCommitRollback, faults.Transient, "connection_lost", true},
		{"ended while it waited for replicas", says("FATAL", "57P01"), faults.Unknown, "commit_unknown", false},
		{"crashed", says("PANIC", "XX000"), faults.Unknown, "commit_unknown", false},
		{"ended before, for its silence", says("FATAL", "25P03"), faults.Transient, "sqlstate_25P03", true},
		{"completion unknown", says("ERROR", "40003"), faults.Unknown, "commit_unknown", false},
		{"resolution unknown", says("ERROR", "08007"), faults.Unknown, "commit_unknown", false},
		{"no answer in time", context.DeadlineExceeded, faults.Unknown, "commit_unknown", false},
		{"a lost connection", errors.New("unexpected EOF"), faults.Unknown, "commit_unknown", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := (&transaction{claimed: true}).commitFault(tt.err)
			fault := faults.Name(err)
			require.Equal(t, []any{tt.class, tt.code}, []any{fault.Class, fault.Code})
			require.Equal(t, tt.absent, errors.Is(err, tools.ErrAbsent))
			require.ErrorIs(t, err, tt.err)
		})
	}
}

func TestOnlyWhoHasTheKeySaysThatNoEarlierCallHadAnEffect(t *testing.T) {
	lost := errors.New("unexpected EOF")
	require.ErrorIs(t, (&transaction{claimed: true}).before(lost), tools.ErrAbsent)
	err := (&transaction{}).before(lost)
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.NotErrorIs(t, err, tools.ErrAbsent)
}

func TestWhatTheInsertOfTheReceiptSaysOfEarlierCalls(t *testing.T) {
	for state, want := range map[string]faults.Class{
		"55P03": faults.InProgress, "57014": faults.InProgress, "40001": faults.InProgress, "40P01": faults.InProgress,
		"57P01": faults.Transient, "53300": faults.Transient, "25006": faults.Transient, "08006": faults.Transient, "58030": faults.Transient,
		"42501": faults.Permanent, "23502": faults.Permanent, "22021": faults.Permanent,
	} {
		t.Run(state, func(t *testing.T) {
			err := (&transaction{sender: &sender{}}).claimFault(&pgconn.PgError{Severity: "ERROR", Code: state})
			require.Equal(t, want, faults.ClassOf(err))
			require.NotErrorIs(t, err, tools.ErrAbsent)
		})
	}
}
