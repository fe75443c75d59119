package live_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/judge"
	"toolproof/harness/live"
	"toolproof/harness/live/sdk"
	"toolproof/harness/provider"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// server is the emulator behind a handler of the test. It counts requests other than
// controls.
type server struct {
	*httptest.Server
	requests, controls atomic.Int64
}

// serve starts the emulator. front may answer a request itself, and reports whether it
// did.
func serve(t *testing.T, front func(http.ResponseWriter, *http.Request, []byte) bool) *server {
	t.Helper()
	return serveAs(t, "", front)
}

// serveAs is serve for a named provider: each engine has a server of its own.
func serveAs(t *testing.T, name string, front func(http.ResponseWriter, *http.Request, []byte) bool) *server {
	t.Helper()
	options := emulator.Options{}
	if slices.Contains(emulator.Engines, name) {
		options.Engine = name
	}
	behind := emulator.New(options)
	counting := &server{}
	counting.Server = httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		body := readAll(t, request)
		if strings.Contains(string(body), live.ControlName) {
			counting.controls.Add(1)
		} else {
			counting.requests.Add(1)
		}
		if front != nil && front(writer, request, body) {
			return
		}
		behind.ServeHTTP(writer, request)
	}))
	t.Cleanup(counting.Close)
	return counting
}

