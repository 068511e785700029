package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/planning"
)

// twoVersions is a browser on a plan whose second version has a step changed,
// one moved, one deleted and one new, and another scope.
func twoVersions(t *testing.T) (*browser, string, planning.Plan) {
	t.Helper()
	b, id, _ := inReview(t)
	b.open("/sessions/" + id + "/feedback").submit("#verdict")
	st := b.state(id)
	v, err := planning.NewVersion(st, `# Rename Alpha

Some words before.

## Step 1: Check

Run the tests.

## Step 2: Look

Read b.go & a.go.

## Step 3: Publish the new package

Tag it, and tell the people who use it.
`, planning.Scope{Files: []string{"b.go"}, Commands: []string{"go test ./..."}})
	b.must(err)
	st = b.agent(id, v)
	p, _ := st.Plan()
	return b, id, p
}

func TestCompare_R5_WhatChangedMovedCameAndWent(t *testing.T) {
	b, id, p := twoVersions(t)
	old, _ := b.state(id).PlanVersion(1)
	look, change, check := stepID(old, 1), stepID(old, 2), stepID(old, 3)
	b.open("/sessions/"+id+"/compare").sees("#difference", "1 step changed", "1 step moved", "1 step added", "1 step deleted", old.SHA256[:8], p.SHA256[:8])
	b.sees("#c-"+look+" ins.now", "b.go").sees("#c-"+look+" .no2", "1→2").lacks("#c-" + look + " del.was")
	b.sees("#c-"+look+" .tag.moved", "moved down, from 1 to 2").sees("#c-"+check+" .no2", "3→1")
	b.sees("#c-"+change+".removed .no2", "−2").sees("#c-"+stepID(p, 3)+".added .no2", "+3")
	b.sees("#from-"+look+".away", "moved to 2", "Look").sees("#from-" + look + ` a[href="#c-` + look + `"]`)
	b.sees("details.cmp-same:not([open])", "Some words before.")
	b.sees("#scope-difference ins.now", "b.go").sees("#scope-difference del.was", "a.go").sees("#scope-difference .cmp-kept", "go test ./...")

	b.open("/sessions/"+id+"/compare?from=2&to=1").sees("#difference", "1 step deleted").sees("#c-"+change+".added").sees("#c-"+look+" del.was", "b.go")
	b.open("/sessions/"+id+"/compare?from=1&to=1").sees("#difference", "These two are the same").sees(".cmp-same", "3 steps are the same")
	for _, wrong := range []string{"from=9", "to=x", "from=1-ffffffffffff", "to=-1"} {
		if b.load("/sessions/" + id + "/compare?" + wrong); b.status != http.StatusNotFound {
			t.Errorf("%s: %d", wrong, b.status)
		}
	}
}

func TestCompare_R5_SideBySideIsInTheAddress(t *testing.T) {
	b, id, _ := twoVersions(t)
	old, _ := b.state(id).PlanVersion(1)
	look := "#c-" + stepID(old, 1)
	b.open("/sessions/" + id + "/compare?from=1&to=2")
	side, _ := b.doc.Find(".switch a:last-child").Attr("href")
	b.open(side).sees(".cmp.side").sees(look+" .old", "Read a.go.").sees(look+" .now", "Read b.go & a.go.").sees(look+" .now ins.now", "b.go")
	b.sees(".away .cmp-cols a", "moved to 2")
	b.lacks(look + " .old ins").lacks(look + " .now del").sees("#c-" + stepID(old, 2) + " .now:empty")
	// The choice stays when other versions are chosen.
	b.sees(`.cmp-form input[name=view][value=side]`)
	b.open("/sessions/" + id + "/compare?from=1&to=2").lacks(".cmp.side")
}

// Text without blanks between words is compared by characters.
func TestCompare_R5_ChineseByCharacters(t *testing.T) {
	b, id, _ := inReview(t)
	b.rig.submit(id, "# 重命名\n\n## 第一步：读取配置文件\n\n先读取配置文件，然后检查所有的字段。\n\n## 第二步：写入\n\n写入结果。\n")
	p := b.rig.submit(id, "# 重命名\n\n## 第一步：读取配置文件\n\n先读取环境变量，然后检查所有的字段。\n\n## 第二步：写入\n\n写入结果。\n")
	step := "#c-" + stepID(p, 1)
	b.open("/sessions/" + id + "/compare?from=2&to=3").sees(step)
	if was, now := b.text(step+" del.was"), b.text(step+" ins.now"); was != "配置文件" || now != "环境变量" {
		t.Errorf("%q became %q", was, now)
	}
	b.sees(".cmp-same", "写入结果")
}

// A text that a version had only for a while can still be held against others.
func TestCompare_R5_TextsBetweenEdits(t *testing.T) {
	b, id, p := inReview(t)
	one, two := stepID(p, 1), stepID(p, 2)
	between := b.rewrite(b.person, id, one, "## Step 1: Look\n\nRead c.go.")
	b.rewrite(b.person, id, two, "## Step 2: Change\n\nEdit c.go.")
	point := fmt.Sprintf("1-%s", between.SHA256[:12])
	b.open("/sessions/"+id+"/compare?from="+point).sees("#c-"+two+".changed").lacks("#c-"+one+".changed").sees("select[name=from] option[selected]", "between two changes")
	b.open("/sessions/"+id+"/compare").sees("#c-"+two+".changed").sees("#c-"+one+".changed").sees("select[name=from] option[selected]", "as the agent sent it")
	b.open("/sessions/" + id + "/compare?to=" + point).sees("#c-" + one + ".changed").lacks("#c-" + two + ".changed")
}

func TestCompare_R5_OneVersionOnly(t *testing.T) {
	b, id, _ := inReview(t)
	b.open("/sessions/"+id+"/compare").sees("main .empty", "nothing to compare yet", "only one version").sees("main .empty a[href$='/plan']", "See version 1").lacks(".cmp-form")
	b.open("/sessions/"+id+"/compare?from=1&to=1").sees("main .empty", "nothing to compare yet").lacks("#difference")
	empty := b.begin()
	if b.open("/sessions/" + empty + "/compare"); !strings.HasSuffix(b.at, "/plan") {
		t.Errorf("without a plan one is at %s", b.at)
	}
}

// A step too long to be compared word by word shows both of its texts.
func TestCompare_R5_ALongStepShowsBothTexts(t *testing.T) {
	b, id, _ := inReview(t)
	for _, word := range []string{"old", "new"} {
		var text strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&text, "%s%d ", word, i)
		}
		b.rig.submit(id, "# T\n\n## Step 1: Long and the same\n\n"+text.String()+"\n\n## Step 2: Short\n\nShort.\n")
	}
	b.open("/sessions/"+id+"/compare?from=2&to=3").sees(".cmp:not(.side) .changed .old", "old2999").sees(".changed .now", "new2999").lacks(".changed ins")
}
