// Package notebook is an example of a tool that is written in Go: it writes
// each page into a new file of a folder, and never over one that is there.
//
// Its delivery class is conditional. The target, a file system, refuses a
// second file of one name, and that is the guard: the page is written under a
// name of its own first, and then linked to its real name, which fails when
// that name is taken (link(2), EEXIST). A process can be killed at any moment,
// and the real name has the whole page or nothing.
//
// When the name is taken, the question is by whom. The first line of each page
// says which action wrote it, so an attempt that lost its answer finds its own
// work, and takes it for done. That line is the whole secret of a conditional
// tool: compare and set, and a marker to know oneself by.
package notebook
