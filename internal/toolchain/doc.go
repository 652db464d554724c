// Package toolchain builds, on first need, the programs that Holdpoint is
// developed and demonstrated with: the temporal CLI with its embedded
// development server, the linters, Docker Compose as a checker of
// docker-compose.yml, and Gitea and Mailpit as targets of tests. They are
// pinned, built from source by the Go command and kept in .holdpoint/bin; a
// tool that is there is never fetched again.
//
// Each tool has a folder here with a go.mod and go.sum of its own. One module
// for all would let each tool's requirements raise the versions of the others,
// and of the product: the SDK and the server that the CLI embeds do not even
// compile together. The go.mod alone says which program a tool is (its one
// tool directive) and in which version, so to update one, run
//
//	go -C internal/toolchain/NAME get -tool PACKAGE@VERSION
//
// and the next [Ensure] builds it anew.
package toolchain
