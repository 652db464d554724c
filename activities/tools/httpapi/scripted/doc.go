// Package scripted is an HTTP target for tests that does as it is told: it
// makes effects or not, deduplicates by key or not, forgets keys, waits, cuts
// and resets its answers, and counts what really happened.
//
//	POST   /orders              makes an order; deduplicated by key when Options say so
//	GET    /orders?reference=K  {"items": […]}, the orders of a key
//	GET    /pages/{name}        a page and its ETag
//	PUT    /pages/{name}        writes it; If-Match and If-None-Match hold
//	GET    /pages/{name}/past   {"items": […]}, all that was ever written to it
//
// A write's key is that of the key header, or of the member "reference" in its
// JSON body. Every write takes the next [Answer] of the script; without one it
// has its effect and is answered.
package scripted
