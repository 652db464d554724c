package model_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/activities/faults"
	"github.com/holdpoint/holdpoint/activities/planners/model"
	"github.com/holdpoint/holdpoint/internal/blobs"
)

// named is a blob store of one tenant's entries.
type named struct {
	entries map[string][]byte
	err     error
}

func (n *named) PutNamed(_ context.Context, tenant, name string, data []byte) error {
	n.entries[tenant+" "+name] = data
	return n.err
}

func (n *named) AddNamed(_ context.Context, tenant, name string, data []byte) error {
	if _, there := n.entries[tenant+" "+name]; there {
		return fmt.Errorf("%s: %w", name, blobs.ErrExists)
	}
	n.entries[tenant+" "+name] = data
	return n.err
}

func (n *named) GetNamed(_ context.Context, tenant, name string, limit int64) ([]byte, error) {
	data, ok := n.entries[tenant+" "+name]
	switch {
	case n.err != nil:
		return nil, n.err
	case !ok:
		return nil, fmt.Errorf("%s: %w", name, blobs.ErrNotFound)
	case int64(len(data)) > limit:
		return nil, blobs.ErrTooLarge
	}
	return data, nil
}

func TestRepliesStandInTheTenantsStore(t *testing.T) {
	store := &named{entries: map[string][]byte{}}
	replies := model.StoredIn(store)
	key := strings.Repeat("0a", 32)
	_, err := replies.Load(t.Context(), "acme", key)
	require.ErrorIs(t, err, model.ErrNoReply)
	for _, body := range []string{"body", "another", ""} { // of which the first stays
		kept, err := replies.Store(t.Context(), "acme", key, []byte(body))
		require.NoError(t, err)
		require.Equal(t, "body", string(kept))
		require.Equal(t, map[string][]byte{"acme replies/" + key: []byte("body")}, store.entries)
		kept, err = replies.Load(t.Context(), "acme", key)
		require.NoError(t, err)
		require.Equal(t, "body", string(kept))
	}
	_, err = replies.Load(t.Context(), "other", key)
	require.ErrorIs(t, err, model.ErrNoReply)

	_, err = replies.Store(t.Context(), "acme", key, make([]byte, 64<<20+1))
	require.Equal(t, "reply_too_large", faults.Name(err).Code)
	require.Equal(t, faults.Permanent, faults.ClassOf(err))
}

// A stored reply that cannot be read is not paid for again without a word.
func TestRepliesThatCannotBeRead(t *testing.T) {
	for _, tt := range []struct {
		err   error
		class faults.Class
		code  string
	}{
		{blobs.ErrCorrupt, faults.Permanent, "reply_damaged"},
		{blobs.ErrTooLarge, faults.Permanent, "reply_damaged"},
		{errors.New("GET /secret: 500"), faults.Transient, "replies_unreachable"},
		{context.Canceled, faults.Transient, "interrupted"},
		{&faults.Fault{Class: faults.Throttled, Code: "slow_down", Reason: "later"}, faults.Throttled, "slow_down"},
	} {
		s := newScene(t, good)
		planner, err := model.New(model.Config{Name: "m", Engine: s.server, Replies: model.StoredIn(&named{err: tt.err}), Spend: s.spend})
		require.NoError(t, err)
		_, err = planner.Plan(t.Context(), request())
		require.Equal(t, tt.class, faults.ClassOf(err))
		require.Equal(t, tt.code, faults.Name(err).Code)
		require.NotContains(t, err.Error(), "secret")
		require.Zero(t, s.server.calls())
	}
}
