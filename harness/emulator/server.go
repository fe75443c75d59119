// Package emulator is an HTTP handler with the APIs of the providers. It tests tool
// calling offline with their own clients. It refuses a declaration with the answer that
// the provider's model predicts. It answers an accepted declaration with a valid call
// of the function.
//
// The models know what providers say about declarations. Other errors, such as a body
// without JSON, have the provider's form and the emulator's words. The handler accepts
// any key, and a request without one.
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
	"strings"
	"sync/atomic"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// MaxBody is the size of the largest body that is read, in bytes.
const MaxBody = 4 << 20

// WarningHeader has what the emulator does not know of a request, and lets pass.
const WarningHeader = "X-Toolproof-Warning"

// Options say how a Server answers. The zero Options are usable.
type Options struct {
	// Seed chooses the arguments and the identifiers. The same request gets the same
	// answer on the same day.
	Seed uint64
	// AsOf is the day whose rules are kept; empty means today.
	AsOf provider.Date
	// Change returns a surface as it is to be served, with other rules; nil serves each as it
	// is. A test of what finds such changes uses it.
	Change func(*provider.Dialect) *provider.Dialect
	// Engine is one of Engines or of Compatible, whose server the emulator is then; empty
	// means the providers' services, and Ollama's own API beside them.
	Engine string
	// Call are patterns of the names of the tools that may be called, as path.Match has them:
	// "*" is all of them. Where there are none, the tools of Own may be called. Where that is
	// empty too, it is all tools that a request declares; of an agent, which has a tool that
	// runs commands, it is those of servers of the Model Context Protocol alone.
	Call []string
	// Own are the names of the user's own tools. A client may have renamed them.
	Own []string
	// Parallel is how many calls one answer has at most; zero means one.
	Parallel int
	// Reply is what an answer is where nothing is wrong with a request.
	Reply Reply
	// Script says what is answered; nil leaves it to the emulator.
	Script *Script
	// StrictAuth refuses a request without a key, and one that goes on with a response that
	// the emulator has not made.
	StrictAuth bool
	// Keep is how many requests are kept in memory, the newest ones, with up to 64 MiB in
	// all: see Requests and LogPath. Zero keeps none.
	Keep int
	// Log is called with each request that was answered, also by several goroutines at a
	// time; nil is not called. Nobody may change an Entry.
	Log func(*Entry)
	// Faults are what goes wrong on purpose, and how often.
	Faults Faults
	// Delay is how long the fault Slow waits; zero means two seconds.
	Delay time.Duration
}

// Server is the emulator. It is an http.Handler. Without Options.Keep it keeps nothing of a
// request but that there was one. Every answer has provider.EmulatorHeader.
type Server struct {
	options  Options
	mux      *http.ServeMux
	requests atomic.Uint64 // so far
	changed  map[*provider.Dialect]*provider.Dialect
	kept     kept
	script   scripting
}

