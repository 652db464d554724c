// Package archtest keeps the rules about who may import whom, and where there
// is no clock. It has tests only, needs nothing but the Go command, and holds
// where no linter is installed; .golangci.yaml says the same inside an editor.
//
//	approvals/plan, celorder, signature
//	                 nothing of ours: no I/O, no clock, no Temporal
//	approvals        approvals/plan: no I/O, no clock, no Temporal
//	workflows        approvals and plan: no client, no network, no files, no clock
//	activities/...   those three and internal
//	worker           all of these
//	starter          never activities, also not by way of internal
//	approver         the same
package archtest
