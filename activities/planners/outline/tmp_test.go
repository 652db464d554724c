package outline
import ("testing";"strings";"time";"fmt"
"github.com/yuin/goldmark/parser";"github.com/yuin/goldmark/util";"github.com/yuin/goldmark/text";"github.com/yuin/goldmark/extension")
func TestTmp(t *testing.T) {
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(extension.NewTableParagraphTransformer(), 200))...))
	rep := func(s string) string { return strings.Repeat(s, 200_000/len(s)) }
	for i, s := range []string{ rep("a\n"), rep("[a]: b\n"), rep("[a]: b 'c\n"), rep("[a\n"), rep("|a\n"), rep("|a|\n|-|\n"), rep("- a\n"), rep("- a\n\n"), rep("1. "), rep("+ "), rep("* - "), rep("```\n"), rep("<div>\n"), rep("<!--\n"), rep("<a b='\n"), rep("#\n"), rep("a\n=\n"), rep("|"), rep("\t"), rep("    a\n"), rep("> a\n"), rep(">\n\n"), rep("- > "), rep("~~~ a\n\n"), rep("[a]:\n"), rep("<?\n"), "|a|b|\n|-|-|\n"+rep("|a|b|\n"), rep("[a]: <b\n"), "- a\n"+rep("\n"), rep("[[["), rep("\\"), rep("-"), rep("=") } {
		st := time.Now()
		p.Parse(text.NewReader([]byte(s)))
		if d := time.Since(st); d > 300*time.Millisecond { fmt.Println(i, fmt.Sprintf("%.20q", s), d) }
	}
}
