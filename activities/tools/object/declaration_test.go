package object

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/activities/tools/declared"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

func TestSettingsThatCannotWorkAreRefusedWithTheirLine(t *testing.T) {
	s3 := []string{"endpoint: https://s3.example.com", "bucket: reports", `name: "{{params.name}}"`, "mode: create", "text: x"}
	file := []string{"url: file:///srv/reports", `name: "{{params.name}}"`, "mode: create", "text: x"}
	for _, right := range [][]string{s3, file, append(s3, "region: eu-central-1", "path_style: true", "access_key: a", `secret_key: "${env:S}"`)} {
		_, err := declare(t, right...)
		require.NoError(t, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	with := func(lines []string, change ...string) []string {
		var changed []string
		for _, line := range lines {
			if name, _, _ := strings.Cut(line, ":"); name != change[0] {
				changed = append(changed, line)
			}
		}
		return append(changed, change[1:]...)
	}
	for name, tt := range map[string]struct {
		lines []string
		says  string
	}{
		"no store":                {with(file, "url"), "object.url is missing"},
		"two stores":              {append(file, s3[:2]...), "two stores"},
		"no folder":               {with(file, "url", "url: /srv/reports"), "holdpoint.yaml:14: tool save_report: object.url must be file:///folder"},
		"a relative folder":       {with(file, "url", "url: file://srv/reports"), "must be file:///folder"},
		"the root folder":         {with(file, "url", "url: file:///"), "must be file:///folder"},
		"a folder with a query":   {with(file, "url", "url: file:///srv?x=1"), "must be file:///folder"},
		"a folder with a bucket":  {append(file, "bucket: reports"), "has no bucket, region or keys"},
		"no scheme":               {with(s3, "endpoint", "endpoint: s3.example.com"), "object.endpoint must be https://host"},
		"an endpoint with a path": {with(s3, "endpoint", "endpoint: https://s3.example.com/reports"), "object.endpoint must be https://host"},
		"an endpoint with a user": {with(s3, "endpoint", "endpoint: https://a:hunter2@s3.example.com"), "object.endpoint must be https://host"},
		"in clear to the outside": {with(s3, "endpoint", "endpoint: http://s3.example.com"), "would send objects in clear"},
		"no bucket":               {with(s3, "bucket"), "object.bucket must be the name of a bucket"},
		"a bucket with a slash":   {with(s3, "bucket", "bucket: a/b"), "object.bucket must be the name of a bucket"},
		"half a key":              {append(s3, "access_key: a"), "belong together"},
		"a secret in the file":    {append(s3, "access_key: a", "secret_key: hunter2"), "must be references"},
		"a token in the file":     {append(s3, "access_key: a", `secret_key: "${env:S}"`, "session_token: hunter2"), "must be references"},
		"no ca_file":              {append(s3, "ca_file: none.pem"), "object.ca_file cannot be read"},
		"an empty ca_file":        {append(s3, "ca_file: "+empty), "object.ca_file holds no certificate"},
		"no name":                 {with(s3, "name"), "object.name is missing"},
		"no mode":                 {with(s3, "mode"), "object.mode must be create or replace"},
		"another mode":            {with(s3, "mode", "mode: overwrite"), "object.mode must be create or replace"},
		"no content":              {with(s3, "text"), "object.text or json must be given"},
		"two contents":            {append(s3, "json: {a: 1}"), "object.text or json must be given, and not both"},
		"no media type":           {append(s3, `content_type: "a\r\nb"`), "object.content_type must be a media type"},
		"unknown":                 {append(s3, "acl: public-read"), `unknown field "acl"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := declare(t, tt.lines...)
			require.ErrorContains(t, err, tt.says)
			require.ErrorContains(t, err, "holdpoint.yaml:")
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestOnlyTheClassConditional(t *testing.T) {
	require.Equal(t, []plan.DeliveryClass{plan.Conditional}, Kind{}.Classes())
}

func TestExample(t *testing.T) {
	const file = "../../../examples/tools/object.yaml"
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var example struct {
		Tools map[string]yaml.Node `yaml:"tools"`
	}
	require.NoError(t, yaml.Unmarshal(raw, &example))
	require.Len(t, example.Tools, 2)
	folder := t.TempDir()
	for name, node := range example.Tools {
		tool, err := declared.New(name, file, &node, []declared.Kind{Kind{}})
		require.NoError(t, err)
		require.Equal(t, plan.Conditional, tool.Spec().Class)
		if name != "publish_status" {
			continue
		}
		// The one that is a folder's, in a folder of this test.
		moved := strings.ReplaceAll(string(raw), "/srv/status", folder)
		var there struct {
			Tools map[string]yaml.Node `yaml:"tools"`
		}
		require.NoError(t, yaml.Unmarshal([]byte(moved), &there))
		node := there.Tools[name]
		tool, err = declared.New(name, file, &node, []declared.Kind{Kind{}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "status.json"), []byte("{}\n"), 0o600))
		parameters := []byte(`{"state":"degraded","text":"Search is slow."}`)
		prepared, err := tool.Prepare(t.Context(), tools.Proposal{Parameters: parameters, AllowedTarget: "status"})
		require.NoError(t, err)
		_, err = tool.Apply(t.Context(), tools.Call{Action: plan.Action{
			Tool: name, Target: prepared.Target, IdempotencyKey: theKey, Parameters: prepared.Parameters, Precondition: prepared.Precondition,
		}})
		require.NoError(t, err)
		written, err := os.ReadFile(filepath.Join(folder, "status.json"))
		require.NoError(t, err)
		require.Equal(t, "{\n  \"state\": \"degraded\",\n  \"text\": \"Search is slow.\"\n}\n", string(written))
	}
}

func TestNames(t *testing.T) {
	w, _ := fileWorld(t, create)
	for name, says := range map[string]string{
		"a\x00b":                      "U+0000",
		"a\nb":                        "U+000A",
		"a\u202eb":                    "U+202E",
		`a\b`:                         "U+005C",
		strings.Repeat("a", 300):      "at most 255",
		strings.Repeat("\u6587", 100): "at most 255",
	} {
		t.Run(says, func(t *testing.T) {
			require.ErrorContains(t, checkName("weekly/"+name+".txt"), says)
			_, err := w.prepare(map[string]any{"name": name, "text": "x"})
			requireFault(t, err, faults.Permanent, "bad_parameters")
		})
	}
	for name, says := range map[string]string{
		"":                        "empty part",
		"/a":                      "empty part",
		"a//b":                    "empty part",
		"a/":                      "empty part",
		"a/../b":                  `the part ".."`,
		"./a":                     `the part "."`,
		"..":                      `the part ".."`,
		".holdpoint/x":            "which is ours",
		"a/.HoldPoint":            "which is ours",
		strings.Repeat("a/", 600): "at most 1024",
		"a\u00a0b\ufffd":          "U+FFFD",
		"a\u200bb":                "U+200B",
	} {
		require.ErrorContains(t, checkName(name), says, "%q", name)
	}
	for _, name := range []string{"a", "a/b.c", "周报/第48周.md", "..a", "a..", "...", "a b"} {
		require.NoError(t, checkName(name), name)
	}
}

// A parameter stays within its part of the name.
func TestParametersCannotLeaveTheirPartOfTheName(t *testing.T) {
	for value, want := range map[string]string{
		"../../etc/passwd": "weekly/..%2F..%2Fetc%2Fpasswd.txt",
		"a/b":              "weekly/a%2Fb.txt",
		"50%":              "weekly/50%25.txt",
	} {
		w, _ := fileWorld(t, create)
		prepared, err := w.prepare(map[string]any{"name": value, "text": "x"})
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(prepared.Preview, want+" in the folder "), prepared.Preview)
	}
	tool, err := declare(t, "url: file://"+t.TempDir(), `name: "a/{{params.name}}/b"`, "mode: create", "text: x")
	require.NoError(t, err)
	prepared, err := (&world{t: t, tool: tool}).prepare(map[string]any{"name": ".."})
	require.NoError(t, err)
	require.Contains(t, prepared.Preview, "a/%2E%2E/b")
}
