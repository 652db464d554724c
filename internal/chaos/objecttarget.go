package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/internal/targets/objectserver"
)

// store is an S3-compatible object store that honours conditional puts, and
// counts every put that it took.
type store struct{ *objectserver.Server }

func newStore(ctx context.Context) (*store, error) {
	server, err := objectserver.Launch(ctx, objectserver.Options{Buckets: []string{bucket}})
	return &store{server}, err
}

func (o *store) address() string { return o.Address() }
func (o *store) close() error    { return o.Close() }

const bucket = "chaos"

func (o *store) writes() *regexp.Regexp { return regexp.MustCompile(`PUT /`) }

// count counts the puts that the store has taken under the action's key, which
// a put carries in its metadata: of two puts of one object only one is seen.
func (o *store) count(_ context.Context, a *action) (int, error) {
	return o.Writes("holdpoint-key", a.key), nil
}

// put writes an object by hand.
func (o *store) put(ctx context.Context, name string) error {
	ask, err := http.NewRequestWithContext(ctx, http.MethodPut, o.URL()+"/"+bucket+"/"+name, strings.NewReader("by hand"))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the store answers %s", answer.Status)
	}
	return nil
}

func (o *store) tools(proxied string) ([]tool, declarations) {
	var all declarations
	for name, mode := range map[string]string{"objects": "create", "revisions": "replace"} {
		all.tools += strings.NewReplacer("NAME", name, "MODE", mode, "HOST", proxied, "BUCKET", bucket, "LIMITS", limits).Replace(storeTool)
	}
	named := func(effect string) map[string]any { return map[string]any{"name": effect} }
	return []tool{
		{name: "objects", kind: "object", class: plan.Conditional, manner: "create", target: "objects", parameters: named},
		{
			name: "revisions", kind: "object", class: plan.Conditional, manner: "replace", target: "revisions", parameters: named,
			prepare: func(ctx context.Context, effect string) error { return o.put(ctx, "revisions/"+effect) },
		},
	}, all
}

// storeTool is the declaration of a tool.
var storeTool = `
  NAME:
    version: "1"
    kind: object
    class: conditional
    risk: low
    schema: ` + stringsSchema("name") + `
    target: "NAME/{{params.name}}"
    LIMITS
    object:
      endpoint: "http://HOST"
      region: us-east-1
      bucket: BUCKET
      access_key: "${env:CHAOS_STORE}"
      secret_key: "${env:CHAOS_STORE}"
      name: "NAME/{{params.name}}"
      mode: MODE
      text: "{{params.name}}"
      content_type: text/plain
`
