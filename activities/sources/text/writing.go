package text

import "unicode"

// writing counts what tells Chinese from bytes that happen to decode to Han.
type writing struct{ han, common int }

func (w *writing) add(r rune) {
	if r < 0x2e80 || !unicode.Is(unicode.Han, r) {
		return
	}
	w.han++
	if commonHan[r] {
		w.common++
	}
}

// enough is how many Han characters a judgment needs.
const enough = 16

// mayBeChinese is false when there are enough characters to see that it is not.
// In running text about two of three characters are common ones; in a list of
// names at least one of five; by chance about one of twenty.
func (w writing) mayBeChinese() bool { return w.han < enough || w.common*12 >= w.han }

// isChinese is true when there are enough characters to see that it is.
func (w writing) isChinese() bool { return w.han >= enough && w.common*4 >= w.han }

// commonHan holds characters that are among the most frequent of modern
// Chinese, simplified and, where they differ, traditional.
var commonHan = runeSet(
	"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心" +
		"本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度" +
		"门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展" +
		"马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运周议值班负责库项目录线版更改组配置测试" +
		"這個們來國說時會對於過發後裡種經學現當沒動還進樣開從無與長機業將兩間問戰應頭體見產話給東聲員論處義幾條氣題爾變總電數報結務場計資許統區隊書則聽卻達難權設記類據")

func runeSet(s string) map[rune]bool {
	set := map[rune]bool{}
	for _, r := range s {
		set[r] = true
	}
	return set
}
