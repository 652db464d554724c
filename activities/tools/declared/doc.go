// Package declared makes tools of declarations in holdpoint.yaml: what a tool
// is called, what it may be asked, where it writes, and how a second write of
// the same effect is kept from happening. What is the same for all of them is
// here: the parameter schema, target and item, limits, receipts. What differs
// is a [Kind]: HTTP, PostgreSQL, NATS, mail, object stores.
//
//	tools:
//	  open_issue:
//	    version: "1"            # another version voids the plans made with this one
//	    kind: http
//	    class: lookup
//	    risk: medium
//	    schema:                 # JSON Schema, draft 2020-12, of the parameters
//	      type: object
//	      required: [repo, title, text]
//	      additionalProperties: false
//	      properties: {repo: {type: string}, title: {type: string}, text: {type: string}}
//	    target: "tracker/{{params.repo}}"
//	    item: "{{params.title}}"
//	    http: { … }             # the kind's own settings, under its name
package declared
