package postgres

import "strings"

// SQLSTATEs and classes of them (PostgreSQL's documentation, appendix A).
const (
	connectionClass      = "08"
	statementClass       = "42"
	completionUnknown    = "40003"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	queryCanceled        = "57014"
	idleTimeout          = "25P03"
	undefinedTable       = "42P01"
	undefinedColumn      = "42703"
)

// conditions are the names of the SQLSTATEs that a tool is likely to meet.
var conditions = map[string]string{
	"22001":              "string_data_right_truncation",
	"22003":              "numeric_value_out_of_range",
	"22007":              "invalid_datetime_format",
	"22P02":              "invalid_text_representation",
	"23502":              "not_null_violation",
	"23503":              "foreign_key_violation",
	"23505":              "unique_violation",
	"23514":              "check_violation",
	"23P01":              "exclusion_violation",
	"25006":              "read_only_sql_transaction",
	"28000":              "invalid_authorization_specification",
	"28P01":              "invalid_password",
	"3D000":              "invalid_catalog_name",
	serializationFailure: "serialization_failure",
	deadlockDetected:     "deadlock_detected",
	"42501":              "insufficient_privilege",
	"42601":              "syntax_error",
	"42804":              "datatype_mismatch",
	undefinedColumn:      "undefined_column",
	undefinedTable:       "undefined_table",
	"53300":              "too_many_connections",
	lockNotAvailable:     "lock_not_available",
	queryCanceled:        "query_canceled",
	"57P01":              "admin_shutdown",
	"57P02":              "crash_shutdown",
	"57P03":              "cannot_connect_now",
	"P0001":              "raise_exception",
}

// retryable reports states that the same call may not meet again: the
// transaction lost against another one, the server is short of something,
// restarts or is a standby just now, or the connection broke.
func retryable(state string) bool {
	switch state {
	case serializationFailure, deadlockDetected, lockNotAvailable, queryCanceled, idleTimeout,
		"25006": // read_only_sql_transaction: a standby, or one that was promoted a moment ago
		return true
	}
	for _, class := range []string{
		connectionClass,
		"53",  // insufficient resources
		"57P", // operator intervention: shutdown, crash, starting up
		"58",  // system error
	} {
		if strings.HasPrefix(state, class) {
			return true
		}
	}
	return false
}
