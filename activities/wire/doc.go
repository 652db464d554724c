// Package wire is one HTTP request on a connection of its own, and what it
// means that no whole answer came.
//
// Whoever asks for an effect, or for work that is paid for, has to know whether
// the other side may have begun. So a [Line] makes one connection for one
// request, which nothing below sends again, and notes whether a byte of it was
// handed to that connection. By that note a [Failure] is judged:
//
//	what happened                                       fault
//	--------------------------------------------------  -------------------------------
//	no connection, handshake broken off, stopped        Transient, dial_failed
//	DNS knows no such name                              Transient, unknown_host
//	certificate that does not fit                       Permanent, bad_certificate
//	handshake that the other side refuses               Permanent, tls_refused
//	https to a port that does not speak TLS             Permanent, no_tls
//	http to a port that speaks TLS: it got rubbish      Permanent, speaks_tls
//	stopped after something was sent                    Unknown, stopped_after_sending
//	sent, and no whole answer in time                   Unknown, no_answer
//	sent, and the connection broke                      Unknown, answer_cut
//	sent, and the answer is over the limit              Unknown, answer_too_large
//
// Of the request, a fault's text has the host alone.
package wire
