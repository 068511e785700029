package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate makes one for 127.0.0.1 and returns its files and who trusts it.
func certificate(t *testing.T) (cert, key string, trust *x509.CertPool) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	must(err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	must(err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	must(os.WriteFile(cert, public, 0o600))
	must(os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	trust = x509.NewCertPool()
	trust.AppendCertsFromPEM(public)
	return cert, key, trust
}

func TestServe_SpeaksTLS(t *testing.T) {
	cert, key, trust := certificate(t)
	listening, link := started(t, nil, "--addr", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(listening, "https://127.0.0.1:") || !strings.HasPrefix(link, listening+"/") {
		t.Fatalf("listening on %q, link %q", listening, link)
	}
	client := http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust, ServerName: "localhost"}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	a, err := client.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if len(a.Cookies()) == 0 || !a.Cookies()[0].Secure || !a.Cookies()[0].HttpOnly {
		t.Errorf("%s, cookies %v", a.Status, a.Cookies())
	}
	old := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust, ServerName: "localhost", MaxVersion: tls.VersionTLS11}}}
	if a, err := old.Get(link); err == nil {
		a.Body.Close()
		t.Error("it speaks TLS 1.1")
	}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	u.Scheme = "http"
	plain, err := http.Get(u.String())
	if err == nil {
		plain.Body.Close()
		if plain.StatusCode < 400 {
			t.Errorf("without TLS it answers %s", plain.Status)
		}
	}
}

func TestConfig_TLSOrAProxyForOthers(t *testing.T) {
	cert, key, _ := certificate(t)
	for _, args := range [][]string{{}, {"--tls-cert", cert}, {"--tls-key", key}, {"--tls-cert", key, "--tls-key", cert}, {"--tls-cert", cert, "--tls-key", "nowhere.pem"}} {
		_, err := settings(t, "", "", nil, append([]string{"--addr", "0.0.0.0:0", "--host", "plans.example"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), "--tls-cert and --tls-key") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
	}
	for _, args := range [][]string{
		{"--tls-cert", cert, "--tls-key", key}, {"--trusted-proxy", "10.0.0.0/8, 192.0.2.1"}, {"--insecure-http"},
	} {
		if _, err := settings(t, "", "", nil, append([]string{"--addr", "0.0.0.0:0", "--host", "plans.example"}, args...)...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	c, err := settings(t, `trusted_proxy = ["10.1.2.3/8", "::1"]`, "", nil)
	if err != nil || c.proxies.String() != "10.0.0.0/8,::1/128" {
		t.Errorf("%s, %v", c.proxies.String(), err)
	}
	if _, err := settings(t, `trusted_proxy = "proxy.example"`, "", nil); err == nil || !strings.Contains(err.Error(), "trusted-proxy") {
		t.Errorf("a name: %v", err)
	}
	for _, line := range []string{`insecure_http = true`, `trusted_proxy = "0.0.0.0/0"`, `tls_cert = "x"`, `tls_key = "x"`} {
		if _, err := settings(t, "", line, nil); err == nil || !strings.Contains(err.Error(), "inside the workspace") {
			t.Errorf("%s in a workspace: %v", line, err)
		}
	}
	// The agent can't read the key.
	if c, err = settings(t, "", "", nil, "--tls-cert", cert, "--tls-key", key); err != nil || !strings.Contains(strings.Join(c.protected(), " "), key) {
		t.Errorf("protected are %v, %v", c.protected(), err)
	}
}
