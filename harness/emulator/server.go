// Package emulator is an HTTP handler that serves the APIs of the providers, so that tool
// calling can be tested offline with the providers' own clients. It refuses a declaration with
// the answer that the provider's model predicts, and answers an accepted one with a valid call
// of the function.
//
// The models know only what providers say about declarations and conversations. Other errors,
// such as one for a body that is not JSON, have the provider's form but the emulator's words.
// The handler accepts any key, and requests without one.
package emulator

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// MaxBody is the size of the largest request body that is read, in bytes.
const MaxBody = 4 << 20

// mostDrained is how many bytes of a larger body are read and thrown away.
const mostDrained = 64 << 20

// mostUnderWay bounds the bodies, in bytes, of the requests that are judged at a time, because what is
// made of a body takes some twenty times its size. Other requests wait.
const mostUnderWay = 2 * MaxBody

// WarningHeader is the response header that names members of the request which the emulator
// does not know and ignores.
const WarningHeader = "X-Toolproof-Warning"

// Options control how a Server answers. The zero Options are usable.
type Options struct {
	// Seed determines arguments and identifiers. The same request gets the same answer on the
	// same day.
	Seed uint64
	// AsOf is the day whose rules apply; empty means today.
	AsOf provider.Date
	// Change returns the surface to serve in place of the given one, for example one with other
	// rules, to test programs that detect such changes; nil serves every surface as it is.
	Change func(*provider.Dialect) *provider.Dialect
	// Engine is one of Engines or Compatible, and the emulator then serves only that. Empty
	// means the providers' services and Ollama's own API.
	Engine string
	// Call holds patterns of path.Match for the names of the tools that may be called; "*" allows
	// all. If it is empty, the tools in Own may be called. If Own is empty, too, all declared
	// tools may be called, except in a request from an agent, which declares tools that run
	// commands: there, only the tools of MCP servers may be called.
	Call []string
	// Own holds the names of the user's own tools. A client may have renamed them.
	Own []string
	// Parallel is the largest number of calls in one answer; zero means one.
	Parallel int
	// Reply is the kind of answer to requests without errors.
	Reply Reply
	// Script determines answers; nil leaves them to the emulator.
	Script *Script
	// StrictAuth refuses a request without a key, and a previous_response_id that the emulator
	// did not make.
	StrictAuth bool
	// Keep is how many requests to keep in memory, the newest ones, up to 64 MiB in all; see
	// Requests and LogPath. Zero keeps none.
	Keep int
	// Log, if not nil, is called with each answered request, possibly by several goroutines at
	// a time. It must not change the Entry.
	Log func(*Entry)
	// Quirks are the shapes that the answers have.
	Quirks []*Quirk
	// Faults are the faults to produce, and how often.
	Faults Faults
	// Delay is how long the fault Slow waits; zero means two seconds.
	Delay time.Duration
}

// Server is the emulator, an http.Handler. Unless Options.Keep is set it keeps nothing of a
// request but counts it, and the messages of a thread. Every answer has the header provider.EmulatorHeader.
type Server struct {
	options  Options
	mux      *http.ServeMux
	requests atomic.Uint64 // number of requests so far
	changed  map[*provider.Dialect]*provider.Dialect
	history  history
	script   scriptState
	room     *semaphore.Weighted // of mostUnderWay
	threads  threads
}

// New returns an emulator.
func New(options Options) *Server {
	s := &Server{options: options, mux: http.NewServeMux(), changed: map[*provider.Dialect]*provider.Dialect{}, room: semaphore.NewWeighted(mostUnderWay)}
	s.script.script = options.Script
	known := map[string]bool{}
	served, fallbacks := routes, fallbacks
	if options.Engine != "" {
		own := engineRoutes[options.Engine]
		if own == nil {
			own = compatibleRoutes(options.Engine)
		}
		served, fallbacks = own, []fallback{{"/", own[0].service}}
	}
	for _, route := range served {
		for _, surface := range route.service.surfaces {
			if options.Change != nil && s.changed[surface] == nil {
				s.changed[surface] = options.Change(surface)
			}
		}
		s.mux.HandleFunc(route.pattern, s.handler(route))
		_, path, _ := strings.Cut(route.pattern, " ")
		if !known[path] {
			known[path] = true
			s.mux.HandleFunc(path, s.refuse(route.service, http.StatusMethodNotAllowed))
		}
	}
	for _, fallback := range fallbacks {
		s.mux.HandleFunc(fallback.prefix, s.refuse(fallback.service, http.StatusNotFound))
	}
	s.mux.HandleFunc(LogPath, localOnly(s.serveLog))
	s.mux.HandleFunc("GET "+PagePath+"{$}", localOnly(s.servePage))
	return s
}

