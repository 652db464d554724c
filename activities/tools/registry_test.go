package tools_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/tools"
	"github.com/holdpoint/holdpoint/approvals/plan"
)

// named is a tool of which only the name matters.
type named string

func (n named) Spec() tools.Spec { return tools.Spec{Name: string(n)} }

func (named) Prepare(context.Context, tools.Proposal) (tools.Prepared, error) {
	return tools.Prepared{}, nil
}

func (named) Apply(context.Context, tools.Call) (plan.Receipt, error) {
	return plan.Receipt{}, nil
}

func (named) Count(context.Context, tools.Call) (int, error) { return -1, nil }

func TestRegistryFindsToolsByTheirExactName(t *testing.T) {
	r, err := tools.NewRegistry(named("smtp"), named("gitpages"), named("http"))
	require.NoError(t, err)

	got, ok := r.Get("gitpages")
	require.True(t, ok)
	require.Equal(t, named("gitpages"), got)

	for _, name := range []string{"", "GitPages", "gitpages ", "nats"} {
		_, ok := r.Get(name)
		require.False(t, ok, "%q", name)
	}
}

func TestRegistryWithoutToolsIsEmpty(t *testing.T) {
	r, err := tools.NewRegistry()
	require.NoError(t, err)
	_, ok := r.Get("gitpages")
	require.False(t, ok)
}

func TestRegistryRefusesWhatItCouldNotTellApart(t *testing.T) {
	tests := []struct {
		name  string
		tools []tools.Tool
		want  string
	}{
		{"a name twice", []tools.Tool{named("http"), named("smtp"), named("http")}, `two tools have the name "http"`},
		{"no name", []tools.Tool{named("http"), named("")}, "tool 1 of the list has no name"},
		{"nil", []tools.Tool{nil}, "tool 0 of the list is nil"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tools.NewRegistry(tt.tools...)
			require.EqualError(t, err, tt.want)
			require.Nil(t, r)
		})
	}
}
