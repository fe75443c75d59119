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
	"toolproof/internal/sample"
	"toolproof/schema"
)

// MaxBody is the size of the largest body that is read, in bytes.
const MaxBody = 4 << 20

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
	// Engine is one of Engines, whose server the emulator is then; empty means the providers'
	// services, and Ollama's own API beside them.
	Engine string
	// Faults are what goes wrong on purpose, and how often.
	Faults Faults
	// Delay is how long the fault Slow waits; zero means two seconds.
	Delay time.Duration
}

// Server is the emulator. It is an http.Handler, and keeps nothing of a request but that
// there was one. Every answer has provider.EmulatorHeader.
type Server struct {
	options  Options
	mux      *http.ServeMux
	requests atomic.Uint64 // so far
	changed  map[*provider.Dialect]*provider.Dialect
}

// New returns an emulator.
func New(options Options) *Server {
	s := &Server{options: options, mux: http.NewServeMux(), changed: map[*provider.Dialect]*provider.Dialect{}}
	known := map[string]bool{}
	served, elsewhere := routes, elsewhere
	if options.Engine != "" {
		own := engineRoutes[options.Engine]
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
			s.mux.HandleFunc(path, refuse(route.service, http.StatusMethodNotAllowed))
		}
	}
	for _, place := range elsewhere {
		s.mux.HandleFunc(place.prefix, refuse(place.service, http.StatusNotFound))
	}
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
var routes = slices.Concat(ollamaRoutes, []route{
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
func refuse(service *service, status int) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		what := "no such path: "
		if status == http.StatusMethodNotAllowed {
			what = "this path is not served with this method: "
		}
		service.failed(status, "%s%s %s", what, request.Method, request.URL.Path).send(writer)
	}
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	writer.Header().Set(provider.EmulatorHeader, "1")
	s.mux.ServeHTTP(writer, request)
}

// handler returns what answers a route.
func (s *Server) handler(route route) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		fault := s.options.Faults.draw(s.options.Seed, s.requests.Add(1))
		if fault != "" {
			writer.Header().Set(provider.EmulatorHeader, "fault "+string(fault))
		}
		// The body is read also where it does not matter: until then it is not seen that
		// the client is gone.
		x, failure := s.read(writer, request, route.service)
		switch {
		case fault.instead(writer, request, route.service):
			return
		case failure != nil:
			failure.send(writer)
			return
		}
		answer := route.answer(x)
		if answer.isEnd {
			reset(writer)
			panic(http.ErrAbortHandler)
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
	size    int          // of the body in bytes
	model   string       // the provider's model that the request names
	day     provider.Date
	random  *rand.Rand
	changed map[*provider.Dialect]*provider.Dialect // those that are served with other rules
}

// read reads a request.
func (s *Server) read(writer http.ResponseWriter, request *http.Request, service *service) (*exchange, *reply) {
	fail := func(status int, format string, arguments ...any) (*exchange, *reply) {
		failure := service.failed(status, format, arguments...)
		return nil, &failure
	}
	data, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, MaxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return fail(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", MaxBody)
	}
	if err != nil {
		return fail(http.StatusBadRequest, "the body of the request cannot be read")
	}
	x := &exchange{service: service, request: request, size: len(data), day: s.options.AsOf, random: randomOf(s.options.Seed, data), changed: s.changed}
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

// function is a function that can be called.
type function struct {
	name       string
	parameters *schema.Node // nil when it has none
	index      int
}

// functionsOf returns the functions that a request declares, in its order. Where the
// provider rewrites declarations, they are those that it understood.
func (x *exchange) functionsOf(requests []provider.Request) []function {
	var functions []function
	for _, request := range requests {
		dialect := x.service.surface(request.Dialect)
		for i, declaration := range request.Declarations {
			if len(request.Indices) == 0 {
				continue // the schema of an answer
			}
			if dialect != nil && dialect.Echo != nil {
				declaration = dialect.Echo(declaration, x.day)
			}
			if inner := declaration.Get("function"); inner != nil && inner.Kind == schema.Object {
				declaration = inner // which is a whole tool
			}
			functions = append(functions, function{
				declaration.GetString("name"),
				declaration.First("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"), request.Index(i),
			})
		}
	}
	slices.SortStableFunc(functions, func(a, b function) int { return a.index - b.index })
	return functions
}

// question is what a request asks, as far as the emulator minds.
type question struct {
	functions []function
	// isForced says that a function has to be called, and names which it may be; no
	// name means that any will do.
	isForced bool
	names    []string
	// isTold says that the last message is the result of a call.
	isTold bool
	// isJSON says that the answer is JSON, and format is its schema, if it has one.
	isJSON bool
	format *schema.Node
}

// replaceParameters replaces the parameters of each function.
func (q *question) replaceParameters(replace func(*schema.Node) *schema.Node) {
	for i := range q.functions {
		q.functions[i].parameters = replace(q.functions[i].parameters)
	}
}

// turn is what a model says: it calls a function, or it says a text.
type turn struct {
	function  string // "" for a text
	arguments *schema.Node
	text      string
}

// errNoFunction means that a function which is not declared has to be called.
var errNoFunction = errors.New("the function to be called is not declared")

// answer makes what the model says.
func (x *exchange) answer(q question) (turn, error) {
	callable := slices.DeleteFunc(q.functions, func(f function) bool { return len(q.names) > 0 && !slices.Contains(q.names, f.name) })
	if q.isForced && len(callable) == 0 {
		return turn{}, errNoFunction
	}
	if len(callable) > 0 && (q.isForced || !q.isTold) {
		called := callable[0]
		if arguments := sample.Object(called.parameters, x.random); arguments != nil {
			return turn{function: called.name, arguments: arguments}, nil
		}
		return turn{text: "The emulator finds no arguments that " + called.name + " takes."}, nil
	}
	if !q.isJSON {
		return turn{text: "This is an answer of the emulator."}, nil
	}
	value := schema.NewObject()
	if q.format != nil {
		if value = sample.Value(q.format, x.random, q.format); value == nil {
			return turn{text: "The emulator finds no value that the schema takes."}, nil
		}
	}
	return turn{text: value.String()}, nil
}

// id makes an identifier.
func (x *exchange) id(prefix string) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	text := []byte(prefix)
	for range 24 {
		text = append(text, letters[x.random.IntN(len(letters))])
	}
	return string(text)
}

// created is the time of every answer: the start of the day that is answered for, so
// that an answer is the same again.
func (x *exchange) created() int64 {
	day, err := time.Parse(time.DateOnly, string(x.day))
	if err != nil {
		return 0
	}
	return day.Unix()
}

// tokens counts what a text of so many bytes comes to, roughly.
func tokens(size int) int { return size/4 + 1 }

// size returns how many bytes the model said.
func (t turn) size() int {
	if t.function == "" {
		return len(t.text)
	}
	return len(t.function) + len(t.arguments.JSON())
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
