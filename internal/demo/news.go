package main

import (
	"bytes"
	"io"
)

// news passes each line on once: a run is watched twice, before the hold
// point and after it, and the second time tells the first part again.
type news struct {
	out  io.Writer
	told map[string]bool
	rest []byte // of a line that has not ended
}

func (n *news) Write(p []byte) (int, error) {
	if n.told == nil {
		n.told = map[string]bool{}
	}
	n.rest = append(n.rest, p...)
	for {
		end := bytes.IndexByte(n.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := string(n.rest[:end+1])
		n.rest = n.rest[end+1:]
		if n.told[line] {
			continue
		}
		n.told[line] = true
		if _, err := io.WriteString(n.out, line); err != nil {
			return len(p), err
		}
	}
}