func readAll(t *testing.T, request *http.Request) []byte {
	t.Helper()
	var body strings.Builder
	if _, err := bufio.NewReader(request.Body).WriteTo(&body); err != nil {
		return nil // the client has gone
	}
	request.Body = http.NoBody
	text := body.String()
	request.Body = readCloser{strings.NewReader(text)}
	return []byte(text)
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

const canary = "AIzaCANARYcanaryCANARYcanaryCANARYcanar"

// quick returns options for a server in the same process.
func quick(name, root string) live.Options {
	model := map[string]string{ // for others, the default
		"openai-compatible": "gpt-5.6-luna", "ollama": "qwen3:latest", "llamacpp": "qwen3-8b.gguf", "vllm": "Qwen/Qwen3-8B",
	}[name]
	return live.Options{
		Provider: name, Key: canary, BaseURL: root, Model: model,
		Clients: sdk.Clients{}, Retry: live.Retry{First: time.Microsecond, Longest: 10 * time.Millisecond},
	}
}

func clientFor(t *testing.T, options live.Options, dialect string) *live.Client {
	t.Helper()
	service, err := live.Connect(options)
	if err != nil {
		t.Fatal(err)
	}
	client, err := service.Client(dialectNamed(t, dialect))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func dialectNamed(t *testing.T, name string) *provider.Dialect {
	t.Helper()
	dialect, err := harness.DialectNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return dialect
}

// surfacesOf returns the names of the surfaces that a provider can be asked about.
func surfacesOf(known live.Provider) []string {
	var names []string
	for _, dialect := range harness.Dialects {
		if known.Serves(dialect) {
			names = append(names, dialect.Name)
		}
	}
	return names
}

func tool(t *testing.T, name, parameters string) schema.Tool {
	t.Helper()
	root, err := schema.Parse([]byte(parameters))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Tool{Name: name, Description: schema.NewString("A tool."), Parameters: root}
}

// surfaces are those that the emulator can be asked about, with a declaration that each
// refuses and whether the refusal names the culprit.
var surfaces = []struct {
	provider, dialect, bad string
	names                  bool
}{
	{"gemini", "gemini/parameters", `{"type":"object","properties":{"a":{"type":"any"}}}`, true},
	{"gemini", "gemini/parametersJsonSchema", `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`, false},
	{"vertex", "vertex/parameters", `{"type":"object","properties":{"a":{"type":"any"}}}`, true},
	{"openai", "openai/chat", `{"type":"object","properties":{"a":{"type":"array"}}}`, true},
	{"openai", "openai/chat-strict", `{"type":"object","properties":{"a":{"type":"string"}}}`, true},
	{"openai", "openai/responses", `{"type":"object","properties":{"a":{"type":"array"}}}`, true},
	{"openai", "openai/responses-strict", `{"type":"object","properties":{"a":{"type":"string"}}}`, true},
	{"openai", "openai/responses-nonstrict", `{"type":"object","properties":{"a":{"type":"array"}}}`, true},
	{"anthropic", "anthropic/tools", `{"type":"object","properties":{"a b":{"type":"string"}}}`, true},
	{"ollama", "ollama/chat", `{"type":"object","required":"a"}`, true},
	{"llamacpp", "llamacpp/chat", `{"type":"object","properties":{"a":{"type":"any"}}}`, false},
}

// good is accepted by every surface for functions that are not strict.
const good = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`

// goodFor returns parameters that a surface accepts.
func goodFor(dialect string) string {
	if strings.HasSuffix(dialect, "-strict") {
		return strings.TrimSuffix(good, "}") + `,"additionalProperties":false}`
	}
	return good
}

// TestSend asks each surface, with the official client, about one declaration that it
// accepts and one that it refuses.
func TestSend(t *testing.T) {
	t.Parallel()
	for _, surface := range surfaces {
		t.Run(surface.dialect, func(t *testing.T) {
			t.Parallel()
			client := clientFor(t, quick(surface.provider, serveAs(t, surface.provider, nil).URL), surface.dialect)
			dialect := dialectNamed(t, surface.dialect)
			for verdict, parameters := range map[provider.Verdict]string{provider.Accepted: goodFor(surface.dialect), provider.Rejected: surface.bad} {
				request := dialect.Encode([]schema.Tool{tool(t, "f", parameters)})
				got, err := client.Send(t.Context(), request)
				if err != nil {
					t.Fatal(err)
				}
				model := provider.Model{Dialect: dialect}
				want, _ := model.Send(t.Context(), request)
				if got.Verdict != verdict || got.Message != want.Message {
					t.Errorf("%s and %q, expected %s and %q", got.Verdict, got.Message, verdict, want.Message)
				}
				if got.Evidence != provider.Predicted {
					t.Errorf("an answer of the emulator has the grade %s", got.Evidence)
				}
			}
		})
	}
}

// sweep returns the number of tools that a surface is asked about, and how many of them
// are bad: 1,000 in make whole, a quarter of that in short tests.
func sweep() (tools, bad int) {
	if testing.Short() {
		return 256, 9
	}
	return 1000, 37
}

// TestJudgeThousand asks about 1,000 tools, 37 of them bad: exactly these are refused,
// within the expected number of requests.
func TestJudgeThousand(t *testing.T) {
	t.Parallel()
	for _, surface := range surfaces {
		t.Run(surface.dialect, func(t *testing.T) {
			t.Parallel()
			count := serveAs(t, surface.provider, nil)
			client := clientFor(t, quick(surface.provider, count.URL), surface.dialect)
			tools, wrong := sweep()
			questions, bad := questionsAbout(t, tools, surface.dialect, surface.bad, wrong)
			check(t, client, questions, bad, false)
			limit := (tools + 127) / 128
			if surface.names {
				limit += 2 * wrong
			} else {
				limit += 8 * wrong
			}
			t.Logf("%d requests and %d controls", count.requests.Load(), count.controls.Load())
			if got := count.requests.Load(); got > int64(limit) {
				t.Errorf("%d requests, of at most %d", got, limit)
			}
		})
	}
}

// TestJudgeAccepted: n accepted declarations cost n/128 requests.
func TestJudgeAccepted(t *testing.T) {
	t.Parallel()
	count := serve(t, nil)
	client := clientFor(t, quick("openai", count.URL), "openai/chat")
	questions, bad := questionsAbout(t, 1000, "openai/chat", "", 0)
	check(t, client, questions, bad, false)
	if got := count.requests.Load(); got != 8 {
		t.Errorf("%d requests, expected 8", got)
	}
}

// check judges questions and compares the outcomes with the known bad ones. With faults
// an outcome may also be an error.
func check(t *testing.T, client *live.Client, questions []live.Question, bad map[int]bool, faults bool) (inconclusive int) {
	t.Helper()
	var mutex sync.Mutex
	settled := map[int]bool{}
	err := client.Judge(t.Context(), questions, func(question int, outcome live.Outcome) {
		mutex.Lock()
		defer mutex.Unlock()
		if settled[question] {
			t.Errorf("question %d is settled twice", question)
		}
		settled[question] = true
		name := questions[question].Declarations[0].GetString("name")
		switch {
		case outcome.Err != nil && faults:
			inconclusive++
		case outcome.Err != nil:
			t.Errorf("%s: %v", name, outcome.Err)
		case (outcome.Response.Verdict == provider.Rejected) != bad[question]:
			t.Errorf("%s is %s: %s", name, outcome.Response.Verdict, outcome.Response.Message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(settled) != len(questions) {
		t.Errorf("%d of %d questions are settled", len(settled), len(questions))
	}
	return inconclusive
}

// questionsAbout returns tools of the corpus, or invented ones if there is none, that a
// surface accepts, except for some with the bad parameters.
func questionsAbout(t *testing.T, tools int, dialect, bad string, count int) ([]live.Question, map[int]bool) {
	t.Helper()
	surface := dialectNamed(t, dialect)
	given := acceptedTools(t, surface, tools)
	random := rand.New(rand.NewPCG(1, 2))
	isBad := map[int]bool{}
	for len(isBad) < count {
		isBad[random.IntN(len(given))] = true
	}
	questions := make([]live.Question, len(given))
	for i, one := range given {
		if isBad[i] {
			one = tool(t, one.Name, bad)
		}
		questions[i] = live.Question{Declarations: surface.Encode([]schema.Tool{one}).Declarations}
	}
	return questions, isBad
}

// realTools are 3,000 tools of the corpus; short tests read 500.
var realTools = sync.OnceValue(func() []schema.Tool {
	most := 3000
	if testing.Short() {
		most = 500
	}
	folder := os.Getenv("TOOLPROOF_CORPUS")
	if folder == "" {
		folder = "../../../shared/corpus"
	}
	file, err := os.Open(filepath.Join(folder, "tools.jsonl.gz"))
	if err != nil {
		return nil
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		return nil
	}
	var tools []schema.Tool
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() && len(tools) < most {
		row, err := schema.Parse(lines.Bytes())
		if err == nil && row.Get("schema") != nil && len(lines.Bytes()) < 4000 {
			tools = append(tools, schema.Tool{Name: row.GetString("name"), Description: row.Get("description"), Parameters: row.Get("schema")})
		}
	}
	return tools
})

// accepted caches the results of acceptedTools by surface and count.
var accepted sync.Map

// acceptedTools returns count tools that the model of a surface accepts.
func acceptedTools(t *testing.T, dialect *provider.Dialect, count int) []schema.Tool {
	t.Helper()
	key := fmt.Sprint(dialect.Name, " ", count)
	if known, isKnown := accepted.Load(key); isKnown {
		return known.([]schema.Tool) //nolint:forcetypeassert // nothing else is in there
	}
	target := harness.Serving(dialect)
	model := provider.Model{Dialect: dialect}
	var tools []schema.Tool
	for _, one := range realTools() {
		if target.Normalizer == nil || len(tools) == count {
			break
		}
		result, err := target.Normalizer.Normalize(t.Context(), one)
		if err != nil || target.Fallback != nil && !result.Strict {
			continue
		}
		if answer, err := model.Send(t.Context(), dialect.Encode([]schema.Tool{result.Tool})); err == nil && answer.Verdict == provider.Accepted {
			tools = append(tools, result.Tool)
		}
	}
	for i := len(tools); i < count; i++ {
		tools = append(tools, tool(t, fmt.Sprintf("tool_%d", i), goodFor(dialect.Name)))
	}
	accepted.Store(key, tools)
	return tools
}

var faultSeeds = flag.Int("fault-seeds", 3, "how many runs with faults are tried")

// expired is a header of answers that come too late: for the client the request ends with the
// error of its timeout, whatever time has passed.
const expired = "X-Expired"

// clock is a transport that ends requests whose answers come too late.
type clock struct{ http.RoundTripper }

func (c clock) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := c.RoundTripper.RoundTrip(request)
	if err != nil || answer.Header.Get(expired) == "" {
		return answer, err
	}
	return nil, errors.Join(context.DeadlineExceeded, answer.Body.Close())
}

// faults answers part of the requests with something that is not about a declaration. What a
// request gets depends on its body and on how often it was sent, and so on no order of arrival.
func faults(seed uint64) func(http.ResponseWriter, *http.Request, []byte) bool {
	var mutex sync.Mutex
	sent := map[uint64]uint64{} // by the hash of the body
	return func(writer http.ResponseWriter, _ *http.Request, body []byte) bool {
		hash := fnv.New64a()
		hash.Write(body)
		mutex.Lock()
		sent[hash.Sum64()]++
		random := rand.New(rand.NewPCG(seed+sent[hash.Sum64()], hash.Sum64()))
		mutex.Unlock()
		at, which := random.Float64(), random.IntN(4)
		switch {
		case at < 0.20:
			writer.Header().Set("Retry-After", "0")
			http.Error(writer, `{"error":{"code":429,"message":"Too many requests","status":"RESOURCE_EXHAUSTED"}}`, http.StatusTooManyRequests)
		case at < 0.25:
			http.Error(writer, `{"error":{"code":500,"message":"An internal error has occurred","status":"INTERNAL"}}`, http.StatusInternalServerError)
		case at < 0.27:
			writer.Header().Set(expired, "yes")
		case at < 0.28:
			status := []int{http.StatusOK, http.StatusOK, http.StatusBadRequest, http.StatusBadGateway}[which]
			writer.WriteHeader(status)
			_, _ = writer.Write([]byte([]string{"<html>tools[0].function_declarations[3]</html>", `{"candi`, "Invalid schema for function 'f'", ""}[which]))
		default:
			return false
		}
		return true
	}
}

