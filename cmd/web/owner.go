package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/review"
	"countersign/web"

	"github.com/cli/browser"
)

// ensureOwner makes the owner at the first start and lets the owner's API
// token act as them.
func ensureOwner(ctx context.Context, cfg config, store web.Accounts, getenv func(string) string) (review.Person, error) {
	owner, err := findOwner(ctx, store)
	if err != nil {
		return owner, err
	}
	if owner.ID == "" {
		if owner, err = store.AddPerson(ctx, ownerName(getenv), review.RoleOwner); err != nil {
			return owner, err
		}
	}
	token, err := cfg.ownerToken()
	if err != nil {
		return owner, err
	}
	return owner, store.SetServerToken(ctx, web.HashSecret(token), owner.ID)
}

// findOwner returns the first owner, or nobody.
func findOwner(ctx context.Context, store web.Accounts) (review.Person, error) {
	people, err := store.People(ctx)
	for _, p := range people {
		if p.Role == review.RoleOwner {
			return p, err
		}
	}
	return review.Person{}, err
}

func ownerName(getenv func(string) string) string {
	for _, key := range []string{"USER", "USERNAME"} {
		if name := strings.TrimSpace(getenv(key)); name != "" && name != "root" {
			return name
		}
	}
	return "Owner"
}

// ownerToken is the owner's API token, which is made if there is none yet.
func (c config) ownerToken() (string, error) {
	if c.token != "" {
		return c.token, nil
	}
	return keptToken(filepath.Join(c.private(), "token"))
}

// keptToken reads the owner's token from its file, or makes both.
func keptToken(file string) (string, error) {
	data, err := os.ReadFile(file)
	switch token := strings.TrimSpace(string(data)); {
	case err == nil && len(token) >= minToken:
		return token, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", fault.New(fault.Invalid, "the owner's token can't be read: %v", err)
	}
	secret := make([]byte, 32)
	rand.Read(secret) // never fails, as crypto/rand promises
	token := base64.RawURLEncoding.EncodeToString(secret)
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		return "", fault.New(fault.Invalid, "the owner's token can't be kept: %v", err)
	}
	return token, nil
}

// openBrowser shows the page to somebody who sits before this machine.
func openBrowser(cfg config, link string, stdout io.Writer) {
	if cfg.noOpen || !isTerminal(stdout) || !hasScreen() {
		return
	}
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	if err := browser.OpenURL(link); err != nil {
		fmt.Fprintln(stdout, "open the link above in a browser")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

func hasScreen() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
