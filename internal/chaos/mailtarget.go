package main

import (
	"context"
	"os"
	"regexp"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/smtpserver"
	"github.com/holdpoint/holdpoint/internal/toolchain"
)

// post is a mail server: it takes every mail as often as it is sent.
type post struct{ *smtpserver.Server }

func newPost(ctx context.Context, root string) (*post, error) {
	program, err := toolchain.Ensure(ctx, root, "mailpit", os.Stderr)
	if err != nil {
		return nil, err
	}
	server, err := smtpserver.Launch(ctx, smtpserver.Options{Program: program})
	return &post{server}, err
}

func (p *post) address() string { return p.Address() }
func (p *post) close() error    { return p.Close() }

// writes is the end of DATA (RFC 5321, section 4.1.1.4).
func (p *post) writes() *regexp.Regexp { return regexp.MustCompile(`\r\n\.\r\n`) }

func (p *post) count(ctx context.Context, a *action) (int, error) {
	return p.CountSubject(ctx, a.Effect)
}

func (p *post) tools(proxied string) ([]tool, declarations) {
	text := strings.NewReplacer("HOST", proxied, "LIMITS", limits).Replace(`
  mails:
    version: "1"
    kind: smtp
    class: once
    risk: low
    schema: ` + stringsSchema("subject") + `
    target: "post/mails"
    item: "{{params.subject}}"
    LIMITS
    smtp:
      address: "HOST"
      tls: none
      from: "Holdpoint <holdpoint@example.com>"
      to: ["team@example.com"]
      subject: "{{params.subject}}"
      text: "written once"
`)
	return []tool{{
		name: "mails", kind: "smtp", class: plan.Once, target: "post/mails", mayStayUnknown: true,
		parameters: func(effect string) map[string]any { return map[string]any{"subject": effect} },
	}}, declarations{tools: text}
}
