package main

import (
	"context"
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

// count counts the puts that the store has taken under the action's key, which
// a put carries in its metadata: of two puts of one object only one is seen.
func (o *store) count(_ context.Context, tool, effect string) (int, error) {
	key := plan.Identity{
		Tenant: "chaos", BusinessID: strings.TrimSuffix(effect, "-"+tool), Tool: tool, Target: "store/" + effect, SemanticVersion: "v1",
	}.Key()
	return o.Writes("holdpoint-key", key), nil
}

func (o *store) tools(proxied string) ([]tool, declarations) {
	text := strings.NewReplacer("HOST", proxied, "BUCKET", bucket, "LIMITS", strings.TrimSpace(limits)).Replace(`
  objects:
    version: "1"
    kind: object
    class: conditional
    risk: low
    schema: ` + stringsSchema("name") + `
    target: "store/{{params.name}}"
    LIMITS
    object:
      endpoint: "http://HOST"
      region: us-east-1
      bucket: BUCKET
      access_key: "${env:CHAOS_STORE}"
      secret_key: "${env:CHAOS_STORE}"
      name: "reports/{{params.name}}"
      mode: create
      text: "{{params.name}}"
      content_type: text/plain
`)
	return []tool{{
		name: "objects", kind: "object", class: plan.Conditional, target: "store",
		parameters: func(effect string) map[string]any { return map[string]any{"name": effect} },
	}}, declarations{tools: text}
}
