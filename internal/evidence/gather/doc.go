// Package gather makes the content of an evidence bundle from the histories of a
// run. It needs no worker and no server: the histories are replayed with this
// build's workflow code, and what the workflow then hands to its judge is what it
// handed to it when the run took place. So it is known what each word was judged
// against, and a history that this build cannot replay makes no bundle.
//
// The same histories make the same content, so whoever has them can make it
// again and compare.
package gather