// route is a method and path with the function that answers them.
type route struct {
	pattern string // as http.ServeMux takes it
	service *service
	answer  func(*exchange) reply
}

// routes are the routes of the emulator when it serves the providers together. In Google's paths
// the method follows the model after a colon.
var routes = slices.Concat(ollamaRoutes, azureRoutes, []route{
	{"POST /v1beta/models/{model}", gemini, (*exchange).googleMethod},
	{"GET /v1beta/models/{model}", gemini, (*exchange).oneModel},
	{"GET /v1beta/models", gemini, (*exchange).listModels},
	{"POST /v1beta/interactions", gemini, (*exchange).interactions},

	{"POST /v1/projects/{project}/locations/{location}/publishers/google/models/{model}", vertex, (*exchange).googleMethod},
	{"POST /v1beta1/projects/{project}/locations/{location}/publishers/google/models/{model}", vertex, (*exchange).googleMethod},
	{"POST /v1/publishers/google/models/{model}", vertex, (*exchange).googleMethod}, // express mode
	{"POST /v1beta1/publishers/google/models/{model}", vertex, (*exchange).googleMethod},
	{"GET /v1/publishers/google/models/{model}", vertex, (*exchange).oneModel},
	{"GET /v1beta1/publishers/google/models/{model}", vertex, (*exchange).oneModel},
	{"GET /v1beta1/publishers/google/models", vertex, (*exchange).listModels},

	{"POST /v1beta/openai/chat/completions", geminiOpenAI, (*exchange).chat},
	{"GET /v1beta/openai/models", geminiOpenAI, (*exchange).listModels},

	{"POST /v1/chat/completions", openAI, (*exchange).chat},
	{"POST /v1/responses", openAI, (*exchange).responses},
	{"GET /v1/models/{model}", openAI, (*exchange).oneModel}, // of() tells whose
	{"GET /v1/models", openAI, (*exchange).listModels},
	{"POST /v1/models/{model}", geminiV1, (*exchange).googleMethod},
	{"POST /v1/interactions", geminiV1, (*exchange).interactions},

	{"POST /v1/messages", claude, (*exchange).messages},
	{"POST /v1/messages/count_tokens", claude, (*exchange).countMessages},
})

// fallback names the service in whose form a request is answered with "not found" when no route
// matches it and its path begins with prefix.
type fallback struct {
	prefix  string
	service *service
}

// fallbacks are the fallbacks of the emulator when it serves the providers together. The longest
// matching prefix counts.
var fallbacks = []fallback{
	{"/", openAI},
	{"/api/", ollama},
	{"/openai/", azure},
	{"/v1/messages/", claude},
	{"/v1/projects/", vertex},
	{"/v1/publishers/", vertex},
	{"/v1beta1/", vertex},
	{"/v1beta/", gemini},
	{"/v1beta/openai/", geminiOpenAI},
}

// service holds what the APIs of one provider share.
type service struct {
	surfaces []*provider.Dialect
	// failure returns the body of an error that is not about a declaration. The code is a
	// member of OpenAI's errors and may be empty.
	failure func(status int, code, message string) []byte
	// models are the names that are listed, and entry makes the list entry of one. family
	// matches the names of all known models.
	models []string
	entry  func(name string) object
	family *lazy.Regexp
	// unknownModel is the service's message for an unknown model, with %s for its name.
	unknownModel string
	// judged returns the requests, or parts of them, that the service validates given a
	// tool_choice; nil means all of them.
	judged func(choice *schema.Node, requests []provider.Request) []provider.Request
	// head sets the headers that identify a request and tell what is left of the limits; nil for none.
	head func(http.Header, account)
	// refusal returns the body of a refusal; nil means Render of the surface.
	refusal func(provider.Response) []byte
}