// TestFaults: if one request in four fails, no verdict is wrong and few are missing. Which requests
// fail depends on the seed, but all batches send the same controls, and so those under way at the same
// time share these faults by chance: how many verdicts are missing is counted where batches follow
// one another.
func TestFaults(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*faultSeeds) {
		for _, i := range []int{0, 1, 3} {
			for _, concurrency := range []int{1, 2} {
				surface := surfaces[i]
				t.Run(fmt.Sprintf("%s/%d/%d", surface.dialect, seed, concurrency), func(t *testing.T) {
					t.Parallel()
					options := quick(surface.provider, serve(t, faults(seed)).URL)
					options.Concurrency = concurrency
					options.Clients = sdk.Clients{Transport: clock{&http.Transport{}}}
					client := clientFor(t, options, surface.dialect)
					tools, wrong := sweep()
					questions, bad := questionsAbout(t, tools, surface.dialect, surface.bad, wrong)
					lost := check(t, client, questions, bad, true)
					t.Logf("%d of %d inconclusive", lost, tools)
					if concurrency == 1 && lost*10 > tools*3 {
						t.Errorf("%d of %d inconclusive", lost, tools)
					}
				})
			}
		}
	}
}

// TestTimeout: a request without an answer is given up after its timeout, and sent again. On a busy
// machine other requests may be late as well.
func TestTimeout(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	server := serve(t, func(_ http.ResponseWriter, request *http.Request, _ []byte) bool {
		if asked.Add(1) > 1 {
			return false
		}
		<-request.Context().Done()
		return true
	})
	options := quick("openai", server.URL)
	options.Timeout, options.Retry.Attempts = 200*time.Millisecond, 1000
	answer, err := clientFor(t, options, "openai/chat").Send(t.Context(), dialectNamed(t, "openai/chat").Encode([]schema.Tool{tool(t, "f", good)}))
	if err != nil || answer.Verdict != provider.Accepted || asked.Load() < 2 {
		t.Errorf("%s after %d requests: %v", answer.Verdict, asked.Load(), err)
	}
}

