package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// process is what /proc says of one.
type process struct {
	pid, parent int
	tasks       int
}

// descendants lists the processes below this one. All that a command starts
// stays below it, because orphans come to it, as process 1 or as subreaper.
func descendants() []process {
	self, err := os.Readlink("/proc/self") // not Getpid: /proc may be that of another pid namespace
	if err != nil {
		return nil
	}
	top, _ := strconv.Atoi(self)
	children := map[int][]process{}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		if p, err := readProcess(name); err == nil {
			children[p.parent] = append(children[p.parent], p)
		}
	}
	found := children[top]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i].pid]...)
	}
	return found
}

// readProcess reads /proc/PID/stat. The name in it, in parentheses, can hold
// anything, so the fields are counted from its end.
func readProcess(pid string) (process, error) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return process{}, err
	}
	text := string(data)
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(f) < 18 {
		return process{}, fmt.Errorf("stat of %s: %q", pid, text)
	}
	var p process
	p.pid, _ = strconv.Atoi(pid)
	p.parent, _ = strconv.Atoi(f[1])
	p.tasks, _ = strconv.Atoi(f[17])
	return p, nil
}

func tasksIn(list []process) int {
	n := 0
	for _, p := range list {
		n += p.tasks
	}
	return n
}

// private is the memory that the process shares with no file, in pages.
func (p process) private() int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.pid))
	if err != nil {
		return 0
	}
	var size, resident, shared int64
	_, _ = fmt.Sscan(string(data), &size, &resident, &shared)
	return max(resident-shared, 0)
}
