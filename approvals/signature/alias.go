package signature

import (
	"slices"
	"strings"
)

// Alias is a key of known people together with names that are not known: those
// under which it may sign as well, as a pattern or one by one.
type Alias struct {
	// Key has no name.
	Key Key

	names patterns
}

// Names are the names and patterns as a file has them, in lower case, sorted.
func (a Alias) Names() string {
	var all []string
	for _, p := range a.names {
		if p.negated {
			all = append(all, "!"+p.glob)
		} else {
			all = append(all, p.glob)
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ",")
}

// KeysOf returns the key under a name that it may sign in; none for another.
func (a Alias) KeysOf(name string) []Key {
	if name == "" || !a.names.match(name) {
		return nil
	}
	key := a.Key
	key.Name = name
	return []Key{key}
}

// Aliases returns the lines by which a key of these people may also sign in the
// name of somebody who is none of them: who holds such a key has several names.
func (a AllowedSigners) Aliases(people []string) []Alias {
	theirs := a.publicOf(people)
	var aliases []Alias
	for _, e := range a.entries {
		if theirs[e.key.Public] && !e.principals.within(people) {
			aliases = append(aliases, Alias{Key: e.key, names: e.principals})
		}
	}
	return aliases
}

// within reports whether the list surely matches no name but these: it has no
// wildcard outside what it negates.
func (all patterns) within(names []string) bool {
	return !slices.ContainsFunc(all, func(p pattern) bool {
		return !p.negated && (strings.ContainsAny(p.glob, "*?") || !slices.Contains(names, p.glob))
	})
}
