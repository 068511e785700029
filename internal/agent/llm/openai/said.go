package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxErrorBody = 64 << 10 // of an error's body that is read
	maxQuoted    = 300      // characters of it that are shown
)

// saying is what a server said about an error.
type saying struct {
	kinds  []string // its type and code
	quoted string   // " It says: …", or empty
}

func (m saying) is(kind string) bool {
	for _, k := range m.kinds {
		if k == kind {
			return true
		}
	}
	return false
}

// said finds the provider's message in the body of an error, which may be
// {"error":{"message":…}}, {"error":"…"}, {"message":…}, {"detail":…} or a list
// of one of these. Anything else, a web page for one, is not shown.
func (c *Client) said(body []byte) saying {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message text            `json:"message"`
		Detail  text            `json:"detail"`
	}
	trimmed := strings.TrimSpace(string(body))
	trimmed = strings.TrimSuffix(strings.TrimPrefix(trimmed, "["), "]")
	if json.Unmarshal([]byte(trimmed), &outer) != nil {
		return saying{}
	}
	var inner struct {
		Message text `json:"message"`
		Type    any  `json:"type"`
		Code    any  `json:"code"`
		Status  any  `json:"status"`
	}
	var plain text
	if json.Unmarshal(outer.Error, &inner) != nil {
		json.Unmarshal(outer.Error, &plain)
	}
	m := saying{kinds: []string{fmt.Sprint(inner.Type), fmt.Sprint(inner.Code), fmt.Sprint(inner.Status)}}
	for _, t := range []text{inner.Message, plain, outer.Message, outer.Detail} {
		if s := c.redact(shorten(string(t))); s != "" {
			m.quoted = " It says: " + s
			break
		}
	}
	return m
}

// streamError explains an error that came inside the stream. A number in its
// code or type is the status that it would have had.
func (c *Client) streamError(data []byte) error {
	said := c.said(data)
	status := http.StatusInternalServerError
	for _, k := range said.kinds {
		switch k {
		case "rate_limit_exceeded", "rate_limit_error", "429":
			status = http.StatusTooManyRequests
		case "overloaded_error", "overloaded", "503", "529":
			status = http.StatusServiceUnavailable
		case "invalid_request_error", "400":
			status = http.StatusBadRequest
		case "authentication_error", "invalid_api_key", "401":
			status = http.StatusUnauthorized
		}
	}
	e := c.byStatus(status, said)
	if status == http.StatusInternalServerError {
		e.Message = fmt.Sprintf("%s broke its answer off with an error.%s", c.host(), said.quoted)
	}
	e.Err = c.hide(errors.New(shorten(string(data))))
	return e
}

// shorten makes one line of at most maxQuoted characters that holds nothing
// but text.
func shorten(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > maxQuoted {
		s = string([]rune(s)[:maxQuoted]) + "…"
	}
	return s
}
