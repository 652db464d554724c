package text

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Small pages that a parser makes large, or reads for days.
func TestHTML_Bounds(t *testing.T) {
	for name, c := range map[string]struct{ page, says string }{
		"formatting never closed":      {numbered(400, "<b style=font-size:#px>") + strings.Repeat("<p>x", 100_000), "never closed"},
		"closed where it does nothing": {numbered(400, "<b style=font-size:#px><select></b></select>") + strings.Repeat("<p>x", 100_000), "never closed"},
		"closed in another cell":       {numbered(400, "<i style=font-size:#px>") + "<table><td>" + strings.Repeat("</i>", 400) + "</table>" + strings.Repeat("<p>x", 100_000), "never closed"},
		"attributes":                   {"<p " + numbered(100_000, "a#=1 ") + ">", "500 attributes"},
		"bodies":                       {numbered(20_000, "<body a#=1>"), "tags html and body"},
		"elements":                     {strings.Repeat("<p>x", 600_000), "too many elements"},
		"deep":                         {strings.Repeat("<div>", 1_000_000) + "x", "deeper than 512"},
		"one tag":                      {"<p title='" + strings.Repeat("x", maxHTMLPiece) + "'>x", "more than 8 MiB"},
		"one comment":                  {strings.Repeat("<!-- ", maxHTMLPiece/5+1), "more than 8 MiB"},
	} {
		d := decode(t, "text/html", c.page)
		require.Contains(t, d.Problem, c.says, name)
		require.Empty(t, d.Text, name)
	}
}

// Pages as people write them, the careless too, are far from the bounds.
func TestHTML_RealPagesPass(t *testing.T) {
	for name, page := range map[string]string{
		"cards in links":      strings.Repeat(`<a href="/x"><div><p>card</p></div></a>`, 8_000),
		"links":               strings.Repeat(`<li><a href="/x">x</a> <b class=y>y</b>`, 20_000),
		"old font tags":       strings.Repeat(`<font face=Arial><p>x</p></font>`, 10_000),
		"never closed, alike": strings.Repeat(`<b><p>x`, 10_000),
	} {
		require.NotEmpty(t, read(t, "text/html", page).Text, name)
	}
}

// Small pages that make a careless reader slow, or fill its stack. Each is read,
// or refused, in seconds.
func TestHTML_HostilePages(t *testing.T) {
	for name, c := range map[string]struct{ page, contains string }{
		"texts that the parser joins":    {strings.Repeat("a</x>", maxNodes/2-10), strings.Repeat("a", maxNodes/2-10)},
		"texts moved before a table":     {"<table>" + strings.Repeat("a<tr>", maxNodes/2-10), strings.Repeat("a", maxNodes/2-10)},
		"declarations":                   {"<p style='" + strings.Repeat("a:1;", maxHTMLPiece/5) + "'>x", "x"},
		"brackets in a style":            {"<p style='" + strings.Repeat("a:b(;", maxHTMLPiece/6) + "'>x", "x"},
		"comments in a style":            {"<p style='" + strings.Repeat("/*", maxHTMLPiece/3) + "'>x", "x"},
		"references without an end":      {"<p>" + strings.Repeat("&", maxHTMLPiece/2), "&&"},
		"lists in lists, indented a bit": {strings.Repeat("<ul>", 250) + strings.Repeat("<li>x\n", 1000), strings.Repeat("  ", maxIndent) + "- x\n"},
	} {
		require.Contains(t, read(t, "text/html", c.page).Text, c.contains, name)
	}
}

func TestHTML_StopsInTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Decode(ctx, typeHTML, []byte("<p>x"))
	require.ErrorIs(t, err, context.Canceled)

	d, err := withinTime(t.Context(), 0, func(ctx context.Context) (Decoded, error) { return readHTML(ctx, Decoded{Text: "<p>x"}), nil })
	require.NoError(t, err)
	require.Equal(t, "it takes too long to read: the limit is 0s", d.Problem)
}
