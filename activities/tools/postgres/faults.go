package postgres

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func permanent(code, format string, args ...any) *faults.Fault {
	return &faults.Fault{Class: faults.Permanent, Code: code, Reason: fmt.Sprintf(format, args...)}
}

func transient(code string, cause error, reason string) *faults.Fault {
	return &faults.Fault{Class: faults.Transient, Code: code, Reason: reason, Cause: cause}
}

func interrupted(cause error) *faults.Fault {
	return transient(faults.CodeInterrupted, cause, "stopped before anything was committed")
}

func (s *sender) refuse(format string, args ...any) error {
	return permanent("bad_parameters", "tool %s: "+format, append([]any{s.spec.Name}, args...)...)
}

// dialFault is what a connection that was not made means: nothing was sent.
func dialFault(err error) *faults.Fault {
	if fault, ok := errors.AsType[*faults.Fault](err); ok {
		return fault
	}
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		fault := serverFault(server)
		fault.Reason += "; nothing was sent"
		return fault
	}
	if reason, ok := tlsReason(err); ok {
		return permanent("postgres_tls", "the TLS connection to PostgreSQL cannot be made: %s", reason)
	}
	if fault := faults.Name(err); fault.Class == faults.Transient {
		return fault
	}
	return transient("dial_failed", err, "no connection to PostgreSQL; nothing was sent")
}

// tlsReason finds an error that no second try mends.
func tlsReason(err error) (string, bool) {
	if strings.Contains(err.Error(), "server refused TLS connection") { // pgconn has no name for it
		return "the server has no TLS", true
	}
	if verification, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return plan.Escape(plan.Clip(verification.Err.Error(), 200)), true
	}
	if hostname, ok := errors.AsType[x509.HostnameError](err); ok {
		return plan.Escape(plan.Clip(hostname.Error(), 200)), true
	}
	return "", false
}

// statementFault is what an error before COMMIT means for this call: it surely
// has no effect.
func statementFault(err error) *faults.Fault {
	if fault, ok := errors.AsType[*faults.Fault](err); ok {
		return fault
	}
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		fault := serverFault(server)
		fault.Reason += "; nothing was committed"
		return fault
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return interrupted(err)
	}
	return transient("connection_lost", err, "the connection to PostgreSQL was lost before COMMIT; nothing was committed")
}

// claimFault is what an error of the receipt's INSERT means. It is about this
// call alone: an earlier one of the key may be under way, and may have been
// what it waited for or lost against.
func (t *transaction) claimFault(err error) error {
	server, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return statementFault(err)
	}
	switch server.Code {
	case lockNotAvailable, queryCanceled, serializationFailure, deadlockDetected:
		return &faults.Fault{
			Class: faults.InProgress, Code: "key_in_progress", Cause: err,
			Reason: "an earlier call of this key has not ended, or has ended just now; this one made no effect",
		}
	}
	return t.receiptsFault(err)
}

// receiptsFault is an error of the receipts table. A missing one says what to
// do.
func (s *sender) receiptsFault(err error) *faults.Fault {
	if server, ok := errors.AsType[*pgconn.PgError](err); ok && (server.Code == undefinedTable || server.Code == undefinedColumn) {
		return permanent("no_receipts_table",
			"the database has no table %s as this tool needs it; make it once: psql \"$DSN\" -f receipts.sql (docs/tools/postgres.md)",
			s.settings.ReceiptsTable)
	}
	return statementFault(err)
}

// commitFault is what an error of COMMIT means. When the server says ERROR, or
// nothing was sent, the transaction surely has no effect. Anything else may
// have come after the commit: a lost connection, and also a FATAL error, by
// which a server ends a session that has committed and waits for its replicas.
func (t *transaction) commitFault(err error) error {
	server, said := errors.AsType[*pgconn.PgError](err)
	if said && refusesCommit(server) || errors.Is(err, pgx.ErrTxCommitRollback) || pgconn.SafeToRetry(err) {
		return t.before(err)
	}
	return &faults.Fault{
		Code: "commit_unknown", Cause: err,
		Reason: "COMMIT was sent, and its answer did not arrive; the receipts table will tell",
	}
}

// refusesCommit reports an answer to COMMIT after which the transaction surely
// has no effect.
func refusesCommit(e *pgconn.PgError) bool {
	if e.Code == idleTimeout {
		return true // FATAL, and only ever said while a transaction is open
	}
	severity := cmp.Or(e.SeverityUnlocalized, e.Severity)
	return severity == "ERROR" && !strings.HasPrefix(e.Code, connectionClass) && e.Code != completionUnknown
}

// serverFault is what an error of the server means. Its text has the names of
// what it is about, and no values: of the server's own message only that about
// the statement itself is kept, when no function of the database wrote it.
func serverFault(e *pgconn.PgError) *faults.Fault {
	var about []string
	for _, part := range []struct{ what, name string }{
		{"constraint", e.ConstraintName}, {"table", e.TableName}, {"column", e.ColumnName}, {"type", e.DataTypeName},
	} {
		if part.name != "" {
			about = append(about, part.what+" "+part.name)
		}
	}
	if strings.HasPrefix(e.Code, statementClass) && e.Where == "" {
		about = append(about, e.Message)
	}
	reason := "PostgreSQL says " + e.Code
	if name := conditions[e.Code]; name != "" {
		reason += " (" + name + ")"
	}
	if len(about) > 0 {
		reason += ", " + strings.Join(about, ", ")
	}
	class := faults.Permanent
	if retryable(e.Code) {
		class = faults.Transient
	}
	return &faults.Fault{Class: class, Code: "sqlstate_" + e.Code, Reason: plan.Escape(plan.Clip(reason, 500)), Cause: e}
}
