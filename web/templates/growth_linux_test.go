//go:build linux && !race

package templates

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/planning"
	"countersign/internal/trial"
)

// unkind are plans of about n bytes that are quadratic, or worse, for a
// renderer without limits. Some are one long block; others are many that are
// short enough to be shown as Markdown.
func unkind(n int) map[string]string {
	rep := func(s string) string { return strings.Repeat(s, n/len(s)+1) }
	steps := func(s string) string { return rep("## a\n\n" + strings.Repeat(s, 7<<10/len(s)) + "\n\n") }
	var ticks, numbered, defined strings.Builder
	for i := 1; ticks.Len() < n; i++ {
		ticks.WriteString(strings.Repeat("`", i%2000+1) + " ")
	}
	for i := 1; numbered.Len() < n/2; i++ {
		fmt.Fprintf(&numbered, "## Step %d: [r%d]\n\n", i, i)
		fmt.Fprintf(&defined, "[r%d]: b\n\n", i)
	}
	deep, half := "", n/2
	for i := range 100 {
		deep += strings.Repeat("  ", i) + "- a\n"
	}
	row := strings.Repeat("|a", 50) + "|\n"
	return map[string]string{
		"images": rep("![]("), "images in steps": steps("![]("),
		"brackets": rep("["), "brackets in pairs": strings.Repeat("[", half) + strings.Repeat("]", half),
		"references": "[a]: b\n\n" + rep("[a]"), "definitions": defined.String() + numbered.String(),
		"backticks": ticks.String(),
		"tags":      rep("<a x=\""),
		"emphasis":  rep("*a **b "), "emphasis in steps": steps("*a **b "),
		"quotes": rep(">"), "quotes by lines": rep(strings.Repeat(">", 50) + "a\n"),
		"lists": rep("- "), "lists by lines": rep(deep),
		"table": row + strings.Repeat("|-", 50) + "|\n" + rep(row),
		"items": rep("1. a\n"), "code": rep("```c\n/*\n```\n"), "unseen": steps("\u202e"),
	}
}

// shown makes a plan of a source as a submission does, and renders every block
// of it as its page does for the first time.
func shown(t *testing.T, source string) {
	t.Helper()
	rendered.Purge()
	linked.Purge()
	v, err := planning.NewVersion(planning.State{}, source, planning.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	p := planning.Plan{Markdown: source, Blocks: v.Blocks}
	links := references(source)
	for _, b := range p.Blocks {
		blockHTML(p, b, links)
	}
}

// work is what it takes to show a plan: processor time of this thread, which
// other load on the machine does not change, and bytes of memory taken, which
// are the same each time.
func work(t *testing.T, source string) (time.Duration, uint64) {
	t.Helper()
	const thread = 1 // RUSAGE_THREAD
	spent := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(thread, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begun := spent()
	shown(t, source)
	took := spent() - begun
	runtime.ReadMemStats(&after)
	return took, after.TotalAlloc - before.TotalAlloc
}

// TestPage_R2_HostilePlansGrowInProportion: a plan that is four times as long
// takes about four times the work to show, whatever is in it; where the work
// grows with the square it is sixteen times. Nothing is collected meanwhile,
// since a part of that work falls to whoever needs memory just then. What seems
// too slow is measured again: the first to need memory waits for the system.
func TestPage_R2_HostilePlansGrowInProportion(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const most, tries, least = 8.0, 5, 5 * time.Millisecond // 8 is half way from 4 to 16
	short := trial.Often(24<<10, 250<<10)                   // of which four make a plan as long as one may be
	for name := range unkind(1) {
		small, large := "# T\n\n"+unkind(short)[name], "# T\n\n"+unkind(4 * short)[name]
		quick, slow := time.Hour, time.Hour
		var ratio, memory float64
		for range tries {
			took, much := work(t, large)
			slow = min(slow, took)
			took, little := work(t, small)
			quick = min(quick, took)
			ratio, memory = float64(max(slow, least))/float64(max(quick, least)), float64(much)/float64(little)
			if ratio < most {
				break
			}
		}
		if ratio >= most || memory >= most {
			t.Errorf("%s: %s for %d KB, %s for %d KB: %.1f times the time, %.1f times the memory",
				name, quick, len(small)>>10, slow, len(large)>>10, ratio, memory)
		} else if testing.Verbose() {
			t.Logf("%s: %s, %.1f; memory %.1f", name, slow.Round(time.Millisecond), ratio, memory)
		}
	}
}
