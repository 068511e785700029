package web

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"sync"
	"time"

	"countersign/internal/fault"

	"golang.org/x/oauth2"
)

// openIDFor is how long a person has to sign in at the issuer.
const openIDFor = 10 * time.Minute

// flow is a sign-in that has been begun. The browser keeps it, sealed, in a
// cookie, so that beginning many of them fills nothing on the server.
type flow struct {
	State    string
	Nonce    string
	Verifier string // of PKCE
	Redirect string // where the issuer sends the browser back to
	Next     string // where the person was going
	Link     string // secret of the invitation that they came with, if any
	Connect  string // id of the person whose account this is to become, if any
	Expires  time.Time
}

func newFlow(now time.Time, redirect string) flow {
	return flow{
		State: newSecret(), Nonce: newSecret(), Verifier: oauth2.GenerateVerifier(),
		Redirect: redirect, Expires: now.Add(openIDFor),
	}
}

// flows seals flows, and sees to it that each is used once. The key lives as
// long as the server: a sign-in that a restart interrupts is begun again.
type flows struct {
	aead cipher.AEAD
	mu   sync.Mutex
	used map[string]time.Time // states that came back, until they expire
}

// mostFlows bounds the memory for states that came back.
const mostFlows = 100_000

func newFlows() *flows {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // crypto/rand does not fail
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has the right length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return &flows{aead: aead, used: map[string]time.Time{}}
}

// seal turns a flow into the value of a cookie that nobody else can read or make.
func (fs *flows) seal(f flow) string {
	data, err := json.Marshal(f)
	if err != nil {
		panic(err) // a struct of strings
	}
	return base64.RawURLEncoding.EncodeToString(fs.aead.Seal(nil, nil, data, nil))
}

// take opens the flow that a browser brings back with a state, once. Its faults
// are fault.Unauthenticated.
func (fs *flows) take(sealed, state string, now time.Time) (flow, error) {
	var f flow
	data, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		data, err = fs.aead.Open(nil, nil, data, nil)
	}
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil || subtle.ConstantTimeCompare([]byte(f.State), []byte(state)) != 1 {
		return flow{}, fault.Wrap(err, fault.Unauthenticated, "This sign-in was not begun in this browser, or it was begun anew since. Please begin again.")
	}
	if now.After(f.Expires) {
		return f, fault.New(fault.Unauthenticated, "Signing in took longer than %d minutes. Please begin again.", int(openIDFor.Minutes()))
	}
	return f, fs.spend(f, now)
}

// spend notes that a flow has been used.
func (fs *flows) spend(f flow, now time.Time) error {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if _, again := fs.used[f.State]; again {
		return fault.New(fault.Unauthenticated, "This sign-in has been used already. Please begin again.")
	}
	if len(fs.used) >= mostFlows {
		for state, end := range fs.used {
			if now.After(end) {
				delete(fs.used, state)
			}
		}
		if len(fs.used) >= mostFlows {
			return fault.New(fault.Unavailable, "Too many people sign in just now. Please try again in a few minutes.")
		}
	}
	fs.used[f.State] = f.Expires
	return nil
}
