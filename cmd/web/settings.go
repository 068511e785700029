package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"countersign/internal/fault"

	"github.com/BurntSushi/toml"
)

// weaker fills in, from the environment and then from the file, what no flag
// has set.
func weaker(fset *flag.FlagSet, getenv func(string) string, c *config) error {
	set := map[string]bool{}
	fset.Visit(func(f *flag.Flag) { set[f.Name] = true })
	var err error
	try := func(name, value, source string) {
		if set[name] || err != nil {
			return
		}
		set[name] = true
		if e := fset.Set(name, value); e != nil {
			err = fault.New(fault.Invalid, "%s: %q is not a value for %s", source, value, name)
		}
	}
	fset.VisitAll(func(f *flag.Flag) {
		key := "COUNTERSIGN_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if v := getenv(key); v != "" {
			try(f.Name, v, key)
		}
	})
	if err != nil {
		return err
	}
	for _, file := range settingsFiles(c) {
		values, e := readFile(file)
		if e != nil {
			return e
		}
		for key, value := range values {
			name := settingName(key)
			table := tables[key]
			switch {
			case table == nil && fset.Lookup(name) == nil || name == "config":
				return fault.New(fault.Invalid, "%s: there is no setting %q", file.path, key)
			case file.inWorkspace && !slices.Contains(harmless, name):
				return fault.New(fault.Invalid, "%s: %s can't be set by a file inside the workspace, which the agent and others may write; name the file with --config, or put it beside the workspace", file.path, key)
			case table != nil:
				if e := table(c, file.path, getenv); e != nil {
					return e
				}
				continue
			}
			try(name, value, file.path)
		}
	}
	return err
}

// tables read the keys that have no flag, and stand in trusted files only.
var tables = map[string]func(c *config, path string, getenv func(string) string) error{
	priceKey: func(c *config, path string, _ func(string) string) (err error) {
		c.prices, err = readPrices(path)
		return err
	},
	webhookKey: func(c *config, path string, getenv func(string) string) (err error) {
		c.webhooks, err = readWebhooks(path, getenv)
		return err
	},
	mcpKey: func(c *config, path string, _ func(string) string) (err error) {
		c.servers, err = readServers(path)
		return err
	},
	allowKey: func(c *config, path string, _ func(string) string) (err error) {
		c.allowed, err = readAllowed(path)
		return err
	},
	modelsKey: func(c *config, path string, _ func(string) string) (err error) {
		c.windows, err = readWindows(path)
		return err
	},
}

// settingName is the flag that a key in a file stands for.
func settingName(key string) string {
	if key == "hosts" { // a list reads better so
		return "host"
	}
	return strings.NewReplacer("_", "-", ".", "-").Replace(key)
}

// harmless are the settings that a file inside a workspace may make: a
// repository that somebody else wrote can't let anybody in with them, nor let
// the agent do more.
var harmless = []string{"approvals", "own-sessions", "open-threads", "confirm", "plan-shell", "parallel-todos", "model", "no-open", "log-level"}

// settingsFile is a place where settings may stand.
type settingsFile struct {
	path        string
	must        bool // it was named, so it must be there
	inWorkspace bool
}

// settingsFiles are the places to look at, the strongest first: the file that
// was named, or else countersign.toml beside and in the first workspace.
func settingsFiles(c *config) []settingsFile {
	if c.file != "" {
		return []settingsFile{{path: c.file, must: true}}
	}
	dir := "."
	if len(c.workspaces) > 0 {
		dir = c.workspaces[0]
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return []settingsFile{
		{path: filepath.Join(filepath.Dir(dir), settingsName)},
		{path: filepath.Join(dir, settingsName), inWorkspace: true},
	}
}

const settingsName = "countersign.toml"

// readFile reads the settings in a file; one that need not be there may be
// missing.
func readFile(file settingsFile) (map[string]string, error) {
	var raw map[string]any
	_, err := toml.DecodeFile(file.path, &raw)
	switch {
	case !file.must && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)):
		return nil, nil
	case err != nil:
		return nil, fault.New(fault.Invalid, "the settings file can't be read: %v", err)
	}
	values := map[string]string{}
	for key, v := range raw {
		switch v := v.(type) {
		case []any:
			var list []string
			for _, item := range v {
				list = append(list, fmt.Sprint(item))
			}
			sep := ","
			if key == "workspace" {
				sep = string(filepath.ListSeparator)
			}
			values[key] = strings.Join(list, sep)
		case map[string]any:
			if key != oidcTable {
				values[key] = fmt.Sprint(v) // which no setting takes
				continue
			}
			for name, value := range v {
				values[key+"."+name] = fmt.Sprint(value)
			}
		default:
			values[key] = fmt.Sprint(v)
		}
	}
	return values, nil
}

// decodeTable reads the table with this key, or the tables below it, into a
// struct that has it as a field. It returns the first key in it, from the top of
// the file, that the struct has no place for.
func decodeTable(path, key string, into any) (unknown toml.Key, err error) {
	meta, err := toml.DecodeFile(path, into)
	if err != nil {
		return nil, err
	}
	if kind := meta.Type(key); kind != "" && kind != "Hash" { // which the decoder passes over; "" is [key.NAME] alone
		return nil, fmt.Errorf("%s is no table", key)
	}
	for _, k := range meta.Undecoded() {
		if len(k) > 1 && k[0] == key {
			return k, nil
		}
	}
	return nil, nil
}
