// Package static holds the style sheets, scripts, fonts and icons, and serves
// them under names that carry a hash of their content, so that a browser may
// keep each of them for good.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"
)

//go:embed css/*.css js/*.js vendor/*.js fonts/*.woff2 icons/*.svg
var files embed.FS

// prefix is where the files are served.
const prefix = "/static/"

// sheet is the name of all style sheets in one, in this order.
const sheet = "app.css"

var sheets = []string{
	"tokens", "base", "layout", "components", "threads", "plan", "prose", "code",
	"activity", "question", "board", "pages", "people", "here", "compare", "print",
}

var types = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

type asset struct {
	path string // with the hash
	mime string
	etag string
	body []byte
	zip  func() []byte // nil for what is compressed already
}

var (
	byName = sync.OnceValue(build)
	byPath = sync.OnceValue(func() map[string]asset { return index(byName()) })
)

// Path returns the address of a file by its plain name: "app.css" becomes
// "/static/app.3f2a9c01.css". It panics for a name that is not there, which is
// a mistake in a template.
func Path(name string) string {
	a, ok := byName()[name]
	if !ok {
		panic("static: there is no file " + name)
	}
	return a.path
}

// Modules returns the addresses of the modules that app.js pulls in, so that a
// page can name them early and the browser need not find them one by one.
func Modules() []string { return modules() }

var modules = sync.OnceValue(preload)

func preload() []string {
	entries, err := fs.ReadDir(files, "js")
	if err != nil {
		panic(err)
	}
	var list []string
	for _, e := range entries {
		if e.Name() != "app.js" && e.Name() != "theme.js" {
			list = append(list, Path(e.Name()))
		}
	}
	return list
}

// Handler serves the files below /static/, by their exact hashed names and
// nothing else.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := byPath()[r.URL.Path]
		if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a.mime)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		body, etag := a.body, a.etag
		if a.zip != nil {
			h.Set("Vary", "Accept-Encoding")
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				h.Set("Content-Encoding", "gzip")
				body, etag = a.zip(), a.etag+"-gzip"
			}
		}
		h.Set("ETag", `"`+etag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	})
}

// reference is how one of our files names another: url("inter.woff2") in a
// style sheet, from "./live.js" in a script.
var reference = regexp.MustCompile(`(url\("|from "\./|import "\./)([\w.-]+)"`)

// builder gives every file its hash. A file's hash covers the hashed names of
// the files that it refers to, so these come first.
type builder struct {
	source map[string][]byte
	done   map[string]asset
	open   map[string]bool
}

func build() map[string]asset {
	b := builder{source: sources(), done: map[string]asset{}, open: map[string]bool{}}
	for name := range b.source {
		b.asset(name)
	}
	return b.done
}

func (b builder) asset(name string) asset {
	if a, ok := b.done[name]; ok {
		return a
	}
	body, ok := b.source[name]
	if !ok || b.open[name] {
		panic("static: reference to a missing file or in a circle: " + name)
	}
	b.open[name] = true
	ext := path.Ext(name)
	if ext == ".css" || ext == ".js" {
		body = reference.ReplaceAllFunc(body, func(m []byte) []byte {
			part := reference.FindSubmatch(m)
			return append(bytes.Clone(part[1]), path.Base(b.asset(string(part[2])).path)+`"`...)
		})
	}
	sum := sha256.Sum256(body)
	etag := hex.EncodeToString(sum[:6])
	a := asset{
		path: prefix + strings.TrimSuffix(name, ext) + "." + etag + ext,
		mime: types[ext], etag: etag, body: body,
	}
	if ext != ".woff2" {
		a.zip = sync.OnceValue(func() []byte { return compress(body) })
	}
	b.done[name] = a
	return a
}

// sources reads the embedded files by plain name, the style sheets as one.
func sources() map[string][]byte {
	all := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(p) == ".css" {
			return err
		}
		all[path.Base(p)], err = files.ReadFile(p)
		return err
	})
	for _, name := range sheets {
		body, readErr := files.ReadFile("css/" + name + ".css")
		if readErr != nil {
			err = readErr
		}
		all[sheet] = append(all[sheet], body...)
	}
	if err != nil {
		panic(err)
	}
	return all
}

func index(named map[string]asset) map[string]asset {
	paths := make(map[string]asset, len(named))
	for _, a := range named {
		paths[a.path] = a
	}
	return paths
}

func compress(body []byte) []byte {
	var out bytes.Buffer
	// The level is a valid constant and a buffer takes everything, so neither
	// can fail.
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = z.Write(body)
	_ = z.Close()
	return out.Bytes()
}
