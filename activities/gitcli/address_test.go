package gitcli

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddress(t *testing.T) {
	for text, want := range map[string]Address{
		"https://git.example.com/kb.git":           {Scheme: "https", Host: "git.example.com"},
		"https://mei@git.example.com:8443/team/kb": {Scheme: "https", Host: "git.example.com:8443"},
		"ssh://git@git.example.com:2222/kb.git":    {Scheme: "ssh", Host: "git.example.com:2222"},
		"git@git.example.com:team/kb.git":          {Scheme: "ssh", Host: "git.example.com"},
		"git.example.com:kb.git":                   {Scheme: "ssh", Host: "git.example.com"},
		"git@[2001:db8::1]:kb.git":                 {Scheme: "ssh", Host: "[2001:db8::1]"},
		"http://127.0.0.1:3000/kb.git":             {Scheme: "http", Host: "127.0.0.1:3000"},
		"http://[::1]:3000/kb.git":                 {Scheme: "http", Host: "[::1]:3000"},
		"git://localhost/kb.git":                   {Scheme: "git", Host: "localhost"},
		"file:///srv/kb.git":                       {Scheme: "file"},
		"/srv/kb.git":                              {Scheme: "file"},
		"/srv/a:b.git":                             {Scheme: "file"},
	} {
		got, wrong := ParseAddress(text)
		want.Text = text
		require.Empty(t, wrong, text)
		require.Equal(t, want, got)
	}
	for _, text := range []string{
		"ext::sh -c 'touch /tmp/x'", "fd::3", "::x", "-x", "--upload-pack=x", "-oProxyCommand=x:y",
		"https://u:p@example.com/kb", "https://:p@example.com/kb", "https://example.com/kb?x", "https://example.com/kb?", "https://example.com/kb#x",
		"https:///kb", "HTTPS://example.com/kb", "ftp://example.com/kb", "rsync://example.com/kb", "javascript://x", "git+ssh://example.com/kb",
		"http://example.com/kb", "http://127.0.0.1.example.com/kb", "git://example.com/kb", "git://10.0.0.1/kb",
		"ssh://-oProxyCommand=x/kb", "ssh:///kb", "file://host/kb", "https://exa mple.com/kb", "https://example.com/\nkb", "a\x00b",
		":kb", "-h:kb", "@host:kb", "[::1:kb",
	} {
		_, wrong := ParseAddress(text)
		require.NotEmpty(t, wrong, text)
	}
}

func TestRedact(t *testing.T) {
	for _, tt := range []struct{ Address, text, want string }{
		{
			"https://TOKEN@git.example.com/team/kb.git",
			"fatal: unable to access 'https://TOKEN@git.example.com/team/kb.git/': Could not resolve Host: git.example.com",
			"fatal: unable to access 'https://git.example.com': Could not resolve Host: git.example.com",
		},
		{
			"https://git.example.com/kb.git",
			"fatal: unable to update url base from redirection:\n  redirect: https://u:p@sso.example.com/login?token=abc",
			"fatal: unable to update url base from redirection:\n  redirect: https://sso.example.com",
		},
		{
			"https://git.example.com/kb.git",
			"error: proxy http://u:p@proxy:3128?x=@y says no",
			"error: proxy http://proxy:3128 says no",
		},
		{
			"git@git.example.com:team/kb.git",
			"fatal: 'team/kb.git' does not appear to be a git repository",
			"fatal: 'ssh://git.example.com' does not appear to be a git repository",
		},
		{"/srv/kb.git", "fatal: '/srv/kb.git' does not appear to be a git repository", "fatal: 'the remote' does not appear to be a git repository"},
		{"file:///srv/kb.git", "error: failed to push some refs to 'file:///srv/kb.git'", "error: failed to push some refs to 'the remote'"},
		{"file:///srv/kb.git", "fatal: '/srv/kb.git' is no repository", "fatal: 'the remote' is no repository"},
	} {
		a, wrong := ParseAddress(tt.Address)
		require.Empty(t, wrong)
		require.Equal(t, tt.want, a.Redact(tt.text))
	}
}

func TestPublicAddressNamesNoUserAndNoPathOfThisMachine(t *testing.T) {
	for text, want := range map[string]string{
		"https://mei@git.example.com:8443/team/kb": "https://git.example.com:8443/team/kb",
		"https://git.example.com/kb.git":           "https://git.example.com/kb.git",
		"ssh://git@git.example.com:2222/kb.git":    "ssh://git.example.com:2222/kb.git",
		"git@git.example.com:team/kb.git":          "git.example.com:team/kb.git",
		"git.example.com:kb.git":                   "git.example.com:kb.git",
		"/srv/kb.git":                              "",
		"file:///srv/kb.git":                       "",
	} {
		a, wrong := ParseAddress(text)
		require.Empty(t, wrong)
		require.Equal(t, want, a.Public(), text)
	}
}
