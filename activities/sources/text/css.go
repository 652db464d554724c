package text

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// cssKind is the kind of a token (CSS Syntax Module Level 3, section 4), as far
// as inline styles need them told apart.
type cssKind int

const (
	cssEnd      cssKind = iota
	cssIdent            // a name
	cssFunction         // a name and "("
	cssNumber           // also a percentage, of unit "%", and a dimension
	cssHash             // "#" and a name
	cssOther            // a string, an address, and what is no part of any value read here
	cssDelim            // one character, brackets among them
)

// cssToken is a token. Names are in lower case: all that are compared are ASCII.
type cssToken struct {
	kind   cssKind
	name   string  // of cssIdent, cssFunction and cssHash; the character of cssDelim
	number float64 // of cssNumber
	unit   string  // of cssNumber
}

// isDelim reports whether t is the character c.
func (t cssToken) isDelim(c string) bool { return t.kind == cssDelim && t.name == c }

// cssScanner splits a style into tokens. White space and comments part tokens,
// and are none.
type cssScanner struct {
	css  string
	at   int
	kept []cssToken // of the last value, for the next
}

func (s *cssScanner) peek(ahead int) byte {
	if s.at+ahead < len(s.css) {
		return s.css[s.at+ahead]
	}
	return 0
}

func (s *cssScanner) next() cssToken {
	s.skip()
	c := s.peek(0)
	switch {
	case s.at >= len(s.css):
		return cssToken{}
	case c == '"' || c == '\'':
		s.quoted(c)
		return cssToken{kind: cssOther}
	case s.startsNumber():
		return s.number()
	case s.startsName(0):
		return s.nameLike()
	case c == '#' && (isNameByte(s.peek(1)) || s.isEscape(1)):
		s.at++
		return cssToken{kind: cssHash, name: s.name()}
	case c == '@' && s.startsName(1):
		s.at++
		s.name()
		return cssToken{kind: cssOther}
	}
	_, size := utf8.DecodeRuneInString(s.css[s.at:])
	s.at += size
	return cssToken{kind: cssDelim, name: s.css[s.at-size : s.at]}
}

// skip goes past white space and comments, of which the last may have no end.
func (s *cssScanner) skip() {
	for s.at < len(s.css) {
		switch {
		case isCSSSpace(s.css[s.at]):
			s.at++
		case strings.HasPrefix(s.css[s.at:], "/*"):
			_, after, ended := strings.Cut(s.css[s.at+2:], "*/")
			if !ended {
				after = ""
			}
			s.at = len(s.css) - len(after)
		default:
			return
		}
	}
}

// quoted goes past a string; a line end breaks it off.
func (s *cssScanner) quoted(quote byte) {
	for s.at++; s.at < len(s.css); s.at++ {
		switch s.css[s.at] {
		case quote:
			s.at++
			return
		case '\n':
			return
		case '\\':
			s.at++
		}
	}
	s.at = len(s.css)
}

func (s *cssScanner) startsNumber() bool {
	i := 0
	if c := s.peek(0); c == '+' || c == '-' {
		i++
	}
	return isDigit(s.peek(i)) || s.peek(i) == '.' && isDigit(s.peek(i+1))
}

func (s *cssScanner) number() cssToken {
	begin := s.at
	s.at++ // a sign, a digit or a point
	s.digits()
	if s.peek(0) == '.' && isDigit(s.peek(1)) && !strings.Contains(s.css[begin:s.at], ".") {
		s.at++
		s.digits()
	}
	if e := s.peek(0) | 0x20; e == 'e' {
		sign := 0
		if c := s.peek(1); c == '+' || c == '-' {
			sign = 1
		}
		if isDigit(s.peek(1 + sign)) {
			s.at += 1 + sign
			s.digits()
		}
	}
	number, _ := strconv.ParseFloat(s.css[begin:s.at], 64) // what is out of range is infinite
	t := cssToken{kind: cssNumber, number: number}
	switch {
	case s.startsName(0):
		t.unit = s.name()
	case s.peek(0) == '%':
		s.at++
		t.unit = "%"
	}
	return t
}

func (s *cssScanner) digits() {
	for isDigit(s.peek(0)) {
		s.at++
	}
}

// startsName reports whether a name begins that many bytes ahead.
func (s *cssScanner) startsName(ahead int) bool {
	c := s.peek(ahead)
	if c == '-' {
		next := s.peek(ahead + 1)
		return next == '-' || isNameByte(next) && !isDigit(next) || s.isEscape(ahead+1)
	}
	return isNameByte(c) && !isDigit(c) || s.isEscape(ahead)
}

func (s *cssScanner) isEscape(ahead int) bool {
	return s.peek(ahead) == '\\' && s.at+ahead+1 < len(s.css) && s.peek(ahead+1) != '\n'
}

// nameLike returns a name, a function, or an address.
func (s *cssScanner) nameLike() cssToken {
	name := s.name()
	if s.peek(0) != '(' {
		return cssToken{kind: cssIdent, name: name}
	}
	s.at++
	if name != "url" {
		return cssToken{kind: cssFunction, name: name}
	}
	s.skipSpace()
	if c := s.peek(0); c == '"' || c == '\'' {
		return cssToken{kind: cssFunction, name: name}
	}
	for ; s.at < len(s.css) && s.css[s.at] != ')'; s.at++ {
		if s.css[s.at] == '\\' {
			s.at++
		}
	}
	s.at = min(s.at+1, len(s.css))
	return cssToken{kind: cssOther}
}

func (s *cssScanner) skipSpace() {
	for isCSSSpace(s.peek(0)) {
		s.at++
	}
}

// name returns a name, its escapes read.
func (s *cssScanner) name() string {
	var b strings.Builder
	for {
		switch c := s.peek(0); {
		case s.isEscape(0):
			s.at++
			b.WriteRune(s.escaped())
		case isNameByte(c):
			b.WriteByte(c)
			s.at++
		default:
			return strings.ToLower(b.String())
		}
	}
}

// escaped reads what follows a backslash: up to six hexadecimal digits and one
// white space, or the character itself.
func (s *cssScanner) escaped() rune {
	digits := 0
	for digits < 6 && strings.IndexByte("0123456789abcdefABCDEF", s.peek(digits)) >= 0 {
		digits++
	}
	if digits == 0 {
		r, size := utf8.DecodeRuneInString(s.css[s.at:])
		s.at += size
		return r
	}
	code, _ := strconv.ParseUint(s.css[s.at:s.at+digits], 16, 32) // hexadecimal by the loop above
	s.at += digits
	if isCSSSpace(s.peek(0)) {
		s.at++
	}
	if code == 0 || code > utf8.MaxRune || 0xD800 <= code && code <= 0xDFFF {
		return utf8.RuneError
	}
	return rune(code)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c == '-' || c >= utf8.RuneSelf
}

func isCSSSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'
}
