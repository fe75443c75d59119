package emulator

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
)

// unfit asks what the service says to the conversation of a request, and returns its
// refusal, or nil. What it does not know it warns of.
func (x *exchange) unfit(api provider.API) *reply {
	request := &conversation.Request{API: api, Service: x.service.surfaces[0].Service(), Model: x.model, Body: x.body, Day: x.day}
	refusal := conversation.Judge(request, conversation.Rules)
	if refusal == nil {
		x.warnings = append(x.warnings, conversation.Unknown(request)...)
		return nil
	}
	answer := x.service.refused(refusal.Status, refusal.Message, refusal.Param, refusal.Code)
	return &answer
}

// refused makes an answer in the service's form; OpenAI's has a place and a code.
func (s *service) refused(status int, message, param, code string) reply {
	body := s.failure(status, code, message)
	if surface := s.surfaces[0]; surface.API == provider.ChatCompletions && s.refusal == nil {
		body = surface.Render(provider.Response{Verdict: provider.Rejected, Status: status, Message: message, Param: param, Code: code})
	}
	return reply{status: status, contentType: typeJSON, chunks: [][]byte{body}}
}

// keyHeaders are the headers in which a request can have its key.
var keyHeaders = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key"}

// lacksKey reports whether a request has no key where its service is known to want one.
func (x *exchange) lacksKey() bool {
	for _, name := range keyHeaders {
		if value := strings.TrimSpace(strings.TrimPrefix(x.request.Header.Get(name), "Bearer")); value != "" {
			return false
		}
	}
	return x.request.URL.Query().Get("key") == "" && conversation.KeyOf(x.service.surfaces[0].Service()) != nil
}

// keyless makes the answer of the service to a request without a key.
func (s *service) keyless() reply {
	key := conversation.KeyOf(s.surfaces[0].Service())
	return s.refused(key.Status, key.Message, "", "")
}

// A response is known by its identifier: the end of it is the hash of the rest.
const ofHash = 8

// responseID makes the identifier of a response.
func (x *exchange) responseID() string {
	id := x.id("resp_")
	return id[:len(id)-ofHash] + hashOf(id[:len(id)-ofHash])
}

func hashOf(text string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text)) // never fails
	return fmt.Sprintf("%0*x", ofHash, hash.Sum32())
}

// unknownResponse returns the answer where a request goes on with a response that the
// emulator has not made, else nil.
func (x *exchange) unknownResponse() *reply {
	id := x.body.GetString("previous_response_id")
	if !x.options.StrictAuth || id == "" || len(id) > ofHash && strings.HasSuffix(id, hashOf(id[:len(id)-ofHash])) {
		return nil
	}
	missing := conversation.ResponseNotFound
	answer := x.service.refused(http.StatusBadRequest, fmt.Sprintf(missing.Words, id), "previous_response_id", missing.Code)
	return &answer
}
