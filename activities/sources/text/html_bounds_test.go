package text

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Small pages that a parser makes large, or reads for days.
func TestHTML_Bounds(t *testing.T) {
	numbered := func(n int, s string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(s, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
	for name, c := range map[string]struct{ page, says string }{
		"formatting never closed":      {numbered(400, "<b x=#>") + strings.Repeat("<p>x", 100_000), "never closed"},
		"closed where it does nothing": {numbered(400, "<b x=#><select></b></select>") + strings.Repeat("<p>x", 100_000), "never closed"},
		"closed in another cell":       {numbered(400, "<i x=#>") + "<table><td>" + strings.Repeat("</i>", 400) + "</table>" + strings.Repeat("<p>x", 100_000), "never closed"},
		"attributes":                   {"<p " + numbered(100_000, "a#=1 ") + ">", "500 attributes"},
		"bodies":                       {numbered(20_000, "<body a#=1>"), "tags html and body"},
		"elements":                     {strings.Repeat("<p>x", 600_000), "too many elements"},
		"deep":                         {strings.Repeat("<div>", 600) + "x", "deeper than 512"},
		"lists in lists":               {strings.Repeat("<ul>", 250) + strings.Repeat("<li>x", 200_000), "64 MiB of text"},
	} {
		d := Decode(t.Context(), "text/html", []byte(c.page))
		require.Contains(t, d.Problem, c.says, name)
		require.Empty(t, d.Text, name)
	}
}

// Pages as people write them, the careless too, are far from the bounds.
func TestHTML_RealPagesPass(t *testing.T) {
	for name, page := range map[string]string{
		"cards in links":      strings.Repeat(`<a href="/x"><div><p>card</p></div></a>`, 20_000),
		"links":               strings.Repeat(`<li><a href="/x">x</a> <b class=y>y</b>`, 50_000),
		"old font tags":       strings.Repeat(`<font face=Arial><p>x</p></font>`, 20_000),
		"never closed, alike": strings.Repeat(`<b><p>x`, 20_000),
	} {
		require.NotEmpty(t, read(t, "text/html", page).Text, name)
	}
}
