package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/simplifiedchinese"
)

// gbText is what came of reading bytes as GB18030.
type gbText struct {
	text     string
	replaced int

	letters  int // of two or four bytes
	gb2312   int // of them in GB 2312's own rows, where nearly all of modern Chinese is, or of four bytes
	adjacent int // of them right after another one
	strange  int // private use or unassigned
	writing  writing
}

// readGB18030 decodes GB 18030-2022. It never fails; what does not decode is
// replaced, and counted.
func readGB18030(data []byte) gbText {
	var t gbText
	out, err := simplifiedchinese.GB18030.NewDecoder().Bytes(data)
	if err != nil {
		return gbText{replaced: len(data)}
	}
	t.text = string(out)
	for _, r := range t.text {
		switch {
		case r == unicode.ReplacementChar:
			t.replaced++
		case r >= utf8.RuneSelf && isStrange(r):
			t.strange++
		}
		t.writing.add(r)
	}
	t.countLetters(data)
	return t
}

func (t *gbText) countLetters(data []byte) {
	after := false
	for i := 0; i < len(data); {
		lead, size := data[i], 1
		if lead >= 0x81 && i+1 < len(data) {
			trail := data[i+1]
			size = 2
			t.letters++
			switch {
			case '0' <= trail && trail <= '9':
				size = 4
				t.gb2312++
			case lead >= 0xa1 && lead <= 0xf7 && trail >= 0xa1:
				t.gb2312++
			}
			if after {
				t.adjacent++
			}
		}
		after = size > 1
		i += size
	}
}

func (t gbText) decoded(guessed bool) Decoded {
	return Decoded{Text: t.text, Encoding: "gb18030", Replaced: t.replaced, Guessed: guessed}
}

// plausible reports whether the bytes may be Chinese. Western text in an 8-bit
// encoding decodes too, now and then, to single rare Han characters from the
// rows that GBK added, because an accented letter takes the next ASCII letter
// as its second byte; and Cyrillic decodes to Han that nobody writes.
func (t gbText) plausible() bool {
	chinese := t.gb2312*10 >= t.letters*6 || t.adjacent*2 >= t.letters
	return t.replaced == 0 && t.letters > 0 && t.strange*50 <= t.letters && chinese && t.writing.mayBeChinese()
}

// proven reports whether the letters are too many and too common to be
// anything but Chinese.
func (t gbText) proven() bool { return t.writing.isChinese() }
