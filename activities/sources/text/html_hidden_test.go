package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// styled is a page of one line with a text that has the style, and one that has
// not.
func styled(style string) string {
	return `<p>seen</p><p style="` + strings.ReplaceAll(style, `"`, "&quot;") + `">` + injected + `</p>`
}

// Inline styles that leave nothing of an element, each as it may be written.
func TestC073_InlineStylesThatHide(t *testing.T) {
	for _, style := range []string{
		// display and visibility
		"display:none", "DISPLAY : NONE", "display:none!important", "display:none ! important; display:block", "display:/**/none", "/* x; */display:none",
		"disp\\6c ay:none", "d\\69splay:n\\6fne", "display:\\00006eone", "display:n\\o\\ne", "color:red;display:none", "x;display:none", ";;display:none;;",
		"background:url(a;b);display:none", "content:'a;b\\'';display:none", "x:{;};display:none", "display:none;display:bogus", "display:none;display:",
		"display:none;display:block none", "@x y;display:none", "display\n:\tnone", "display:none/*", "--a:b;display:none", "display:block;display:none",
		"visibility:hidden", "visibility:collapse", "visibility:visible;visibility:hidden", "content-visibility:hidden",
		// opacity and filters
		"opacity:0", "opacity:0.001", "opacity:.05", "opacity:0%", "opacity:5%", "opacity:-1", "opacity:+0", "opacity:0e3", "opacity:1e-9", "filter:opacity(0)",
		"filter:blur(1px) opacity(1%)", "-webkit-filter:opacity(0)", "opacity:0;opacity:bogus",
		// size of the text
		"font-size:0", "FONT-SIZE:0px", "font-size:1px", "font-size:0.01px", "font-size:1.9px", "font-size:1pt", "font-size:0.1em", "font-size:10%", "font-size:.1rem",
		"font-size:0.1vw", "font-size:.5mm", "font:0/0 a", "font:bold 1px/1 serif", "font:italic 400 0px Arial", "font:0 a",
		// size of the box
		"width:0;height:0;overflow:hidden", "height:0;overflow:hidden", "max-height:0;overflow:hidden", "max-width:0px;overflow:clip", "width:1px;overflow-x:hidden",
		"height:0;overflow:auto", "overflow:visible hidden;height:0", "zoom:0", "zoom:1%", "scale:0", "scale:1 0", "transform:scale(0)", "transform:scale(1,0)",
		"transform:scaleX(0)", "transform:rotate(3deg) scaleY(0.0)", "transform:scale3d(0,1,1)", "transform:matrix(0,0,0,0,0,0)", "transform:matrix(1,1,1,1,0,0)",
		"-webkit-transform:scale(0)", "transform:scale(0",
		// what is cut away
		"position:absolute;clip:rect(0,0,0,0)", "position:absolute;clip:rect(1px 1px 1px 1px)", "position:fixed;clip:rect(0px, 9px, 0px, 0px)",
		"clip-path:inset(100%)", "clip-path:inset(50%)", "clip-path:inset(0 50%)", "clip-path:inset(60% 0 40%)", "clip-path:inset(100% round 1px)",
		"clip-path:circle(0)", "clip-path:circle(0px at 50% 50%)", "clip-path:ellipse(0 50%)", "clip-path:polygon(0 0,0 0,0 0)", "clip-path:polygon(evenodd,0 0,9px 0,4px 0)",
		// what is beside the page
		"position:absolute;left:-9999px", "position:fixed;top:-5000px", "position:absolute;right:-200em", "text-indent:-9999px", "margin-left:-1000px",
		// color
		"color:transparent", "color:rgba(0,0,0,0)", "color:rgb(1 2 3 / 0)", "color:#0000", "color:#12345600", "color:hsla(1,2%,3%,0)", "-webkit-text-fill-color:transparent",
		"color:white;background:white", "color:#fff;background-color:#ffffff", "color:#fefefe;background:white no-repeat", "color:rgb(255,255,255);background:#FFF",
		"background:whitesmoke;color:rgb(96% 96% 96%)", "color:red;color:white;background:white",
	} {
		d := read(t, "text/html", styled(style))
		require.Equal(t, "seen", strings.TrimSpace(d.Text), style)
		require.Equal(t, 1, d.Hidden, style)
	}
}

