package outline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKindOf(t *testing.T) {
	for text, want := range map[string]kind{
		"Fixed the crash on long queries":         done,
		"the crash was FIXED today":               done,
		"Priya shipped the rota":                  done,
		"完成灰度发布":                                  done,
		"支付网关已上线":                                 done,
		"We agreed to wait":                       decided,
		"会议决定下周上线":                                decided,
		"will be fixed in the next release":       planned,
		"not done, sorry":                         planned,
		"证书更换未完成":                                 planned,
		"待上线":                                     planned,
		"上线计划":                                    planned,
		"下周上线":                                    planned,
		"Waiting for the licence check":           blocked,
		"risk: one person knows the bank files":   blocked,
		"等待评审":                                    blocked,
		"渠道证书有风险":                                 blocked,
		"上线前检查清单":                                 noKind,
		"没有风险":                                    noKind,
		"等待超时的阈值":                                 noKind,
		"p95 fell by 60 ms":                       noKind,
		"prefixed, unmerged, goodwill, planetary": noKind,
		"": noKind,
	} {
		got, _ := kindOf(text)
		require.Equal(t, want, got, "%q", text)
	}
}

func TestMarkersFitTheWindowInWhichTheyAreSought(t *testing.T) {
	for marker := range markers {
		require.LessOrEqual(t, len(marker), longestMarker, marker)
	}
}

func TestKindOfHeading(t *testing.T) {
	for text, want := range map[string]kind{
		"Done":                  done,
		"What we shipped":       done,
		"已完成":                   done,
		"本周完成":                  done,
		"Decisions":             decided,
		"Next week":             planned,
		"Next":                  planned,
		"Action items":          planned,
		"下周计划":                  planned,
		"Open risks":            blocked,
		"Test Plan":             noKind,
		"Dealing with blockers": noKind,
		"如何在多机房环境下完成主从切换的部署": noKind,
		"Background": noKind,
		"":           noKind,
	} {
		require.Equal(t, want, kindOfHeading(text), "%q", text)
	}
}

func TestCutLabel(t *testing.T) {
	for text, want := range map[string][2]string{
		"Done: x":                           {"Done", "x"},
		"决定：用新网关":                           {"决定", "用新网关"},
		"Fixed - the crash":                 {"Fixed", "the crash"},
		"Blockers:":                         {"Blockers", ""},
		"at 14:00 it stopped":               {"", "at 14:00 it stopped"},
		"https://example.com":               {"", "https://example.com"},
		"re-sent the mail":                  {"", "re-sent the mail"},
		"A long way to say: this":           {"A long way to say", "this"},
		"A very long way to say this: that": {"", "A very long way to say this: that"},
		": x":                               {"", ": x"},
	} {
		label, rest := cutLabel(text)
		require.Equal(t, want, [2]string{label, rest}, text)
	}
}

func TestIsChinese(t *testing.T) {
	require.True(t, isChinese("RocketMQ 的集群设计，是一个多集群、动态、零耦合的设计"))
	require.False(t, isChinese("The channel 支付网关 is the Chinese payment gateway, run from Hangzhou"))
	require.False(t, isChinese("2026 42 %"))
}