// reply is an HTTP answer. Its chunks are sent one by one.
type reply struct {
	status      int
	contentType string
	chunks      [][]byte
	// isEnd is set if the emulated server crashes instead of answering.
	isEnd bool
	// isBroken is set if the connection breaks after the chunks.
	isBroken bool
	// retryAfter is the number of seconds in the header Retry-After; 0 for no header.
	retryAfter int
}

const typeJSON = "application/json"

// object is a JSON object whose order of members does not matter.
type object = map[string]any

// succeeded returns a reply of status 200 with value as JSON.
func succeeded(value any) reply {
	return reply{status: http.StatusOK, contentType: typeJSON, chunks: [][]byte{encode(value)}}
}

// encode returns value as JSON. It panics if value has no JSON form, which no value of this
// package lacks.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// failed returns an error reply in the service's form.
func (s *service) failed(status int, format string, arguments ...any) reply {
	return reply{status: status, contentType: typeJSON, chunks: [][]byte{s.failure(status, "", fmt.Sprintf(format, arguments...))}}
}

// noModel returns the error reply for an unknown model if the service does not know x.model,
// else nil.
func (x *exchange) noModel() *reply {
	if x.service.family.MatchString(x.model) {
		return nil
	}
	return &reply{status: http.StatusNotFound, contentType: typeJSON, chunks: [][]byte{
		x.service.failure(http.StatusNotFound, "model_not_found", fmt.Sprintf(x.service.unknownModel, x.model)),
	}}
}

// refuse returns a handler for requests that no route matches.
func (s *Server) refuse(service *service, status int) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		what := "no such path: "
		if status == http.StatusMethodNotAllowed {
			what = "this path is not served with this method: "
		}
		service := service.of(request)
		s.head(writer.Header(), service, &exchange{request: request, day: s.day()}, "")
		answer := service.failed(status, "%s%s %s", what, request.Method, request.URL.Path).identified(writer.Header())
		if s.options.isLogged() {
			s.log(s.requests.Add(1), request, nil, answer, nil)
		}
		answer.send(writer)
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	writer.Header().Set(provider.EmulatorHeader, "1")
	if s.isBrowserAtRoot(request) {
		localOnly(s.servePage)(writer, request)
		return
	}
	s.mux.ServeHTTP(writer, request)
}

// handler returns the handler of a route.
func (s *Server) handler(route route) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		number := s.requests.Add(1)
		fault := s.options.Faults.draw(s.options.Seed, number)
		if fault != "" {
			writer.Header().Set(provider.EmulatorHeader, "fault "+string(fault))
		}
		// Until the body has been read, the server does not notice that the client is gone. So
		// it is read even if a fault makes it irrelevant.
		service := route.service
		if request.Method == http.MethodGet {
			service = service.of(request)
		}
		x, failure := s.read(writer, request, service)
		s.head(writer.Header(), x.service, x, fault)
		if fault.instead(writer, request, x.service) {
			return
		}
		answer, isLeft := s.answer(number, x, failure, route, writer.Header())
		if isLeft {
			return
		}
		if answer.isEnd {
			reset(writer)
			panic(http.ErrAbortHandler)
		}
		for _, warning := range x.warnings {
			writer.Header().Add(WarningHeader, warning)
		}
		if fault == Slow {
			wait(request, cmp.Or(s.options.Delay, defaultDelay))
		}
		answer.send(writer)
		if answer.isBroken {
			panic(http.ErrAbortHandler) // ends the connection
		}
	}
}

// answer answers a request that was read, or whose reading failed, when there is room for it. isLeft is
// set if the client does not wait so long.
func (s *Server) answer(number uint64, x *exchange, failure *reply, route route, header http.Header) (answer reply, isLeft bool) {
	size := int64(len(x.data))
	if s.room.Acquire(x.request.Context(), size) != nil {
		return reply{}, true
	}
	defer s.room.Release(size)
	if failure == nil {
		failure = x.parse()
	}
	switch {
	case s.options.StrictAuth && x.lacksKey():
		answer = x.service.keyless()
	case failure != nil:
		answer = *failure
	default:
		answer = x.quirked(route.answer(x))
	}
	answer = answer.identified(header)
	if s.options.isLogged() {
		s.log(number, x.request, x.data, answer, x.warnings)
	}
	return answer, false
}