// New returns an emulator.
func New(options Options) *Server {
	s := &Server{options: options, mux: http.NewServeMux(), changed: map[*provider.Dialect]*provider.Dialect{}}
	s.script.script = options.Script
	known := map[string]bool{}
	served, elsewhere := routes, elsewhere
	if options.Engine != "" {
		own := engineRoutes[options.Engine]
		if own == nil {
			own = compatibleRoutes(options.Engine)
		}
		served, elsewhere = own, []fallback{{"/", own[0].service}}
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
	for _, place := range elsewhere {
		s.mux.HandleFunc(place.prefix, s.refuse(place.service, http.StatusNotFound))
	}
	s.mux.HandleFunc(LogPath, nearby(s.serveLog))
	s.mux.HandleFunc("GET "+PagePath+"{$}", nearby(s.servePage))
	return s
}

// route says which method and path are answered by what.
type route struct {
	pattern string // of http.ServeMux
	service *service
	answer  func(*exchange) reply
}

// routes are all that the emulator serves. A method of Google's stands behind the
// model, after a colon.
var routes = slices.Concat(ollamaRoutes, azureRoutes, []route{
	{"POST /v1beta/models/{model}", gemini, (*exchange).googleMethod},
	{"GET /v1beta/models/{model}", gemini, (*exchange).oneModel},
	{"GET /v1beta/models", gemini, (*exchange).listModels},

	{"POST /v1/projects/{project}/locations/{location}/publishers/google/models/{model}", vertex, (*exchange).googleMethod},
	{"POST /v1beta1/projects/{project}/locations/{location}/publishers/google/models/{model}", vertex, (*exchange).googleMethod},
	{"POST /v1/publishers/google/models/{model}", vertex, (*exchange).googleMethod}, // in express mode
	{"POST /v1beta1/publishers/google/models/{model}", vertex, (*exchange).googleMethod},
	{"GET /v1/publishers/google/models/{model}", vertex, (*exchange).oneModel},
	{"GET /v1beta1/publishers/google/models/{model}", vertex, (*exchange).oneModel},
	{"GET /v1beta1/publishers/google/models", vertex, (*exchange).listModels},

	{"POST /v1beta/openai/chat/completions", geminiOpenAI, (*exchange).chat},
	{"GET /v1beta/openai/models", geminiOpenAI, (*exchange).listModels},

	{"POST /v1/chat/completions", openAI, (*exchange).chat},
	{"POST /v1/responses", openAI, (*exchange).responses},
	{"GET /v1/models/{model}", openAI, (*exchange).oneModel}, // Anthropic's too
	{"GET /v1/models", openAI, (*exchange).listModels},

	{"POST /v1/messages", claude, (*exchange).messages},
	{"POST /v1/messages/count_tokens", claude, (*exchange).countMessages},
})

// fallback is whose form the answer has where there is nothing below a path.
type fallback struct {
	prefix  string
	service *service
}

// elsewhere says whose form the answer has where there is nothing at a path.
var elsewhere = []fallback{
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

// service is what the APIs of one provider have in common.
type service struct {
	surfaces []*provider.Dialect
	// failure makes the body of an error that is not about a declaration. The code is
	// what OpenAI's errors have and may be empty.
	failure func(status int, code, message string) []byte
	// models are listed, each with an entry; family matches the names of all that are known.
	models []string
	entry  func(name string) object
	family *lazy.Regexp
	// unknownModel is how the service says that it has no such model, %s.
	unknownModel string
	// judged returns the requests, or the parts of them, that the service looks at with a
	// tool_choice; nil means all of them.
	judged func(choice *schema.Node, requests []provider.Request) []provider.Request
	// refusal makes the body of a refusal; nil means as the surface does.
	refusal func(provider.Response) []byte
}

// reply is an answer: its chunks are sent one by one.
type reply struct {
	status      int
	contentType string
	chunks      [][]byte
	// isEnd is set where the server ends, and does not answer.
	isEnd bool
}

const typeJSON = "application/json"

// object is a JSON object whose order of members says nothing.
type object = map[string]any

// found makes the answer of a request that succeeded.
func found(value any) reply {
	return reply{status: http.StatusOK, contentType: typeJSON, chunks: [][]byte{encode(value)}}
}

// encode cannot fail for what the emulator makes.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// failed makes the answer of a request that failed, in the service's form.
func (s *service) failed(status int, format string, arguments ...any) reply {
	return reply{status: status, contentType: typeJSON, chunks: [][]byte{s.failure(status, "", fmt.Sprintf(format, arguments...))}}
}

// noModel returns the answer where the service has no model of the name that the
// request has, else nil.
func (x *exchange) noModel() *reply {
	if x.service.family.MatchString(x.model) {
		return nil
	}
	return &reply{status: http.StatusNotFound, contentType: typeJSON, chunks: [][]byte{
		x.service.failure(http.StatusNotFound, "model_not_found", fmt.Sprintf(x.service.unknownModel, x.model)),
	}}
}

// refuse answers what no route is for.
func (s *Server) refuse(service *service, status int) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		what := "no such path: "
		if status == http.StatusMethodNotAllowed {
			what = "this path is not served with this method: "
		}
		answer := service.failed(status, "%s%s %s", what, request.Method, request.URL.Path)
		if s.options.isLogged() {
			s.log(s.requests.Add(1), request, nil, answer, nil)
		}
		answer.send(writer)
	}
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	writer.Header().Set(provider.EmulatorHeader, "1")
	if s.isForPeople(request) {
		nearby(s.servePage)(writer, request)
		return
	}
	s.mux.ServeHTTP(writer, request)
}

