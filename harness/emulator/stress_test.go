package emulator_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

var stress = flag.Int("stress", 3000, "how many requests TestStress makes")

// TestStress lets 200 clients use all APIs at once, with faults. Each answer is that of the
// request without a fault, or that of the fault, and connections fail as often as faults make
// them. Neither goroutines nor memory grow. It logs the speed:
//
//	go test ./harness/emulator -run Stress -stress 500000 -v
//
// A short test sends a fifth of the requests.
func TestStress(t *testing.T) { testStress(t, nil) }

// TestStressQuirks is TestStress with all quirks at once that leave an answer whole.
func TestStressQuirks(t *testing.T) {
	testStress(t, slices.DeleteFunc(slices.Clone(emulator.Quirks), func(quirk *emulator.Quirk) bool { return quirk.Outcome == emulator.Failed }))
}

func testStress(t *testing.T, quirks []*emulator.Quirk) {
	t.Helper()
	faults, err := emulator.ParseFaults("429=0.05,500=0.02,garbage=0.01,slow=0.01,reset=0.01")
	if err != nil {
		t.Fatal(err)
	}
	requests := *stress
	if testing.Short() {
		requests /= 5
	}
	const delay = 20 * time.Millisecond
	s := &stressed{}
	if requests >= 100_000 { // clients wait, which takes long
		faults[emulator.Timeout], s.patience = 0.001, 10*time.Second
	}
	s.handler = emulator.New(emulator.Options{AsOf: day, Faults: faults, Delay: delay, Quirks: quirks})
	s.requests = stressRequests(t, emulator.New(emulator.Options{AsOf: day, Quirks: quirks}))
	server := httptest.NewServer(s)
	defer server.Close()
	s.url = server.URL

	s.run(t, requests/5) // initializes everything that is made only once
	goroutines, heap := used()
	begun := time.Now()
	latencies := s.run(t, requests)
	took := time.Since(begun)
	count, middle, high := len(latencies), latencies[len(latencies)/2], latencies[len(latencies)*99/100]
	moreGoroutines, moreHeap := used()

	t.Logf("%d requests in %v: %.0f a second, median %v, p99 %v; %d faults", count, took, float64(count)/took.Seconds(), middle, high, s.faults.Load())
	t.Logf("goroutines %d, then %d; heap %d kB, then %d kB", goroutines, moreGoroutines, heap>>10, moreHeap>>10)
	if s.faults.Load() == 0 || s.failed.Load() == 0 || count < requests/2 {
		t.Errorf("%d requests with %d faults are no stress", count, s.faults.Load())
	}
	if failed, broken := s.failed.Load(), s.broken.Load(); failed != broken {
		t.Errorf("%d connections failed, and %d were made to", failed, broken)
	}
	// Connections need time to close, on a busy machine more than others.
	for end := time.Now().Add(time.Minute); (moreGoroutines > goroutines+10 || moreHeap > heap+4<<20) && time.Now().Before(end); {
		moreGoroutines, moreHeap = used()
	}
	if moreGoroutines > goroutines+10 {
		t.Errorf("%d goroutines were left, then %d", goroutines, moreGoroutines)
	}
	if moreHeap > heap+4<<20 {
		t.Errorf("%d bytes were left on the heap, then %d", heap, moreHeap)
	}
}

const clientsAtOnce = 200

// stressRequest is a request with the answer that it gets without a fault.
type stressRequest struct {
	path   string
	body   []byte
	status int
	answer []byte
}