// TestJudgeOverClients judges tools through the official clients, which ask the emulator:
// verdicts and words are the models'.
func TestJudgeOverClients(t *testing.T) {
	t.Parallel()
	for _, surface := range surfaces {
		t.Run(surface.dialect, func(t *testing.T) {
			t.Parallel()
			target := harness.Serving(dialectNamed(t, surface.dialect))
			options := quick(surface.provider, serveAs(t, surface.provider, nil).URL)
			overClient := judge.Judge{Raw: true, Provider: func(dialect *provider.Dialect) provider.Provider {
				return clientFor(t, options, dialect.Name)
			}}
			for _, parameters := range []string{goodFor(surface.dialect), surface.bad} {
				subject := judge.Subject{Tool: toolfile.Of(tool(t, "f", parameters))}
				got, want := overClient.Tool(t.Context(), subject, target), judge.Judge{Raw: true}.Tool(t.Context(), subject, target)
				if got.Status != want.Status || got.Error != want.Error {
					t.Errorf("%s %q, expected %s %q", got.Status, got.Error, want.Status, want.Error)
					continue
				}
				if diff := cmp.Diff(wordsOf(want), wordsOf(got)); diff != "" {
					t.Errorf("%s", diff)
				}
			}
		})
	}
}

// wordsOf returns the verdicts of a result on both sides with the words of the answers, but not
// their places, which a client does not report, nor what a model predicts behind an answer.
func wordsOf(result verdict.Result) []string {
	var words []string
	for _, answer := range []verdict.Answer{*result.Sides().Raw, result.Sides().Normalized.Answer} {
		words = append(words, string(answer.Verdict))
		for _, finding := range answer.Findings {
			if finding.IsBehind {
				continue
			}
			_, message, isPrefaced := strings.Cut(finding.Message, "Automatic parser generation failed: ") // which precedes all findings
			if !isPrefaced {
				message = finding.Message
			}
			words = append(words, message)
		}
	}
	return words
}
