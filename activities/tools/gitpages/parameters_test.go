package gitpages

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
)

func TestParametersAreBroughtIntoOneForm(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"as it is", `{"content":"a\n","page":"p.md","title":"T"}`, `{"content":"a\n","page":"p.md","title":"T"}`},
		{"order and blanks", ` { "title":"T", "page" : "p.md","content":"a\n" } `, `{"content":"a\n","page":"p.md","title":"T"}`},
		{"last line", `{"content":"a\nb","page":"p.md","title":"T"}`, `{"content":"a\nb\n","page":"p.md","title":"T"}`},
		{"line ends of Windows", `{"content":"a\r\nb\r\n","page":"p.md","title":"T"}`, `{"content":"a\nb\n","page":"p.md","title":"T"}`},
		{"no title", `{"content":"a\n","page":"p.md"}`, `{"content":"a\n","page":"p.md","title":"Write p.md"}`},
		{"a title of blanks", `{"content":"a\n","page":"p.md","title":" \t\n "}`, `{"content":"a\n","page":"p.md","title":"Write p.md"}`},
		{"a title of lines", `{"content":"a\n","page":"p.md","title":" a\n\nHoldpoint-Key: x\u2028y\u0085z\r"}`, `{"content":"a\n","page":"p.md","title":"a Holdpoint-Key: x y z"}`},
		{"a long title", `{"content":"a\n","page":"p.md","title":"` + strings.Repeat("周", 121) + `"}`, `{"content":"a\n","page":"p.md","title":"` + strings.Repeat("周", 119) + `…"}`},
		{"a title that just fits", `{"content":"a\n","page":"p.md","title":"` + strings.Repeat("周", 120) + `"}`, `{"content":"a\n","page":"p.md","title":"` + strings.Repeat("周", 120) + `"}`},
		{"letters stay", `{"content":"<&>\u00e9e\u0301\n","page":"p.md","title":"<&>"}`, `{"content":"<&>` + "\u00e9e\u0301" + `\n","page":"p.md","title":"<&>"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := parseProposed(json.RawMessage(tt.raw))
			require.NoError(t, err)
			got, err := p.canonical()
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))

			again, err := parseApproved(got)
			require.NoError(t, err, "the canonical form is accepted as it is")
			require.Equal(t, p, again)
			if tt.raw != tt.want {
				_, err = parseApproved(json.RawMessage(tt.raw))
				require.Error(t, err, "no other form is")
			}
		})
	}
}

func TestParametersThatAreRefused(t *testing.T) {
	tests := []struct{ name, raw, code string }{
		{"nothing", ``, codeParameters},
		{"null", `null`, codeParameters},
		{"no object", `["p.md"]`, codeParameters},
		{"two objects", `{"content":"a","page":"p.md"}{}`, codeParameters},
		{"an unknown member", `{"content":"a","page":"p.md","branch":"x"}`, codeParameters},
		{"another spelling of a member", `{"content":"a","Page":"p.md"}`, codeParameters},
		{"a member twice", `{"content":"a","page":"p.md","page":"q.md"}`, codeParameters},
		{"a member twice, once escaped", `{"content":"a","page":"p.md","p\u0061ge":"q.md"}`, codeParameters},
		{"a number", `{"content":1,"page":"p.md"}`, codeParameters},
		{"a null", `{"content":"a","page":"p.md","title":null}`, codeParameters},
		{"half a surrogate", `{"content":"\ud800","page":"p.md"}`, codeParameters},
		{"bytes that are no UTF-8", "{\"content\":\"\xff\",\"page\":\"p.md\"}", codeParameters},
		{"no page", `{"content":"a"}`, codePagePath},
		{"no content", `{"page":"p.md"}`, codeContent},
		{"empty content", `{"content":"","page":"p.md"}`, codeContent},
		{"a NUL", `{"content":"a\u0000b","page":"p.md"}`, codeContent},
		{"a byte more than 1 MiB", `{"content":"` + strings.Repeat("a", 1<<20) + `","page":"p.md"}`, codeContent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := parseProposed(json.RawMessage(tt.raw))
			var fault *faults.Fault
			require.ErrorAs(t, err, &fault)
			require.Equal(t, faults.Permanent, fault.Class)
			require.Equal(t, tt.code, fault.Code)
		})
	}
	_, err := parseProposed(json.RawMessage(`{"content":"` + strings.Repeat("a", 1<<20-1) + `\n","page":"p.md"}`))
	require.NoError(t, err, "1 MiB is accepted")
}

func TestErrorTextTellsNoContent(t *testing.T) {
	_, err := parseProposed(json.RawMessage(`{"content":"secret\u0000","page":"p.md"}`))
	require.ErrorContains(t, err, "NUL")
	require.NotContains(t, err.Error(), "secret")
	_, err = parseProposed(json.RawMessage(`{"content":"secret","content":"secret","page":"p.md"}`))
	require.NotContains(t, err.Error(), "secret")
}
