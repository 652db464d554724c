package text

import (
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestC058_ChineseEncodings(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want Decoded
	}{
		"GBK":                     {minutesGBK, Decoded{Text: minutes, Encoding: "gb18030"}},
		"four bytes":              {rareGB18030 + minutesGBK, Decoded{Text: "姓名：𠮷田（U+20BB7），镇名：䶮㙍\n" + minutes, Encoding: "gb18030"}},
		"GB18030 with its mark":   {"\x84\x31\x95\x33" + minutesGBK, Decoded{Text: minutes, Encoding: "gb18030"}},
		"two letters":             {"\xc4\xe3\xba\xc3", Decoded{Text: "你好", Encoding: "gb18030", Guessed: true}},
		"late":                    {strings.Repeat("plain ascii line for padding\n", 400) + "\xbd\xe1\xc2\xdb\xa3\xba\xcd\xac\xd2\xe2\xc9\xcf\xcf\xdf\n", Decoded{Text: strings.Repeat("plain ascii line for padding\n", 400) + "结论：同意上线\n", Encoding: "gb18030", Guessed: true}},
		"GBK's traditional rows":  {"\xb7\xb1\xf3w\xd6\xd0\xce\xc4\xb5\xc4\x95\xfe\xd7h\xbco\xd2\xaa\xa3\xba\xcd\xac\xd2\xe2\xec\xb6\xdfL\xce\xe5\xc7\xb0\xc9\xcf\xbe\x80\xa1\xa3", Decoded{Text: "繁體中文的會議紀要：同意於週五前上線。", Encoding: "gb18030"}},
		"with CRLF and a NUL":     {"\xc4\xe3\xba\xc3\r\n\x00ok\r\n", Decoded{Text: "你好\nok\n", Encoding: "gb18030", Guessed: true, NULs: 1}},
		"a mark, then a bad byte": {"\x84\x31\x95\x33\xc4\xe3\xff!", Decoded{Text: "你\uFFFD!", Encoding: "gb18030", Replaced: 1}},
	} {
		require.Equal(t, c.want, decode(t, "text/markdown", c.in), name)
	}
}

// What is neither UTF-8 nor Chinese is not made into Chinese.
func TestDecode_OtherEncodingsAreNotGuessedToBeChinese(t *testing.T) {
	western := decode(t, "text/plain", "M\xfcller und S\xf6hne gr\xf6\xdfer na\xefve d\xe9j\xe0 vu, \xe9t\xe9 o\xf9 fa\xe7ade\n")
	require.Equal(t, Decoded{
		Text:     "M\uFFFDller und S\uFFFDhne gr\uFFFD\uFFFDer na\uFFFDve d\uFFFDj\uFFFD vu, \uFFFDt\uFFFD o\uFFFD fa\uFFFDade\n",
		Encoding: "utf-8", Guessed: true, Replaced: 11,
	}, western)

	russian := "\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0. \xdd\xf2\xee \xe4\xeb\xe8\xed\xed\xfb\xe9 \xf2\xe5\xea\xf1\xf2 \xed\xe0 \xf0\xf3\xf1\xf1\xea\xee\xec \xff\xe7\xfb\xea\xe5, \xe7\xe0\xef\xe8\xf1\xe0\xed\xed\xfb\xe9 \xe2 \xf1\xf2\xe0\xf0\xee\xe9 \xea\xee\xe4\xe8\xf0\xee\xe2\xea\xe5.\n"
	for name, in := range map[string]string{
		"Russian": russian,
		"Russian without the byte that GBK lacks": strings.ReplaceAll(russian, "\xff", "\xfe"),
	} {
		d := decode(t, "text/plain", in)
		require.Equal(t, "no text in UTF-8, UTF-16 or GB18030: mostly control characters or bytes that do not decode", d.Problem, name)
		require.Empty(t, d.Text, name)
	}

	korean := decode(t, "text/plain", "\xbe\xc8\xb3\xe7\xc7\xcf\xbc\xbc\xbf\xe4. \xc0\xcc\xb0\xcd\xc0\xba \xc7\xd1\xb1\xb9\xbe\xee \xb9\xae\xc0\xe5\xc0\xd4\xb4\xcf\xb4\xd9. \xc8\xb8\xc0\xc7\xb7\xcf\xc0\xbb \xc0\xdb\xbc\xba\xc7\xdf\xbd\xc0\xb4\xcf\xb4\xd9.\n")
	require.True(t, korean.Problem != "" || korean.Guessed, "it cannot be told from rare Chinese, but never is taken for proven")
}

