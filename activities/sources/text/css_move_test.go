package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hidesAndShows reads a page of each style: those that hide leave the other line,
// and are counted; those that show leave all.
func hidesAndShows(t *testing.T, hides, shows []string) {
	t.Helper()
	for _, style := range hides {
		d := read(t, "text/html", styled(style))
		require.Equal(t, "seen", strings.TrimSpace(d.Text), style)
		require.Equal(t, 1, d.Hidden, style)
	}
	for _, style := range shows {
		d := read(t, "text/html", `<p style="`+style+`">seen</p>`)
		require.Equal(t, "seen", d.Text, style)
		require.Zero(t, d.Hidden, style)
	}
}

// What hides is what all functions and properties make together, not one of them.
func TestC073_TransformsAddUp(t *testing.T) {
	const far = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0," // of a matrix3d, all but how far away it is
	hidesAndShows(t, []string{
		"transform:matrix(0.02,0,0,0.02,0,0)", "transform:matrix(0.05,0,0,0.05,0,0)", "transform:matrix(.05,0,0,1,0,0)", "transform:matrix(0,.05,-.05,0,0,0)",
		"transform:matrix(1,1,1,1.01,0,0)", "transform:matrix(1,0,0,1,-1000,0)", "transform:matrix(1,0,0,1,0,-9999)",
		"transform:matrix3d(0.01,0,0,0,0,0.01,0,0,0,0,1,0,0,0,0,1)", "transform:matrix3d(1,0,0,0,0,.05,0,0,0,0,1,0,0,0,0,1)", "transform:matrix3d(" + far + "20)",
		"transform:matrix3d(" + far + "-1)", "transform:matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,-1000,0,0,1)",
		"transform:scale(.05)", "transform:scale(.2) scale(.2)", "transform:scale(.2)scale(.25)", "transform:scaleX(.2) scaleX(.2)", "transform:scale(1,.2) rotate(180deg) scaleY(20%)",
		"transform:scale(.5)scale(.5)scale(.5)scale(.5)scale(.5)", "transform:matrix(.2,0,0,.2,0,0) scale(.2)", "scale:.2;transform:scale(.2)", "scale:.2;zoom:20%", "zoom:.2;transform:scale(.2)",
		"transform:rotateX(60deg) rotateX(30deg)", "rotate:x 45deg;transform:rotateX(45deg)", "transform:rotateX(30deg) rotateY(0) rotateX(60deg)", "transform:skew(45deg,45deg)", "transform:skewX(89deg)",
		"transform:perspective(10px) translateZ(-1000px)", "transform:perspective(10px) translateZ(20px)", "transform:perspective(0) translateZ(-19px)",
		"transform:translate(-600px) translate(-600px)", "transform:scale(2) translateY(-500px)", "translate:-600px;transform:translateX(-400px)", "transform:rotate(180deg) translateX(1000px)",
		"transform:scale(1e400) scale(0)", "transform:scale(1e400)",
		// what is not valid takes nothing back
		"transform:scale(0);transform:rotateY(90px)", "transform:scale(0);transform:scale(1 1)", "transform:scale(0);transform:scale(1,1,1)", "transform:scale(0);transform:matrix(1,0,0,1)",
		"transform:scale(0);transform:scale()", "transform:scale(0);transform:scale(1px)", "transform:scale(0);transform:translate(1deg)", "transform:scale(0);transform:scale(1) bogus(1)",
		"scale:0;scale:1px", "scale:0;scale:1 1 1 1", "translate:-9999px;translate:1", "rotate:y 90deg;rotate:w 1deg", "zoom:0;zoom:-1", "zoom:0;zoom:none",
		"transform:scale(0);transform:perspective(-1px)", "transform:scale(0);transform:scale(calc(1))",
		// opacity adds up too
		"opacity:.2;filter:opacity(.2)", "filter:opacity(.2) opacity(20%)", "filter:opacity(0) drop-shadow(0 0 0 rgb(0,0,0))", "filter:url(#a) opacity(0)", "filter:opacity(0) url('#a')", "opacity:9;filter:opacity(.05)",
		"filter:opacity(0);filter:opacity(-1)", "filter:opacity(0);filter:bogus(1)", "filter:opacity(0);filter:opacity(1,1)",
	}, []string{
		"transform:scale(.2)", "transform:scale(.051)", "transform:scale(.05) scale(20)", "transform:scale(.2) scale(.3)", "transform:matrix(.06,0,0,.06,0,0)", "transform:matrix(0,1,-1,0,0,0)",
		"transform:matrix(1,1,1,2,0,0)", "transform:matrix(1,0,0,1,-999,0)", "transform:matrix3d(.1,0,0,0,0,.1,0,0,0,0,1,0,0,0,0,1)", "transform:matrix3d(" + far + "10)", "scale:.2", "scale:.2;transform:scale(2)",
		"scale:20;transform:scale(.05)", "zoom:50%;scale:.5", "scale:0;scale:none", "scale:1 1 0", "transform:scale3d(1,1,0)", "transform:scaleZ(0)", "zoom:0;zoom:normal", "zoom:0;zoom:initial",
		"transform:rotateX(90deg) rotateX(90deg)", "rotate:x 45deg;transform:rotateX(-45deg)", "transform:skew(20deg,20deg)", "transform:skewY(45deg)", "transform:rotateX(45deg) rotateX(30deg)",
		"transform:perspective(400px) rotateY(45deg)", "transform:perspective(none) translateZ(-9999px)", "transform:translateZ(-9999px)", "transform:translate3d(0,0,-9999px)", "transform:perspective(500px) translateZ(-500px)",
		"transform:translate(-600px) translate(600px)", "transform:translate(-50%,-50%)", "transform:translate(-600px,-600px)", "transform:scale(.5) translateX(-1500px)", "transform:rotate(180deg) translateX(-9999px)",
		"translate:-600px;transform:translateX(600px)", "transform:translateX(-9999px);transform:none", "transform:rotate(0) skew(0) rotate3d(0,0,1,0)", "rotate:1 1 1 10deg", "scale:1 2 3", "translate:1px 2% 3px",
		"opacity:.5;filter:opacity(.5)", "opacity:.2;opacity:1;filter:opacity(.2)", "filter:opacity(.3) opacity(.3)", "filter:opacity(0);filter:none", "filter:opacity()", "filter:blur(1px) drop-shadow(0 0 1px rgb(0 0 0))",
	})
}

