package program

import (
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// drillSite is a site with the shop's tool, and a file of parameters.
func drillSite(t *testing.T, s *shop, class string) *site {
	t.Helper()
	site := newSite(t, s.declaration(class))
	site.write("order.yaml", "number: 2026-{{drill_id}}\nremark: hello\n")
	return site
}

// drill runs the drill in the shop's sandbox.
func (s *site) drill(in string, more ...string) printed {
	s.t.Helper()
	return s.run(in, append([]string{"drill", "open_order", "--parameters", s.path("order.yaml"), "--target", "shop/orders"}, more...)...)
}

func TestDrillOfAClassThatIsTrue(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	p := drillSite(t, shop, "keyed").drill("y\n")
	require.Zero(t, p.code, "%s%s", p.out, p.err)
	require.True(t, strings.HasSuffix(p.out, "\nclass keyed holds\n"), p.out)
	require.NotContains(t, p.out, "BROKEN")
	require.NotContains(t, p.out, "open  ")
	made := shop.made()
	require.Len(t, made, 2, "one effect of each of its two keys, counted at the target")
	require.NotEqual(t, made[0].key, made[1].key)
	require.Contains(t, p.out, "ok      two at once: the target answered both with one receipt")
	require.Contains(t, p.out, "ok      two at once: the target counts 1 effect")
	require.Contains(t, p.out, "key     "+made[0].key+"\n")
	require.Regexp(t, `item    2026-drill-[0-9a-f]{16}\n`, p.out)
	require.Regexp(t, `ok      other payload at the target: the target refused it: `, p.out)
	require.Contains(t, p.out, "POST", "the operator sees what will be sent")
	require.Contains(t, p.out, "Go on? [y/N]")
}

// A server that does not do what its manual says is found out: by the count,
// and by the second receipt alone where nobody can count.
func TestDrillFindsOutAServerThatLies(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]bool{"counted": false, "not counted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shop := newShop(t)
			shop.forgets, shop.silent = true, silent
			p := drillSite(t, shop, "keyed").drill("", "--yes")
			require.Equal(t, 1, p.code)
			require.True(t, strings.HasSuffix(p.out, "\nclass keyed does not hold\n"), p.out)
			require.Contains(t, p.out, "BROKEN  same call: the target made another effect, 3 beside 1")
			require.Equal(t, !silent, strings.Contains(p.out, "BROKEN  last count: the target counts 4 effects; there must be 1"), p.out)
			require.Contains(t, p.err, "the target of tool open_order does not do what class keyed says")
			require.NotContains(t, p.out, "Go on?")
		})
	}
}

// A server that looks for a key and then writes it down keeps a second call
// away, and not one that comes at the same time.
func TestDrillFindsOutAServerThatRaces(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.racy = true
	p := drillSite(t, shop, "keyed").drill("", "--yes")
	require.Equal(t, 1, p.code, p.out)
	require.Contains(t, p.out, "BROKEN  two at once: the target made two effects of one key, ")
	require.Contains(t, p.out, "ok      same call: ", "one after the other it keeps its promise")
	require.True(t, strings.HasSuffix(p.out, "\nclass keyed does not hold\n"), p.out)
}

// What was not tried is no part of the verdict.
func TestDrillNamesWhatWasNotTried(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	site := drillSite(t, shop, "keyed")
	site.write("order.yaml", "number: \"2026\"\n") // nothing in it is new each time, or can be changed under the key
	p := site.drill("", "--yes")
	require.Zero(t, p.code, "%s%s", p.out, p.err)
	require.Contains(t, p.out, "open    two at once: the parameters name no second effect")
	require.True(t, strings.HasSuffix(p.out, "\nclass keyed holds, except: other payload, two at once were not tried\n"), p.out)
	require.Len(t, shop.made(), 1)
}

// An answer that is lost is no proof that the effect is absent.
func TestDrillWhoseFirstAnswerIsLost(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.cuts = true
	p := drillSite(t, shop, "keyed").drill("", "--yes")
	require.Equal(t, 1, p.code)
	require.Contains(t, p.err, "the first call gave no receipt, so nothing can be rehearsed: ")
	require.Contains(t, p.err, "the effect may be there")
	require.NotContains(t, p.err, "did not make its effect")
	require.Len(t, shop.made(), 1, "it is there")
}

