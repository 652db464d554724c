package main

import (
	"strings"
	"time"

	"github.com/holdpoint/holdpoint/approvals/plan"
)

// tools implements target.
func (w *web) tools(proxied string) ([]tool, declarations) {
	var all []tool
	var text strings.Builder
	for _, d := range webTools {
		fill := strings.NewReplacer("NAME", d.name, "CLASS", string(d.class), "PARAMETER", d.parameter, "LIMITS", d.limits(), "HOST", proxied)
		text.WriteString(fill.Replace(webTool) + strings.ReplaceAll(d.http, "URL", "http://"+proxied+"/"+d.name))
		all = append(all, tool{
			name: d.name, kind: "http", class: d.class, manner: d.manner, target: "web/" + d.name, mayStayUnknown: d.mayStayUnknown,
			parameters: func(effect string) map[string]any { return map[string]any{d.parameter: effect} },
		})
	}
	return all, declarations{tools: text.String()}
}

// webDeclaration is what the API's tools differ in.
type webDeclaration struct {
	name           string
	class          plan.DeliveryClass
	manner         string
	parameter      string // the only one
	mayStayUnknown bool
	timeout        time.Duration // callTimeout when 0
	http           string        // the kind's settings, with URL for the tool's own
}

func (d webDeclaration) limits() string {
	text := limits
	if d.timeout > 0 {
		text = callsOf(d.timeout)
	}
	switch {
	case d.name == "vouchers":
		return "key_window: " + keyLife.String() + "\n    " + text
	case d.class == plan.Keyed:
		return "key_window: 1h\n    " + text
	default:
		return text
	}
}

// webTool begins the declaration of a tool.
var webTool = `
  NAME:
    version: "1"
    kind: http
    class: CLASS
    risk: low
    schema: ` + stringsSchema("PARAMETER") + `
    target: "web/NAME"
    item: "{{params.PARAMETER}}"
    LIMITS
    http:
      hosts: ["HOST"]`

// webTools are the API's tools.
var webTools = []webDeclaration{
	{name: "orders", class: plan.Keyed, parameter: "number", http: keyedWrite},
	// Its window is past when another attempt comes after a heartbeat timeout,
	// and not when one comes at once.
	{
		name: "vouchers", class: plan.Keyed, manner: "short window", parameter: "number", http: keyedWrite,
		mayStayUnknown: true, timeout: time.Second,
	},
	{name: "issues", class: plan.Lookup, parameter: "title", http: searched + `
        authoritative: true`},
	{name: "tickets", class: plan.Lookup, manner: "not authoritative", parameter: "title", mayStayUnknown: true, http: searched},
	{name: "pages", class: plan.Conditional, manner: "create only", parameter: "name", http: `
      create_only: {header: true}` + pageWrite},
	{name: "notes", class: plan.Conditional, manner: "if-match", parameter: "name", http: `
      if_match: {read: {url: "URL/{{params.name}}"}}` + pageWrite},
	{name: "letters", class: plan.Once, parameter: "subject", mayStayUnknown: true, http: `
      url: "URL"
      body: {subject: "{{params.subject}}"}
      receipt: {ref: "body.id"}
`},
}

const keyedWrite = `
      url: "URL"
      body: {number: "{{params.number}}"}
      receipt: {ref: "body.id"}
`

const searched = `
      url: "URL"
      body: {title: "{{params.title}}", marker: "{{key}}"}
      receipt: {ref: "string(body.number)"}
      lookup:
        url: "URL?marker={{key}}"
        found: "size(body) > 0"
        absent: "size(body) == 0"
        receipt: {ref: "string(body[0].number)"}`

const pageWrite = `
      method: PUT
      url: "URL/{{params.name}}"
      body: {marker: "{{key}}", text: "written once"}
      receipt: {ref: "body.marker"}
      read_back:
        url: "URL/{{params.name}}"
        ours: "body.marker == key"
        receipt: {ref: "body.marker"}
`