// What is left between the edges of a shape, on a page of 1000 pixels.
func TestC073_ShapesThatLeaveNothing(t *testing.T) {
	hidesAndShows(t, []string{
		"position:absolute;clip:rect(auto,0,auto,0)", "position:absolute;clip:rect(auto,0,auto,auto)", "position:fixed;clip:rect(auto/**/auto 0 auto)", "position:absolute;clip:rect(0,auto,1px,auto)",
		"position:absolute;clip:rect(auto,auto,auto,9999px)", "position:absolute;clip:rect(0,-5px,20px,-100px)", "position:absolute;clip:rect(0,0,0,0);clip:rect(0,auto,bogus,auto)",
		"clip-path:inset(9999px)", "clip-path:inset(1000px 0 0)", "clip-path:inset(0 0 0 1000px)", "clip-path:inset(500px)", "clip-path:inset(50% 0 500px)", "clip-path:inset(99.95% 0 0)", "clip-path:inset(0 1000px round 3px / 4px)",
		"clip-path:inset(150% 0 -100%)", "clip-path:inset(100%) border-box", "clip-path:padding-box inset(50%)", "clip-path:rect(0 0 auto 0)", "clip-path:rect(100% auto/**/auto/**/auto)", "clip-path:xywh(0 0 0 100%)", "clip-path:xywh(0 100% 5px 5px round 1px)",
		"clip-path:circle(.5px)", "clip-path:circle(.1%)", "clip-path:circle(9px at -20px 0)", "clip-path:circle(9px at 0 200%)", "clip-path:ellipse(50% 0)", "clip-path:ellipse(closest-side 0)", "clip-path:ellipse(9px 50% at -9px 0)",
		"clip-path:polygon(0 0,50% 50%,100% 100%)", "clip-path:polygon(0 100%,30% 70%,100% 0)", "clip-path:polygon(0 0,100% 0,0 0,0 100%)", "clip-path:polygon(0 0,100% 100%,100% 100.1%)", "clip-path:polygon(0 0,1px 0,1px 1px,0 1px)",
		"clip-path:polygon(0 0)", "clip-path:polygon(-9px 0,-9px 100%,-1px 50%)", "clip-path:polygon(0 2000px,9px 2000px,0 3000px)", "clip-path:polygon(evenodd,0 0,9px 0,9px 9px,0 0,9px 0,9px 9px)",
		// what is not valid, or not read, takes nothing back
		"clip-path:inset(100%);clip-path:inset(bogus)", "clip-path:inset(100%);clip-path:inset()", "clip-path:inset(100%);clip-path:inset(1px 1px 1px 1px 1px)", "clip-path:inset(100%);clip-path:circle(-1px)",
		"clip-path:inset(100%);clip-path:polygon(0 0 9px 0 9px 9px)", "clip-path:inset(100%);clip-path:polygon(bogus,0 0,9px 0,9px 9px)", "clip-path:inset(100%);clip-path:path('M0 0')", "clip-path:inset(100%);clip-path:inset(calc(1px))",
		"clip-path:inset(100%);clip-path:xywh(0 0 9px)", "clip-path:inset(100%);clip-path:rect(0 0 0)",
	}, []string{
		"position:absolute;clip:rect(auto,auto,auto,auto)", "position:absolute;clip:rect(auto,90px,auto,0)", "position:absolute;clip:rect(0,auto,20px,auto)", "position:absolute;clip:rect(-9px,auto,auto,-9px)",
		"clip-path:inset(100px)", "clip-path:inset(499px)", "clip-path:inset(-9999px)", "clip-path:inset(0 0 99% 0)", "clip-path:inset(100%);clip-path:none", "clip-path:inset(100%);clip-path:inset(1px round 9px)", "clip-path:inset(10%) content-box",
		"clip-path:rect(auto/**/auto/**/auto/**/auto)", "clip-path:rect(0 50% 50px 0)", "clip-path:xywh(0 0 100% 100%)", "clip-path:xywh(10% 10% 9px 9px)",
		"clip-path:circle()", "clip-path:circle(closest-side at 0 0)", "clip-path:circle(9px at 0 0)", "clip-path:circle(9px at left top)", "clip-path:ellipse(9px 50% at 0 50%)", "clip-path:ellipse(50% 9px at -9px 0)",
		"clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%)", "clip-path:polygon(0 0,100% 100%,100% 0,0 100%)", "clip-path:polygon(evenodd,0 0,100% 100%,100% 0,0 100%)", "clip-path:polygon(0 0,100% 100%,100% 105%)", "clip-path:polygon(0 0,3px 0,3px 3px,0 3px)",
		"clip-path:polygon(nonzero,0 0,9px 0,9px 9px,0 0,9px 0,9px 9px)", "clip-path:polygon(-1e300px -1e300px,1e300px -1e300px,0 1e300px)", "clip-path:polygon(-100% 0,200% 0,200% 9px,-100% 9px)",
	})
}

