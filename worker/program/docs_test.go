package program

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
