package guarantees_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/internal/guarantees"
)

const document = "# Guarantees\n" + // line 1
	"\n" +
	"| word | meaning |\n" +
	"|---|---|\n" +
	"| plan | what is approved |\n" +
	"\n" +
	"| promise | proved by test |\n" + // line 7
	"|---|---|\n" +
	"| one | `TestOne`, and `TestTwo/a case` |\n" +
	"| later | not yet |\n" +
	"| forgotten | see the code |\n" +
	"\n" +
	"Prose about `TestProse` is no promise.\n" +
	"\n" +
	"  | failure case | Tests |\n" + // line 15
	"  |---|---|\n" +
	"  | two  words | `Testing` is no name, `TestC062_Stale` is |\n"

func TestParse(t *testing.T) {
	require.Equal(t, []guarantees.Row{
		{Line: 9, Promise: "one", Tests: []string{"TestOne", "TestTwo/a_case"}},
		{Line: 10, Promise: "later", Later: true},
		{Line: 11, Promise: "forgotten"},
		{Line: 17, Promise: "two  words", Tests: []string{"TestC062_Stale"}},
	}, guarantees.Parse(document))
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "guarantees.md")
	_, err := guarantees.Read(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, []byte("# Nothing\n"), 0o600))
	_, err = guarantees.Read(path)
	require.ErrorContains(t, err, "no table")
	require.NoError(t, os.WriteFile(path, []byte(document), 0o600))
	rows, err := guarantees.Read(path)
	require.NoError(t, err)
	require.Len(t, rows, 4)
}
