package cli

import (
	"os"
	"os/user"
)

// Person is who runs the program when no flag says so: the environment
// variable's value, else the login, else "".
func Person(variable string) string {
	if name := os.Getenv(variable); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
