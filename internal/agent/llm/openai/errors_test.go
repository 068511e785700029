package openai

import (
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/wire"
)

// failure reads a turn that is to fail and returns its error, after checking
// what holds for all of them: a sentence, and no key anywhere.
func failure(t *testing.T, c *Client) *agent.ModelError {
	t.Helper()
	have, err := collect(t, c, agent.Request{})
	var e *agent.ModelError
	if !errors.As(err, &e) {
		t.Fatalf("got %+v, %v, want a ModelError", have, err)
	}
	if have.Stop != "" {
		t.Errorf("a failed turn ended with %q", have.Stop)
	}
	if strings.Contains(e.Error(), testKey) {
		t.Errorf("the key is in the error: %s", e.Error())
	}
	if !utf8.ValidString(e.Message) || strings.ContainsAny(e.Message, "\n\r\t<>") || !strings.HasSuffix(strings.TrimRight(e.Message, "…"), ".") && !strings.Contains(e.Message, "It says: ") {
		t.Errorf("not a sentence for people: %q", e.Message)
	}
	return e
}

func TestErrors_ByStatus(t *testing.T) {
	const html = "<html><body>nginx</body></html>"
	provider := func(message string) string {
		return `{"error":{"message":"` + message + `","type":"some_error","code":null}}`
	}
	tests := map[string]struct {
		status    int
		body      string
		headers   []string
		says      string
		temporary bool
		after     time.Duration
	}{
		"400":                    {400, provider("tools[0] is wrong"), nil, "did not accept the request. It says: tools[0] is wrong", false, 0},
		"400, too long":          {400, `{"error":{"message":"too many","code":"context_length_exceeded"}}`, nil, `too long for the model "m"`, false, 0},
		"400, error is a string": {400, `{"error":"no such thing"}`, nil, "It says: no such thing", false, 0},
		"400, detail":            {422, `{"detail":"field required"}`, nil, "It says: field required", false, 0},
		"400, in a list":         {400, `[{"error":{"code":400,"message":"bad","status":"INVALID"}}]`, nil, "It says: bad", false, 0},
		"400, key in message":    {400, provider("you sent " + testKey), nil, "you sent [key]", false, 0},
		"401":                    {401, provider("Incorrect API key provided: " + testKey), nil, "did not accept the key. Check OPENAI_API_KEY.", false, 0},
		"402":                    {402, provider("Insufficient Balance"), nil, "no credit left. It says: Insufficient Balance", false, 0},
		"403":                    {403, provider("not for you"), nil, `not allow this key to use the model "m". It says: not for you`, false, 0},
		"404":                    {404, provider("model not found"), nil, `knows no model "m"`, false, 0},
		"404, a web page":        {404, html, nil, "Check the model's name and OPENAI_BASE_URL.", false, 0},
		"408":                    {408, "", nil, "waited too long", true, 0},
		"413":                    {413, html, nil, "too large", false, 0},
		"429, seconds":           {429, provider("slow down"), []string{"Retry-After", "7"}, "too many requests. It says: slow down", true, 7 * time.Second},
		"429, date":              {429, "", []string{"Date", "Mon, 02 Jan 2006 15:04:05 GMT", "Retry-After", "Mon, 02 Jan 2006 15:04:35 GMT"}, "too many requests", true, 30 * time.Second},
		"429, no credit":         {429, `{"error":{"message":"quota","type":"insufficient_quota"}}`, nil, "no credit left", false, 0},
		"500":                    {500, provider("oops"), nil, "fault of its own (status 500). It says: oops", true, 0},
		"502, a web page":        {502, html, nil, "fault of its own (status 502).", true, 0},
		"503":                    {503, "", []string{"Retry-After", "2"}, "overloaded or not ready", true, 2 * time.Second},
		"529":                    {529, provider("overloaded"), nil, "overloaded", true, 0},
		"a redirect":             {307, "", []string{"Location", "https://elsewhere.example/"}, "on to another address", false, 0},
		"something else":         {418, "", nil, "status 418", false, 0},
		"a long message":         {400, provider(strings.Repeat("long ", 1000)), nil, "…", false, 0},
		"control characters":     {400, provider(`a\u0007\u202e\nb`), nil, "It says: a b", false, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := failure(t, answering(t, test.status, "application/json", test.body, test.headers...))
			if !strings.Contains(e.Message, test.says) {
				t.Errorf("got %q, want it to say %q", e.Message, test.says)
			}
			if e.Temporary != test.temporary || e.RetryAfter != test.after || e.Status != test.status {
				t.Errorf("temporary %v, after %v, status %d", e.Temporary, e.RetryAfter, e.Status)
			}
			if len(e.Message) > 600 {
				t.Errorf("the message has %d bytes", len(e.Message))
			}
		})
	}
}

func TestErrors_401WithoutKey(t *testing.T) {
	c := answering(t, 401, "application/json", "{}")
	c.server.Key = ""
	if e := failure(t, c); !strings.Contains(e.Message, "asks for a key, and none is set. Set OPENAI_API_KEY.") {
		t.Error(e.Message)
	}
}

