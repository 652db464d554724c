package signature

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// options are what an allowed_signers line says of its key beyond the names.
type options struct {
	authority   bool
	namespaces  *patterns // nil: every one
	validAfter  time.Time
	validBefore time.Time
}

// parseOptions reads a comma-separated list of options, as sshsigopt_parse of
// OpenSSH does: names in any letter case, values in double quotes, each option
// with a value at most once. The empty text has no options.
func parseOptions(text string) (options, error) {
	var o options
	var seen []string
	for text != "" {
		end := strings.IndexAny(text, `,="`)
		if end < 0 {
			end = len(text)
		}
		name := strings.ToLower(text[:end])
		value, hasValue := strings.CutPrefix(text[end:], "=")
		text = value
		if hasValue {
			var err error
			if value, text, err = unquote(value); err != nil {
				return options{}, fmt.Errorf("the option %q %w", brief(name), err)
			}
			if slices.Contains(seen, name) {
				return options{}, fmt.Errorf("the option %q is given twice", brief(name))
			}
			seen = append(seen, name)
		}
		if err := o.set(name, value, hasValue); err != nil {
			return options{}, err
		}
		next, more := strings.CutPrefix(text, ",")
		if text != "" && (!more || next == "") {
			return options{}, fmt.Errorf("after the option %q stands %q instead of a comma and an option", brief(name), brief(text))
		}
		text = next
	}
	if !o.validAfter.IsZero() && !o.validBefore.IsZero() && !o.validBefore.After(o.validAfter) {
		return options{}, errors.New("valid-before is not later than valid-after")
	}
	return o, nil
}

// set puts an option in its place.
func (o *options) set(name, value string, hasValue bool) (err error) {
	switch name {
	case "cert-authority":
		o.authority = true
	case "namespaces":
		var list patterns
		list, err = parsePatterns(value)
		o.namespaces = &list
	case "valid-after":
		o.validAfter, err = parseTime(value)
	case "valid-before":
		o.validBefore, err = parseTime(value)
	default:
		return fmt.Errorf("the option %q is not known; cert-authority, namespaces, valid-after and valid-before are", brief(name))
	}
	switch isFlag := name == "cert-authority"; {
	case isFlag && hasValue:
		return errors.New("cert-authority takes no value")
	case !isFlag && !hasValue:
		return fmt.Errorf("%s needs a value in double quotes", name)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// unquote takes the value in double quotes that text begins with, in which \"
// is a quote, and returns what follows it.
func unquote(text string) (value, rest string, err error) {
	if !strings.HasPrefix(text, `"`) {
		return "", "", errors.New("has a value without double quotes")
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:], nil
		case strings.HasPrefix(text[i:], `\"`):
			i++
		}
		b.WriteByte(text[i])
	}
	return "", "", errors.New("has a value whose quotes do not end")
}

// parseTime reads YYYYMMDD, YYYYMMDDHHMM or YYYYMMDDHHMMSS, with Z (or UTC, as
// OpenSSH has it too) behind it or not. Without Z, OpenSSH takes the time zone
// of the machine it runs on; here it is UTC, because a key must not be valid on
// one worker and out of time on the next.
func parseTime(text string) (time.Time, error) {
	digits := strings.ToUpper(text)
	if short, ok := strings.CutSuffix(digits, "Z"); ok {
		digits = short
	} else {
		digits = strings.TrimSuffix(digits, "UTC")
	}
	layout := "20060102150405"
	switch len(digits) {
	case 8, 12, 14:
		layout = layout[:len(digits)]
	default:
		layout = ""
	}
	at, err := time.Parse(layout, digits)
	if layout == "" || err != nil {
		return time.Time{}, fmt.Errorf("%q is not a time; write YYYYMMDDZ, YYYYMMDDHHMMZ or YYYYMMDDHHMMSSZ", brief(text))
	}
	if at.Unix() <= 0 {
		return time.Time{}, fmt.Errorf("%q is not later than the beginning of 1970", text)
	}
	return at, nil
}
