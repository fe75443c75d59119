package emulator

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
)

// judgeConversation returns the service's refusal of the conversation in a request, or nil. It
// adds warnings for members that are not known.
func (x *exchange) judgeConversation(api provider.API) *reply {
	request := &conversation.Request{API: api, Service: x.service.surfaces[0].Service(), Model: x.model, Body: x.body, Day: x.day, IsForged: x.isForged, ReasoningOf: reasoningOf}
	refusal := conversation.Judge(request, conversation.Rules)
	if refusal == nil {
		x.warnings = append(x.warnings, conversation.Unknown(request)...)
		for _, ignored := range conversation.Ignored(request) {
			x.warnings = append(x.warnings, ignored.Message)
		}
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

// hashLength is the length of the hash at the end of an identifier, by which the emulator recognizes
// those that it made.
const hashLength = 8

// responseID returns a new identifier of a response. It begins with the number of results at the end of the
// conversation, since a request that continues the response does not repeat them.
func (x *exchange) responseID(results int) string {
	return hashed(x.id(fmt.Sprintf("%s%0*x", responsePrefix, resultsLength, min(results, mostForced))))
}

const (
	responsePrefix = "resp_"
	resultsLength  = 2 // hexadecimal digits
)

// resultsBefore returns the number of results in the identifier of a response, 0 if it is not the
// emulator's.
func resultsBefore(id string) int {
	rest, isResponse := strings.CutPrefix(id, responsePrefix)
	if !isResponse || !isHashed(id) {
		return 0
	}
	results, err := strconv.ParseUint(rest[:resultsLength], 16, 8)
	if err != nil {
		return 0
	}
	return int(results)
}

// signatureMark begins each signature of the emulator.
const signatureMark = "EqQBVG9vbHByb29m"

// signature returns a new signature of thinking, in the letters of base64.
func (x *exchange) signature() string { return hashed(x.id(signatureMark)[:signatureLength]) }

const signatureLength = 36 // a multiple of four, as base64 has

// placeholders are the signatures that Google's documentation gives for calls without one.
var placeholders = []string{"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"}

// isForged reports whether a signature begins as the emulator's and is none, or, with StrictAuth, is not
// the emulator's.
func (x *exchange) isForged(signature string) bool {
	if !strings.HasPrefix(signature, signatureMark) {
		return x.options.StrictAuth && !slices.Contains(placeholders, signature)
	}
	return len(signature) != signatureLength || !isHashed(signature)
}

// The identifiers of a call and of the reasoning right before it differ in their beginnings alone.
const (
	reasoningPrefix = "rs_"
	callPrefix      = "fc_"
)

// reasoningOf returns the identifier of the reasoning that the emulator gave right before a call, "" if it gave
// none.
func reasoningOf(call string) string {
	rest, isCall := strings.CutPrefix(call, callPrefix)
	if !isCall || !isHashed(reasoningPrefix+rest) {
		return ""
	}
	return reasoningPrefix + rest
}

// hashed returns an identifier with a hash in place of its end.
func hashed(id string) string { return id[:len(id)-hashLength] + hashOf(id[:len(id)-hashLength]) }

// isHashed reports whether an identifier ends in the hash of the rest.
func isHashed(id string) bool {
	return len(id) > hashLength && strings.HasSuffix(id, hashOf(id[:len(id)-hashLength]))
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
	if !x.options.StrictAuth || id == "" || isHashed(id) {
		return nil
	}
	missing := conversation.ResponseNotFound
	answer := x.service.refused(http.StatusBadRequest, fmt.Sprintf(missing.Words, id), "previous_response_id", missing.Code)
	return &answer
}
