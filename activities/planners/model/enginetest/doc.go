// Package enginetest is what every engine must do, whoever its provider is, as
// tests against the scripted model server. An engine's own tests call them, each
// under the name of its case.
package enginetest
