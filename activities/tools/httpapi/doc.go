// Package httpapi is the kind "http" of declared tools: an action is one
// request to an HTTP API, made of the declaration's templates.
//
//	class        who deduplicates                          after an unknown outcome
//	-----------  ----------------------------------------  -------------------------------------
//	keyed        the API, by the key in a header or field  the same bytes again
//	conditional  the API, by If-Match, If-None-Match or    the same bytes again; when refused, the
//	             an answer that means "exists already"     target is read: ours, or drift
//	lookup       nobody, but a read request finds it       the read request
//	once         nobody                                    a person
//
// Every write has a connection of its own, so that Go's transport, which
// resends a request on a connection that died while idle, has nothing to
// resend on. Redirects of a write are answers, and are not followed.
//
// What a failure means depends on whether anything of the request was handed
// to the connection: nothing was, and the write surely had no effect; anything
// was, and its outcome is unknown, by the table of package wire. What a status
// means is the table in status.go. docs/tools/http.md describes the settings.
package httpapi
