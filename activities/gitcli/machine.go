package gitcli

import "strings"

// machineTrouble are the words with which git, under LC_ALL=C, repeats what
// this machine's operating system refused it, see strerror(3), and its own for a
// lack of memory.
var machineTrouble = []string{
	"No space left on device", "Disk quota exceeded", "File too large", "Read-only file system", "Input/output error", "Stale file handle",
	"Too many open files", "Cannot allocate memory", "Resource temporarily unavailable", "Out of memory",
	"insufficient permission for adding an object", "Permission denied",
}

// MachineTrouble returns what this machine, and not the remote, refused git, in
// words that hold no path. Another attempt may succeed, once there is room or
// permissions are right.
func (e *Error) MachineTrouble() (words string, ok bool) {
	for _, words := range machineTrouble {
		line, found := e.LineWith(words)
		// ssh, which is refused by the remote, names the methods after it.
		if found && !strings.Contains(line, words+" (") {
			return words, true
		}
	}
	return "", false
}
