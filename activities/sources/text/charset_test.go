package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACharsetThatWasTold(t *testing.T) {
	for name, c := range map[string]struct {
		charset, in string
		want        Decoded
	}{
		"Shift JIS":                   {"Shift_JIS", "\x93\xfa\x96\x7b\x8c\xea", Decoded{Text: "日本語", Encoding: "shift_jis"}},
		"windows-1252":                {"windows-1252", "d\xe9j\xe0 vu \x80 5\r\n", Decoded{Text: "déjà vu € 5\n", Encoding: "windows-1252"}},
		"Latin 1, by the standard":    {"ISO-8859-1", "\x93x\x94", Decoded{Text: "“x”", Encoding: "windows-1252"}},
		"a few letters of GBK":        {"gbk", "\xc4\xe3\xba\xc3", Decoded{Text: "你好", Encoding: "gb18030"}},
		"GB 2312":                     {"GB2312", "\xc4\xe3\xba\xc3\xff", Decoded{Text: "你好\uFFFD", Encoding: "gb18030", Replaced: 1}},
		"Korean":                      {"euc-kr", "\xbe\xc8\xb3\xe7", Decoded{Text: "안녕", Encoding: "euc-kr"}},
		"UTF-8 that is none":          {"utf-8", "d\xe9j\xe0", Decoded{Text: "d\uFFFDj\uFFFD", Encoding: "utf-8", Replaced: 2}},
		"UTF-16":                      {" UTF-16 ", "a\x00\x60\x4f", Decoded{Text: "a你", Encoding: "utf-16le"}},
		"a mark goes before it":       {"shift_jis", "\xef\xbb\xbf你", Decoded{Text: "你", Encoding: "utf-8-bom"}},
		"nobody told":                 {"", "你", Decoded{Text: "你", Encoding: "utf-8"}},
		"a byte that is none in it":   {"shift_jis", "\x93\xfa\xff", Decoded{Text: "日\uFFFD", Encoding: "shift_jis", Replaced: 1}},
		"unknown":                     {"x-\x1b[2J", "abc", Decoded{Problem: `the charset x-\u{001B}[2J is not read`}},
		"one that hides what it says": {"iso-2022-kr", "abc", Decoded{Problem: "the charset iso-2022-kr is not read"}},
		"UTF-7":                       {"utf-7", "abc", Decoded{Problem: "the charset utf-7 is not read"}},
		"no text in it": {"utf-8", "\x93\xfa\x96\xff\x8c\xea\x93\xfa\x96\xff\x8c", Decoded{
			Problem: "no text in utf-8, as which it was sent: mostly control characters or bytes that do not decode",
		}},
	} {
		got, err := DecodeAs(t.Context(), "text/plain", c.charset, []byte(c.in))
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	page, err := DecodeAs(t.Context(), "text/html", "shift_jis", []byte("<p>\x93\xfa\x96\x7b\x8c\xea</p>"))
	require.NoError(t, err)
	require.Equal(t, Decoded{Text: "日本語", Encoding: "shift_jis"}, page)
}
