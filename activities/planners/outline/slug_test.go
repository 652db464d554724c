package outline

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/planners"
)

func TestSlugOf(t *testing.T) {
	for path, want := range map[string]string{
		"billing.md":              "billing",
		"ops/incidents.csv":       "ops-incidents",
		"支付网关.md":                 "支付网关",
		"运维/值班 记录.md":             "运维-值班-记录",
		"README.md":               "readme",
		"a/b/README.md":           "a-b",
		"Caf\u0065\u0301.md":      "caf\u00e9",
		"-rf.md":                  "rf",
		"...md":                   "topic",
		"!!!.md":                  "topic",
		"with space & amp;.md":    "with-space-amp",
		"line\nbreak.md":          "line-break",
		`caf\xe9.md`:              "caf-xe9",
		"a\u202Egpj.md":           "a-gpj",
		"\u0301x.md":              "x",
		"con.md":                  "con-page",
		"NOTICE":                  "notice",
		strings.Repeat("x", 200):  strings.Repeat("x", 80),
		strings.Repeat("文", 80):   strings.Repeat("文", 26), // 78 bytes; one more would be 81
		strings.Repeat("ab-", 40): strings.TrimSuffix(strings.Repeat("ab-", 27)[:80], "-"),
	} {
		require.Equal(t, want, slugOf(path), "%q", path)
	}
}

func TestGiveSlugs_NoPageDependsOnAnother(t *testing.T) {
	paths := []string{"a/b.md", "a-b.md", "README.md", "readme.md", "x.md", "x.txt", "y.md", strings.Repeat("文", 60) + "1.md", strings.Repeat("文", 60) + "2.md"}
	slugs := func(paths []string) map[string]string {
		var topics []topic
		for _, p := range paths {
			topics = append(topics, topic{doc: planners.Document{Source: "notes", Path: p}})
		}
		giveSlugs(topics)
		got := map[string]string{}
		for _, tp := range topics {
			got[tp.doc.Path] = tp.slug
		}
		return got
	}
	got := slugs(paths)
	seen := map[string]bool{}
	for path, slug := range got {
		require.False(t, seen[strings.ToLower(slug)], slug)
		seen[strings.ToLower(slug)] = true
		require.LessOrEqual(t, len(slug), 80)
		require.True(t, utf8.ValidString(slug))
		require.NotContains(t, "-.", slug[:1], path)
	}
	require.Equal(t, "y", got["y.md"])
	require.Regexp(t, `^a-b-[0-9a-f]{8}$`, got["a/b.md"])
	require.Regexp(t, `^x-[0-9a-f]{8}$`, got["x.txt"])

	other := slugs([]string{"readme.md", "a-b.md", "README.md", "a/b.md"})
	for path, slug := range other {
		require.Equal(t, got[path], slug, "the order of documents changes no page's name")
	}
}

func TestActionID(t *testing.T) {
	require.Equal(t, "topic-ops-incidents", actionID("topic-", "ops-incidents"))
	allowed := regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)
	for _, slug := range []string{"支付网关", strings.Repeat("x", 80), "caf\u00e9", strings.Repeat("y", 58)} {
		require.Regexp(t, allowed, actionID("topic-", slug))
	}
	require.NotEqual(t, actionID("topic-", "支付网关"), actionID("topic-", "数据平台"))
}
