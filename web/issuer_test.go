package web

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// testIssuer is an OpenID Connect issuer on this machine. Tests change what it
// says before a sign-in is begun.
type testIssuer struct {
	t   *testing.T
	srv *httptest.Server

	mu     sync.Mutex
	key    crypto.Signer
	alg    jose.SignatureAlgorithm
	iss    string                      // what it calls itself in the discovery document
	claims map[string]any              // go over the usual ones; nil takes one away
	forge  func(payload []byte) string // makes the token, if it is set
	codes  map[string]url.Values       // what the code was asked for with
	seen   []url.Values                // forms that came to the token endpoint
	secret string                      // it wants
	down   bool
}

func newIssuer(t *testing.T) *testIssuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &testIssuer{t: t, key: key, alg: jose.RS256, codes: map[string]url.Values{}, claims: map[string]any{}, secret: "client-secret"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("POST /token", i.token)
	i.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.down {
			http.Error(w, "out for lunch", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	i.iss = i.srv.URL
	t.Cleanup(i.srv.Close)
	return i
}

// says changes a claim of the tokens to come.
func (i *testIssuer) says(name string, value any) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.claims[name] = value
}

func (i *testIssuer) discovery(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{
		"issuer": i.iss, "authorization_endpoint": i.srv.URL + "/authorize", "token_endpoint": i.srv.URL + "/token",
		"jwks_uri": i.srv.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256", "ES256"},
	})
}

func (i *testIssuer) keys(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: "k", Algorithm: string(i.alg), Use: "sig"}}})
}

// token exchanges a code, once, as RFC 6749 and RFC 7636 have it.
func (i *testIssuer) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		i.t.Error(err)
	}
	i.seen = append(i.seen, r.PostForm)
	id, secret, _ := r.BasicAuth()
	asked, known := i.codes[r.PostForm.Get("code")]
	delete(i.codes, r.PostForm.Get("code"))
	sum := sha256.Sum256([]byte(r.PostForm.Get("code_verifier")))
	if !known || id != "plans" || secret != i.secret || asked.Get("code_challenge_method") != "S256" ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") ||
		r.PostForm.Get("redirect_uri") != asked.Get("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := map[string]any{
		"iss": i.iss, "aud": "plans", "sub": "subject-1", "nonce": asked.Get("nonce"), "name": "Ida",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	for name, value := range i.claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		i.t.Error(err)
	}
	writeJSON(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": i.sign(payload)})
}

func (i *testIssuer) sign(payload []byte) string {
	if i.forge != nil {
		return i.forge(payload)
	}
	return signed(i.t, i.alg, i.key, payload)
}

func signed(t *testing.T, alg jose.SignatureAlgorithm, key any, payload []byte) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	if err != nil {
		t.Error(err)
		return ""
	}
	object, err := signer.Sign(payload)
	if err != nil {
		t.Error(err)
		return ""
	}
	text, err := object.CompactSerialize()
	if err != nil {
		t.Error(err)
	}
	return text
}

// elliptic makes it sign with another kind of key.
func (i *testIssuer) elliptic() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key, i.alg = key, jose.ES256
}

// authorize is a person who signs in at the issuer: it returns where the
// browser is sent back to.
func (i *testIssuer) authorize(at string) string {
	i.t.Helper()
	u, err := url.Parse(at)
	if err != nil || u.Path != "/authorize" || "http://"+u.Host != i.srv.URL {
		i.t.Fatalf("the browser is sent to %q", at)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	code := newSecret()
	i.codes[code] = u.Query()
	back, err := url.Parse(u.Query().Get("redirect_uri"))
	if err != nil {
		i.t.Fatal(err)
	}
	back.RawQuery = url.Values{"code": {code}, "state": {u.Query().Get("state")}, "iss": {i.srv.URL}}.Encode()
	return back.RequestURI()
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