func TestErrors_InTheAnswer(t *testing.T) {
	hi := choice(`{"content":"hi"}`)
	tests := map[string]struct {
		body      string
		says      string
		temporary bool
	}{
		"a web page":               {"\n <!DOCTYPE html><html></html>", "a web page instead", false},
		"nothing":                  {"", "broke its answer off", true},
		"cut after text":           {sse(hi), "broke its answer off", true},
		"cut in a frame":           {sse(hi) + `data: {"choices":[{"del`, "broke its answer off", true},
		"broken JSON in a frame":   {sse(hi, `{"choices":[{]}`, finish("stop"), "[DONE]"), "can't be read", true},
		"not JSON in a frame":      {sse(hi, `hello`, finish("stop"), "[DONE]"), "can't be read", true},
		"other JSON in a frame":    {sse(hi, `{"choices":7}`), "can't be read", true},
		"broken JSON, no stream":   {`{"choices":[}`, "can't be read", true},
		"an error object instead":  {`{"error":{"message":"no such model"}}`, "It says: no such model", true},
		"an error in the stream":   {sse(hi, `{"error":{"message":"out of memory","code":500}}`), "broke its answer off with an error. It says: out of memory", true},
		"a refusal in the stream":  {sse(hi, `{"error":{"message":"no","type":"invalid_request_error"}}`), "did not accept the request. It says: no", false},
		"a limit in the stream":    {sse(`{"error":{"message":"slow","code":"rate_limit_exceeded"}}`), "too many requests", true},
		"overload in the stream":   {sse(`{"error":{"message":"busy","code":529}}`), "overloaded", true},
		"the key in the stream":    {sse(`{"error":{"message":"bad key ` + testKey + `"}}`), "bad key [key]", true},
		"a bare line with error":   {sse(hi) + `{"error":"crashed"}` + "\n\n", "It says: crashed", true},
		"the field error":          {sse(hi) + `error: {"code":500,"error":{"message":"crashed"}}` + "\n\n", "It says: crashed", true},
		"a line that is too long":  {sse(hi) + "data: " + strings.Repeat("x", wire.MaxTurn+1), "more than 10 MB", false},
		"an event too long":        {sse(hi) + strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 11), "more than 10 MB", false},
		"a turn that is too long":  {sse(choice(`{"content":"`+strings.Repeat("x", 6<<20)+`"}`), choice(`{"content":"`+strings.Repeat("x", 6<<20)+`"}`)), "more than 10 MB", false},
		"an object that is too":    {`{"choices":[{"message":{"content":"` + strings.Repeat("x", wire.MaxTurn), "more than 10 MB", false},
		"arguments that never end": {sse(choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"`+strings.Repeat("x", 6<<20)+`"}}]}`), choice(`{"tool_calls":[{"index":0,"function":{"arguments":"`+strings.Repeat("x", 6<<20)+`"}}]}`)), "more than 10 MB", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := failure(t, answering(t, 200, "text/event-stream", test.body))
			if !strings.Contains(e.Message, test.says) || e.Temporary != test.temporary {
				t.Errorf("got %q, temporary %v; want it to say %q", e.Message, e.Temporary, test.says)
			}
		})
	}
}

func TestErrors_Unreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := closed.Addr().String()
	closed.Close()

	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // the refused handshake is what is wanted
	secure.StartTLS()
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()

	dns := failing{&net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
	tests := map[string]struct {
		base      string
		transport http.RoundTripper
		says      string
		temporary bool
	}{
		"refused":            {"http://" + refused + "/v1", nil, "Nothing answers at " + refused + ": the connection was refused. Is the model's server running?", true},
		"no such name":       {"http://user:" + testKey + "@nowhere.invalid/v1?key=" + testKey, dns, "The name nowhere.invalid could not be found.", false},
		"unknown authority":  {secure.URL, nil, "certificate was not accepted", false},
		"no TLS":             {"https://" + plain.Listener.Addr().String(), nil, "does not speak HTTPS", false},
		"reset":              {"http://h/v1", failing{io.ErrUnexpectedEOF}, "The connection to h failed.", true},
		"a URL without host": {"/v1", nil, "https://host/v1", false},
		"another scheme":     {"ftp://" + testKey + "/v1", nil, "https://host/v1", false},
		"not a URL":          {"http://a b", nil, "https://host/v1", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			transport := test.transport
			if transport == nil {
				real := &http.Transport{}
				defer real.CloseIdleConnections()
				transport = real
			}
			e := failure(t, New(Config{Model: "m", BaseURL: test.base, APIKey: testKey, Client: &http.Client{Transport: transport}}))
			if !strings.Contains(e.Message, test.says) || e.Temporary != test.temporary {
				t.Errorf("got %q, temporary %v; want it to say %q", e.Message, e.Temporary, test.says)
			}
		})
	}
}

func TestErrors_KeyThatCannotBeSent(t *testing.T) {
	e := failure(t, New(Config{Model: "m", BaseURL: "http://h/v1", APIKey: testKey + "\n"}))
	if !strings.Contains(e.Message, "Check OPENAI_API_KEY") || e.Temporary {
		t.Errorf("%q, temporary %v", e.Message, e.Temporary)
	}
}

// failing is a network on which every request fails.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }
