package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"countersign/internal/agent"
	"countersign/internal/planning"
)

// heldFolder keeps the contents that one call wrote until people have decided
// on them, each in a file named by its SHA-256.
type heldFolder struct{ session, call string }

// heldBy is the folder of a call. Ids of calls come from a model, so they are
// no names.
func (c Config) heldBy(env agent.Env) heldFolder {
	session := filepath.Join(c.Held, hashed(env.Session))
	return heldFolder{session, filepath.Join(session, hashed(env.Call))}
}

// hashed is the SHA-256 of a text or of contents, in hexadecimal digits.
func hashed[T string | []byte](s T) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// fill puts contents by, on disk when it returns. What a crash has left of
// calls that are not among the session's any more goes.
func (h heldFolder) fill(contents [][]byte, calls []planning.Call) error {
	if err := h.sweep(calls); err != nil {
		return err
	}
	if err := os.MkdirAll(h.call, 0o700); err != nil {
		return fmt.Errorf("keep what a command wrote: %w", err)
	}
	for _, data := range contents {
		if err := writeSynced(filepath.Join(h.call, hashed(data)), data); err != nil {
			return errors.Join(fmt.Errorf("keep what a command wrote: %w", err), os.RemoveAll(h.call))
		}
	}
	for _, dir := range []string{h.call, h.session, filepath.Dir(h.session)} {
		if root, err := os.OpenRoot(dir); err == nil {
			syncFolder(root)
			root.Close()
		}
	}
	return nil
}

func (h heldFolder) sweep(calls []planning.Call) error {
	keep := map[string]bool{}
	for _, c := range calls {
		keep[hashed(c.ID)] = true
	}
	entries, err := os.ReadDir(h.session)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !keep[e.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(h.session, e.Name())))
		}
	}
	return errors.Join(err, os.RemoveAll(h.call))
}

func writeSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// get returns a content, if it is still what it was.
func (h heldFolder) get(sha string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(h.call, filepath.Base(sha)))
	if err != nil {
		return nil, err
	}
	if hashed(data) != sha {
		return nil, errors.New("the content is not what it was")
	}
	return data, nil
}

// drop forgets the call. What can't be removed now goes with a later sweep.
func (h heldFolder) drop() {
	_ = os.RemoveAll(h.call)
	_ = os.Remove(h.session) // if it is empty
}