func TestDrillOfClassOnceStopsForAPerson(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	shop.forgets, shop.silent = true, true
	p := drillSite(t, shop, "once").drill("", "--yes")
	require.Zero(t, p.code, "%s%s", p.out, p.err)
	require.Contains(t, p.out, "ok      recovery: it stopped and sent nothing: a person decides")
	require.Regexp(t, `open    last count: the target cannot be counted: look at shop/orders for the key [0-9a-f]{40}, `+
		`the item "2026-drill-[0-9a-f]{16}", or the reference 1; it must be there once`, p.out)
	require.True(t, strings.HasSuffix(p.out, "\nclass once holds, except: last count was not tried\n"), p.out)
	require.Len(t, shop.made(), 1)
}

// Each drill has a key of its own, so that one leaves no trace in the next.
func TestDrillCanBeRepeated(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	site := drillSite(t, shop, "keyed")
	for range 2 {
		require.Zero(t, site.drill("", "--yes").code)
	}
	made := shop.made()
	require.Len(t, made, 4)
	keys := map[string]bool{}
	for _, o := range made {
		keys[o.key] = true
	}
	require.Len(t, keys, 4)
}

func TestDrillWritesNothingUnlessItIsTold(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{"no": "n\n", "nothing": "", "an empty line": "\n", "something else": "yes please\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shop := newShop(t)
			p := drillSite(t, shop, "keyed").drill(in)
			require.Equal(t, 1, p.code)
			require.Contains(t, p.err, "nothing was written")
			require.Empty(t, shop.made())
		})
	}
}

func TestDrillStaysInTheSandbox(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	site := drillSite(t, shop, "keyed")
	p := site.run("", "drill", "open_order", "--yes", "--parameters", site.path("order.yaml"), "--target", "shop/sandbox")
	require.Equal(t, 1, p.code)
	require.Contains(t, p.err, `it writes to "shop/orders", and the task allows ["shop/sandbox"]`)
	require.Empty(t, shop.made())
}

func TestDrillThatCannotBegin(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	site := drillSite(t, shop, "keyed")
	site.write("bad.yaml", "number: 1\nnumber: 2\n")
	site.write("bad.json", `{"number": "1", "numbr": "2"}`)
	require.NoError(t, syscall.Mkfifo(site.path("pipe.yaml"), 0o600))
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"a pipe":            {[]string{"open_order", "--parameters", "pipe.yaml", "--target", "shop"}, 1, "is a pipe, and only a file is read here"},
		"another tool":      {[]string{"close_order", "--parameters", "order.yaml", "--target", "shop"}, 2, `there is no tool "close_order"`},
		"no target":         {[]string{"open_order", "--parameters", "order.yaml"}, 2, "--target SANDBOX"},
		"no parameters":     {[]string{"open_order", "--target", "shop"}, 2, "--parameters FILE"},
		"no tool":           {nil, 2, "accepts 1 arg"},
		"a missing file":    {[]string{"open_order", "--parameters", "absent.yaml", "--target", "shop"}, 1, "no such file"},
		"a mistake in it":   {[]string{"open_order", "--parameters", "bad.yaml", "--target", "shop"}, 1, "bad.yaml:2: number stands in line 1 already"},
		"another parameter": {[]string{"open_order", "--parameters", "bad.json", "--target", "shop"}, 1, "additional properties 'numbr' not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"drill", "--yes"}, tt.args...)
			for i, arg := range args {
				if strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".json") {
					args[i] = site.path(arg)
				}
			}
			p := site.run("", args...)
			require.Equal(t, tt.code, p.code, p.err)
			require.Contains(t, p.err, tt.want)
			require.Empty(t, shop.made())
		})
	}
}

// A target that is away shows nothing about its class.
func TestDrillOfATargetThatIsAway(t *testing.T) {
	t.Parallel()
	shop := newShop(t)
	site := drillSite(t, shop, "keyed")
	shop.Close()
	p := site.drill("", "--yes")
	require.Equal(t, 1, p.code)
	require.Contains(t, p.err, "nothing can be rehearsed")
	require.NotRegexp(t, `class keyed (holds|does)`, p.out)
}