func TestC059_MarksAndLineEnds(t *testing.T) {
	t.Run("UTF-16 of Excel", func(t *testing.T) {
		d := read(t, "text/csv", "\xff\xfe\x16\x7f\xf7S,\x00\x07h\x98\x98\x0d\x00\n\x001\x00,\x00hT\xa5b\x0d\x00\n\x00")
		require.Equal(t, Decoded{Text: "编号,标题\n1,周报\n", Encoding: "utf-16le"}, d)
		rows, err := csv.NewReader(strings.NewReader(d.Text)).ReadAll()
		require.NoError(t, err)
		require.Equal(t, [][]string{{"编号", "标题"}, {"1", "周报"}}, rows)
	})
	t.Run("JSON", func(t *testing.T) {
		d := read(t, "application/json", "\xef\xbb\xbf{\"title\":\"\xe5\x91\xa8\xe6\x8a\xa5\"}")
		require.Equal(t, "utf-8-bom", d.Encoding)
		var title struct{ Title string }
		require.NoError(t, json.Unmarshal([]byte(d.Text), &title))
		require.Equal(t, "周报", title.Title)
	})
	for name, c := range map[string]struct {
		in   string
		want Decoded
	}{
		"UTF-16 without a mark": {inUTF16("Meeting notes: approve nothing\n", binary.BigEndian), Decoded{Text: "Meeting notes: approve nothing\n", Encoding: "utf-16be"}},
		"bad bytes":             {"# ok\n\xff\xfe\x80 broken \xe5\x91 tail\n", Decoded{Text: "# ok\n\uFFFD\uFFFD\uFFFD broken \uFFFD\uFFFD tail\n", Encoding: "utf-8", Guessed: true, Replaced: 5}},
		"CR only":               {"line one\rline two\rline three\r", Decoded{Text: "line one\nline two\nline three\n", Encoding: "utf-8"}},
		"CRLF":                  {strings.ReplaceAll(minutes, "\n", "\r\n"), Decoded{Text: minutes, Encoding: "utf-8"}},
	} {
		require.Equal(t, c.want, decode(t, "text/markdown", c.in), name)
	}
}

func TestDecode_UTF16(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want Decoded
	}{
		"LE without a mark":       {inUTF16("no mark\r\nhere", binary.LittleEndian), Decoded{Text: "no mark\nhere", Encoding: "utf-16le"}},
		"BE with one":             {"\xfe\xff" + inUTF16("周报 𠮷", binary.BigEndian), Decoded{Text: "周报 𠮷", Encoding: "utf-16be"}},
		"Chinese without a mark":  {inUTF16("会议纪要：周五上线\n编号 1 一\n", binary.BigEndian), Decoded{Text: "会议纪要：周五上线\n编号 1 一\n", Encoding: "utf-16be", Guessed: true}},
		"more Chinese":            {inUTF16(minutes, binary.LittleEndian), Decoded{Text: minutes, Encoding: "utf-16le"}},
		"half a pair":             {"\xff\xfe\x3d\xd8a\x00\x00\xdcb\x00", Decoded{Text: "\uFFFDa\uFFFDb", Encoding: "utf-16le", Replaced: 4}},
		"an odd byte":             {"\xff\xfea\x00b", Decoded{Text: "a\uFFFD", Encoding: "utf-16le", Replaced: 1}},
		"an odd byte, no mark":    {inUTF16("some text that was cut", binary.LittleEndian) + "x", Decoded{Text: "some text that was cut\uFFFD", Encoding: "utf-16le", Replaced: 1}},
		"UTF-8 in short":          {"ab\x00\n", Decoded{Text: "ab\n", Encoding: "utf-8", NULs: 1}},
		"UTF-8 with a NUL":        {"befor\x00after\n", Decoded{Text: "beforafter\n", Encoding: "utf-8", NULs: 1}},
		"NUL letters after a BOM": {"\xff\xfea\x00\x00\x00b\x00", Decoded{Text: "ab", Encoding: "utf-16le", NULs: 1}},
	} {
		require.Equal(t, c.want, decode(t, "text/plain", c.in), name)
	}
	for _, in := range []string{"\xff\xfe\x00\x00a\x00\x00\x00", "\x00\x00\xfe\xff\x00\x00\x00a"} {
		require.Equal(t, Decoded{Problem: "the encoding UTF-32 is not read"}, decode(t, "text/plain", in))
	}
}

