package document

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checkDescent checks what holds for any pieces.
func checkDescent(t *testing.T, old, new []Piece) Descent {
	t.Helper()
	d := Trace(old, new)
	if len(d.Old) != len(new) || len(d.Heirs) != len(old) {
		t.Fatalf("%d and %d results for %d old and %d new pieces", len(d.Heirs), len(d.Old), len(old), len(new))
	}
	used := map[int]bool{}
	for j, i := range d.Old {
		if i < -1 || i >= len(old) || used[i] {
			t.Fatalf("%v is not one-to-one for %q and %q", d.Old, old, new)
		}
		used[i] = i >= 0
		if i >= 0 && (len(d.Heirs[i]) == 0 || d.Heirs[i][0] != j) {
			t.Fatalf("new piece %d continues %d, whose heirs are %v", j, i, d.Heirs[i])
		}
	}
	for i, list := range d.Heirs {
		sorted := slices.Compact(slices.Sorted(slices.Values(list)))
		if len(sorted) != len(list) || len(list) > 0 && (sorted[0] < 0 || sorted[len(list)-1] >= len(new)) {
			t.Fatalf("old piece %d has the heirs %v", i, list)
		}
	}
	if diff := cmp.Diff(d, Trace(old, new)); diff != "" {
		t.Fatalf("the same twice is not the same:\n%s", diff)
	}
	return d
}

func FuzzTrace(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, s)
	}
	for _, v := range []string{"v1", "v2"} {
		for _, plan := range []string{"scheduler", "login", "report"} {
			f.Add(planFile(f, plan, "v1.md"), planFile(f, plan, v+".md"))
		}
	}
	f.Fuzz(func(t *testing.T, old, new string) {
		checkDescent(t, stepsOf(old), stepsOf(new))
		d := checkDescent(t, stepsOf(old), stepsOf(old))
		for j, i := range d.Old {
			if i != j && Words(stepsOf(old)[j].Text) != "" {
				t.Fatalf("in the same text, step %d continues %d: %q", j, i, old)
			}
		}
	})
}

// variants are ways to write a plan's steps that leave them what they are.
var variants = map[string]func(n int, title, body string) string{
	"headings": func(n int, title, body string) string { return fmt.Sprintf("## Step %d: %s\n\n%s\n\n", n, title, body) },
	"deeper headings": func(n int, title, body string) string {
		return fmt.Sprintf("#### %d. %s\n\n%s\n\n", n, title, body)
	},
	"Chinese numbers": func(n int, title, body string) string {
		return fmt.Sprintf("## 步骤 %d：%s\n\n%s\n\n", n, title, body)
	},
	"a list": func(n int, title, body string) string {
		return fmt.Sprintf("%d. **%s**\n\n     %s\n\n", n, title, body)
	},
}

// Whatever the order and the way of numbering, no identity is lost.
func TestTrace_R4_PermutationsKeepAllIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, tr := range transitions(t) {
		single := tr.new[:0:0]
		for _, p := range tr.new {
			same := func(q Piece) bool { return Words(q.Text) == Words(p.Text) }
			if !slices.ContainsFunc(single, same) {
				single = append(single, p)
			}
		}
		for name, write := range variants {
			perm := r.Perm(len(single))
			var source strings.Builder
			source.WriteString("# T\n\n")
			for n, i := range perm {
				_, body, _ := strings.Cut(single[i].Text, "\n")
				source.WriteString(write(n+1, single[i].Title, strings.TrimSpace(body)))
			}
			if diff := cmp.Diff(perm, checkDescent(t, single, stepsOf(source.String())).Old); diff != "" {
				t.Errorf("%s as %s:\n%s", tr.name, name, diff)
			}
		}
	}
}

// Steps that say the same stay in their order, whatever else comes and goes.
func TestTrace_R4_TwinsKeepTheirOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		var old, new []Piece
		for n := range 3 + r.IntN(10) {
			text := fmt.Sprintf("Only here: number %c%c", 'a'+n, 'a'+n)
			if r.IntN(3) == 0 {
				text = "Run the whole test suite again"
			}
			old = append(old, Piece{text, fmt.Sprintf("%d. %s\n", n+1, text)})
			if r.IntN(5) > 0 {
				new = append(new, Piece{text, fmt.Sprintf("%d. %s\n", len(new)+1, text)})
			}
			if r.IntN(5) == 0 {
				new = append(new, Piece{"Something new", fmt.Sprintf("%d. Something new %d\n", len(new)+1, n)})
			}
		}
		last := -1
		for j, i := range checkDescent(t, old, new).Old {
			if i < 0 || new[j].Title != "Run the whole test suite again" {
				continue
			}
			if old[i].Title != new[j].Title || i < last {
				t.Fatalf("%q and %q: new %d continues %d", old, new, j, i)
			}
			last = i
		}
	}
}

// One step taken out or put in leaves all others what they are.
func TestTrace_R4_OneStepMoreOrLess(t *testing.T) {
	for _, tr := range transitions(t) {
		for k := 0; k < len(tr.old); k += 1 + len(tr.old)/12 {
			fewer := slices.Delete(slices.Clone(tr.old), k, k+1)
			for j, i := range checkDescent(t, tr.old, fewer).Old {
				if want := j + map[bool]int{true: 1}[j >= k]; i != want {
					t.Errorf("%s without step %d: %d continues %d", tr.name, k+1, j+1, i+1)
				}
			}
			for j, i := range checkDescent(t, fewer, tr.old).Old {
				want := j - map[bool]int{true: 1}[j > k]
				if j == k {
					want = -1
				}
				if i != want {
					t.Errorf("%s with step %d put in: %d continues %d", tr.name, k+1, j+1, i+1)
				}
			}
		}
	}
}
