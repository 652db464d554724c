//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package devserver

import "os"

// lockFile takes no lock: there is none here that a child could inherit.
func lockFile(string) (*os.File, error) { return nil, nil }
