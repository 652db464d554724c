package outline
import ("testing";"os";"path/filepath";"time";"fmt")
func TestDump(t *testing.T) {
	for _, n := range []string{"k8s-keps-sig-cli","rocketmq-docs-cn","mixed-formats"} {
		r := request(collect(t, n, "/work/shared/corpora/"+n)); r.BusinessID="x"
		st := time.Now()
		draft, err := Planner{}.Plan(t.Context(), r)
		fmt.Println(n, time.Since(st), err, len(draft.Actions)); for _, s := range draft.Notes { fmt.Println(" ", s) }
		for name, p := range pages(t, r) { f := filepath.Join("/tmp/dump", n, name); os.MkdirAll(filepath.Dir(f), 0o755); os.WriteFile(f, []byte(p.Content), 0o644) }
	}
}
