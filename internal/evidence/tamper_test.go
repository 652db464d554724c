package evidence

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/holdpoint/holdpoint/approvals/plan"
	"github.com/holdpoint/holdpoint/approvals/policy"
	"github.com/holdpoint/holdpoint/approvals/signature"
)

// sealer sealed the recorded bundles.
const sealer = "ann.wu"

// recorded are bundles of real runs. Their keys were made for them alone.
func recorded(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	bundles := map[string][]byte{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		bundles[strings.TrimSuffix(filepath.Base(file), ".json")] = raw
	}
	return bundles
}

func allowedSigners(t *testing.T) signature.AllowedSigners {
	t.Helper()
	raw, err := os.ReadFile("testdata/allowed_signers")
	require.NoError(t, err)
	signers, err := signature.ParseAllowedSigners(raw)
	require.NoError(t, err)
	return signers
}

func TestRecordedBundlesFit(t *testing.T) {
	for name, raw := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, problems(t, raw, Options{Signers: allowedSigners(t), SealedBy: sealer}))
			require.Empty(t, problems(t, unsealed(t, raw), Options{Signers: allowedSigners(t)}))
			require.NotEmpty(t, problems(t, unsealed(t, raw), Options{Signers: allowedSigners(t), SealedBy: sealer}))
		})
	}
}

// problems is what parsing or verifying a bundle finds wrong.
func problems(t *testing.T, raw []byte, o Options) []string {
	t.Helper()
	b, err := Parse(raw)
	if err != nil {
		return []string{err.Error()}
	}
	return Verify(b, o).Problems
}

// Whoever changes anything at all in a sealed bundle is found out, whether or not
// he computes its digest anew.
func TestEveryChangeOfASealedBundleIsFound(t *testing.T) {
	t.Parallel()
	o := Options{Signers: allowedSigners(t), SealedBy: sealer}
	for _, name := range []string{"signed", "by-policy"} { // the two that differ most
		raw := recorded(t)[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, c := range changes(t, raw) {
				requireSealBroken(t, c, o)
			}
		})
	}
}

// requireSealBroken wants the document to be refused, or its seal to be broken,
// also when the digest is made to fit.
func requireSealBroken(t *testing.T, c change, o Options) {
	t.Helper()
	raw := c.document()
	var b Bundle
	if json.Unmarshal(raw, &b) != nil {
		return // Parse refuses it too
	}
	sum, err := digestOf(b.Content)
	require.NoError(t, err)
	if _, _, err := b.checkSealOf(sum, o); err == nil {
		// It reads as the same, and so it must not be read.
		_, err = Parse(raw)
		require.Error(t, err, c.String())
		return
	}
	if !strings.HasPrefix(c.path, "/content/") {
		return
	}
	b.Seal.Content = sum
	_, _, err = b.checkSealOf(sum, o)
	require.Error(t, err, c.String())
}

// In a bundle that nobody sealed, these are what one change can alter unseen:
// they are recorded, and neither a signature nor a digest nor another member
// tells. The list is written by hand, and is the whole truth of what docs/evidence.md
// calls the exporter's word.
func TestWhatOnlyTheSealCovers(t *testing.T) {
	t.Parallel()
	var found sync.Map
	var r readers
	t.Run("each", func(t *testing.T) {
		for name, raw := range recorded(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				o := Options{Signers: allowedSigners(t)}
				for _, c := range changes(t, unsealed(t, raw)) {
					_, known := found.Load(c.pattern())
					skip := known && !c.ofRaw() || !strings.HasPrefix(c.path, "/content/")
					if !skip && r.unseen(t, c.document(), o) {
						found.Store(c.pattern(), true)
						requireRefused(t, c)
					}
				}
			})
		}
	})
	var all []string
	for pattern := range found.Range {
		all = append(all, pattern.(string))
	}
	slices.Sort(all)
	require.Equal(t, recordedOnly(t), all)
}

// requireRefused wants a word that changes unseen to be one that changed nothing:
// nobody could read it, or it proves nothing.
func requireRefused(t *testing.T, c change) {
	t.Helper()
	if c.ofRaw() {
		word := strings.TrimSuffix(c.path, "/raw")
		require.Contains(t, []any{"malformed", "bad_signature"}, at(c.tree, word+"/verdict/code"), c.String())
	}
}

func (c change) ofRaw() bool { return strings.HasSuffix(c.path, "/raw") }

// unseen reports a change that nothing tells but the content's digest, which was
// computed anew. What cannot be read is told; what can is checked without its
// digest first, for speed.
func (r *readers) unseen(t *testing.T, raw []byte, o Options) bool {
	t.Helper()
	var b Bundle
	if json.Unmarshal(raw, &b) != nil {
		return false
	}
	v := newVerifier(b, o)
	v.loadPlan, v.readPolicy = r.loadPlan, r.readPolicy
	for _, check := range v.checks() {
		if check(); !v.Fits() {
			return false
		}
	}
	_, err := Parse(digested(t, raw)) // else it says what was checked here
	return err == nil
}

// readers remember what they have read: of the same bytes it is the same.
type readers struct{ plans, policies sync.Map }

type read[T any] struct {
	value T
	err   error
}

