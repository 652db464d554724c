package folder

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode/utf8"
)

// EscapePath turns a path as the file system has it, which may be any bytes,
// into valid UTF-8: a byte that is no part of a UTF-8 character becomes \xNN,
// and a backslash becomes two. No two paths share an escaped form, and
// [RawPath] turns it back. Everything else stays as it is, line breaks too;
// for people, see [plan.Escape].
func EscapePath(raw string) string {
	if utf8.ValidString(raw) && !strings.Contains(raw, `\`) {
		return raw
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, raw[i])
		case r == '\\':
			b.WriteString(`\\`)
		default:
			b.WriteString(raw[i : i+size])
		}
		i += size
	}
	return b.String()
}

// RawPath turns an escaped path back into the bytes that open the file.
func RawPath(escaped string) (string, error) {
	var b strings.Builder
	for rest := escaped; rest != ""; {
		plain, after, found := strings.Cut(rest, `\`)
		b.WriteString(plain)
		if !found {
			break
		}
		switch {
		case strings.HasPrefix(after, `\`):
			b.WriteByte('\\')
			rest = after[1:]
		case strings.HasPrefix(after, "x") && len(after) >= 3:
			n, err := strconv.ParseUint(after[1:3], 16, 8)
			if err != nil {
				return "", fmt.Errorf("path %q: \\x is not followed by two hex digits", escaped)
			}
			b.WriteByte(byte(n))
			rest = after[3:]
		default:
			return "", fmt.Errorf(`path %q: a backslash stands only before x and two hex digits, or before another`, escaped)
		}
	}
	return b.String(), nil
}

// folderPath reads the path of a folder within a root as a task gives it, in
// the form of EscapePath, and returns its raw components; none for the root.
func folderPath(sub string) ([]string, error) {
	raw, err := RawPath(sub)
	if err != nil {
		return nil, err
	}
	raw = strings.TrimSuffix(raw, "/")
	if raw == "" && sub != "/" || raw == "." {
		return nil, nil
	}
	// fs.ValidPath wants UTF-8, which a folder's name need not be.
	if !fs.ValidPath(strings.ToValidUTF8(raw, "?")) || strings.ContainsRune(raw, 0) {
		return nil, fmt.Errorf("path %q: name a folder within the root, without a leading slash and without \"..\"", sub)
	}
	return strings.Split(raw, "/"), nil
}
