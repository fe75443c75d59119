package emulator

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"toolproof/harness/provider/anthropic"
)

// account is what the headers of an answer say: the identifier of the request, and how much the account may
// still ask for. The limits are the same for everybody, and only the fault TooManyRequests exhausts them.
type account struct {
	id               string
	day              time.Time // the limits are reset
	requests, tokens int       // that are left
}

// The limits of an account in a minute.
const (
	mostRequests = 10_000
	mostTokens   = 2_000_000
)

// head sets the headers of an answer. The same request has the same identifier.
func (s *Server) head(header http.Header, service *service, x *exchange, fault Fault) {
	if service.head == nil {
		return
	}
	random := randomOf(s.options.Seed, append([]byte(x.request.Method+" "+x.request.URL.Path+"\n"), x.data...))
	of := account{id: fmt.Sprintf("req_011C%020x", random.Uint64()), day: time.Unix(x.created(), 0).UTC(), requests: mostRequests - 1, tokens: mostTokens - tokens(x.size)}
	if fault == TooManyRequests {
		of.requests = 0
	}
	service.head(header, of)
}

// openAIHead sets the headers that OpenAI documents in the overview of its API, read in November 2026.
func openAIHead(header http.Header, of account) {
	header.Set("X-Request-ID", of.id)
	header.Set("Openai-Version", "2020-10-01")
	header.Set("Openai-Organization", "emulator")
	header.Set("Openai-Processing-Ms", "1")
	header.Set("X-Ratelimit-Limit-Requests", strconv.Itoa(mostRequests))
	header.Set("X-Ratelimit-Remaining-Requests", strconv.Itoa(of.requests))
	header.Set("X-Ratelimit-Reset-Requests", "6ms")
	header.Set("X-Ratelimit-Limit-Tokens", strconv.Itoa(mostTokens))
	header.Set("X-Ratelimit-Remaining-Tokens", strconv.Itoa(of.tokens))
	header.Set("X-Ratelimit-Reset-Tokens", "6ms")
}

// requestIDHeader has the identifier that Anthropic's errors have in their body, too.
const requestIDHeader = "Request-Id"

// anthropicHead sets the headers of an answer of Messages that the R package tidyllm recorded on 2025-08-21.
func anthropicHead(header http.Header, of account) {
	header.Set(requestIDHeader, of.id)
	header.Set("Anthropic-Organization-Id", "00000000-0000-0000-0000-000000000000")
	for _, limit := range []struct {
		kind       string
		most, left int
	}{
		{"Requests", mostRequests, of.requests}, {"Tokens", mostTokens, of.tokens}, {"Input-Tokens", mostTokens, of.tokens}, {"Output-Tokens", mostTokens, mostTokens},
	} {
		header.Set("Anthropic-Ratelimit-"+limit.kind+"-Limit", strconv.Itoa(limit.most))
		header.Set("Anthropic-Ratelimit-"+limit.kind+"-Remaining", strconv.Itoa(limit.left))
		header.Set("Anthropic-Ratelimit-"+limit.kind+"-Reset", of.day.Format(time.RFC3339))
	}
}

// identified returns an error reply with the identifier of the header in place of that of Anthropic's models.
func (r reply) identified(header http.Header) reply {
	if id := header.Get(requestIDHeader); id != "" && r.status >= http.StatusBadRequest {
		r.chunks = [][]byte{bytes.ReplaceAll(bytes.Join(r.chunks, nil), []byte(anthropic.RequestID), []byte(id))}
	}
	return r
}
