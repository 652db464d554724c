package text

import "strings"

// maxCSSValue bounds the tokens of one value. Longer ones, such as shapes and
// shadows, say nothing about hiding that is read here.
const maxCSSValue = 64

// cssDeclaration is one property and its value, as a style attribute has them.
type cssDeclaration struct {
	property  string     // without "-webkit-" before it
	value     []cssToken // until the next one is read
	important bool
}

// eachDeclaration hands on the declarations of a style attribute (CSS Style
// Attributes; CSS Syntax Module Level 3, section 5.4.4). What is no declaration
// is passed over, up to the next semicolon outside of brackets. Nothing is kept:
// a style may have millions.
func eachDeclaration(style string, use func(cssDeclaration)) {
	s := cssScanner{css: style}
	for {
		t := s.next()
		switch {
		case t.kind == cssEnd:
			return
		case t.isDelim(";"):
			continue
		}
		colon := t.kind == cssIdent && s.passColon()
		value, whole := s.value(t)
		if colon && whole && len(value) > 0 {
			use(newCSSDeclaration(t.name, value))
		}
	}
}

func newCSSDeclaration(property string, value []cssToken) cssDeclaration {
	d := cssDeclaration{property: strings.TrimPrefix(property, "-webkit-"), value: value}
	if n := len(value) - 2; n >= 0 && value[n].isDelim("!") && value[n+1].kind == cssIdent && value[n+1].name == "important" {
		d.value, d.important = value[:n], true
	}
	return d
}

// passColon goes past a colon, when that comes next.
func (s *cssScanner) passColon() bool {
	s.skip()
	if s.peek(0) != ':' {
		return false
	}
	s.at++
	return true
}

// value reads up to the semicolon that ends a declaration which began with
// first, and reports whether all of it is in what it returns.
func (s *cssScanner) value(first cssToken) (value []cssToken, whole bool) {
	depth := first.nesting()
	value, whole = s.kept[:0], true
	for {
		t := s.next()
		if t.kind == cssEnd || depth == 0 && t.isDelim(";") {
			s.kept = value
			return value, whole
		}
		depth = max(depth+t.nesting(), 0)
		if whole = len(value) < maxCSSValue; whole {
			value = append(value, t)
		}
	}
}

// nesting is 1 for what opens a bracket, and -1 for what closes one.
func (t cssToken) nesting() int {
	switch {
	case t.kind == cssFunction, t.isDelim("("), t.isDelim("["), t.isDelim("{"):
		return 1
	case t.isDelim(")"), t.isDelim("]"), t.isDelim("}"):
		return -1
	}
	return 0
}

// cssCall is a function and its arguments, without the commas between them.
type cssCall struct {
	name   string
	args   []cssToken // a function among them is of kind cssOther
	commas int
}

// calls reads a value that is a list of functions.
func calls(value []cssToken) (list []cssCall, ok bool) {
	depth := 0
	for _, t := range value {
		before := depth
		depth += t.nesting()
		switch {
		case before == 0 && t.kind == cssFunction:
			list = append(list, cssCall{name: t.name})
		case before == 0:
			return nil, false
		case before > 1, t.isDelim(")"), t.isDelim("/"):
		case t.isDelim(","):
			list[len(list)-1].commas++
		default:
			if t.kind == cssFunction {
				t = cssToken{kind: cssOther}
			}
			last := &list[len(list)-1]
			last.args = append(last.args, t)
		}
	}
	return list, len(list) > 0 // the end of the style closes what is open
}
