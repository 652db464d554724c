package faults

import "errors"

// CodeSecretMissing is a step that began nothing, because this worker has not
// got a secret that it needs: see [SecretMissing].
const CodeSecretMissing = "secret_missing"

// SecretMissing is the fault of a step that could not read a secret before it
// sent anything. It waits: another worker may have the secret, as in a rolling
// deploy, or its file is just being replaced. needs is what the secret is for,
// and err the error of secrets.Text.Resolve, which names the reference and never
// a value.
func SecretMissing(needs string, err error) *Fault {
	return &Fault{
		Class: Transient, Code: CodeSecretMissing, Waits: true, Cause: err,
		Reason: needs + ": " + err.Error() + "; nothing was sent. Another worker may have it, and the step waits for one: " +
			"every worker of the task queue needs the same secrets",
	}
}

// IsSecretMissing reports an error that says, in the words of whoever met it,
// that for want of a secret nothing was begun. It is not one any more when what
// came before it has made its class another one.
func IsSecretMissing(err error) bool {
	fault, ok := errors.AsType[*Fault](err)
	return ok && fault.Code == CodeSecretMissing && fault.Class == Transient
}
