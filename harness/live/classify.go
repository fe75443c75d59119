package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/internal/lazy"
)

// kind says what can be done about a NoVerdictError.
type kind uint8

const (
	// passing may succeed the next time: too many requests, a server error, no
	// connection, a timeout, an answer not in the provider's form.
	passing kind = iota
	// lasting affects every request: the key, the daily quota, the region, billing, the
	// model.
	lasting
	// unclear is a refusal whose words do not say that it is about a declaration. It may
	// be, or it may be about the size of the request.
	unclear
)

// NoVerdictError says why nothing was learnt.
type NoVerdictError struct {
	Status int    // of HTTP; 0 without an answer
	words  string // the provider's, without secrets

	kind  kind
	after string // how long to wait, in the provider's notation
	err   error
}

// Error returns what happened.
func (f *NoVerdictError) Error() string {
	text := "no answer"
	if f.Status != 0 {
		text = fmt.Sprintf("status %d", f.Status)
	}
	if f.words != "" {
		const longest = 1000
		text += ": " + strings.ToValidUTF8(f.words[:min(longest, len(f.words))], "")
	}
	if f.err != nil {
		text += ": " + f.err.Error()
	}
	return text
}

// Unwrap returns the cause.
func (f *NoVerdictError) Unwrap() error { return f.err }

// errGarbage means that an answer is not in the provider's form.
var errGarbage = errors.New("the answer is not in the provider's form")

// classify returns the verdict of an answer if the answer proves one, and otherwise a
// *NoVerdictError.
func (c *Client) classify(reply Reply) (provider.Response, error) {
	fail := func(kind kind, err error) (provider.Response, error) {
		return provider.Response{}, &NoVerdictError{
			Status: reply.Status, words: c.service.redact(wordsOf(reply.Body)), kind: kind, after: waitOf(reply), err: err,
		}
	}
	isSuccess := reply.Status/100 == 2
	if isSuccess != (reply.Read == ReadSuccess) || reply.Read == ReadGarbage || !c.isForm(reply) {
		if kindOf(reply.Status, nil) == lasting && reply.Status/100 == 4 {
			return fail(lasting, nil) // such a status suffices
		}
		return fail(passing, errGarbage)
	}
	response, err := c.dialect.Classify(reply.Status, reply.Body)
	if err == nil {
		response.Message = c.service.redact(response.Message)
		return response, nil
	}
	return fail(kindOf(reply.Status, reply.Body), nil)
}

// isForm reports whether an answer is an object in the provider's form: one with a member
// that no success lacks, or with an error.
func (c *Client) isForm(reply Reply) bool {
	if reply.Status/100 != 2 {
		return wordsOf(reply.Body) != ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(reply.Body, &members) != nil || members["error"] != nil && string(members["error"]) != "null" {
		return false
	}
	return slices.ContainsFunc(apis[c.account.API].members, func(name string) bool { return members[name] != nil })
}

// ofAccount matches errors that affect every request.
var ofAccount = lazy.Compile(`(?i)api[ _-]?key|API_KEY_INVALID|billing|credit|location is not supported|region|permission|` +
	`insufficient_quota|PerDay|model_not_found|unsupported_country|organization|does not exist|is not (?:found|supported for)`)

// ofServer matches what engines say about how they were started, or about the model.
var ofServer = lazy.Compile(`requires --jinja|does not support tools`)

// kindOf says what can be done about an answer that is not about a declaration.
func kindOf(status int, answer []byte) kind {
	if ofServer.Match(answer) {
		return lasting
	}
	isOfAccount := ofAccount.Match(answer)
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return passing
	case http.StatusTooManyRequests:
		if isOfAccount {
			return lasting
		}
		return passing
	case http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return unclear
	case http.StatusBadRequest:
		if isOfAccount {
			return lasting
		}
		return unclear
	}
	if status/100 == 5 {
		return passing
	}
	return lasting
}

// wordsOf returns the message of an error in any provider's form, or "".
func wordsOf(body []byte) string {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) == 1 {
		body = list[0]
	}
	var answer struct {
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Error   json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	text := ""
	switch {
	case json.Unmarshal(answer.Error, &inner) == nil && inner.Message != "":
		return inner.Message
	case json.Unmarshal(answer.Error, &text) == nil && text != "":
		return text
	case answer.Message != "":
		return answer.Message
	default:
		return string(answer.Detail)
	}
}

// redact returns a text without secrets.
func (s *Service) redact(text string) string {
	if len(s.options.Key) >= recording.ShortestKey {
		text = strings.ReplaceAll(text, s.options.Key, "[key]")
	}
	return recording.SecretPattern().ReplaceAllString(text, "[key]")
}

// withoutSecrets returns an error with the same text without secrets. errors.Is and
// errors.As see the original error where callers look for it.
func (s *Service) withoutSecrets(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	if errors.Is(err, context.Canceled) {
		return context.Canceled
	}
	return errors.New(s.redact(err.Error()))
}
