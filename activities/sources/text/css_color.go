package text

import (
	"math"
	"strconv"
)

// cssColor is a color, as far as it is read.
type cssColor struct {
	known            bool
	red, green, blue float64 // 0 to 255
	alpha            float64 // 0 to 1
}

func (c cssColor) or(before cssColor) cssColor {
	if c.known {
		return c
	}
	return before
}

// isLike reports whether nobody would tell c from other.
func (c cssColor) isLike(other cssColor) bool {
	const near = 8
	return math.Abs(c.red-other.red) <= near && math.Abs(c.green-other.green) <= near && math.Abs(c.blue-other.blue) <= near
}

// The basic names, and those of CSS for nearly white and black, as hexadecimal
// digits.
var cssColors = map[string]string{
	"black": "000", "silver": "c0c0c0", "gray": "808080", "grey": "808080", "white": "fff", "maroon": "800000", "red": "f00",
	"purple": "800080", "fuchsia": "f0f", "magenta": "f0f", "green": "008000", "lime": "0f0", "olive": "808000", "yellow": "ff0",
	"navy": "000080", "blue": "00f", "teal": "008080", "aqua": "0ff", "cyan": "0ff", "orange": "ffa500", "transparent": "0000",
	"whitesmoke": "f5f5f5", "snow": "fffafa", "ivory": "fffff0", "ghostwhite": "f8f8ff", "floralwhite": "fffaf0", "azure": "f0ffff",
	"lightgray": "d3d3d3", "lightgrey": "d3d3d3", "darkgray": "a9a9a9", "darkgrey": "a9a9a9", "gainsboro": "dcdcdc",
}

// readColor reads a value that is one color.
func readColor(value []cssToken) cssColor {
	if len(value) == 1 {
		switch value[0].kind {
		case cssIdent:
			return hexColor(cssColors[value[0].name])
		case cssHash:
			return hexColor(value[0].name)
		default:
			return cssColor{}
		}
	}
	if list, ok := calls(value); ok && len(list) == 1 {
		return colorCall(list[0])
	}
	return cssColor{}
}

// colorIn reads the color of a background, of which no other part is a picture.
func colorIn(value []cssToken) (color cssColor) {
	if color = readColor(value); color.known {
		return color
	}
	for _, t := range value {
		if t.kind == cssFunction || t.kind == cssOther {
			return cssColor{}
		}
		color = readColor([]cssToken{t}).or(color)
	}
	return color
}

// hexColor reads three, four, six or eight hexadecimal digits.
func hexColor(digits string) cssColor {
	width := 1
	if len(digits) >= 6 {
		width = 2
	}
	if len(digits) != 3*width && len(digits) != 4*width {
		return cssColor{}
	}
	part := [4]float64{3: 255}
	for i := 0; i*width < len(digits); i++ {
		n, err := strconv.ParseUint(digits[i*width:(i+1)*width], 16, 8)
		if err != nil {
			return cssColor{}
		}
		if width == 1 {
			n *= 17
		}
		part[i] = float64(n)
	}
	return cssColor{known: true, red: part[0], green: part[1], blue: part[2], alpha: part[3] / 255}
}

// colorCall reads rgb() and rgba(), and of the other functions that take three
// numbers and an alpha whether they are transparent: they are like no color.
func colorCall(call cssCall) cssColor {
	color := cssColor{alpha: 1}
	if len(call.args) < 3 || len(call.args) > 4 {
		return color
	}
	if len(call.args) == 4 {
		alpha, ok := shareOf(call.args[3])
		if !ok {
			return color
		}
		color.alpha = alpha
	}
	switch call.name {
	case "rgb", "rgba":
		for i, part := range []*float64{&color.red, &color.green, &color.blue} {
			t := call.args[i]
			if t.kind != cssNumber || t.unit != "" && t.unit != "%" {
				return cssColor{}
			}
			if *part = t.number; t.unit == "%" {
				*part *= 2.55
			}
		}
		color.known = true
	case "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch":
		color.known, color.red = true, math.NaN()
	}
	return color
}
