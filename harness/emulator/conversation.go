package emulator

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
)

// judgeConversation returns the service's refusal of the conversation in a request, or nil. It
// adds warnings for members that are not known.
func (x *exchange) judgeConversation(api provider.API) *reply {
	request := &conversation.Request{API: api, Service: x.service.surfaces[0].Service(), Model: x.model, Body: x.body, Day: x.day}
	refusal := conversation.Judge(request, conversation.Rules)
	if refusal == nil {
		x.warnings = append(x.warnings, conversation.Unknown(request)...)
		return nil
	}
	answer := x.service.refused(refusal.Status, refusal.Message, refusal.Param, refusal.Code)
	return &answer
}

// refused returns an error reply in the service's form; OpenAI's has a place and a code.
func (s *service) refused(status int, message, param, code string) reply {
	body := s.failure(status, code, message)
	if surface := s.surfaces[0]; surface.API == provider.ChatCompletions && s.refusal == nil {
		body = surface.Render(provider.Response{Verdict: provider.Rejected, Status: status, Message: message, Param: param, Code: code})
	}
	return reply{status: status, contentType: typeJSON, chunks: [][]byte{body}}
}

// keyHeaders are the headers that can hold a key.
var keyHeaders = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key"}

// lacksKey reports whether a request has no key although its service is known to demand one.
func (x *exchange) lacksKey() bool {
	for _, name := range keyHeaders {
		if value := strings.TrimSpace(strings.TrimPrefix(x.request.Header.Get(name), "Bearer")); value != "" {
			return false
		}
	}
	return x.request.URL.Query().Get("key") == "" && conversation.KeyOf(x.service.surfaces[0].Service()) != nil
}

// keyless returns the service's reply to a request without a key.
func (s *service) keyless() reply {
	key := conversation.KeyOf(s.surfaces[0].Service())
	return s.refused(key.Status, key.Message, "", "")
}

// hashLength is the length of the hash at the end of a response's identifier, by which the
// emulator recognizes those that it made.
const hashLength = 8

// responseID returns a new identifier of a response.
func (x *exchange) responseID() string {
	id := x.id("resp_")
	return id[:len(id)-hashLength] + hashOf(id[:len(id)-hashLength])
}

func hashOf(text string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text)) // never fails
	return fmt.Sprintf("%0*x", hashLength, hash.Sum32())
}

// unknownResponse returns an error reply if StrictAuth is set and the request continues a
// response that the emulator did not make, else nil.
func (x *exchange) unknownResponse() *reply {
	id := x.body.GetString("previous_response_id")
	if !x.options.StrictAuth || id == "" || len(id) > hashLength && strings.HasSuffix(id, hashOf(id[:len(id)-hashLength])) {
		return nil
	}
	missing := conversation.ResponseNotFound
	answer := x.service.refused(http.StatusBadRequest, fmt.Sprintf(missing.Words, id), "previous_response_id", missing.Code)
	return &answer
}
