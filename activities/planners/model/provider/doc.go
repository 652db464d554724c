// Package provider is what the engines of all providers have in common: their
// settings, one HTTP request that nothing below sends again, what its end means,
// and what of all that a model said is its reply. The engines themselves only know
// the forms of one provider's requests and answers, by its official SDK.
//
// An SDK gets a client whose transport, [Exchange], keeps the answer's body as it
// came, before the SDK looks at it. What the SDK then makes of the answer is not
// used. Nothing is read from the environment: no key, no address, no proxy.
//
//	what happened                                    fault
//	-----------------------------------------------  ---------------------------------
//	no connection, unknown name, stopped before it   Transient: nothing was sent
//	certificate, port that speaks another protocol   Permanent: nothing was sent
//	timeout, reset or stop after sending             Unknown: it may have been paid for
//	larger than the limit                            Unknown and faults.Last: it was paid for
//	2xx with the key in it, however written          Unknown and faults.Last: it is not kept
//	2xx                                              none: whatever it says is kept
//	429, 529, and what names a time to wait          Throttled
//	502, 504, 520, 524                               Unknown: it may have been paid for
//	408, 409, 425, other 5xx                         Transient
//	429 because the account has no money left        Permanent
//	any other status                                 Permanent
//	2xx that is no answer of a model                 Transient, when it is read
package provider