// exchange is a request that is being answered.
type exchange struct {
	service *service
	request *http.Request
	body    *schema.Node // an object
	data    []byte       // the bytes of the body
	size    int          // of the body, in bytes
	model   string       // the provider's model that the request names
	day     provider.Date
	random  *rand.Rand
	changed map[*provider.Dialect]*provider.Dialect // surfaces that are served with other rules
	options *Options
	script  *scriptState
	threads *threads
	quirks  []*Quirk
	// warnings name members of the request that the emulator does not know and ignores.
	warnings []string
}

// read reads a request, whose body parse parses. If it fails it also returns the error reply.
func (s *Server) read(writer http.ResponseWriter, request *http.Request, service *service) (*exchange, *reply) {
	x := &exchange{service: service, request: request, day: s.day(), changed: s.changed, options: &s.options, script: &s.script, threads: &s.threads, quirks: s.options.Quirks}
	data, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, MaxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		_, _ = io.CopyN(io.Discard, request.Body, mostDrained) // a client that is still writing does not read the answer
		failure := service.failed(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", MaxBody)
		return x, &failure
	}
	if err != nil {
		failure := service.failed(http.StatusBadRequest, "the body of the request cannot be read")
		return x, &failure
	}
	x.data, x.size, x.random = data, len(data), randomOf(s.options.Seed, data)
	return x, nil
}

// parse parses the body of a request that has one. If it fails it returns the error reply.
func (x *exchange) parse() *reply {
	if x.request.Method != http.MethodPost {
		return nil
	}
	var err error
	if x.body, err = schema.ParseWire(x.data); err != nil {
		failure := x.service.failed(http.StatusBadRequest, "the body of the request is not valid JSON: %v", err)
		return &failure
	}
	if x.body.Kind != schema.Object {
		failure := x.service.failed(http.StatusBadRequest, "the body of the request is not an object")
		return &failure
	}
	return nil
}

// day returns the day whose rules apply.
func (s *Server) day() provider.Date { return cmp.Or(s.options.AsOf, provider.Today()) }

// randomOf returns the source of all random choices for a body.
func randomOf(seed uint64, body []byte) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write(body)                          // never fails
	return rand.New(rand.NewPCG(seed, hash.Sum64())) //nolint:gosec // choices have to be reproducible
}

func (r reply) send(writer http.ResponseWriter) {
	writer.Header().Set("Content-Type", r.contentType)
	if r.retryAfter > 0 {
		writer.Header().Set("Retry-After", strconv.Itoa(r.retryAfter))
	}
	writer.WriteHeader(r.status)
	for _, chunk := range r.chunks {
		if _, err := writer.Write(chunk); err != nil {
			return // the client is gone
		}
		if len(r.chunks) > 1 {
			_ = http.NewResponseController(writer).Flush() // if the connection supports it
		}
	}
}

// surface returns the service's surface of the given name, or nil if it has none, so that
// nothing is refused.
func (s *service) surface(name string) *provider.Dialect {
	i := slices.IndexFunc(s.surfaces, func(surface *provider.Dialect) bool { return surface.Name == name })
	if i < 0 {
		return nil
	}
	return s.surfaces[i]
}

// refusal returns the reply that the models predict if they refuse what a request declares,
// else nil. If several surfaces refuse, the answer is about the first tool in the request.
func (x *exchange) refusal(requests []provider.Request) *reply {
	const last = 1 << 30
	var earliest *reply
	first := last + 1
	for _, request := range requests {
		dialect := x.service.surface(request.Dialect)
		if dialect == nil {
			continue
		}
		model := provider.Model{Dialect: cmp.Or(x.changed[dialect], dialect), AsOf: x.day, ModelName: x.model}
		response, err := model.Send(x.request.Context(), request)
		if err != nil || response.Verdict == provider.Accepted {
			if unknown := response.Settled(); unknown != nil {
				x.warnings = append(x.warnings, unknown.Error())
			}
			continue // a model returns no error
		}
		render := dialect.Render
		if x.service.refusal != nil {
			render = x.service.refusal
		}
		place := last // after all tools
		if len(request.Indices) > 0 {
			place = request.Index(max(response.Findings[0].Declaration, 0))
		}
		if place < first {
			earliest, first = &reply{status: response.Status, contentType: typeJSON, chunks: [][]byte{render(response)}, isEnd: engines.Ends(response)}, place
		}
	}
	return earliest
}
