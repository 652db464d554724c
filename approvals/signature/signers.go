package signature

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxFileBytes bounds an allowed_signers file: some 10,000 lines.
const maxFileBytes = 1 << 20

// AllowedSigners are the keys of an allowed_signers file, and whom each belongs
// to. The zero AllowedSigners allow nobody.
type AllowedSigners struct {
	// Skipped are the well-formed lines whose keys never verify here, in the
	// file's order, so that whoever misses one finds out why.
	Skipped   []Skipped
	entries   []entry
	elsewhere []entry // of Skipped, those of other namespaces; their keys are Key.Elsewhere
}

// Skipped is a line that was left out, and why.
type Skipped struct {
	Line   int // from 1
	Reason string
}

// entry is a line's key, without its bearer's name, and the names that may bear it.
type entry struct {
	line       int // from 1
	principals patterns
	key        Key
}

// ParseAllowedSigners reads an allowed_signers file as ssh-keygen(1) describes
// it, of at most 1 MiB. Blank lines and those that begin with # are passed
// over; lines may end in CR LF.
//
// Principals are read in lower case, as identities are compared. A time without
// Z is taken as UTC; ssh-keygen takes it as local. Certificate authorities,
// certificates and keys whose namespaces leave out Namespace are in Skipped.
//
// The error names the first line that cannot be used, as "line 3: …": one that
// is not well-formed, has an unknown option or key type, a DSA key, or an RSA
// key of less than 2048 or more than 8192 bits. ssh-keygen passes over such
// lines; here a key that someone meant to list must not be missing in silence.
func ParseAllowedSigners(raw []byte) (AllowedSigners, error) {
	if len(raw) > maxFileBytes {
		return AllowedSigners{}, fmt.Errorf("the list of allowed signers has %d bytes; at most %d are allowed", len(raw), maxFileBytes)
	}
	text := string(raw)
	if strings.HasPrefix(text, "\uFEFF") {
		return AllowedSigners{}, errors.New("line 1: the file begins with a byte order mark, which would be part of the first name; save it without")
	}
	var all AllowedSigners
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.Trim(line, " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		read, skip, err := parseLine(line)
		switch {
		case err != nil:
			return AllowedSigners{}, fmt.Errorf("line %d: %w", number, err)
		case skip != "":
			all.Skipped = append(all.Skipped, Skipped{Line: number, Reason: skip})
			if read.key.Elsewhere {
				all.elsewhere = append(all.elsewhere, read)
			}
		default:
			read.line = number
			all.entries = append(all.entries, read)
		}
	}
	return all, nil
}

// KeysOf returns the keys that may sign in this name under Namespace, in the
// file's order and each with the name. The name is one that is normalized; the
// empty one has no keys, whatever the patterns.
func (a AllowedSigners) KeysOf(name string) []Key {
	if name == "" {
		return nil
	}
	var keys []Key
	for _, e := range a.entries {
		if !e.principals.match(name) {
			continue
		}
		key := e.key
		key.Name = name
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// Unused returns the numbers of the lines whose keys may sign in none of these
// names, which are normalized, on that line or another.
func (a AllowedSigners) Unused(names []string) []int {
	theirs := a.publicOf(names)
	var lines []int
	for _, e := range a.entries {
		if !theirs[e.key.Public] {
			lines = append(lines, e.line)
		}
	}
	return lines
}

// publicOf are the keys that may sign in one of these names, by Key.Public.
func (a AllowedSigners) publicOf(names []string) map[string]bool {
	public := map[string]bool{}
	for _, e := range a.entries {
		if slices.ContainsFunc(names, e.principals.match) {
			public[e.key.Public] = true
		}
	}
	return public
}

// parseLine reads "principals [options] type key [comment]", of which a reason
// to skip it may come.
func parseLine(line string) (e entry, skip string, err error) {
	names, rest, err := cutPrincipals(line)
	if err != nil {
		return entry{}, "", err
	}
	if isKeyType(names) {
		return entry{}, "", fmt.Errorf("the names are missing before %s", names)
	}
	e.principals, err = parsePatterns(lower(names))
	if err != nil {
		return entry{}, "", fmt.Errorf("principals: %w", err)
	}
	o, rest, err := cutOptions(rest)
	if err != nil {
		return entry{}, "", err
	}
	kind, rest := cutWord(rest)
	encoded, _ := cutWord(rest)
	switch {
	case encoded == "":
		return entry{}, "", errors.New("there is no key; a line is: names, options if any, key type, key")
	case isCertificateType(kind):
		return entry{}, "a certificate, which never verifies here; list the key itself", nil
	case !isKeyType(kind):
		return entry{}, "", fmt.Errorf("the key type %q is not known; %s are", brief(kind), strings.Join(keyTypes, ", "))
	}
	public, err := parsePublic(kind, encoded)
	if err != nil {
		return entry{}, "", err
	}
	e.key = Key{Public: canonical(public), ValidAfter: o.validAfter, ValidBefore: o.validBefore}
	switch {
	case o.authority:
		skip = "a certificate authority; certificates never verify here"
	case o.namespaces != nil && !o.namespaces.match(Namespace):
		e.key = Key{Public: e.key.Public, Elsewhere: true} // at whatever time
		skip = fmt.Sprintf("its namespaces leave out %q", Namespace)
	}
	return e, skip, nil
}

// cutPrincipals takes the first field, which may stand in double quotes.
func cutPrincipals(line string) (names, rest string, err error) {
	unquoted, quoted := strings.CutPrefix(line, `"`)
	if !quoted {
		names, rest = cutWord(line)
		if strings.Contains(names, `"`) {
			return "", "", errors.New("there is a double quote within the names")
		}
		return names, rest, nil
	}
	names, rest, closed := strings.Cut(unquoted, `"`)
	after := strings.TrimLeft(rest, " \t")
	if !closed || names == "" || after == rest {
		return "", "", errors.New("the names in double quotes are empty, do not end, or are not followed by a blank")
	}
	return names, after, nil
}

// cutOptions takes the options, if what the text begins with is no key type.
// Blanks within double quotes belong to them.
func cutOptions(text string) (o options, rest string, err error) {
	word, after := cutWord(text)
	// An SSH key begins with the length of its type's name, and so in base64
	// with AAAA. What stands before one was meant as its type.
	if isKeyType(word) || strings.HasPrefix(after, "AAAA") && !strings.Contains(word, `"`) {
		return options{}, text, nil
	}
	end, quoted := 0, false
	for ; end < len(text) && (quoted || text[end] != ' ' && text[end] != '\t'); end++ {
		switch {
		case strings.HasPrefix(text[end:], `\"`):
			end++
		case text[end] == '"':
			quoted = !quoted
		}
	}
	if quoted {
		return options{}, "", errors.New("the double quotes of the options do not end")
	}
	o, err = parseOptions(text[:end])
	return o, strings.TrimLeft(text[end:], " \t"), err
}

// cutWord takes what stands before the first blanks.
func cutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimLeft(text[end:], " \t")
}
