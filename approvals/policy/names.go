package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals"
)

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// checkName says what keeps a text from being a label, or the name of a group,
// rule or tenant: a word that needs no quotes anywhere.
func checkName(name string) error {
	if name == "" || len(name) > maxNameBytes {
		return fmt.Errorf("has %d bytes; 1 to %d are allowed", len(name), maxNameBytes)
	}
	for _, r := range name {
		if !strings.ContainsRune(nameLetters, r) {
			return fmt.Errorf("has %+q; letters a to z, digits and . _ - are allowed", r)
		}
	}
	return nil
}

// addPerson adds a person, as people write her name, to a list of different ones.
func addPerson(names []string, text string) ([]string, error) {
	name, err := approvals.NormalizeIdentity(text)
	if err != nil {
		return nil, err
	}
	if slices.Contains(names, name) {
		return nil, fmt.Errorf("%s stands there twice", name)
	}
	return append(names, name), nil
}

// checkCount bounds a group.
func checkCount(names []string) error {
	switch {
	case len(names) == 0:
		return errors.New("is empty; nobody could approve")
	case len(names) > maxNames:
		return fmt.Errorf("has %d names; at most %d are allowed", len(names), maxNames)
	}
	return nil
}

func checkPeriod(d time.Duration) error {
	switch {
	case d <= 0:
		return fmt.Errorf("is %s; it must be above 0", d)
	case d > approvals.MaxPeriod:
		return fmt.Errorf("is %s; at most %s (30 days) are allowed", d, approvals.MaxPeriod)
	case d%time.Second != 0:
		return fmt.Errorf("is %s; whole seconds are allowed", d)
	}
	return nil
}

// shorten bounds a file's text in an error message and says that it did.
func shorten(s string) string {
	const limit = 60
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
