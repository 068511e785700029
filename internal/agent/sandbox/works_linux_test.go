package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/trial"

	"golang.org/x/sys/unix"
)

// usual are commands that an agent needs, and what they must print. Those with
// layer write into the workspace, so they need a layer over it.
var usual = []struct {
	needs, shell, want string
	layer              bool
}{
	{"ls", "ls", "go.mod", false},
	{"cat", "cat main.go", "package main", false},
	{"grep", "grep -rn 'func Add' .", "main.go:3:func Add", false},
	{"find", "find . -name '*_test.go'", "./main_test.go", false},
	{"sed", "sed -n 1p main.go", "package main", false},
	{"awk", "awk 'NR==1 {print $2}' main.go", "main", false},
	{"bash", "bash -c 'diff <(echo a) <(echo a) && echo same'", "same", false},
	{"sort", "sort go.mod | uniq | wc -l", "3", false},
	{"git", "git log --oneline", "first", false},
	{"git", "git status --short", "?? main_test.go", false},
	{"git", "git diff --stat", "main.go", false},
	{"git", "git blame main.go", "package main", false},
	{"python3", `python3 -c 'import os, json, tempfile, subprocess; print(json.dumps({"pi": 3})); print(subprocess.check_output(["echo", "sub"]).decode())'`, "sub", false},
	{"node", `node -e 'console.log([1, 2].map(x => x * 2).join())'`, "2,4", false},
	{"mktemp", "cd $(mktemp -d) && echo x > f && mv f g && cat g && pwd", "x", false},
	{"tar", "tar -cf $TMPDIR/t.tar main.go && tar -tf $TMPDIR/t.tar", "main.go", false},
	{"go", "go vet ./... && echo vetted", "vetted", false},
	{"go", "go build -o $TMPDIR/prog . && $TMPDIR/prog", "3", false},
	{"go", "go test ./...", "ok", false},
	{"go", "go list -m", "example.com/tiny", false},
	{"rg", "rg -n 'func Add'", "func Add", false},
	{"head", "head -n 1 main.go && tail -n 1 main.go", "// more", false},
	{"cut", "cut -d' ' -f1 main.go | tr a-z A-Z", "PACKAGE", false},
	{"xargs", "ls *.go | xargs wc -l", "total", false},
	{"stat", "stat -c %F main.go && du -s . && df . && pwd", "regular file", false},
	{"sha256sum", "sha256sum main.go | od -c | head -n 1", "0000000", false},
	{"comm", "sort main.go > $TMPDIR/a && comm -12 $TMPDIR/a $TMPDIR/a | wc -l", "6", false},
	{"diff", "diff main.go main_test.go; test $? = 1", "> import", false},
	{"gzip", "gzip -c main.go | gunzip", "package main", false},
	{"perl", "perl -ne 'print if /Add/' main.go", "func Add", false},
	{"date", "date +%Y && uname -s && id -u && nproc", "Linux", false},
	{"sh", "cat <<E | tee $TMPDIR/h\nhere\nE", "here", false},
	{"sh", "(sleep 0.01; echo late) & wait; echo all", "late\nall", false},
	{"sh", "trap 'echo trapped' USR1; kill -USR1 $$ 2>/dev/null || echo trapped", "trapped", false},
	{"sh", "true | false || echo pipes", "pipes", false},
	{"nice", "nice -n 1 echo nicer; ulimit -n 100; ulimit -n", "nicer\n100", false},
	{"timeout", "timeout 5 echo in time", "in time", false},
	{"ln", "cd $TMPDIR && echo x > f && ln -s f l && ln f h && cp f c && rm f && cat h c", "x\nx", false},
	{"mkdir", "mkdir -p $HOME/.config/x && ls -a $HOME", ".config", false},
	{"ps", "ps | head -n 1", "PID", true},
	{"git", "git show --stat HEAD", "main.go", false},
	{"git", "git log -p -S Add -- main.go", "func Add", false},
	{"git", "git ls-files && git rev-parse HEAD && git branch -a && git tag", "go.mod", false},
	{"git", "git grep -n Add", "main.go:3", false},
	{"git", "git diff HEAD", "+// more", false},
	{"git", "git cat-file -p HEAD:main.go", "func Add", false},
	{"python3", `python3 -c 'import multiprocessing as m; print(m.Pool(2).map(abs, [-4, -5]))'`, "[4, 5]", true},
	{"python3", `python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0)); print("loop")'`, "loop", false},
	{"node", `node -e 'require("child_process").exec("echo child", (e, out) => console.log(out))'`, "child", false},
	{"node", `node -e 'setTimeout(() => console.log("timer"), 1)'`, "timer", false},
	{"sh", "{P} pairs", effect, false},
	{"sh", "{P} own-limits", effect, false},
	{"make", "printf 'test:\n\t@echo from make\n' > Makefile && make test", "from make", true},
	{"npm", `printf '{"scripts":{"test":"node -e \"console.log(6*7)\""}}' > package.json && npm test`, "42", true},
	{"git", "git checkout -q -b other && git stash -q && git stash pop -q && git branch", "* other", true},
	{"patch", "sed s/Add/Sum/ main.go | diff -u main.go - | patch main.go && cat main.go", "func Sum", true},
	{"sed", "sed -i s/Add/Sum/ main.go && cat main.go", "func Sum", true},
	{"go", "go build . && ./tiny && rm tiny", "3", true},
	{"git", "git -c user.name=a -c user.email=a@b commit -qam second && git log --oneline", "second", true},
	{"chmod", "chmod +x main.go && touch -d 2001-01-01 main.go && ls -l --time-style=+%Y main.go", "2001", true},
	{"sh", "{P} loopback", effect, true},
}