func stressRequests(t *testing.T, handler http.Handler) []stressRequest {
	t.Helper()
	const (
		google = `{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"f","description":"d","parameters":SCHEMA}]}]}`
		chat   = `{"model":"gpt-4o","stream":STREAM,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":SCHEMA}}]}`
		flat   = `{"model":"gpt-4o","stream":STREAM,"input":"hi","tools":[{"type":"function","name":"f","parameters":SCHEMA}]}`
		claude = `{"model":"claude-sonnet-5","max_tokens":9,"stream":STREAM,"messages":[{"role":"user","content":"hi"}],"tools":[{"name":"f","input_schema":SCHEMA}]}`
	)
	var requests []stressRequest
	for _, form := range []struct{ path, body string }{
		{"/v1beta/models/gemini-2.5-flash:generateContent", google},
		{"/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", google},
		{"/v1/projects/p/locations/global/publishers/google/models/gemini-2.5-flash:generateContent", google},
		{"/v1/chat/completions", chat},
		{"/v1/responses", flat},
		{"/v1/messages", claude},
	} {
		for _, schema := range []string{goodSchema, badSchema, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`} {
			if form.body == google {
				schema = strings.ReplaceAll(schema, `,"additionalProperties":false`, "")
			}
			for _, isStreamed := range []string{"false", "true"} {
				body := []byte(strings.NewReplacer("SCHEMA", schema, "STREAM", isStreamed).Replace(form.body))
				answer := post(t, handler, form.path, body)
				requests = append(requests, stressRequest{form.path, body, answer.Code, answer.Body.Bytes()})
			}
		}
	}
	return requests
}

// stressed is the emulator with counts from both sides.
type stressed struct {
	handler  http.Handler
	url      string
	requests []stressRequest
	faults   atomic.Int64 // faults produced
	broken   atomic.Int64 // faults that a client sees as a failed connection
	failed   atomic.Int64 // failed connections that clients saw
	underWay sync.WaitGroup
	patience time.Duration // of clients, where requests without an answer are among the faults; otherwise without end
}

func (s *stressed) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	s.underWay.Add(1)
	defer func() {
		defer s.underWay.Done()
		fault, isFault := strings.CutPrefix(writer.Header().Get(provider.EmulatorHeader), "fault ")
		if isFault {
			s.faults.Add(1)
		}
		if fault == "reset" || fault == "timeout" {
			s.broken.Add(1)
		}
	}()
	s.handler.ServeHTTP(writer, request)
}

// run lets the clients send a number of requests. It returns the latencies, sorted.
func (s *stressed) run(t *testing.T, requests int) []time.Duration {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: clientsAtOnce}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: s.patience}
	took := make([][]time.Duration, clientsAtOnce)
	var waiting sync.WaitGroup
	for i := range clientsAtOnce {
		waiting.Go(func() {
			for n := i; n < requests; n += clientsAtOnce {
				begun := time.Now()
				if isAnswered := s.ask(t, client, s.requests[n%len(s.requests)]); isAnswered {
					took[i] = append(took[i], time.Since(begun))
				}
			}
		})
	}
	waiting.Wait()
	s.underWay.Wait() // a client may see the end of a connection before it is counted
	all := slices.Concat(took...)
	slices.Sort(all)
	return all
}

// ask sends a request and reports whether an answer came.
func (s *stressed) ask(t *testing.T, client *http.Client, request stressRequest) bool {
	t.Helper()
	response, err := client.Post(s.url+request.path, "application/json", bytes.NewReader(request.body)) //nolint:noctx // the client has a limit
	if err != nil {
		s.failed.Add(1)
		return false
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		s.failed.Add(1)
		return false
	}
	switch fault := strings.TrimPrefix(response.Header.Get(provider.EmulatorHeader), "fault "); fault {
	case "429", "500":
		if response.Status[:3] != fault {
			t.Errorf("fault %s has status %s", fault, response.Status)
		}
	case "garbage":
	default:
		if response.StatusCode != request.status || !bytes.Equal(body, request.answer) {
			t.Errorf("%s: %s\n%s\nwithout others it is %d\n%s", request.path, response.Status, body, request.status, request.answer)
		}
	}
	return true
}

// used returns the number of goroutines, and of bytes on the heap, once both have settled.
func used() (goroutines int, heap uint64) {
	for range 20 { // connections need time to close
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return runtime.NumGoroutine(), memory.HeapAlloc
}
