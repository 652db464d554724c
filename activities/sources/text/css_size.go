package text

// fontSize is a size of text: absolute, or a multiple of the size around it, or
// neither when nothing is said of it.
type fontSize struct {
	px, factor float64
	absolute   bool
}

// within returns the size in pixels where the text around has that size.
func (f fontSize) within(around float64) float64 {
	switch {
	case f.absolute:
		return f.px
	case f.factor != 0:
		return f.factor * around
	}
	return around
}

// defaultFont is the size of text of which nothing is said, in pixels.
const defaultFont = 16

// pixels of the absolute units (CSS Values and Units Module Level 4, section
// 6.2), and of those of the window, which is taken to be 1000 pixels wide and
// high.
var cssUnits = map[string]float64{
	"px": 1, "pt": 4.0 / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6,
	"rem": defaultFont, "vw": 10, "vh": 10, "vi": 10, "vb": 10, "vmin": 10, "vmax": 10,
}

// multiples of the font's size.
var cssFontUnits = map[string]float64{"em": 1, "%": 0.01, "ex": 0.5, "ch": 0.5, "lh": 1.2}

var cssFontWords = map[string]fontSize{
	"xx-small": {px: 9, absolute: true}, "x-small": {px: 10, absolute: true}, "small": {px: 13, absolute: true},
	"medium": {px: defaultFont, absolute: true}, "initial": {px: defaultFont, absolute: true}, "large": {px: 18, absolute: true},
	"x-large": {px: 24, absolute: true}, "xx-large": {px: 32, absolute: true}, "xxx-large": {px: 48, absolute: true},
	"smaller": {factor: 5.0 / 6}, "larger": {factor: 1.2},
}

// readFontSize reads one token as a size. A number alone is none, but for 0.
func readFontSize(t cssToken) (size fontSize, ok bool) {
	switch t.kind {
	case cssIdent:
		size, ok = cssFontWords[t.name]
		return size, ok
	case cssNumber:
		if t.number < 0 {
			return size, false
		}
		if per, ok := cssUnits[t.unit]; ok || t.number == 0 {
			return fontSize{px: t.number * per, absolute: true}, true
		}
		per, ok := cssFontUnits[t.unit]
		return fontSize{factor: t.number * per}, ok
	default:
		return size, false
	}
}

func (s *inlineStyle) setSize(value []cssToken) {
	if isInherited(value) {
		s.size = fontSize{}
	}
	if len(value) != 1 {
		return
	}
	if size, ok := readFontSize(value[0]); ok {
		s.size = size
	}
}

// isInherited reports whether a value is that of the element around.
func isInherited(value []cssToken) bool {
	return len(value) == 1 && value[0].kind == cssIdent && (value[0].name == "inherit" || value[0].name == "unset")
}

// setFont reads the shorthand, in which the size comes after the style and the
// weight, and a family after the size.
func (s *inlineStyle) setFont(value []cssToken) {
	if isInherited(value) {
		s.size = fontSize{}
	}
	for i, t := range value {
		weight := t.kind == cssNumber && t.unit == "" && t.number != 0
		if size, ok := readFontSize(t); ok && !weight && i+1 < len(value) {
			s.size = size
			return
		}
	}
}

// pixelsOf reads a length, in pixels where the font has its default size.
func pixelsOf(t cssToken) (px float64, ok bool) {
	if t.kind != cssNumber {
		return 0, false
	}
	if t.number == 0 {
		return 0, true
	}
	if per, ok := cssUnits[t.unit]; ok {
		return t.number * per, true
	}
	if per, ok := cssFontUnits[t.unit]; ok && t.unit != "%" {
		return t.number * per * defaultFont, true
	}
	return 0, false
}
