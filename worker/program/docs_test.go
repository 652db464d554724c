package program

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/holdpoint/holdpoint/internal/config"
)

// declarationBlock is a block of YAML in a page that declares tools, planners or
// sources, or says where the ledger and the blob store are, and what is too much.
// The file's name may stand above it.
var declarationBlock = regexp.MustCompile(
	"(?ms)^```yaml\n((?:# holdpoint.yaml\n)?(?:tools|ledger|repositories|blobs|planners|budgets|sources|limits):.*?)^```")

// What a page of the documentation declares is accepted as it stands there.
func TestDeclarationsOfTheDocumentationAreAccepted(t *testing.T) {
	t.Setenv("HOLDPOINT_LEDGER", "postgres://db/holdpoint")
	const repository = "repositories: {kb: {path: kb}}\n" // there must be something to write with
	root := filepath.Join("..", "..")
	pages, err := filepath.Glob(filepath.Join(root, "docs", "tools", "*.md"))
	require.NoError(t, err)
	examples, err := filepath.Glob(filepath.Join(root, "examples", "tools", "*.yaml"))
	require.NoError(t, err)
	pages = append(pages, filepath.Join(root, "docs", "models.md"), filepath.Join(root, "docs", "blobs.md"), filepath.Join(root, "docs", "documents.md"))
	accepted := 0
	for _, file := range append(pages, examples...) {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		texts := []string{string(raw)}
		if strings.HasSuffix(file, ".md") {
			texts = nil
			for _, block := range declarationBlock.FindAllStringSubmatch(string(raw), -1) {
				texts = append(texts, block[1])
			}
		}
		require.NotEmpty(t, texts, file)
		for _, text := range texts {
			if !strings.HasPrefix(text, "tools:") && !strings.HasPrefix(text, "repositories:") {
				text += repository
			}
			site := newSite(t, text)
			if strings.Contains(text, "sources:\n") { // in the place of the site's own
				site.write("holdpoint.yaml", "policy: policy.yaml\ndata: data\n"+text)
			}
			p := site.run("", "config")
			require.Zero(t, p.code, "%s:\n%s\n%s", file, text, strings.ReplaceAll(p.err, site.dir, ""))
			accepted++
		}
	}
	require.GreaterOrEqual(t, accepted, 12, "one for each kind and the overview, and the ledger's, the blob store's, the planners', the sources' and the limits'")
}

// So are the configurations of the examples, where they lie.
func TestConfigurationsOfTheExamplesAreAccepted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "holdpoint.yaml"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 2)
	for _, file := range files {
		p := (&site{t: t, dir: filepath.Dir(file)}).run("", "config")
		require.Zero(t, p.code, "%s: %s", file, p.err)
	}
}

// The page has every field that a configuration can have, is accepted as it
// stands there, and shows what holds where nothing is said.
func TestThePageOfTheConfigurationHasAllOfIt(t *testing.T) {
	t.Setenv("HOLDPOINT_LEDGER", "postgres://db/holdpoint")
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindSubmatch(page)
	require.NotNil(t, block)

	site := newSite(t, "")
	site.write("holdpoint.yaml", string(block[1]))
	p := site.run("", "config")
	require.Zero(t, p.code, p.err)

	read, err := config.Load(site.path("holdpoint.yaml"))
	require.NoError(t, err)
	defaults := config.Default()
	require.Equal(t, defaults.Limits, read.Limits)
	require.Equal(t, defaults.Timing, read.Timing)
	require.Equal(t, defaults.TaskQueue, read.TaskQueue)
	require.Equal(t, site.path(defaults.Data), read.Data)
	require.Equal(t, defaults.SingleMachine, read.SingleMachine)

	var written map[string]any
	require.NoError(t, yaml.Unmarshal(block[1], &written))
	fields := 0
	requireFields(t, reflect.TypeFor[config.Config](), "", &fields, written)
	require.Greater(t, fields, 40, "the fields are found at all")
}

// requireFields wants each field of a type to stand in one of the values at least.
func requireFields(t *testing.T, in reflect.Type, path string, fields *int, values ...any) {
	t.Helper()
	switch in.Kind() { //nolint:exhaustive // the others have no fields
	case reflect.Map, reflect.Slice:
		if in.Elem().Kind() == reflect.Struct {
			requireFields(t, in.Elem(), path, fields, inner(values)...)
		}
	case reflect.Struct:
		for field := range in.Fields() {
			name := field.Tag.Get("yaml")
			if name == "" || name == "-" {
				continue
			}
			*fields++
			var there []any
			for _, value := range values {
				object, _ := value.(map[string]any) // a short form has no fields
				if found, ok := object[name]; ok {
					there = append(there, found)
				}
			}
			require.NotEmpty(t, there, "%s%s is not on the page", path, name)
			requireFields(t, field.Type, path+name+".", fields, there...)
		}
	}
}

// inner are the elements of maps and lists.
func inner(values []any) (all []any) {
	for _, value := range values {
		switch value := value.(type) {
		case map[string]any:
			for _, element := range value {
				all = append(all, element)
			}
		case []any:
			all = append(all, value...)
		}
	}
	return all
}
