package sandboxtest

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

// Probe is the first argument that makes the test program try one thing that a
// shell can't.
const Probe = "__probe"

// tried is printed before each attempt, so that one that was never made can't
// be taken for one that came to nothing.
const tried = "[tried]"

// probe tries one thing, ignoring what comes of it: whether it had an effect is
// for the test to find out, outside.
func probe(name string, args []string) {
	try, ok := lookUp(name)
	if !ok {
		fmt.Println("no such probe:", name)
		os.Exit(2)
	}
	fmt.Println(tried)
	err := try(func(i int) string {
		if i < len(args) {
			return args[i]
		}
		return ""
	})
	if err != nil {
		fmt.Println("refused:", err)
	}
}

// attempts are the things to be tried, by name.
type attempts map[string]func(arg func(int) string) error

func lookUp(name string) (try func(arg func(int) string) error, ok bool) {
	for _, some := range []attempts{fileProbes, linkProbes, kernelProbes, processProbes, networkProbes, harmless} {
		if try, ok := some[name]; ok {
			return try, true
		}
	}
	return nil, false
}

// claim is for probes without a trace: success is the effect.
func claim(err error) error {
	if err == nil {
		fmt.Println(Effect)
	}
	return err
}

func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, e := syscall.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); e != 0 {
		return e
	}
	return nil
}

// text is a pointer to a string for the kernel.
func text(s string) uintptr {
	p, _ := syscall.BytePtrFromString(s)
	return uintptr(unsafe.Pointer(p))
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