// enoughUsual is how many of them have to be tried on each stack.
const enoughUsual = 40

func tinyModule(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"go.mod":  "module example.com/tiny\n\ngo 1.21\n",
		"main.go": "package main\n\nfunc Add(a, b int) int { return a + b }\n\nfunc main() { println(Add(1, 2)) }\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "main.go", "go.mod"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "main_test.go"), []byte("package main\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n"), 0o644))
	f, err := os.OpenFile(filepath.Join(dir, "main.go"), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString("// more\n")
	must(t, err)
	must(t, f.Close())
}

func TestPlan_P6_WhatAnAgentNeedsWorks(t *testing.T) {
	parallel(t, stacks(t, false), func(t *testing.T, l layers) {
		w := newWorld(t)
		must(t, os.RemoveAll(filepath.Join(w.Workspace, ".git")))
		must(t, os.RemoveAll(w.Data))
		tinyModule(t, w.Workspace)
		before := w.State(false)
		ran := 0
		for _, u := range usual {
			if _, err := exec.LookPath(u.needs); err != nil && u.needs != "go" && u.needs != "git" {
				t.Logf("not run, because %s is not installed: %s", u.needs, u.shell)
				continue
			}
			c := w.command(u.shell)
			c.Protected, c.Timeout = nil, 10*time.Minute
			warm := findToolchain().cache
			if filepath.Base(warm) == "go-build" {
				c.Cache = filepath.Dir(warm)
			}
			// Where there is no build cache go compiles its library anew for each
			// command. That works, and takes minutes.
			if u.layer && !l.overlay || u.needs == "go" && (c.Cache == "" || l.namespaces && !l.overlay) {
				continue
			}
			ran++
			r := w.run(l, c)
			if r.ExitCode != 0 || !strings.Contains(r.Output, u.want) {
				t.Errorf("%s: exit %d: %s", u.shell, r.ExitCode, r.Output)
			}
		}
		t.Logf("%d of %d usual commands ran", ran, len(usual))
		if ran < enoughUsual {
			t.Errorf("only %d usual commands could be tried here, want %d", ran, enoughUsual)
		}
		if w.State(false) != before {
			t.Error("the workspace changed")
		}
	})
}

// A repository of somebody else is no obstacle, and its configuration runs
// nothing.
func TestGit_OfAnotherOwnerWithAProgramInItsConfig(t *testing.T) {
	if os.Geteuid() != 0 {
		trial.Lacks(t, "only root can make a folder somebody else's")
	}
	for name, l := range stacks(t, false) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			must(t, os.RemoveAll(filepath.Join(w.Workspace, ".git")))
			tinyModule(t, w.Workspace)
			config := exec.Command("git", "-C", w.Workspace, "config", "core.fsmonitor", "echo RAN; echo RAN >&2; true")
			must(t, config.Run())
			must(t, exec.Command("chown", "-R", "12345:12345", w.Workspace).Run())
			r := w.run(l, w.command("git status --short && git log --oneline"))
			if r.ExitCode != 0 || !strings.Contains(r.Output, "first") || strings.Contains(r.Output, "RAN") {
				t.Errorf("exit %d: %s", r.ExitCode, r.Output)
			}
		})
	}
}

// With leave to use the network a command gets out, but not to Unix sockets.
func TestNetwork_OnlyWithLeave(t *testing.T) {
	here(t, func(t *testing.T, l layers) {
		w := newWorld(t)
		c := w.command("{P} tcp {TCP} && {P} udp {UDP}; {P} unix {SOCK}; {P} abstract {ABSTRACT}; {P} packet; {P} vsock; env")
		c.Network = true
		r := w.run(l, c)
		for range 1000 {
			if w.Reached() >= 2 {
				break
			}
			_ = unix.Nanosleep(&unix.Timespec{Nsec: 1_000_000}, nil)
		}
		if w.Reached() != 2 || strings.Contains(r.Output, effect) || strings.Contains(r.Output, "GOPROXY=off") {
			t.Errorf("reached %d times: %s", w.Reached(), r.Output)
		}
	})
}

func TestNetwork_ModulesAreFetchedIntoALayer(t *testing.T) {
	s := Detect()
	modules := findToolchain().modules
	if !s.Overlay || modules == "" {
		trial.Lacks(t, "needs a layer, and a module cache to put it over")
	}
	w := newWorld(t)
	c := w.command("d=$(go env GOMODCACHE) && ls $d && mkdir $d/countersign-test && echo made")
	c.Network = true
	r := w.run(layers{landlock: s.Landlock, namespaces: true, overlay: true}, c)
	if _, err := os.Stat(filepath.Join(modules, "countersign-test")); err == nil || !strings.Contains(r.Output, "made") || !strings.Contains(r.Output, "cache") {
		t.Errorf("in the person's own cache: %v; %s", err == nil, r.Output)
	}
}

func TestEnvironment_HasNothingOfTheServers(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", secret)
	t.Setenv("GOFLAGS", "-tags="+secret)
	t.Setenv("LD_PRELOAD", "")
	for name, l := range stacks(t, false) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := w.run(l, w.command("env; cat /proc/self/environ /proc/$PPID/environ; echo $HOME"))
			if strings.Contains(r.Output, secret) || strings.Contains(r.Output, "LD_PRELOAD") || strings.Contains(r.Output, "HOME="+os.Getenv("HOME")+"\n") {
				t.Errorf("environment: %s", r.Output)
			}
			for _, want := range []string{"GOPROXY=off", "GOTOOLCHAIN=local", "GIT_OPTIONAL_LOCKS=0", "PWD=" + w.Workspace} {
				if !strings.Contains(r.Output, want) {
					t.Errorf("no %s in: %s", want, r.Output)
				}
			}
		})
	}
}