func (r *readers) loadPlan(raw []byte, hash plan.Digest) (plan.Plan, error) {
	key := hash.String() + string(raw)
	found, known := r.plans.Load(key)
	if !known {
		p, err := plan.Load(raw, hash)
		found, _ = r.plans.LoadOrStore(key, read[plan.Plan]{p, err})
	}
	is := found.(read[plan.Plan])
	return is.value, is.err
}

func (r *readers) readPolicy(raw []byte) (*policy.Policy, error) {
	found, known := r.policies.Load(string(raw))
	if !known {
		p, err := policy.FromCanonical(raw)
		found, _ = r.policies.LoadOrStore(string(raw), read[*policy.Policy]{p, err})
	}
	is := found.(read[*policy.Policy])
	return is.value, is.err
}

func recordedOnly(t *testing.T) []string {
	t.Helper()
	raw, err := os.ReadFile("testdata/recorded-only.txt")
	require.NoError(t, err)
	var list []string
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}

// unsealed takes the seal's signature away.
func unsealed(t *testing.T, raw []byte) []byte {
	t.Helper()
	tree := treeOf(t, raw)
	seal := tree.(map[string]any)["seal"].(map[string]any)
	delete(seal, "by")
	delete(seal, "signature")
	return written(tree)
}

// digested computes the content's digest anew.
func digested(t *testing.T, raw []byte) []byte {
	t.Helper()
	tree := treeOf(t, raw).(map[string]any)
	sum, err := digestOf(tree["content"])
	if err != nil {
		return raw
	}
	tree["seal"].(map[string]any)["content_sha256"] = sum.String()
	return written(tree)
}

func treeOf(t *testing.T, raw []byte) any {
	t.Helper()
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&tree))
	return tree
}

func written(tree any) []byte {
	raw, err := json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	return raw
}

// change is one change of one place of a document.
type change struct {
	kind string // what is done
	path string // JSON Pointer
	tree any
	do   func() (undo func())
}

func (c change) String() string { return c.kind + " " + c.path }

// at is the value at a JSON Pointer.
func at(tree any, pointer string) any {
	for _, step := range strings.Split(pointer, "/")[1:] {
		switch below := tree.(type) {
		case map[string]any:
			tree = below[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil {
				return nil
			}
			tree = below[i]
		}
	}
	return tree
}

// pattern is the change with * for every place in a list.
func (c change) pattern() string {
	return c.kind + " " + regexp.MustCompile(`/\d+(/|$)`).ReplaceAllString(c.path, "/*$1")
}

// document is the document with the change.
func (c change) document() []byte {
	undo := c.do()
	defer undo()
	return written(c.tree)
}

// changes are all of them: every leaf takes another value of its own kind, every
// member is left out, every element of a list is left out, doubled, or changes
// places with the next.
func changes(t *testing.T, raw []byte) []change {
	t.Helper()
	tree := treeOf(t, raw)
	w := &tamperer{tree: tree}
	w.walk("", tree, nil)
	return w.all
}

type tamperer struct {
	tree any
	all  []change
}

func (w *tamperer) add(kind, path string, do func() func()) {
	w.all = append(w.all, change{kind: kind, path: path, tree: w.tree, do: do})
}

// walk lists the changes below a value, which put replaces where it stands.
func (w *tamperer) walk(path string, value any, put func(any)) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below, here := v[name], path+"/"+name
			w.add("omit", here, func() func() { delete(v, name); return func() { v[name] = below } })
			w.walk(here, below, func(other any) { v[name] = other })
		}
	case []any:
		w.list(path, v, put)
	default:
		for _, other := range others(value) {
			w.add("change", path, func() func() { put(other); return func() { put(value) } })
		}
	}
}

func (w *tamperer) list(path string, v []any, put func(any)) {
	for i, element := range v {
		here := path + "/" + strconv.Itoa(i)
		replace := func(kind string, with []any) {
			w.add(kind, here, func() func() { put(with); return func() { put(v) } })
		}
		replace("drop", slices.Delete(slices.Clone(v), i, i+1))
		replace("double", slices.Insert(slices.Clone(v), i, element))
		if i+1 < len(v) && !same(v[i], v[i+1]) {
			swapped := slices.Clone(v)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			replace("swap", swapped)
		}
		w.walk(here, element, func(other any) { v[i] = other })
	}
}

var digits = regexp.MustCompile(`^(.*)([0-9a-f]{40})$`)

// others are values like this one: a time is another time and a digest another
// digest, so that no change is found merely because its form is wrong.
func others(value any) []any {
	switch v := value.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return []any{at.Add(time.Second).Format(time.RFC3339Nano), at.Add(-time.Second).Format(time.RFC3339Nano)}
		}
		if m := digits.FindStringSubmatch(v); m != nil {
			other := "0"
			if m[2][39] == '0' {
				other = "1"
			}
			return []any{v[:len(v)-1] + other}
		}
		if v == "" {
			return []any{"x"}
		}
		middle := len(v) / 2
		for middle > 0 && v[middle] >= 0x80 {
			middle--
		}
		other := byte('x')
		if v[middle] == other {
			other = 'y'
		}
		return []any{v[:middle] + string(other) + v[middle+1:]}
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			panic(fmt.Sprintf("no whole number: %s", v))
		}
		return []any{json.Number(strconv.FormatInt(n+1, 10)), json.Number(strconv.FormatInt(n-1, 10))}
	case bool:
		return []any{!v}
	case nil:
		return []any{"x", []any{}}
	default:
		panic(fmt.Sprintf("a leaf of type %T", value))
	}
}