// Inline styles of text that is seen.
func TestHTML_InlineStylesThatHideNothing(t *testing.T) {
	for _, style := range []string{
		"", "color:red", "display:block", "display:none;display:block", "display:none;display:block!important", "x:display:none", "/*display:none*/", "/*display:none",
		"'display:none'", "content:'display:none'", "content:';display:none", "background:url(display:none)", "x:(;display:none)", "x:{display:none}", "--display:none",
		"display none", "displaynone", "foo(;display:none)", "visibility:hidden;visibility:visible", "opacity:0.5", "opacity:.9", "opacity:100%", "opacity:0;opacity:1", "opacity:01",
		"fill-opacity:0", "font-size:0.9em", "font-size:12px", "font-size:small", "font-size:80%", "font-size:x", "font-size:-1px", "font:12px a", "font:bold 100%/0 a", "font:900 1em/1 a",
		"font:100 14px a", "font:menu", "line-height:0", "width:0", "height:0;overflow:visible", "width:100%;overflow:hidden", "height:auto;overflow:hidden", "max-width:600px;overflow:auto",
		"zoom:1", "zoom:50%", "scale:1", "transform:scale(.5)", "transform:scale(-1,1)", "transform:translate(0)", "transform:rotate(0)", "transform:matrix(1,0,0,1,0,0)", "transform:none",
		"filter:opacity(1)", "filter:blur(0)", "clip:rect(0,0,0,0)", "position:absolute;clip:auto", "position:absolute;clip:rect(0,90px,20px,0)", "clip-path:inset(0)", "clip-path:inset(10%)",
		"clip-path:circle(50%)", "clip-path:circle(50% at 0 0)", "clip-path:polygon(0 0,9px 0,9px 9px)", "clip-path:none", "left:-9999px", "position:absolute;left:-10px", "text-indent:2em",
		"text-indent:-20px", "margin-left:-15px", "color:white", "color:white;background:black", "color:black;background:white url(a.png)", "background:white", "color:rgba(0,0,0,.8)",
		"color:white;background:linear-gradient(white,white)", "color:#abcdefg", "color:transparent;color:blue", "border:0", "margin:0;padding:0", "opacity:0;opacity:1;", "display:\\6eone\\",
	} {
		d := read(t, "text/html", `<p style="`+style+`">seen</p>`)
		require.Equal(t, "seen", d.Text, style)
		require.Zero(t, d.Hidden, style)
	}
}

// What elements and attributes hide, and what is in them that says otherwise.
func TestC073_ElementsThatAreNotSeen(t *testing.T) {
	const hid = injected
	for name, c := range map[string]struct {
		page, want string
		hidden     int
	}{
		"hidden":                     {`<p>seen<div HIDDEN="">` + hid + `</div>`, "seen", 1},
		"until found":                {`<p>seen<div hidden=until-found style="display:block">` + hid + `</div>`, "seen", 1},
		"shown all the same":         {`<p hidden style="display:block">seen`, "seen", 0},
		"closed dialog":              {`<p>seen</p><dialog>` + hid + `</dialog>`, "seen", 1},
		"open dialog":                {`<dialog open>seen</dialog>`, "seen", 0},
		"popover":                    {`<p>seen</p><div popover=auto>` + hid + `</div>`, "seen", 1},
		"sound and moving pictures":  {`<p>seen</p><audio>` + hid + `</audio><video>` + hid + `</video>`, "seen", 2},
		"canvas":                     {`<p>seen</p><canvas><p>` + hid + `</canvas>`, "seen", 1},
		"gauges":                     {`<p>seen <meter>` + hid + `</meter><progress>` + hid + `</progress>`, "seen", 2},
		"object":                     {`<p>seen</p><object><param>` + hid + `</object>`, "seen", 1},
		"ruby":                       {`<ruby>周报<rp>(</rp><rt>zhōu bào</rt><rp>` + hid + `</rp></ruby>`, "周报zhōu bào", 2},
		"scripts are no text":        {`<script>` + hid + `</script><style>` + hid + `</style><template>` + hid + `</template>seen`, "seen", 0},
		"a comment, of each kind":    {`<p>seen<!-- ` + hid + ` --><!` + hid + `><?` + hid + `></ ` + hid + `><!---->`, "seen", 4},
		"a comment that ends early":  {`<!--> seen <!-- -->`, "seen", 0},
		"the first style counts":     {`<p style="color:red" style="display:none">seen</p>`, "seen", 0},
		"an entity in a style":       {`<p>seen</p><p style="display&#58;none">` + hid, "seen", 1},
		"an unquoted style":          {`<p>seen</p><p style=display:none>` + hid, "seen", 1},
		"all of the body":            {`<p>` + hid + `</p><body style="display:none">`, "", 1},
		"inside of what is hidden":   {`<p>seen</p><div hidden><p>` + hid + `<p style="display:block">` + hid + `</div>`, "seen", 1},
		"the next paragraph":         {`<p hidden>` + hid + `<p>seen`, "seen", 1},
		"visible in what is not":     {`<div style="visibility:hidden">` + hid + `<b style="visibility:visible">seen</b>` + hid + `</div>`, "seen", 1},
		"large in what is small":     {`<ul style="font-size:0"><li style="font-size:14px">seen</li> ` + hid + `</ul>`, "- seen", 1},
		"small in what is small":     {`<p>seen</p><div style="font-size:.3em"><div style="font-size:.3em">` + hid, "seen", 1},
		"no multiple of nothing":     {`<p>seen</p><div style="font-size:0"><b style="font-size:3em">` + hid, "seen", 1},
		"black in what has no color": {`<div style="color:transparent">` + hid + `<b style="color:#000">seen</b></div>`, "seen", 1},
		"a hidden item in a list":    {`<ul><li>seen</li><li style="visibility:hidden"><input type=checkbox>` + hid + `</li></ul>`, "- seen", 1},
		"a hidden cell":              {`<table><tr><td>seen<td style="opacity:0">` + hid + `<td>too</table>`, "| seen |  | too |", 1},
		"letters of a plane beyond":  {"<p>seen \U00010000\U00020BB7</p>", "seen \U00010000\U00020BB7", 0},
		"raw text":                   {"<xmp>a&amp;<b></xmp><textarea>c&amp;d</textarea>", "a&amp;<b>\u2028c&d", 0},
	} {
		d := read(t, "text/html", c.page)
		require.Equal(t, c.want, d.Text, name)
		require.Equal(t, c.hidden, d.Hidden, name)
	}
}