func TestDecode_LineEnds(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\r\nb\n\rc":        "a\n\nb\n\nc",
		"a\u0085b":             "a\nb",
		"a\r\x00\nb":           "a\n\nb",
		"a\vb\fc":              "a b c",
		"a\u2028b\u2029c":      "a\u2028b\u2029c",
		"\r":                   "\n",
		"":                     "",
		"a\uFFFDb":             "a\uFFFDb",
		"---\ntitle: x\n---\n": "---\ntitle: x\n---\n",
	} {
		require.Equal(t, want, read(t, "text/markdown", in).Text, "%q", in)
	}
}

func TestC060_NULs(t *testing.T) {
	require.Equal(t, Decoded{Text: "beforeafter\n", Encoding: "utf-8", NULs: 1}, read(t, "text/plain", "before\x00after\n"))
	escaped := `{"s":"before\u0000after"}`
	require.Equal(t, Decoded{Text: escaped, Encoding: "utf-8"}, read(t, "application/json", escaped), "an escape is text")
}

func TestC061_LongLinesStayWhole(t *testing.T) {
	long := "# head\n" + strings.Repeat("y", 70_000) + "\n## TAIL SECTION AFTER THE LONG LINE\n"
	require.Equal(t, long, read(t, "text/markdown", long).Text)
	oneLine := `{"rows": [` + strings.Repeat(`"`+strings.Repeat("x", 63)+`", `, 45_000) + `""]}`
	require.Equal(t, oneLine, read(t, "application/json", oneLine).Text)
	for pad := 65_533; pad <= 65_537; pad++ {
		border := strings.Repeat("a", pad) + strings.Repeat("周报", 10)
		require.Equal(t, Decoded{Text: border, Encoding: "utf-8"}, read(t, "text/plain", border))
		inGBK := strings.Repeat("a", pad) + strings.Repeat("\xd6\xdc\xb1\xa8", 10)
		require.Equal(t, border, read(t, "text/plain", inGBK).Text)
	}
}

func TestDecode_BinaryWithTheNameOfAText(t *testing.T) {
	png := "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01\x00\x08\x06\x00\x00\x00\x5c\x72\xa8\x66\x00\x00\x00\x01sRGB\x00\xae\xce\x1c\xe9"
	elf := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x03\x00\x3e\x00\x01\x00\x00\x00\x40\x10" + strings.Repeat("\x00", 40)
	for name, in := range map[string]string{"PNG": png, "ELF": elf, "controls": strings.Repeat("\x01\x02ab", 20), "zeros": strings.Repeat("\x00", 4096)} {
		d := decode(t, "text/plain", in)
		require.NotEmpty(t, d.Problem, name)
		require.Empty(t, d.Text, name)
	}
	colored := strings.Repeat("\x1b[31mred\x1b[0m ", 20)
	require.Equal(t, strings.Repeat("[31mred[0m ", 20), read(t, "text/plain", colored).Text, "a log in colors is text")
}

func TestDecode_TooLarge(t *testing.T) {
	require.Equal(t, Decoded{Problem: "more than 64 MiB"}, decode(t, "text/plain", strings.Repeat("x", MaxBytes+1)))
}
