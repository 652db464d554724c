package signature

import (
	"slices"
	"strings"
)

// Alias is a key of known people together with further names for whoever holds it,
// as patterns or one by one: people who are not known and in whose names it may
// sign as well, or anybody for whom it is listed in other namespaces.
type Alias struct {
	// Key has no name. One that is Elsewhere signs in none of the names.
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

// KeysOf returns the key under one of the names; none for another.
func (a Alias) KeysOf(name string) []Key {
	if name == "" || !a.names.match(name) {
		return nil
	}
	key := a.Key
	key.Name = name
	return []Key{key}
}

// Aliases returns the lines by which a key of these people has further names: it
// may also sign in the name of somebody who is none of them, or is listed in other
// namespaces for somebody in whose name it may not sign here. Who holds such a key
// is all of these.
func (a AllowedSigners) Aliases(people []string) []Alias {
	theirs := a.publicOf(people)
	var aliases []Alias
	for _, e := range a.entries {
		if theirs[e.key.Public] && !e.principals.within(people) {
			aliases = append(aliases, Alias{Key: e.key, names: e.principals})
		}
	}
	for _, e := range a.elsewhere {
		if theirs[e.key.Public] && !e.principals.within(a.bearers(e.key.Public, people)) {
			aliases = append(aliases, Alias{Key: e.key, names: e.principals})
		}
	}
	return aliases
}

// bearers are those of these people in whose names a key may sign.
func (a AllowedSigners) bearers(public string, people []string) []string {
	var names []string
	for _, name := range people {
		if slices.ContainsFunc(a.entries, func(e entry) bool { return e.key.Public == public && e.principals.match(name) }) {
			names = append(names, name)
		}
	}
	return names
}

// within reports whether the list surely matches no name but these: it has no
// wildcard outside what it negates.
func (all patterns) within(names []string) bool {
	return !slices.ContainsFunc(all, func(p pattern) bool {
		return !p.negated && p.glob != "" && (strings.ContainsAny(p.glob, "*?") || !slices.Contains(names, p.glob))
	})
}
