//go:build unix

package drill

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Stop stops the process at the point, as a long pause of the machine would:
// somebody else may kill it there (kill -9) or let it go on (kill -CONT).
func Stop(out io.Writer) func(Point) {
	return func(p Point) {
		goesOn := make(chan os.Signal, 1)
		signal.Notify(goesOn, syscall.SIGCONT)
		defer signal.Stop(goesOn)
		fmt.Fprintf(out, "drill: %s reached, stopped\n", p)
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGSTOP); err != nil {
			fmt.Fprintf(out, "drill: %v\n", err)
			return
		}
		// The signal may reach another thread first; this one must not run
		// past the point meanwhile.
		<-goesOn
	}
}
