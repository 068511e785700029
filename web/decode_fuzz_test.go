package web

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/internal/fault"

	"github.com/labstack/echo/v4"
)

// FuzzDecode gives every body to the decoder of every call: it is read, or
// refused with a sentence for whoever sent it. It is never a fault of ours.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", "[]", "1", "\"x\"", "{", `{"text":1}`, `{"text":null}`, `{"text":"a","text":"b"}`, `{"TEXT":"a"}`, `{"nobody":1}`,
		`{"verdict":"approve","sha256":"x","note":"\ud800"}`, `{"files":["a",1]}`, `{"version":1e99}`, `{"version":9223372036854775808}`, "{}{}", "\xff", "{\"\x00\":1}",
		strings.Repeat(`{"a":`, 20_000), strings.Repeat("[", 20_000),
	} {
		f.Add(s)
	}
	decoders := map[string]func(echo.Context) error{
		"session": decodes[createBody], "message": decodes[messageBody], "goal": decodes[goalBody], "permission": decodes[permissionBody],
		"answer": decodes[answerBody], "rewrite": decodes[rewriteBody], "insert": decodes[insertBody], "delete": decodes[deleteBody],
		"move": decodes[moveBody], "scope": decodes[scopeBody], "release": decodes[releaseBody], "decision": decodes[decisionBody],
		"thread": decodes[threadBody], "reply": decodes[replyBody], "comment": decodes[editCommentBody],
	}
	e := echo.New()
	f.Fuzz(func(t *testing.T, body string) {
		for name, decode := range decoders {
			c := e.NewContext(httptest.NewRequest("POST", "/", strings.NewReader(body)), httptest.NewRecorder())
			err := decode(c)
			var said *fault.Fault
			if err == nil {
				continue
			}
			if !errors.As(err, &said) || said.Code != fault.BadRequest && said.Code != fault.Invalid || !strings.HasSuffix(said.Message, ".") {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func decodes[T any](c echo.Context) error {
	_, err := decode[T](c)
	return err
}
