package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/review"
	"countersign/web"
)

func TestConfig_OIDC(t *testing.T) {
	want := web.OpenID{Issuer: "https://id.example/realm", ClientID: "plans", Secret: "s3cret", Role: review.RoleReviewer}
	file := "[oidc]\nissuer = \"https://id.example/realm\"\nclient_id = \"plans\"\nclient_secret = \"s3cret\"\nrole = \"reviewer\"\n"
	dotted := "oidc.issuer = \"https://id.example/realm\"\noidc.client_id = \"plans\"\noidc.client_secret = \"s3cret\"\noidc.role = \"reviewer\"\n"
	env := map[string]string{
		"COUNTERSIGN_OIDC_ISSUER": "https://id.example/realm", "COUNTERSIGN_OIDC_CLIENT_ID": "plans",
		"COUNTERSIGN_OIDC_CLIENT_SECRET": "s3cret", "COUNTERSIGN_OIDC_ROLE": "reviewer",
	}
	for name, c := range map[string]struct {
		beside string
		env    map[string]string
		args   []string
	}{
		"a table":     {beside: file},
		"dotted keys": {beside: dotted},
		"environment": {env: env},
		"flags":       {args: []string{"--oidc-issuer", "https://id.example/realm", "--oidc-client-id", "plans", "--oidc-client-secret", "s3cret", "--oidc-role", "reviewer"}},
	} {
		got, err := settings(t, c.beside, "", c.env, c.args...)
		if err != nil || got.openID != want {
			t.Errorf("%s: %+v, %v", name, got.openID, err)
		}
		if text := fmt.Sprintf("%v %+v %#v %s", got.openID, got.openID, got.openID, got.openID.Secret); strings.Contains(text, "s3cret") {
			t.Errorf("the secret shows in %s", text)
		}
	}
	c, err := settings(t, "sign_in_idle = \"48h\"\n", "", nil)
	if err != nil || c.openID.Issuer != "" || c.signInIdle != 48*time.Hour {
		t.Errorf("%+v, %v", c.openID, err)
	}
}

func TestConfig_OIDCThatCanNotBe(t *testing.T) {
	ok := []string{"--oidc-issuer", "https://id.example", "--oidc-client-id", "x"}
	for want, args := range map[string][]string{
		"need --oidc-issuer":    {"--oidc-client-id", "x"},
		"needs --oidc-client":   {"--oidc-issuer", "https://id.example"},
		"can't be owner":        append(ok, "--oidc-role", "owner"),
		`"emperor"`:             append(ok, "--oidc-role", "emperor"),
		"http://id.example":     {"--oidc-issuer", "http://id.example", "--oidc-client-id", "x"},
		"id.example; it":        {"--oidc-issuer", "id.example", "--oidc-client-id", "x"},
		"https://id.example?x":  {"--oidc-issuer", "https://id.example?x", "--oidc-client-id", "x"},
		"https://me@id.example": {"--oidc-issuer", "https://me@id.example", "--oidc-client-id", "x"},
		"--sign-in-idle":        {"--sign-in-idle", "1s"},
	} {
		if _, err := settings(t, "", "", nil, args...); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, "; it")) {
			t.Errorf("%v: %v", args, err)
		}
	}
	for _, issuer := range []string{"http://127.0.0.1:9000", "http://localhost:9000", "http://[::1]:9000/x"} {
		if _, err := settings(t, "", "", nil, "--oidc-issuer", issuer, "--oidc-client-id", "x"); err != nil {
			t.Errorf("%s: %v", issuer, err)
		}
	}
	for _, line := range []string{`oidc.issuer = "https://evil.example"`, `oidc.role = "approver"`, `sign_in_idle = "8784h"`} {
		if _, err := settings(t, "", line, nil); err == nil || !strings.Contains(err.Error(), "inside the workspace") {
			t.Errorf("%s inside the workspace: %v", line, err)
		}
	}
	if _, err := settings(t, `oidc.isuer = "https://id.example"`, "", nil); err == nil || !strings.Contains(err.Error(), "no setting \"oidc.isuer\"") {
		t.Errorf("a slip of the pen: %v", err)
	}
}
