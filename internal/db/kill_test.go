package db

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/planning"
)

// childEnv names the database that this binary, as a child, appends to until
// it is killed, and groupEnv how its sessions begin.
const (
	childEnv = "COUNTERSIGN_TEST_CHILD"
	groupEnv = "COUNTERSIGN_TEST_GROUP"
)

// appendForever prints a line for each append that was acknowledged: session,
// seq and text.
func appendForever(path string) error {
	d, err := Open(context.Background(), Options{Path: path})
	if err != nil {
		return err
	}
	errs := make(chan error)
	var print sync.Mutex
	for w := range 16 {
		go func() {
			for {
				session := fmt.Sprint(os.Getenv(groupEnv), "-", w/4)
				text := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, w)
				seq, err := appendOne(d, session, text)
				if err != nil {
					errs <- err
					return
				}
				print.Lock()
				fmt.Println(session, seq, text)
				print.Unlock()
			}
		}()
	}
	return <-errs
}

// appendOne appends a message to a session that others append to as well, and
// makes it if need be.
func appendOne(d *DB, session, text string) (int64, error) {
	for {
		ctx := context.Background()
		s, err := d.State(ctx, session)
		if err != nil {
			s, err = d.Append(ctx, session, 0, created)
		}
		if err == nil {
			s, err = d.Append(ctx, session, s.Seq, said(text), by(ada, planning.ThreadOpened{Thread: fmt.Sprint(session, s.Seq, text), Body: text}))
		}
		if err == nil {
			return s.Seq - 1, nil
		}
		if d.closed.Load() {
			return 0, err
		}
	}
}

func TestLog_S3_S4_KillLosesNothingThatWasAcknowledged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "countersign.db")
	acknowledged := map[string]string{} // text by session and seq
	for _, lines := range []int{50, 400, 1500} {
		killAfter(t, path, "shared", lines, acknowledged)
		d := openAt(t, path)
		checkAcknowledged(t, d, acknowledged)
		before := dump(t, d)
		if err := d.Rebuild(context.Background()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, dump(t, d)); diff != "" {
			t.Errorf("the read models are not what the events say:\n%s", diff)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killAfter runs a child until it has acknowledged so many appends to the sessions
// of a group, and kills it.
func killAfter(t *testing.T, path, group string, lines int, acknowledged map[string]string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+path, groupEnv+"="+group)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for n := 0; scanner.Scan(); n++ {
		var session, text string
		var seq int64
		// The last line may be cut off; then it was not an acknowledgement yet.
		if _, err := fmt.Sscan(scanner.Text(), &session, &seq, &text); err == nil {
			acknowledged[fmt.Sprint(session, "/", seq)] = text
		}
		if n == lines {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	if len(acknowledged) < lines {
		t.Fatalf("only %d acknowledgements", len(acknowledged))
	}
}

func checkAcknowledged(t *testing.T, d *DB, acknowledged map[string]string) {
	t.Helper()
	stored := map[string]string{}
	for i := range 4 {
		session := fmt.Sprint("shared-", i)
		for at, r := range allRecords(t, d, session) {
			if r.Seq != int64(at+1) {
				t.Fatalf("%s: a gap before %d", session, r.Seq)
			}
			if payload, err := r.Payload(); err != nil {
				t.Fatal(err)
			} else if said, ok := payload.(planning.UserMessage); ok {
				stored[fmt.Sprint(session, "/", r.Seq)] = said.Text
			}
		}
	}
	for at, text := range acknowledged {
		if stored[at] != text {
			t.Errorf("%s was acknowledged as %q, stored is %q", at, text, stored[at])
		}
	}
}
