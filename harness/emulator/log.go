package emulator

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// LogPath is where the requests that were kept are read (GET) and forgotten (DELETE).
const LogPath = "/_/requests"

// Entry is a request with its answer, as they are kept. Nothing in it is a credential.
type Entry struct {
	Number uint64              `json:"number"` // counted from 1
	Method string              `json:"method"`
	Path   string              `json:"path"`
	Query  string              `json:"query,omitempty"`
	Header map[string][]string `json:"header"`
	// Body is that of the request where it is JSON, and else a string.
	Body json.RawMessage `json:"body,omitempty"`
	// Warnings are what the emulator does not know of the request, and lets pass.
	Warnings []string `json:"warnings,omitempty"`
	Status   int      `json:"status"`
	// Answer is the body of the answer; a string where it is no JSON, such as a stream.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// The bounds of what is kept in memory.
const (
	mostKept      = 64 << 20 // bytes of all entries
	mostOfAnswers = 1 << 20  // bytes of one answer
)

// kept are the entries in memory, the oldest first.
type kept struct {
	lock    sync.Mutex
	entries []*Entry
	bytes   int
}

// add keeps an entry, and forgets the oldest ones beyond most.
func (k *kept) add(entry *Entry, most int) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.entries, k.bytes = append(k.entries, entry), k.bytes+entry.size()
	for len(k.entries) > most || k.bytes > mostKept {
		k.bytes -= k.entries[0].size()
		k.entries[0] = nil
		k.entries = k.entries[1:]
	}
}

func (e *Entry) size() int { return len(e.Body) + len(e.Answer) + len(e.Path) + len(e.Query) }

// list returns the entries, sorted by their numbers: one may end before another that began
// earlier.
func (k *kept) list() []*Entry {
	k.lock.Lock()
	defer k.lock.Unlock()
	return slices.SortedFunc(slices.Values(k.entries), func(a, b *Entry) int {
		if a.Number < b.Number {
			return -1
		}
		return 1
	})
}

// Requests returns what Options.Keep keeps, the oldest first.
func (s *Server) Requests() []*Entry { return s.kept.list() }

// Forget forgets what was kept.
func (s *Server) Forget() {
	s.kept.lock.Lock()
	defer s.kept.lock.Unlock()
	s.kept.entries, s.kept.bytes = nil, 0
}

// serveLog answers at LogPath.
func (s *Server) serveLog(writer http.ResponseWriter, request *http.Request) {
	switch request.Method {
	case http.MethodGet:
		found(append([]*Entry{}, s.Requests()...)).send(writer)
	case http.MethodDelete:
		s.Forget()
		writer.WriteHeader(http.StatusNoContent)
	default:
		openAI.failed(http.StatusMethodNotAllowed, "requests are read with GET and forgotten with DELETE").send(writer)
	}
}

// isLogged reports whether anybody wants to know of requests.
func (o *Options) isLogged() bool { return o.Keep > 0 || o.Log != nil }

// log says what was asked and answered.
func (s *Server) log(number uint64, request *http.Request, body []byte, answer reply, warnings []string) {
	entry := &Entry{
		Number: number, Method: request.Method, Path: request.URL.Path, Query: withoutKeys(request.URL.Query()), Header: withoutCredentials(request.Header),
		Body: asJSON(body), Warnings: warnings, Status: answer.status,
	}
	text := bytes.Join(answer.chunks, nil)
	entry.Answer = asJSON(text[:min(len(text), mostOfAnswers)])
	if s.options.Keep > 0 {
		s.kept.add(entry, s.options.Keep)
	}
	if s.options.Log != nil {
		s.options.Log(entry)
	}
}

// asJSON returns a text that is JSON as it is, and another as a string.
func asJSON(text []byte) json.RawMessage {
	switch {
	case len(text) == 0:
		return nil
	case json.Valid(text):
		return slices.Clone(text)
	default:
		return encode(strings.ToValidUTF8(string(text), "\uFFFD"))
	}
}

// hidden stands for a credential.
const hidden = "(not kept)"

// credentials are parts of the names of headers and parameters that have one.
var credentials = []string{"authorization", "key", "token", "cookie", "secret", "signature"}

func isCredential(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(credentials, func(part string) bool { return strings.Contains(name, part) })
}

func withoutCredentials(header http.Header) map[string][]string {
	shown := header.Clone()
	for name := range shown {
		if isCredential(name) {
			shown[name] = []string{hidden}
		}
	}
	return shown
}

func withoutKeys(query url.Values) string {
	for name := range query {
		if isCredential(name) {
			query[name] = []string{hidden}
		}
	}
	return query.Encode()
}
