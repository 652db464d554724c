package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/config"
)

// The worker of the demo is told of the knowledge base in the words of the
// example's configuration, so a plan is the same wherever the clone lies. Outside
// of the repository there is no such path.
func TestTheKnowledgeBaseIsNamedAsInTheExample(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	d := &demo{root: root, home: filepath.Join(root, ".holdpoint")}
	example, err := config.Load(d.example("holdpoint.yaml"))
	require.NoError(t, err)
	require.Equal(t, example.Repositories["kb"].Place, d.place())
	require.Equal(t, d.kb(), filepath.Join(d.example(""), d.place()))

	d.home = t.TempDir()
	require.Equal(t, d.kb(), d.place())
}