// Areas that are worked out by hand.
func TestPolygonAreaIsWhatIsFilledOfThePage(t *testing.T) {
	square := []cssPoint{{10, 10}, {110, 10}, {110, 110}, {10, 110}}
	for name, c := range map[string]struct {
		polygon cssPolygon
		area    float64
	}{
		"a square":                   {cssPolygon{corners: square}, 10_000},
		"the other way around":       {cssPolygon{corners: []cssPoint{{10, 10}, {10, 110}, {110, 110}, {110, 10}}}, 10_000},
		"two triangles that cross":   {cssPolygon{corners: []cssPoint{{0, 0}, {100, 100}, {100, 0}, {0, 100}}}, 5_000},
		"what is beside is cut away": {cssPolygon{corners: []cssPoint{{-50, -50}, {50, -50}, {50, 50}, {-50, 50}}}, 2_500},
		"more than the page":         {cssPolygon{corners: []cssPoint{{-1000, -1000}, {3000, -1000}, {3000, 3000}, {-1000, 3000}}}, 1_000_000},
		"there and back":             {cssPolygon{corners: []cssPoint{{0, 0}, {100, 30}, {50, 15}}}, 0},
		"twice around":               {cssPolygon{corners: append(square, square...)}, 10_000},
		"twice around, by evenodd":   {cssPolygon{corners: append(square, square...), evenOdd: true}, 0},
	} {
		require.InDelta(t, c.area, c.polygon.area(), 1e-6, name)
	}
}
