package config_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/config"
)

func TestSourcesOfEveryKind(t *testing.T) {
	c, dir, err := load(t, `
sources:
  notes: notes
  more: {path: notes}
  handbook: {kind: git, url: "https://mei@git.example.com/handbook.git", ref: main, credential_helper: store, timeout: 2m}
  local: {kind: git, url: ../local.git}
  site:
    kind: http
    urls: ["https://docs.example.com/a?token=SECRET", {url: "https://docs.example.com/list?page=2", path: list-2.html}]
    allow: [docs.example.com]
data: state
`)
	require.NoError(t, err)
	require.NoError(t, c.Validate())
	cache := func(name string) string { return filepath.Join(dir, "state", "sources", name+".git") }
	require.Equal(t, map[string]config.Source{
		"notes": folder(filepath.Join(dir, "notes")),
		"more":  folder(filepath.Join(dir, "notes")),
		"handbook": {
			Kind: "git", URL: "https://mei@git.example.com/handbook.git", Ref: "main", CredentialHelper: "store",
			Cache: cache("handbook"), Timeout: 2 * time.Minute,
		},
		"local": {Kind: "git", URL: filepath.Join(filepath.Dir(dir), "local.git"), Cache: cache("local")},
		"site": {Kind: "http", Allow: []string{"docs.example.com"}, URLs: []config.Page{
			{URL: "https://docs.example.com/a?token=SECRET"}, {URL: "https://docs.example.com/list?page=2", Path: "list-2.html"},
		}},
	}, c.Sources)
	require.Equal(t, "git https://git.example.com/handbook.git main", c.Sources["handbook"].String())
	require.Equal(t, "http, 2 pages on docs.example.com", c.Sources["site"].String())
	require.Equal(t, filepath.Join(dir, "notes"), c.Sources["notes"].String())
}

func TestMistakesInSourcesNameFileAndLine(t *testing.T) {
	for name, tc := range map[string]struct{ text, says string }{
		"an unknown field":  {"sources:\n  a:\n    kind: git\n    uri: x\n", `holdpoint.yaml:4: unknown field "uri"; known are kind, path, url,`},
		"of a page":         {"sources:\n  a:\n    kind: http\n    urls:\n    - https://x.example\n    - {ulr: x}\n", `holdpoint.yaml:6: unknown field "ulr"; known are url, path`},
		"a list":            {"sources:\n  a: [notes]\n", "holdpoint.yaml:2: sources.a: fields are expected here, and not a list"},
		"an unknown kind":   {"sources:\n  a:\n    kind: ftp\n", `holdpoint.yaml:3: source a: kind "ftp": the known kinds are "dir", "git" and "http"`},
		"no url":            {"sources:\n  a: {kind: git}\n", "holdpoint.yaml:2: source a: url is missing"},
		"no urls":           {"sources:\n  a: {kind: http}\n", "holdpoint.yaml:2: source a: urls is missing"},
		"nothing":           {"sources:\n  a:\n", "holdpoint.yaml:2: source a: folder is missing"},
		"another kind's":    {"sources:\n  a:\n    path: .\n    ref: main\n", `holdpoint.yaml:4: source a: ref is for kind "git", and this one is of kind "dir"`},
		"a negative period": {"sources:\n  a:\n    path: .\n    timeout: -1s\n", "holdpoint.yaml:4: source a: timeout must be above 0"},
	} {
		t.Run(name, func(t *testing.T) {
			c, _, err := load(t, tc.text)
			if err == nil {
				err = c.Validate()
			}
			require.ErrorContains(t, err, tc.says)
		})
	}
}
