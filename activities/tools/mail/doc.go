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
// Its delivery class is once: nobody deduplicates mail. Package smtpclient says
// what is known when a conversation breaks off; when it is not known whether the
// mail was taken, a person is asked, and nothing is sent again.
//
// The Message-ID is made of the idempotency key. When a person says that the
// mail did not go out, it is sent again with the same Message-ID, so that many
// mailboxes show one mail if it did. All other bytes are the same too, but
// for the Date field: it is the time of the call, as a mail's date is the time
// at which it is ready to be sent (RFC 5322, section 3.6.1).
package mail
