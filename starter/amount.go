package main

import (
	"fmt"
	"strconv"
)

// grouped writes a number with a comma between thousands.
func grouped[N int | int64](n N) string {
	text := strconv.FormatInt(int64(n), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return grouped(n) + " files"
}

// size writes bytes in the largest decimal unit of which there is one, rounded down.
func size(bytes int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}} {
		if bytes >= unit.bytes {
			return fmt.Sprintf("%s %s", grouped(bytes/unit.bytes), unit.name)
		}
	}
	return grouped(bytes) + " bytes"
}
