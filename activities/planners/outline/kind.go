package outline

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what an entry reports.
type kind int

// The kinds, in the order in which a report has them.
const (
	noKind kind = iota
	done
	decided
	planned
	blocked
	noted
)

// kinds lists them for reports.
func kinds() []kind { return []kind{done, decided, planned, blocked, noted} }

// markers tell an entry's kind. Where several begin at one place the longest
// counts, so that "not done" is not done. A marker of no kind keeps a shorter
// one from counting. English ones stand for whole words, in any case.
var markers = map[string]kind{
	"done": done, "shipped": done, "fixed": done, "merged": done, "released": done,
	"finished": done, "completed": done, "closed": done, "deployed": done, "resolved": done,
	"solved": done, "delivered": done, "launched": done, "rolled out": done, "went live": done,
	"完成": done, "已完成": done, "上线": done, "已上线": done, "修复": done, "已修复": done,
	"已发布": done, "已合并": done, "已部署": done, "已解决": done, "已交付": done, "解决了": done,

	"decided": decided, "decision": decided, "decisions": decided, "agreed": decided, "agreement": decided,
	"决定": decided, "决议": decided, "同意": decided, "达成一致": decided, "拍板": decided,

	"plan": planned, "plans": planned, "planned": planned, "planning": planned, "next week": planned,
	"next step": planned, "next steps": planned, "todo": planned, "todos": planned, "to do": planned,
	"to-do": planned, "will": planned, "scheduled": planned, "upcoming": planned, "going to": planned,
	"action item": planned, "action items": planned, "in progress": planned, "not yet": planned,
	"not done": planned, "not fixed": planned, "not merged": planned, "not released": planned,
	"not finished": planned, "not completed": planned, "not closed": planned, "not deployed": planned,
	"计划": planned, "下周": planned, "待办": planned, "下一步": planned, "预计": planned, "打算": planned,
	"准备": planned, "将于": planned, "将在": planned, "待上线": planned, "待修复": planned, "待完成": planned,
	"未完成": planned, "没有完成": planned, "尚未": planned, "未上线": planned, "未修复": planned, "进行中": planned,

	"wait for": blocked, "pending": blocked, "blocked": blocked, "blocker": blocked, "blockers": blocked, "waiting": blocked, "waits": blocked,
	"risk": blocked, "risks": blocked, "at risk": blocked, "stuck": blocked, "on hold": blocked,
	"postponed": blocked, "delayed": blocked, "rolled back": blocked, "decision needed": blocked,
	"阻塞": blocked, "等待": blocked, "风险": blocked, "卡住": blocked, "受阻": blocked, "延期": blocked,
	"推迟": blocked, "回滚": blocked, "待确认": blocked,

	"no risk": noKind, "without risk": noKind, "没有风险": noKind, "无风险": noKind,
	"上线前": noKind, "上线时间": noKind, "上线日期": noKind, "上线窗口": noKind, "上线清单": noKind,
	"上线计划": planned, "完成时间": noKind, "完成率": noKind, "完成度": noKind, "修复方案": noKind,
	"等待时间": noKind, "等待超时": noKind, "不同意": noKind,
}

// labels are markers only where they are a label or a state of their own.
var labels = map[string]kind{
	"next": planned, "backlog": planned, "open": blocked, "investigating": blocked, "failed": blocked,
	"wip": planned, "ok": done, "success": done, "noted": noted, "note": noted, "info": noted,
	"明天": planned, "未解决": blocked, "失败": blocked, "成功": done, "记录": noted, "备注": noted,
}

// plainLabels say no more than the section in which an entry will stand.
var plainLabels = map[string]bool{
	"done": true, "decided": true, "planned": true, "plan": true, "todo": true, "to do": true,
	"blocked": true, "noted": true, "note": true,
	"完成": true, "已完成": true, "决定": true, "计划": true, "待办": true, "阻塞": true, "记录": true,
}

const longestMarker = 16 // bytes

// kindOf returns the kind of the first marker in text, and where it begins.
func kindOf(text string) (kind, int) {
	text = strings.ToLower(cut(text, maxDated))
	for at := 0; at < len(text); {
		_, step := utf8.DecodeRuneInString(text[at:])
		if at > 0 && isASCIIWord(rune(text[at])) && isASCIIWord(rune(text[at-1])) {
			at++ // in the middle of a word
			continue
		}
		for end := min(at+longestMarker, len(text)); end > at; end-- {
			k, ok := markers[text[at:end]]
			if !ok || !wholeWord(text, at, end) {
				continue
			}
			if k != noKind {
				return k, at
			}
			step = end - at
			break
		}
		at += step
	}
	return noKind, len(text)
}

// kindOfLabel returns the kind of a short text that stands for a kind.
func kindOfLabel(text string) kind {
	text = strings.ToLower(strings.Trim(text, " *_.!。！"))
	if k, ok := labels[text]; ok {
		return k
	}
	k, _ := kindOf(text)
	return k
}

// leadIns are words that may stand before the marker of a heading.
var leadIns = regexp.MustCompile(`^(?:(?:what|we|we've|was|is|are|our|the|this|last|week|week's|today|today's|yesterday|open|known|key|main|have|has)\s+)*$`)

// kindOfHeading returns the kind that a heading gives to all below it. Its
// marker has to lead it, so that "Test plan" is not a plan; a Chinese one has
// to be short.
func kindOfHeading(text string) kind {
	text = strings.TrimSpace(strings.ToLower(text))
	if k, ok := labels[text]; ok {
		return k
	}
	k, at := kindOf(text)
	if k == noKind {
		return noKind
	}
	shortChinese := text[at] >= utf8.RuneSelf && utf8.RuneCountInString(text) <= 8
	if shortChinese || leadIns.MatchString(text[:at]) {
		return k
	}
	return noKind
}

// wholeWord reports whether no letter goes on beside an English marker.
func wholeWord(text string, start, end int) bool {
	if text[start] >= utf8.RuneSelf {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !goesOnWord(before) && !goesOnWord(after)
}

func goesOnWord(r rune) bool {
	return r != utf8.RuneError && r < 0x2E80 && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// maxLabel is how long a label may be, in characters.
const maxLabel = 20

// cutLabel cuts "Done: …", "决定：…" or "Fixed - …" into label and rest. The
// label is "" when there is none.
func cutLabel(text string) (label, rest string) {
	at, size := -1, 0
	for i, r := range text {
		if r == ':' || r == '：' {
			at, size = i, utf8.RuneLen(r)
			break
		}
		if (r == '-' || r == '–' || r == '—') && i > 0 && text[i-1] == ' ' {
			at, size = i, utf8.RuneLen(r)
			break
		}
	}
	if at <= 0 || utf8.RuneCountInString(text[:at]) > maxLabel {
		return "", text
	}
	after := text[at+size:]
	if text[at] == ':' && after != "" && after[0] != ' ' { // a time, a URL, a scope
		return "", text
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(after)
}
