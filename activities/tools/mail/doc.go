// Package mail is the kind "smtp" of declared tools: it sends one mail for each
// approved action through a mail server (RFC 5321).
//
//	smtp:
//	  address: mail.example.com:587
//	  tls: starttls                # starttls (when left out), implicit or none
//	  auth: {mechanism: plain, username: reports, password: "${env:SMTP_PASSWORD}"}
//	  from: "Weekly report <reports@example.com>"
//	  to: "{{params.to}}"          # one address or a list of them
//	  subject: "Report for {{params.week}}"
//	  text: "{{params.text}}"
//
// Its delivery class is once. SMTP has no way to ask whether a mail was taken,
// and a server that takes one twice sends it twice. RFC 1047 describes the
// window: between the dot that ends a message and the server's answer to it,
// server and client may think differently of who has the mail. So what an error
// means depends on how far the conversation has come:
//
//	until the final dot has left this machine     the server must not send the mail (RFC 5321,
//	                                              sections 3.8 and 4.1.1.4): Transient or Permanent
//	a 4yz or 5yz reply to the final dot           the server refused it (sections 4.2.1 and 6.1):
//	                                              Transient or Permanent
//	the final dot, and no complete reply to it    Unknown, with [faults.CodeOutcomeUnknown]: a person
//	                                              is asked, and nothing is sent again
//
// The Message-ID is made of the idempotency key. When a person says that the
// mail did not go out, it is sent again with the same Message-ID, so that many
// mailboxes show one mail if it did. All other bytes are the same too, but
// for the Date field: it is the time of the call, as a mail's date is the time
// at which it is ready to be sent (RFC 5322, section 3.6.1).
package mail
