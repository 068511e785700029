package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

func (m saying) is(kinds ...string) bool {
	return slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(m.kinds, k) })
}

func (m saying) says(words string) bool { return strings.Contains(m.quoted, words) }

// Text is a string, or a list of parts of which those with text count, or
// nothing; anything else is read as nothing.
type Text string

// UnmarshalJSON never fails on JSON.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = Text(s)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(b, &parts) == nil {
		for _, p := range parts {
			*t += Text(p.Text)
		}
	}
	return nil
}

// said finds the provider's message in the body of an error, which may be
// {"error":{"message":…}}, {"error":"…"}, {"message":…}, {"detail":…} or a list
// of one of these. Anything else, a web page for one, is not shown.
func (s *Server) said(body []byte) saying {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message Text            `json:"message"`
		Detail  Text            `json:"detail"`
	}
	trimmed := strings.TrimSpace(string(body))
	trimmed = strings.TrimSuffix(strings.TrimPrefix(trimmed, "["), "]")
	if json.Unmarshal([]byte(trimmed), &outer) != nil {
		return saying{}
	}
	var inner struct {
		Message Text `json:"message"`
		Type    any  `json:"type"`
		Code    any  `json:"code"`
		Status  any  `json:"status"`
		Details struct {
			Code any `json:"error_code"`
		} `json:"details"`
	}
	var plain Text
	if json.Unmarshal(outer.Error, &inner) != nil {
		json.Unmarshal(outer.Error, &plain)
	}
	m := saying{kinds: []string{fmt.Sprint(inner.Type), fmt.Sprint(inner.Code), fmt.Sprint(inner.Status), fmt.Sprint(inner.Details.Code)}}
	for _, t := range []Text{inner.Message, plain, outer.Message, outer.Detail} {
		if words := s.redact(shorten(string(t))); words != "" {
			m.quoted = " It says: " + words
			break
		}
	}
	return m
}

// StreamError explains an error that came inside the stream. A number in its
// code or type is the status that it would have had.
func (s *Server) StreamError(data []byte) error {
	said := s.said(data)
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
		case "permission_error", "403":
			status = http.StatusForbidden
		case "not_found_error", "404":
			status = http.StatusNotFound
		case "request_too_large", "413":
			status = http.StatusRequestEntityTooLarge
		}
	}
	e := s.byStatus(status, said)
	if status == http.StatusInternalServerError {
		e.Message = fmt.Sprintf("%s broke its answer off with an error.%s", s.host(), said.quoted)
	}
	e.Err = s.hide(errors.New(shorten(string(data))))
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
