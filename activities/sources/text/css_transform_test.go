package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Inline styles that hide as others do, by other names: shorthands, the directions
// of the text, turns.
func TestC073_InlineStylesThatHideByOtherNames(t *testing.T) {
	for _, style := range []string{
		"margin:0 0 0 -9999px", "margin:-9999px", "margin:-9999px 0 0", "margin:0 -9999px", "margin:0 auto 0 -9999px", "margin-inline:-9999px 0", "margin-block:-9999px",
		"margin-inline-start:-9999px", "margin-block-start:-9999px", "margin-left:-9999px;margin:0 0 0 bogus", "margin-left:-9999px;margin:0 0 0 0 0", "margin-left:-9999px;margin-left:bogus",
		"position:absolute;inset:0 auto 0 -9999px", "position:fixed;inset:-9999px auto 0", "position:absolute;inset-inline:-9999px auto", "position:absolute;inset-block-start:-9999px",
		"position:absolute;inset-inline-end:-9999px", "position:absolute;inset-block:auto -9999px",
		"block-size:0;overflow:hidden", "inline-size:0;overflow:hidden", "max-block-size:1px;overflow:clip", "max-inline-size:0;overflow-inline:hidden", "height:0;overflow-block:hidden",
		"text-indent:-9999px each-line", "text-indent:hanging -9999px",
		"transform:rotateY(90deg)", "transform:rotateX(-90deg)", "transform:rotateY(.25turn)", "transform:rotateX(100grad)", "transform:rotateY(1.5708rad)", "transform:rotateX(270deg)",
		"transform:rotate3d(1,1,0,90deg)", "transform:rotate3d(0,2,0,89deg)", "transform:skewX(90deg)", "transform:skew(0deg,90deg)", "transform:scale(2) rotateY(90deg)",
		"transform:matrix3d(0,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1)", "rotate:y 90deg", "rotate:90deg x", "rotate:1 0 0 .25turn", "rotate:y 90deg;rotate:bogus", "translate:-9999px", "translate:0 -200em",
		"display:none;display:bogus", "visibility:hidden;visibility:bogus",
	} {
		d := read(t, "text/html", styled(style))
		require.Equal(t, "seen", strings.TrimSpace(d.Text), style)
		require.Equal(t, 1, d.Hidden, style)
	}
	for _, style := range []string{
		"margin:0 auto", "margin:-10px", "margin:0 -9999px 0 0", "margin:-9999px;margin:0", "margin-left:-9999px;margin:0 0 0 auto", "margin:-9999px;margin-left:0;margin-top:0",
		"margin:0 0 -9999px", "margin:-9999px bogus", "inset:-9999px", "position:absolute;inset:0", "position:absolute;inset:-9999px;inset:auto", "block-size:0", "inline-size:0;overflow:visible",
		"block-size:0;height:auto;overflow:hidden", "text-indent:2em hanging", "text-indent:-9999px bogus", "transform:rotateY(0deg)", "transform:rotateY(180deg)", "transform:rotateY(45deg)",
		"transform:rotateZ(90deg)", "transform:rotate(90deg)", "transform:rotate3d(0,0,1,90deg)", "transform:rotate3d(1,1,1,90deg)", "transform:rotate3d(0,0,0,90deg)", "transform:rotateY(90px)",
		"transform:skewX(20deg)", "transform:matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1)", "rotate:90deg", "rotate:z 90deg", "rotate:y 10deg", "rotate:none", "rotate:y 90deg;rotate:none", "translate:10px",
		"translate:-9999px;translate:none", "font-size:0;font:inherit", "font-size:0;font-size:unset", "visibility:hidden;visibility:inherit", "display:none;display:revert", "display:none;display:inherit",
	} {
		d := read(t, "text/html", `<p style="`+style+`">seen</p>`)
		require.Equal(t, "seen", d.Text, style)
		require.Zero(t, d.Hidden, style)
	}
}

// A style that says how an element is displayed is stronger than its attributes;
// one that goes back to what they say is not.
func TestC073_HiddenElementsThatAStyleShows(t *testing.T) {
	const inherits = `<p hidden style="display:inherit">seen`
	require.Equal(t, "seen", read(t, "text/html", inherits).Text)
	for _, page := range []string{
		`<p>seen</p><div style="display:none">` + strings.ReplaceAll(inherits, "seen", injected),
		`<p>seen</p><p hidden style="display:revert">` + injected,
		`<p>seen</p><p hidden style="display:block;display:revert-layer">` + injected,
	} {
		d := read(t, "text/html", page)
		require.Equal(t, "seen", d.Text, page)
		require.Equal(t, 1, d.Hidden, page)
	}
}

// What a page shows in a picture, a formula or a list to choose from is left out,
// and counted, so that nobody takes the text for all of it.
func TestHTML_CountsWhatItCannotRead(t *testing.T) {
	for name, page := range map[string]string{
		"a picture":     `<p>seen</p><svg><g><text>also<tspan>seen</tspan></text></g></svg>`,
		"in a picture":  `<p>seen</p><svg><foreignObject><p>also seen</p></foreignObject></svg>`,
		"a formula":     `<p>seen</p><math><mi>x</mi><mo>=</mo><mn>1</mn></math>`,
		"a choice":      `<p>seen <select><optgroup label=a><option>also<option selected>seen</select></p>`,
		"a choice, cut": `<p>seen</p><select><option>also seen`,
	} {
		d := read(t, "text/html", page)
		require.Equal(t, "seen", d.Text, name)
		require.Equal(t, 1, d.Hidden, name)
	}
	nothing := read(t, "text/html", `<p>seen</p><svg><path d="M0 0"/></svg><select></select><math> </math>`)
	require.Zero(t, nothing.Hidden)
}
