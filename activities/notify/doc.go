// Package notify tells people that a run waits for them. The channels by which
// they are told stand in the worker's configuration, under "notify":
//
//	notify:
//	  oncall:
//	    webhook: {url: "${env:ONCALL_URL}", secret: "${env:ONCALL_SECRET}"}
//	    events: [resolution.needed]
//	  editors:
//	    mail: {address: "mail.example.com:587", from: holdpoint@example.com, to: [editors@example.com]}
//	    tenants: [acme]
//
// A notice is sent at least once, deduplicated by its key: a webhook's receiver
// drops a second message with the same webhook-id, and most mailboxes show one
// mail for one Message-ID. Both are the key, on every attempt. So a notice is
// harmless when repeated, and one of unknown outcome is sent again:
//
//	nothing was sent, or the other side says to come again    Transient
//	it says when to come again                                Throttled
//	it refuses, or is not who it should be                    Permanent
//	it had the notice, and did not say whether it took it     Unknown; tried again as the others
//
// No error has an address of a webhook in it beyond its host, nor a header or a
// body: whoever knows the address of a webhook may often write there. Nothing
// of the plan's text is in a notice.
package notify
