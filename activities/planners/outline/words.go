package outline

import "fmt"

// words are the planner's own words on a page, in one language.
type words struct {
	kinds     map[kind]string
	colon     string
	cutQuote  string // with the number of characters left out
	cutPage   string // with the numbers of lines shown and in all
	cutList   string // with the number of headings left out
	weekly    string // with the week
	summary   string // with the days and the numbers of entries and topics
	topic     string
	index     string
	weeks     string
	allWeeks  string
	week      string
	entries   string
	byWeek    string
	topics    string
	latest    string // with a number of entries and a date
	noEntries string
	contents  string
	fields    string
	rows      string // with the number of rows
	dated     string
	sources   string
	howLinks  string
}

var english = words{
	kinds:     map[kind]string{done: "Done", decided: "Decided", planned: "Planned", blocked: "Blocked or at risk", noted: "Noted"},
	colon:     ": ",
	cutQuote:  " … (cut, characters left out: %d)",
	cutPage:   "Cut here: %d of %d lines fit on this page.",
	cutList:   "… left out: %d",
	weekly:    "Weekly report %s",
	summary:   "%s. Entries: %d. Topics: %d.",
	topic:     "Topic",
	index:     "Knowledge base",
	weeks:     "Weekly reports",
	allWeeks:  "all weekly reports",
	week:      "Week",
	entries:   "Entries",
	byWeek:    "Entries by week",
	topics:    "Topics",
	latest:    "dated entries: %d, latest: %s",
	noEntries: "no dated entries",
	contents:  "Contents",
	fields:    "Fields",
	rows:      "Rows: %d",
	dated:     "Dated entries, newest first",
	sources:   "Sources",
	howLinks: "A link source:ROOT/PATH#L12 leads to line 12 of the file PATH in the folder " +
		"that the worker's configuration calls ROOT, as it was when it had this digest.",
}

var chinese = words{
	kinds:     map[kind]string{done: "完成", decided: "决定", planned: "计划", blocked: "阻塞与风险", noted: "记录"},
	colon:     "：",
	cutQuote:  "……（截断，省略 %d 个字）",
	cutPage:   "页面到此截断：共 %[2]d 行，显示 %[1]d 行。",
	cutList:   "……另有 %d 项",
	weekly:    "周报 %s",
	summary:   "%s，共 %d 条，%d 个主题。",
	topic:     "主题",
	index:     "知识库",
	weeks:     "周报",
	allWeeks:  "全部周报",
	week:      "周",
	entries:   "条目",
	byWeek:    "各周条目",
	topics:    "主题",
	latest:    "带日期的记录 %d 条，最近 %s",
	noEntries: "没有带日期的记录",
	contents:  "目录",
	fields:    "字段",
	rows:      "行数 %d",
	dated:     "按日期的记录（最新在前）",
	sources:   "来源",
	howLinks:  "链接 source:ROOT/PATH#L12 指向工作进程配置中名为 ROOT 的文件夹里 PATH 文件的第 12 行，以下方摘要所对应的内容为准。",
}

func wordsFor(isChinese bool) words {
	if isChinese {
		return chinese
	}
	return english
}

var chineseWeekdays = [...]string{"周日", "周一", "周二", "周三", "周四", "周五", "周六"}

func (w words) isChinese() bool { return w.colon == chinese.colon }

// shortDay names a day within a page that says which year it is.
func (w words) shortDay(t when) string {
	switch {
	case t.day.isZero():
		return t.week.String()
	case w.isChinese():
		return fmt.Sprintf("%s %d月%d日", chineseWeekdays[t.day.t.Weekday()], t.day.t.Month(), t.day.t.Day())
	default:
		return t.day.t.Format("Mon 2 Jan")
	}
}

// longDay names a day anywhere.
func (w words) longDay(t when) string {
	switch {
	case t.day.isZero():
		return t.week.String()
	case w.isChinese():
		return t.day.String() + " " + chineseWeekdays[t.day.t.Weekday()]
	default:
		return t.day.String() + t.day.t.Format(" Mon")
	}
}

// span names the days of a week.
func (w words) span(v week) string {
	from, to := v.monday().t, v.sunday().t
	if w.isChinese() {
		year := ""
		if from.Year() != to.Year() {
			year = fmt.Sprintf("%d年", to.Year())
		}
		return fmt.Sprintf("%d年%d月%d日至%s%d月%d日", from.Year(), from.Month(), from.Day(), year, to.Month(), to.Day())
	}
	layout := "2 January 2006"
	switch {
	case from.Year() != to.Year():
	case from.Month() != to.Month():
		return from.Format("2 January") + " to " + to.Format(layout)
	default:
		return from.Format("2") + " to " + to.Format(layout)
	}
	return from.Format(layout) + " to " + to.Format(layout)
}
