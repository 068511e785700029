package anthropic

import (
	"errors"
	"strings"
	"testing"
	"time"

	"countersign/internal/agent"
	"countersign/internal/agent/llm/fakeanthropic"
	"countersign/internal/agent/llm/wire"
)

func failure(t *testing.T, c *Client) *agent.ModelError {
	t.Helper()
	have, err := collect(t, c, ask(user("hi")))
	var e *agent.ModelError
	if !errors.As(err, &e) {
		t.Fatalf("got %+v, %v, want a ModelError", have, err)
	}
	if have.Stop != "" || strings.Contains(e.Error(), testKey) {
		t.Errorf("stop %q, error %s", have.Stop, e.Error())
	}
	return e
}

func TestErrors_S7_ByStatus(t *testing.T) {
	for name, test := range map[string]struct {
		turn      fakeanthropic.Turn
		says      string
		temporary bool
		after     time.Duration
	}{
		"400":                      {fakeanthropic.Turn{Status: 400, Type: "invalid_request_error", Error: "no"}, "did not accept the request. It says: no", false, 0},
		"too long":                 {fakeanthropic.Turn{Status: 400, Type: "invalid_request_error", Error: "prompt is too long: 9 tokens > 8 maximum"}, `too long for the model "claude-test"`, false, 0},
		"401":                      {fakeanthropic.Turn{Status: 401, Type: "authentication_error", Error: "invalid " + testKey}, "did not accept the key. Check ANTHROPIC_API_KEY.", false, 0},
		"402":                      {fakeanthropic.Turn{Status: 402, Type: "billing_error", Error: "pay"}, "no credit left", false, 0},
		"403":                      {fakeanthropic.Turn{Status: 403, Type: "permission_error", Error: "not yours"}, `not allow this key to use the model "claude-test". It says: not yours`, false, 0},
		"404":                      {fakeanthropic.Turn{Status: 404, Type: "not_found_error", Error: "model: claude-test"}, `knows no model "claude-test"`, false, 0},
		"413":                      {fakeanthropic.Turn{Status: 413, Type: "request_too_large", Error: "big"}, "too large", false, 0},
		"429":                      {fakeanthropic.Turn{Status: 429, Type: "rate_limit_error", Error: "slow", Header: map[string]string{"Retry-After": "7"}}, "too many requests. It says: slow", true, 7 * time.Second},
		"500":                      {fakeanthropic.Turn{Status: 500, Type: "api_error", Error: "oops"}, "fault of its own (status 500)", true, 0},
		"529":                      {fakeanthropic.Turn{Status: 529, Type: "overloaded_error", Error: "Overloaded"}, "overloaded", true, 0},
		"HTML":                     {fakeanthropic.Turn{Body: "<html>"}, "a web page instead", false, 0},
		"HTML, 502":                {fakeanthropic.Turn{Status: 502, Body: "<html>nginx</html>"}, "fault of its own (status 502).", true, 0},
		"JSON":                     {fakeanthropic.Turn{Body: `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`, ContentType: "application/json"}, "overloaded", true, 0},
		"broken":                   {fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Text: "so far"}}, Frame: `{"type":`}, "can't be read", true, 0},
		"cut":                      {fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Think: "hm"}}, Cut: true}, "broke in the middle", true, 0},
		"nothing":                  {fakeanthropic.Turn{Body: "\n", ContentType: "text/event-stream"}, "broke its answer off", true, 0},
		"overload in the stream":   {fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Text: "so far"}}, Frame: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}, "overloaded", true, 0},
		"limit in the stream":      {fakeanthropic.Turn{Frame: `{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`}, "too many requests", true, 0},
		"a fault in the stream":    {fakeanthropic.Turn{Frame: `{"type":"error","error":{"type":"api_error","message":"x ` + testKey + `"}}`}, "broke its answer off with an error. It says: x [key]", true, 0},
		"another kind of protocol": {fakeanthropic.Turn{Frame: `{"choices":[]}`}, "broke its answer off with an error", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			e := failure(t, asking(t, fakeanthropic.New(t, test.turn)))
			if !strings.Contains(e.Message, test.says) || e.Temporary != test.temporary || e.RetryAfter != test.after {
				t.Errorf("got %q, temporary %v, after %v; want %q", e.Message, e.Temporary, e.RetryAfter, test.says)
			}
		})
	}
}

func TestErrors_S7_SilenceAndTooMuch(t *testing.T) {
	s := fakeanthropic.New(t, fakeanthropic.Turn{Blocks: []fakeanthropic.Block{{Text: "so far"}}, Stall: true})
	c := asking(t, s)
	c.server.Idle = 50 * time.Millisecond
	if e := failure(t, c); !strings.Contains(e.Message, "stopped in the middle") || !e.Temporary {
		t.Error(e.Message)
	}
	start := `data: {"type":"content_block_start","index":0,"content_block":{"type":"text"}}` + "\n\n"
	piece := `data: {"type":"content_block_delta","index":0,"delta":{"text":"` + strings.Repeat("x", 6<<20) + `"}}` + "\n\n"
	if e := failure(t, answering(t, 200, "text/event-stream", start+piece+piece)); !strings.Contains(e.Message, "more than 10 MB") || e.Temporary {
		t.Error(e.Message)
	}
}

// A refusal that teaches nothing is not asked about for ever.
func TestErrors_ALessonIsLearnedOnce(t *testing.T) {
	for _, message := range []string{
		"Invalid `signature` in `thinking` block", "thinking is not for you", "cache_control: no", "max_tokens: 32000 > 1, which is the maximum", "max_tokens: 5 > 90000, which",
	} {
		e := failure(t, answering(t, 400, "application/json", `{"type":"error","error":{"type":"invalid_request_error","message":"`+message+`"}}`))
		if !strings.Contains(e.Message, "did not accept the request. It says: "+message) {
			t.Errorf("%s: %s", message, e.Message)
		}
	}
}

func TestBase(t *testing.T) {
	for base, want := range map[string]string{
		"":                                   "https://api.anthropic.com/v1/messages",
		"https://api.anthropic.com":          "https://api.anthropic.com/v1/messages",
		" https://api.anthropic.com/v1/ ":    "https://api.anthropic.com/v1/messages",
		"https://api.deepseek.com/anthropic": "https://api.deepseek.com/anthropic/v1/messages",
		"http://gateway/x/v1/messages":       "http://gateway/x/v1/messages",
		"http://gateway?key=1":               "http://gateway/v1/messages?key=1",
	} {
		if have := New(Config{BaseURL: base}).server.URL.String(); have != want {
			t.Errorf("%q: %s, want %s", base, have, want)
		}
	}
	if err := CheckURL("gateway", "ANTHROPIC_BASE_URL"); err == nil || !strings.Contains(err.Error(), "ANTHROPIC_BASE_URL") {
		t.Error(err)
	}
	if wire.MaxTurn != 10<<20 {
		t.Error("the sentences say 10 MB")
	}
}
