package outline

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/corpora"
)

func TestEveryLinkLeadsToWhatIsQuoted(t *testing.T) {
	t.Run("example", func(t *testing.T) {
		documents := example(t)
		checked := checkLinks(t, documents, pages(t, request(documents)))
		require.Greater(t, checked, 2*60, "the report's entries and the topics'")
	})
	for _, name := range corpora.Names() {
		t.Run(name, func(t *testing.T) {
			documents, _ := corpus(t, name)
			require.Greater(t, checkLinks(t, documents, pages(t, request(documents))), len(documents))
		})
	}
}

// A check that passes for any text would prove nothing.
func TestTheLinkCheckItself(t *testing.T) {
	doc := markdown("a.md", "# A\n\n- one | two three\n- four")
	for line, holds := range map[string]bool{
		"- **Done**: two three [a.md:3](source:notes/a.md#L3)":       true,
		"- **Done**: three two [a.md:3](source:notes/a.md#L3)":       false,
		"- **Done**: two three [a.md:4](source:notes/a.md#L4)":       false,
		"- **Done**: three four [a.md:3-4](source:notes/a.md#L3-L4)": true,
		"- **Done**: four [a.md:5](source:notes/a.md#L5)":            false,
		"- **Done**: four [a.md:3](source:notes/b.md#L3)":            false,
		"- **Done**: fourteen [a.md:4](source:notes/a.md#L4)":        false,
	} {
		_, err := checkLine(map[string]planners.Document{"notes/a.md": doc}, line)
		require.Equal(t, holds, err == nil, line)
	}
}

// checkLinks checks every link into a document, and every link between pages.
func checkLinks(t *testing.T, documents []planners.Document, written map[string]pageOf) int {
	t.Helper()
	byName := map[string]planners.Document{}
	for _, d := range documents {
		byName[d.Source+"/"+d.Path] = d
	}
	checked := 0
	for name, p := range written {
		checkPageLinks(t, written, p)
		for i, line := range strings.Split(p.Content, "\n") {
			quoted, err := checkLine(byName, line)
			require.NoError(t, err, "%s:%d: %s", name, i+1, line)
			if quoted {
				checked++
			}
			said := strings.TrimLeft(line, " ")
			if strings.HasPrefix(said, "- ") && !strings.Contains(said, "left out") && !strings.HasPrefix(name, "index") {
				require.Contains(t, line, "](source:", "%s:%d states something and links nothing", name, i+1)
			}
		}
	}
	return checked
}

var (
	sourceLink = regexp.MustCompile(`^(.*) \[([^\]]*)\]\(source:([^)#]*)#L(\d+)(?:-L(\d+))?\)$`)
	pageLink   = regexp.MustCompile(`\]\(([^):]+\.md)\)`)
	bullets    = regexp.MustCompile(`^\s*- `)
	firstBold  = regexp.MustCompile(`^\*\*(.*?[^\\])\*\*(?:: |：|$)`)
	topicTitle = regexp.MustCompile(`^\[(.*)\]\(topics/[^)]*\).*$`)
	cutNotice  = regexp.MustCompile(`( … \(cut, characters left out: \d+\)|……（截断，省略 \d+ 个字）)`)
)

// checkLine checks that a line's link leads to lines of a document that hold
// the words before the link, in their order.
func checkLine(documents map[string]planners.Document, line string) (quoted bool, err error) {
	m := sourceLink.FindStringSubmatch(line)
	if m == nil {
		return false, nil
	}
	name, err := url.PathUnescape(m[3])
	if err != nil {
		return false, err
	}
	doc, ok := documents[name]
	if !ok {
		return false, fmt.Errorf("no document %q", name)
	}
	lines := strings.Split(doc.Text, "\n")
	first, _ := strconv.Atoi(m[4])
	last := first
	if m[5] != "" {
		last, _ = strconv.Atoi(m[5])
	}
	if first < 1 || last < first || last > len(lines) {
		return false, fmt.Errorf("lines %d to %d of %d", first, last, len(lines))
	}
	if label := fmt.Sprint(first); !strings.HasSuffix(m[2], ":"+label) && !strings.HasSuffix(m[2], fmt.Sprintf(":%d-%d", first, last)) {
		return false, fmt.Errorf("the label says other lines")
	}
	if doc.MediaType == "application/json" || doc.MediaType == "application/yaml" {
		for i, line := range lines {
			lines[i] = readEscapes(line)
		}
	}
	if doc.MediaType == "text/markdown" {
		for i, line := range lines {
			lines[i] = html.UnescapeString(line)
		}
	}
	source := sourceWords(strings.Join(lines[first-1:last], "\n"))
	for _, quote := range quotes(m[1]) {
		for piece := range strings.SplitSeq(quote, pieceBreak) {
			if !holds(source, lines, piece) {
				return false, fmt.Errorf("%q is not in lines %d to %d", piece, first, last)
			}
		}
	}
	return true, nil
}

// quotes returns the parts of a line that are a document's words.
func quotes(line string) []string {
	line = bullets.ReplaceAllString(cutNotice.ReplaceAllString(line, ""), "")
	if m := topicTitle.FindStringSubmatch(line); m != nil {
		return []string{unescape(m[1])}
	}
	m := firstBold.FindStringSubmatch(line)
	if m == nil {
		return []string{unescape(line)}
	}
	rest := unescape(line[len(m[0]):])
	if ownWords(m[1]) {
		return []string{rest}
	}
	return []string{unescape(m[1]), rest}
}

var dayName = regexp.MustCompile(`^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d+ \w+$|^周. \d+月\d+日$|^\d{4}-W\d\d$|^Rows: \d+$|^行数 \d+$`)

// ownWords reports whether a line's label is the planner's: a kind, a day, or
// a number of rows.
func ownWords(label string) bool {
	for _, k := range kinds() {
		if label == english.kinds[k] || label == chinese.kinds[k] {
			return true
		}
	}
	return dayName.MatchString(label)
}

// holds reports whether the source has the piece's words in their order; or, of
// a number with the name of its column, the number, and some line the name.
func holds(source, lines []string, piece string) bool {
	if inOrder(wordsIn(piece), source) {
		return true
	}
	at := strings.LastIndex(piece, " ")
	if at < 0 || hasLetter(piece[at:]) || !inOrder(wordsIn(piece[at:]), source) {
		return false
	}
	for _, line := range lines {
		if inOrder(wordsIn(piece[:at]), sourceWords(line)) {
			return true
		}
	}
	return false
}

func inOrder(words, source []string) bool {
	for _, w := range source {
		if len(words) > 0 && words[0] == w {
			words = words[1:]
		}
	}
	return len(words) == 0
}

var jsonEscape = regexp.MustCompile(`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)`)

var yamlEscape = regexp.MustCompile(`\\x([0-9A-F]{2})`)

// readEscapes reads the escapes of JSON and YAML in a line.
func readEscapes(line string) string {
	line = yamlEscape.ReplaceAllString(line, `\u00$1`)
	return jsonEscape.ReplaceAllStringFunc(line, func(s string) string {
		var read string
		if json.Unmarshal([]byte(`"`+s+`"`), &read) != nil {
			return s
		}
		return read
	})
}

// sourceWords returns the words of a document's text as pages show them, with
// invisible characters as escapes.
func sourceWords(text string) []string {
	return wordsIn(plan.Escape(emojiForms.Replace(text)))
}

// markup may stand in the middle of a word.
var markup = strings.NewReplacer("`", "", "*", "", "_", "", "~", "")

// wordsIn returns the words of a text, each Chinese character one.
func wordsIn(text string) []string {
	var found []string
	word := ""
	for _, r := range markup.Replace(text) + " " {
		han := unicode.Is(unicode.Han, r)
		if !han && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			word += string(r)
			continue
		}
		if word != "" {
			found, word = append(found, word), ""
		}
		if han {
			found = append(found, string(r))
		}
	}
	return found
}

// checkPageLinks checks that a page links pages of the same plan.
func checkPageLinks(t *testing.T, written map[string]pageOf, p pageOf) {
	t.Helper()
	for _, m := range pageLink.FindAllStringSubmatch(p.Content, -1) {
		to, err := url.Parse("/" + p.Page)
		require.NoError(t, err)
		target, err := to.Parse(m[1])
		require.NoError(t, err)
		require.Contains(t, written, strings.TrimPrefix(target.Path, "/"), p.Page)
	}
}
