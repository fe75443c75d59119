package emulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// LogPath is the path at which kept requests are read (GET) and forgotten (DELETE).
const LogPath = "/_/requests"

// Entry is a request with its answer as they are kept, without credentials.
type Entry struct {
	Number uint64              `json:"number"` // counted from 1
	Method string              `json:"method"`
	Path   string              `json:"path"`
	Query  string              `json:"query,omitempty"`
	Header map[string][]string `json:"header"`
	// Body is the request's body if it is JSON, and else a JSON string of it.
	Body json.RawMessage `json:"body,omitempty"`
	// Warnings name members of the request that the emulator does not know and ignores.
	Warnings []string `json:"warnings,omitempty"`
	Status   int      `json:"status"`
	// Answer is the answer's body if it is JSON, and else, as for a stream, a JSON string of
	// it.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// The bounds of what is kept in memory.
const (
	mostKept      = 64 << 20 // bytes of all entries
	mostOfAnswers = 1 << 20  // bytes of one answer
)

// history holds the kept entries, the oldest first.
type history struct {
	lock    sync.Mutex
	entries []*Entry
	bytes   int
}

// add keeps an entry and forgets the oldest ones beyond most.
func (h *history) add(entry *Entry, most int) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.entries, h.bytes = append(h.entries, entry), h.bytes+entry.size()
	for len(h.entries) > most || h.bytes > mostKept {
		h.bytes -= h.entries[0].size()
		h.entries[0] = nil
		h.entries = h.entries[1:]
	}
}

// size returns about how many bytes of memory an entry takes.
func (e *Entry) size() int {
	const fixed = 512 // the entry itself, with its headers as a map
	size := fixed + len(e.Body) + len(e.Answer) + len(e.Path) + len(e.Query)
	for name, values := range e.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	for _, warning := range e.Warnings {
		size += len(warning)
	}
	return size
}

// write writes the JSON of an entry without a copy of its bodies, because there may be many readers.
func (e *Entry) write(out io.Writer) error {
	head := *e
	head.Body, head.Answer = nil, nil
	text := encode(head)
	parts := [][]byte{text[:len(text)-1]}
	if e.Body != nil {
		parts = append(parts, []byte(`,"body":`), e.Body)
	}
	if e.Answer != nil {
		parts = append(parts, []byte(`,"answer":`), e.Answer)
	}
	for _, part := range append(parts, []byte("}")) {
		if _, err := out.Write(part); err != nil {
			return err //nolint:wrapcheck // the client is gone
		}
	}
	return nil
}

// list returns the entries sorted by number. Requests do not end in the order in which they
// began.
func (h *history) list() []*Entry {
	h.lock.Lock()
	defer h.lock.Unlock()
	return slices.SortedFunc(slices.Values(h.entries), func(a, b *Entry) int { return cmp.Compare(a.Number, b.Number) })
}

// Requests returns the kept requests, the oldest first.
func (s *Server) Requests() []*Entry { return s.history.list() }

// Forget forgets the kept requests.
func (s *Server) Forget() {
	s.history.lock.Lock()
	defer s.history.lock.Unlock()
	s.history.entries, s.history.bytes = nil, 0
}

// serveLog answers requests at LogPath.
func (s *Server) serveLog(writer http.ResponseWriter, request *http.Request) {
	switch request.Method {
	case http.MethodGet:
		writer.Header().Set("Content-Type", typeJSON)
		before := "["
		for _, entry := range s.Requests() {
			if _, err := io.WriteString(writer, before); err != nil || entry.write(writer) != nil {
				return // the client is gone
			}
			before = ",\n"
		}
		_, _ = io.WriteString(writer, strings.TrimSuffix(before, ",\n")+"]")
	case http.MethodDelete:
		s.Forget()
		writer.WriteHeader(http.StatusNoContent)
	default:
		openAI.failed(http.StatusMethodNotAllowed, "requests are read with GET and forgotten with DELETE").send(writer)
	}
}

// isLogged reports whether entries have to be made.
func (o *Options) isLogged() bool { return o.Keep > 0 || o.Log != nil }

// log makes the entry of a request and passes it to the history and to Options.Log.
func (s *Server) log(number uint64, request *http.Request, body []byte, answer reply, warnings []string) {
	entry := &Entry{
		Number: number, Method: request.Method, Path: request.URL.Path, Query: withoutKeys(request.URL.Query()), Header: withoutCredentials(request.Header),
		Body: asJSON(body), Warnings: warnings, Status: answer.status,
	}
	text := bytes.Join(answer.chunks, nil)
	entry.Answer = asJSON(text[:min(len(text), mostOfAnswers)])
	if s.options.Keep > 0 {
		s.history.add(entry, s.options.Keep)
	}
	if s.options.Log != nil {
		s.options.Log(entry)
	}
}

// asJSON returns a JSON text as it is, and any other as a JSON string.
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

// hidden replaces a credential.
const hidden = "(not kept)"

// credentials are parts of the names of headers and query parameters that hold a credential.
var credentials = []string{"auth", "key", "token", "cookie", "secret", "sig", "jwt", "assertion", "passw", "credential"}

// isCredential reports whether a header or query parameter holds a credential, by its name or by one
// of its values.
func isCredential(name string, values []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(credentials, func(part string) bool { return strings.Contains(name, part) }) || slices.ContainsFunc(values, hasKey)
}

// hasKey reports whether a value is one of HTTP's schemes of authentication, or has a word that nobody
// writes by hand: a long one with letters of both cases and digits.
func hasKey(value string) bool {
	if scheme, _, ok := strings.Cut(strings.ToLower(value), " "); ok && (scheme == "bearer" || scheme == "basic") {
		return true
	}
	const shortest = 20
	words := strings.FieldsFunc(value, func(char rune) bool {
		return !unicode.IsLetter(char) && !unicode.IsDigit(char) && !strings.ContainsRune("-_", char)
	})
	return slices.ContainsFunc(words, func(word string) bool {
		return len(word) >= shortest && strings.ContainsFunc(word, unicode.IsUpper) && strings.ContainsFunc(word, unicode.IsLower) && strings.ContainsFunc(word, unicode.IsDigit)
	})
}

func withoutCredentials(header http.Header) map[string][]string {
	shown := header.Clone()
	for name, values := range shown {
		if isCredential(name, values) {
			shown[name] = []string{hidden}
		}
	}
	return shown
}

func withoutKeys(query url.Values) string {
	for name, values := range query {
		if isCredential(name, values) {
			query[name] = []string{hidden}
		}
	}
	return query.Encode()
}
