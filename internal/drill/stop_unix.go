//go:build unix

package drill

import (
	"fmt"
	"io"
	"syscall"
)

// Stop stops the process at the point, as a long pause of the machine would:
// somebody else may kill it there (kill -9) or let it go on (kill -CONT).
func Stop(out io.Writer) func(Point) {
	return func(p Point) {
		fmt.Fprintf(out, "drill: %s reached, stopped\n", p)
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGSTOP); err != nil {
			fmt.Fprintf(out, "drill: %v\n", err)
		}
	}
}
