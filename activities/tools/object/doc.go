// Package object is the kind "object" of declared tools: it writes one object
// for each approved action, into an S3-compatible store or a folder.
//
//	object:
//	  endpoint: https://s3.eu-central-1.amazonaws.com   # or url: file:///srv/reports
//	  region: eu-central-1
//	  bucket: example-reports
//	  access_key: "${env:S3_ACCESS_KEY}"
//	  secret_key: "${env:S3_SECRET_KEY}"
//	  name: "weekly/{{params.week}}.json"
//	  mode: create                    # the object must not be there; replace: it must
//	  json: {week: "{{params.week}}", text: "{{params.text}}"}
//
// Its delivery class is conditional: the store itself refuses a second write.
// Which of two writes it was that is there, a mark tells: the idempotency key,
// and the fingerprint of the parameters under it.
//
//	                a second write is refused by      the mark is
//	--------------  --------------------------------  ------------------------------------
//	S3, create      If-None-Match: *                  user metadata of the object
//	S3, replace     If-Match with the ETag that the   user metadata of the object
//	                plan was made for
//	file, create    link(2), which replaces nothing   a folder of the key, see claim
//	file, replace   a lock, a comparison, and the     a folder of the key, see claim
//	                key's one copy of the content
//
// What an object means that is not as the plan expects:
//
//	it carries the key and the fingerprint            done, with its receipt
//	it carries the key and another fingerprint        a conflict
//	it has the very content that was to be written    done; nothing was to be written
//	anything else, and no attempt is in doubt         [tools.ErrDrift]; nothing was written
//	anything else, and an earlier attempt is in       our write may have been there, and
//	doubt                                             somebody's after it: the mark is gone
//	                                                  with the object that carried it
//
// In the last case the versions of the object are looked through for the mark,
// where the store keeps them. What is found is done. What is not found proves
// nothing: a person is asked ([faults.CodeOutcomeUnknown]). A folder needs no
// versions: what it keeps of a key outlives the object, so a replacement can
// always be seen, and a creation but for one moment, see folder.refused.
//
// An object that somebody deletes takes its mark with it. An attempt of unknown
// outcome that is then made again creates it again.
package object
