package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// held is an open file of a disk.
type held struct {
	disk    *disk
	name    string
	methods *lib.Tsqlite3_io_methods // those of SQLite's own layer
}

var (
	installOnce sync.Once
	base        *lib.Tsqlite3_vfs
	open        sync.Map // *held by the address of SQLite's file
	tables      sync.Map // our methods' table, by the address of SQLite's own
)

// install makes the layer below SQLite the default one. Files that are on none
// of our disks go past it.
func install() {
	tls := libc.NewTLS()
	at := lib.Xsqlite3_vfs_find(tls, 0)
	base = pointer[lib.Tsqlite3_vfs](at)
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*base)))
	own := pointer[lib.Tsqlite3_vfs](p)
	*own = *base
	name, err := libc.CString("faults")
	if err != nil {
		panic(err)
	}
	own.FzName, own.FxOpen, own.FxDelete = name, address(openFile), address(deleteFile)
	if rc := lib.Xsqlite3_vfs_register(tls, p, 1); rc != 0 {
		panic(rc)
	}
}

// address and function turn functions into what the driver keeps in its
// tables, and back.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

func function[F any](at uintptr) F {
	return *(*F)(unsafe.Pointer(&struct{ at uintptr }{at}))
}

// pointer is what lies at an address outside of Go's memory.
func pointer[T any](at uintptr) *T { return *(**T)(unsafe.Pointer(&at)) }

type (
	openFunc     = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	deleteFunc   = func(tls *libc.TLS, vfs, name uintptr, flush int32) int32
	closeFunc    = func(tls *libc.TLS, file uintptr) int32
	writeFunc    = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	truncateFunc = func(tls *libc.TLS, file uintptr, size int64) int32
)

func openFile(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	rc := function[openFunc](base.FxOpen)(tls, uintptr(unsafe.Pointer(base)), name, file, flags, out)
	if rc != 0 || name == 0 {
		return rc
	}
	path := libc.GoString(name)
	v, ok := disks.Load(filepath.Dir(path))
	if !ok {
		return rc
	}
	h := &held{disk: v.(*disk), name: filepath.Base(path)}
	f := pointer[lib.Tsqlite3_file](file)
	h.methods = pointer[lib.Tsqlite3_io_methods](f.FpMethods)
	f.FpMethods = tableFor(tls, f.FpMethods)
	open.Store(file, h)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if h.disk.files[h.name] == nil {
		b, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
		// What is there from before has been there long.
		h.disk.files[h.name] = &platter{there: len(b) > 0, flushed: b}
	}
	h.disk.files[h.name].ghost = false
	return rc
}

func tableFor(tls *libc.TLS, methods uintptr) uintptr {
	if t, ok := tables.Load(methods); ok {
		return t.(uintptr)
	}
	p := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(lib.Tsqlite3_io_methods{})))
	own := pointer[lib.Tsqlite3_io_methods](p)
	*own = *pointer[lib.Tsqlite3_io_methods](methods)
	own.FxClose, own.FxWrite, own.FxTruncate, own.FxSync = address(closeFile), address(writeFile), address(truncateFile), address(flushFile)
	t, _ := tables.LoadOrStore(methods, p)
	return t.(uintptr)
}

func heldFile(file uintptr) *held {
	h, ok := open.Load(file)
	if !ok {
		panic(fmt.Sprintf("no file at %#x", file))
	}
	return h.(*held)
}

func closeFile(tls *libc.TLS, file uintptr) int32 {
	h := heldFile(file)
	open.Delete(file)
	return function[closeFunc](h.methods.FxClose)(tls, file)
}

func writeFile(tls *libc.TLS, file, data uintptr, n int32, at int64) int32 {
	h := heldFile(file)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if rc := h.disk.begins("write"); rc != 0 {
		return rc
	}
	b := append([]byte{}, unsafe.Slice(pointer[byte](data), n)...)
	p := h.disk.platter(h.name)
	p.since = append(p.since, written{at, b})
	return function[writeFunc](h.methods.FxWrite)(tls, file, data, n, at)
}

func truncateFile(tls *libc.TLS, file uintptr, size int64) int32 {
	h := heldFile(file)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if rc := h.disk.begins("truncate"); rc != 0 {
		return rc
	}
	p := h.disk.platter(h.name)
	p.since = append(p.since, written{at: size})
	return function[truncateFunc](h.methods.FxTruncate)(tls, file, size)
}

// flushFile does not trouble the real disk: what is flushed is kept here.
func flushFile(tls *libc.TLS, file uintptr, flags int32) int32 {
	h := heldFile(file)
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	if rc := h.disk.begins("sync"); rc != 0 {
		return rc
	}
	if h.disk.off {
		return lib.SQLITE_IOERR // the power went before it came back
	}
	p := h.disk.platter(h.name)
	if !p.there && (strings.HasSuffix(h.name, "-wal") || strings.HasSuffix(h.name, "-journal")) {
		h.disk.flushNames() // as SQLite does with the first flush of such a file
	}
	p.flush()
	return 0
}

func deleteFile(tls *libc.TLS, vfs, name uintptr, flush int32) int32 {
	path := libc.GoString(name)
	if v, ok := disks.Load(filepath.Dir(path)); ok {
		d := v.(*disk)
		d.mu.Lock()
		defer d.mu.Unlock()
		if rc := d.begins("delete"); rc != 0 {
			return rc
		}
		if flush != 0 || d.files[filepath.Base(path)] == nil {
			delete(d.files, filepath.Base(path))
		} else {
			d.files[filepath.Base(path)].ghost = true
		}
	}
	return function[deleteFunc](base.FxDelete)(tls, uintptr(unsafe.Pointer(base)), name, flush)
}
