package mask

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// The keys here are made up, and put together so that no scanner takes this
// file for a leak.
var (
	anthropic = "sk-" + "ant-api03-R2D2abcdefghij0123456789_KLMNOP-qrstuv"
	openAI    = "sk-" + "proj-Zz9aB8cC7dD6eE5fF4gG3hH2"
	gitHub    = "ghp" + "_0123456789abcdefABCDEF0123456789abcd"
	fine      = "github" + "_pat_11ABCDEFG0abcdefghijkl_0123456789"
	slack     = "xoxb" + "-123456789012-abcdefGHIJKL"
	aws       = "AKIA" + "IOSFODNN7EXAMPL3"
	awsSecret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY1"
	google    = "AIza" + "SyA1234567890abcdefghijklmnopqrstuv"
	webToken  = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0In0.c2lnbmF0dXJlc2ln"
)

func TestText_MasksWhatIsASecret(t *testing.T) {
	for name, tt := range map[string][2]string{ // the text, and what may not be left of it
		"anthropic":       {"key: " + anthropic + ".", anthropic},
		"openai":          {"OPENAI_API_KEY=" + openAI, openAI},
		"github":          {"https://" + gitHub + "@github.com/x", gitHub},
		"github, fine":    {"'" + fine + "'", fine},
		"slack":           {slack, slack},
		"aws":             {"aws_access_key_id = " + aws, aws},
		"aws secret":      {"aws_secret_access_key = " + awsSecret, awsSecret},
		"google":          {`{"key":"` + google + `"}`, google},
		"jwt":             {"Cookie: t=" + webToken, webToken},
		"bearer":          {"> Authorization: Bearer abc123def456\n", "abc123def456"},
		"bearer in a log": {"curl -H 'authorization: bearer Zm9vYmFy0123'", "Zm9vYmFy0123"},
		"basic":           {"Authorization: Basic b3duZXI6b3duZXI1", "b3duZXI6b3duZXI1"},
		"environment":     {"DB_PASSWORD=s3cr3tPa55w0rd\n", "s3cr3tPa55w0rd"},
		"yaml":            {"  password: 'correct7horse'\n", "correct7horse"},
		"json":            {`"client_secret": "kJ8n2Lq0Zx",`, "kJ8n2Lq0Zx"},
		"go":              {`apiKey := "f00dFACE1234"`, "f00dFACE1234"},
		"address":         {"postgres://app:pa55word1@db/app", "pa55word1"},
		"a server's own":  {"it is own-value-of-the-server, twice: own-value-of-the-server", "own-value-of-the-server"},
		"private key":     {"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nab==\n-----END RSA PRIVATE KEY-----\n", "MIIEowIBAAKCAQEA"},
		"with numbers":    {"1\t-----BEGIN PRIVATE KEY-----\n2\tMIIEowIBAAKCAQEA\n3\tshort=\n4\t-----END PRIVATE KEY-----\n", "short="},
		"from grep":       {"a/id_rsa:1:-----BEGIN OPENSSH PRIVATE KEY-----\na/id_rsa-2-b3BlbnNzaC1rZXktdjEAAAAA\n", "b3BlbnNzaC1rZXktdjEAAAAA"},
		"cut off below":   {"-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA", "MIIEowIBAAKCAQEA"},
		"cut off above":   {strings.Repeat("Ab3/", 16) + "\nxyz9==\n-----END PRIVATE KEY-----", "Ab3/"},
		"in one line":     {`"-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END PRIVATE KEY-----\n"`, "MIIEowIBAAKCAQEA"},
		"in a cut line":   {`"-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAMIIE`, "MIIEowIBAAKCAQEA"},
	} {
		got := New("own-value-of-the-server").Text(tt[0])
		if strings.Contains(got, tt[1]) || Count(got) == 0 || strings.Count(got, "\n") != strings.Count(tt[0], "\n") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestText_LeavesTheRest(t *testing.T) {
	for _, text := range []string{
		"task-list-of-the-component-number-12 and sk-circle-fade-in-and-out-slowly-please",
		"password := readPassword(os.Stdin)\npassword = oldPassword2\napiKey: config.keys.api2,\n",
		`apiKey := os.Getenv("OPENAI_API_KEY")`,
		`password: "${DB_PASSWORD_1}"`, `token="YOUR_TOKEN_12345"`, "api_key=<your key>", "secretName: tls-cert-v2", `"password": ""`,
		"Authorization: Bearer TOKEN", `"Bearer " + token`, "the bearer of this letter2",
		"postgres://user:password@localhost/db", "http://127.0.0.1:7777/a@b", "git@github.com:a/b1.git",
		"-----BEGIN CERTIFICATE-----\nMIIEowIBAAKCAQEA\n-----END CERTIFICATE-----\n",
		"secret_path = /run/secrets/db2", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"A short secret of the server, abc, stands in abcdef.",
	} {
		if got := New("abc").Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	var none *Masker
	if got := none.Text("key " + gitHub); Count(got) != 1 {
		t.Errorf("a masker that knows no values: %q", got)
	}
}

func TestText_TwiceIsOnce(t *testing.T) {
	text := strings.Join([]string{anthropic, gitHub, "password=s3cr3tPa55w0rd", "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"}, "\n")
	once := New().Text(text)
	if twice := New().Text(once); twice != once {
		t.Errorf("%q and %q", once, twice)
	}
}

// Twice the text may cost about twice the time, never four times it.
func TestText_InLinearTime(t *testing.T) {
	for _, unit := range []string{"sk-", "password=", "eyJa.", "://a:", "-----BEGIN PRIVATE KEY-----\n", "A", "Bearer ", "ghp_", "secret=\"", "-----END PRIVATE KEY-----\nAAAA\n"} {
		cost := func(n int) time.Duration {
			text := strings.Repeat(unit, n/len(unit))
			best := time.Hour
			for range 3 {
				begun := time.Now()
				New("own-value").Text(text)
				best = min(best, time.Since(begun))
			}
			return best
		}
		if small, large := cost(25_000), cost(100_000); large > 10*small+10*time.Millisecond {
			t.Errorf("%q: %s for 25 KB, %s for 100 KB", unit, small, large)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "password=", "sk-", "-----BEGIN PRIVATE KEY-----\n", "a\nb", "ghp_", "\xff", "\x00=\"", "eyJ", opening} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, secret := range []string{anthropic, gitHub, aws, webToken} {
			text := before + "\n" + secret + "\n" + after
			got := New("value-of-the-server").Text(text)
			if strings.Contains(got, secret) && !strings.Contains(before+after, secret) {
				t.Fatalf("%q is left in %q", secret, got)
			}
			if strings.Count(got, "\n") != strings.Count(text, "\n") {
				t.Fatalf("the lines of %q changed: %q", text, got)
			}
			if utf8.ValidString(text) && !utf8.ValidString(got) {
				t.Fatalf("%q is no text any more: %q", text, got)
			}
		}
	})
}

func TestStream_NoSecretComesInTwoHalves(t *testing.T) {
	key := "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nab==\n-----END PRIVATE KEY-----\n"
	text := "a\n" + gitHub + "\r" + key + "password=s3cr3tPa55w0rd\nend\n"
	want := New().Text(text)
	for size := 1; size < len(text); size += 7 {
		var got strings.Builder
		s := New().Stream(func(part string) { got.WriteString(part) })
		for at := 0; at < len(text); at += size {
			s.Write(text[at:min(at+size, len(text))])
		}
		if got.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, got.String(), want)
		}
	}
}
