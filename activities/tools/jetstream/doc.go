// Package jetstream is the kind `nats`: tools that publish one message to a
// stream of NATS JetStream.
//
// # How a second effect is kept out
//
// The class is keyed. The message id (header Nats-Msg-Id) is the idempotency
// key, and the stream drops a message whose id it has seen within its
// duplicate window (https://docs.nats.io, "Message Deduplication"). It answers
// such a message with duplicate=true and the sequence of the first one, which
// is a success: the effect is there. The window counts from the first message
// and is not renewed. A tool's key_window must not be longer than the window
// that the stream has now; that is checked when the plan is made and again
// before each publish.
//
// A broker that drops a message says nothing about its body. So each message
// carries the fingerprint of its action's parameters (Holdpoint-Fingerprint),
// and on duplicate=true the first message's is compared: another one is a
// conflict, not a success. A first message that cannot be read any more, or by
// this user, leaves that check to Holdpoint's own ledger, which makes it before
// anything is sent.
//
// # What keeps a late message away
//
// A publish that was given up must not arrive later: beyond the window it
// would be a second effect. So nothing below this package sends again: the
// client does not reconnect, buffers nothing for a new connection and does not
// retry a publish. A connection on which one publish had no answer in time is
// closed with a reset, which discards what the kernel still had to send. The
// same happens when the process dies.
//
// # After the window
//
// The stream is read for a message of the key. One that is there is found,
// also outside the window. Its absence is proved only by a stream that keeps
// what it gets, and of which everything since the first call was read, see
// keeps. Otherwise a person must look.
package jetstream
