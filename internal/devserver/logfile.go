package devserver

import (
	"io"
	"os"
	"strings"
)

// tailLength is how much of a log an error quotes, in bytes.
const tailLength = 2000

// logFile is where a server's output goes. It is a file, not a pipe, so that
// it survives this process and costs the server nothing to write.
type logFile struct {
	path      string // "" until open for a temporary one
	temporary bool
}

// open opens the log for appending and tells where the new part begins.
func (l *logFile) open() (f *os.File, start int64, err error) {
	if l.path == "" {
		f, err = os.CreateTemp("", "temporal-server-*.log")
		if err != nil {
			return nil, 0, err
		}
		l.path, l.temporary = f.Name(), true
		return f, 0, nil
	}
	f, err = os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// tail returns the end of what was written since start, for an error's text.
func (l *logFile) tail(start int64) string {
	f, err := os.Open(l.path)
	if err != nil {
		return ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	from := max(start, info.Size()-tailLength)
	text, err := io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(text), ""))
}

// remove deletes a temporary log.
func (l *logFile) remove() error {
	if !l.temporary {
		return nil
	}
	err := os.Remove(l.path)
	l.path, l.temporary = "", false
	return err
}
