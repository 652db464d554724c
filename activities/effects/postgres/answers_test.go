package postgres_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/effects/postgres"
	"github.com/holdpoint/holdpoint/activities/faults"
)

// What a server answers, by SQLSTATE, and whether another try may change it.
func TestPassingAnswers(t *testing.T) {
	for code, passing := range map[string]bool{
		"08006": true,  // connection_failure
		"25006": true,  // read_only_sql_transaction
		"25P03": true,  // idle_in_transaction_session_timeout
		"40001": true,  // serialization_failure
		"40P01": true,  // deadlock_detected
		"53300": true,  // too_many_connections
		"55P03": true,  // lock_not_available
		"57014": true,  // query_canceled
		"57P01": true,  // admin_shutdown
		"57P02": true,  // crash_shutdown
		"57P03": true,  // cannot_connect_now
		"22021": false, // character_not_in_repertoire
		"23514": false, // check_violation
		"28P01": false, // invalid_password
		"3D000": false, // invalid_catalog_name
		"42501": false, // insufficient_privilege
		"42P01": false, // undefined_table
		"XX001": false, // data_corrupted
		"":      false,
	} {
		require.Equal(t, passing, postgres.Passing(code), code)
	}
}

func TestSerializationFailureIsTriedAgain(t *testing.T) {
	address := cluster.Server(t).NewDatabase(t)
	l := open(t, address)
	for _, statement := range []string{
		`CREATE SEQUENCE writes`, // which no rollback sets back
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF nextval('writes') <= 2 THEN RAISE EXCEPTION SQLSTATE '40001'; END IF;
			RETURN NEW;
		END $$`,
		`CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON holdpoint_effects FOR EACH ROW EXECUTE FUNCTION refuse()`,
	} {
		execute(t, address, statement)
	}
	require.Equal(t, int64(1), claimed(t, l, claim("k", time.Hour)).Token)
	require.Equal(t, int64(3), query[int64](t, address, `SELECT last_value FROM writes`))
}

// A database that refuses for now is a reason to come back, not to fail.
func TestStandbyIsTransient(t *testing.T) {
	s := cluster.Server(t)
	address := s.NewDatabase(t)
	open(t, address)
	execute(t, address, `ALTER DATABASE `+nameOf(address)+` SET default_transaction_read_only = on`)
	l := open(t, address)
	l.SetPatience(500 * time.Millisecond)
	_, err := l.Begin(t.Context(), claim("k", time.Hour))
	require.Equal(t, faults.Transient, faults.ClassOf(err))
	require.EqualError(t, err, "ledger_unavailable: the effect ledger on "+s.Address()+" refused to serve (SQLSTATE 25006)")
}

// What the database cannot keep is not worth another try.
func TestUnstorableClaim(t *testing.T) {
	l := open(t, cluster.Server(t).NewDatabase(t))
	_, err := l.Begin(t.Context(), claim("a\x00b", time.Hour))
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
	require.ErrorContains(t, err, "bad_claim")
}