// handler returns what answers a route.
func (s *Server) handler(route route) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		number := s.requests.Add(1)
		fault := s.options.Faults.draw(s.options.Seed, number)
		if fault != "" {
			writer.Header().Set(provider.EmulatorHeader, "fault "+string(fault))
		}
		// The body is read also where it does not matter: until then it is not seen that
		// the client is gone.
		x, failure := s.read(writer, request, route.service)
		if fault.instead(writer, request, route.service) {
			return
		}
		var answer reply
		switch {
		case s.options.StrictAuth && x.lacksKey():
			answer = x.service.keyless()
		case failure != nil:
			answer = *failure
		default:
			answer = route.answer(x)
		}
		if s.options.isLogged() {
			s.log(number, request, x.data, answer, x.warnings)
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
	}
}

// exchange is one request on its way to an answer.
type exchange struct {
	service *service
	request *http.Request
	body    *schema.Node // an object
	data    []byte       // of the body
	size    int          // of the body in bytes
	model   string       // the provider's model that the request names
	day     provider.Date
	random  *rand.Rand
	changed map[*provider.Dialect]*provider.Dialect // those that are served with other rules
	options *Options
	script  *scripting
	// warnings are what is not known of the request, and let pass.
	warnings []string
}

// read reads a request, as far as it can be read.
func (s *Server) read(writer http.ResponseWriter, request *http.Request, service *service) (*exchange, *reply) {
	x := &exchange{service: service, request: request, day: s.options.AsOf, changed: s.changed, options: &s.options, script: &s.script}
	fail := func(status int, format string, arguments ...any) (*exchange, *reply) {
		failure := service.failed(status, format, arguments...)
		return x, &failure
	}
	data, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, MaxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return fail(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", MaxBody)
	}
	if err != nil {
		return fail(http.StatusBadRequest, "the body of the request cannot be read")
	}
	x.data, x.size, x.random = data, len(data), randomOf(s.options.Seed, data)
	if x.day == "" {
		x.day = provider.Today()
	}
	if request.Method != http.MethodPost {
		return x, nil
	}
	if x.body, err = schema.ParseWire(data); err != nil {
		return fail(http.StatusBadRequest, "the body of the request is not valid JSON: %v", err)
	}
	if x.body.Kind != schema.Object {
		return fail(http.StatusBadRequest, "the body of the request is not an object")
	}
	return x, nil
}

// randomOf returns the source of all choices that are made for a body.
func randomOf(seed uint64, body []byte) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write(body)                          // never fails
	return rand.New(rand.NewPCG(seed, hash.Sum64())) //nolint:gosec // the same choices each time are what is wanted
}

// send writes the answer.
func (r reply) send(writer http.ResponseWriter) {
	writer.Header().Set("Content-Type", r.contentType)
	writer.WriteHeader(r.status)
	for _, chunk := range r.chunks {
		if _, err := writer.Write(chunk); err != nil {
			return // the client is gone
		}
		if len(r.chunks) > 1 {
			_ = http.NewResponseController(writer).Flush() // where it can be
		}
	}
}

// surface returns the service's surface of the given name, or nil for one that has no
// model: it refuses nothing.
func (s *service) surface(name string) *provider.Dialect {
	i := slices.IndexFunc(s.surfaces, func(surface *provider.Dialect) bool { return surface.Name == name })
	if i < 0 {
		return nil
	}
	return s.surfaces[i]
}

// refusal asks the models about what a request declares, and returns the provider's
// refusal, or nil. Where several surfaces refuse, that of the first tool is
// the answer.
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
			continue // a model never errs
		}
		render := dialect.Render
		if x.service.refusal != nil {
			render = x.service.refusal
		}
		place := last // behind all tools
		if len(request.Indices) > 0 {
			place = request.Index(max(response.Findings[0].Declaration, 0))
		}
		if place < first {
			earliest, first = &reply{status: response.Status, contentType: typeJSON, chunks: [][]byte{render(response)}, isEnd: engines.Ends(response)}, place
		}
	}
	return earliest
}

// elements returns the elements of a list; another value counts as a list of one.
func elements(node *schema.Node) []*schema.Node {
	switch {
	case node == nil || node.Kind == schema.Null:
		return nil
	case node.Kind == schema.Array:
		return node.Elements
	default:
		return []*schema.Node{node}
	}
}
