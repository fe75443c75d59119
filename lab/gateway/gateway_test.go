package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"toolproof/harness/agent/arrival"
	"toolproof/harness/report"
	"toolproof/lab/gateway"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// TestMain is also the gateway of these tests: a program that passes requests on, and does
// what its mood says.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "fake-gateway" {
		fmt.Println("a line of the gateway")
		if os.Args[4] == "looks" {
			connection, err := net.Dial("udp", "192.0.2.1:9") //nolint:noctx // nothing is sent
			if err == nil {
				_ = connection.Close()
			}
			fmt.Println("network", err)
			os.Exit(7)
		}
		if os.Args[4] == "ends" {
			os.Exit(7)
		}
		server := &http.Server{Addr: "127.0.0.1:" + os.Args[2], Handler: fake{os.Args[3], os.Args[4]}, ReadHeaderTimeout: time.Minute}
		fmt.Println(server.ListenAndServe())
		os.Exit(1)
	}
	if slices.Contains(os.Args, gateway.RunCommand) {
		if err := gateway.Inside(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake is a gateway from chat to chat.
type fake struct{ upstream, mood string }

func (f fake) ServeHTTP(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	switch f.mood {
	case "refuses":
		http.Error(writer, `{"error":{"message":"model not found"}}`, http.StatusBadRequest)
		return
	case "drops":
		body = withTools(body, func([]any) []any { return nil })
	case "widens":
		body = []byte(strings.ReplaceAll(string(body), `"maximum":5`, `"maximum":50`))
	case "slow":
		time.Sleep(time.Minute)
	}
	passed, err := http.NewRequestWithContext(request.Context(), http.MethodPost, f.upstream+request.URL.Path, bytes.NewReader(body))
	if err != nil {
		return
	}
	passed.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(passed)
	if err != nil {
		return
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return
	}
	status := response.StatusCode
	switch f.mood {
	case "hides":
		status = http.StatusOK
	case "breaks":
		status = http.StatusBadGateway
	case "mumbles":
		if status != http.StatusOK {
			text = []byte(`{"error":{"message":"bad request"}}`)
		}
	case "quotes":
		quoted, _ := json.Marshal(string(text)) //nolint:errchkjson // a text
		if status != http.StatusOK {
			text = []byte(`{"error":{"message":` + string(quoted) + `}}`)
		}
	case "calls":
		text = bytes.ReplaceAll(text, []byte(`"name":"lookup"`), []byte(`"name":"look_up"`))
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.WriteHeader(status)
	_, _ = writer.Write(text)
}

// withTools returns a request with other tools.
func withTools(body []byte, change func([]any) []any) []byte {
	var request map[string]any
	if json.Unmarshal(body, &request) != nil {
		return body
	}
	tools, _ := request["tools"].([]any)
	if request["tools"] = change(tools); len(change(tools)) == 0 {
		delete(request, "tools")
	}
	changed, err := json.Marshal(request)
	if err != nil {
		return body
	}
	return changed
}

// tool reads one.
func tool(t *testing.T, name, parameters string) schema.Tool {
	t.Helper()
	read, err := schema.Parse([]byte(parameters))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Tool{Name: name, Description: schema.NewString("Looks up."), Parameters: read}
}

// job is one of the fake gateway.
func job(mood string) gateway.Job {
	return gateway.Job{
		Self:    []string{os.Args[0]},
		Way:     gateway.Way{Name: "chat", In: "chat", Model: "gpt-4.1"},
		Command: []string{os.Args[0], "fake-gateway", "{port}", "{upstream}", mood},
		Start:   time.Minute, Answer: time.Minute,
	}
}

// TestMeasure holds what is found against what the gateway does.
func TestMeasure(t *testing.T) {
	t.Parallel()
	tools := []schema.Tool{
		tool(t, "lookup", `{"type":"object","properties":{"count":{"type":"integer","maximum":5}},"required":["count"]}`),
		tool(t, "refused", `{"type":"object","properties":{"list":{"type":"array"}}}`),
	}
	for mood, want := range map[string]struct {
		accepted, refused gateway.Fault
		state             arrival.State
		loss              rewrite.Loss
	}{
		"honest":  {state: arrival.Kept},
		"quotes":  {state: arrival.Kept},
		"widens":  {state: arrival.Changed, loss: rewrite.Widens},
		"drops":   {state: arrival.Missing},
		"hides":   {state: arrival.Kept, refused: gateway.HidesError},
		"breaks":  {state: arrival.Kept, accepted: gateway.MakesError},
		"mumbles": {state: arrival.Kept, refused: gateway.LosesWords},
		"calls":   {state: arrival.Kept, accepted: gateway.ChangesCall},
	} {
		t.Run(mood, func(t *testing.T) {
			t.Parallel()
			report, err := gateway.Measure(t.Context(), job(mood), tools)
			if err != nil {
				t.Fatal(err)
			}
			good, bad := report.Tools[0], report.Tools[1]
			if good.State != want.state || good.Loss != want.loss || good.Passage.Fault != want.accepted {
				t.Errorf("the accepted tool: %s, %s, fault %q, want %s, %s, %q", good.State, good.Loss, good.Passage.Fault, want.state, want.loss, want.accepted)
			}
			if mood != "drops" && (len(bad.Refused) != 1 || bad.Passage.Status != http.StatusBadRequest) {
				t.Errorf("the refused tool: %d findings, status %d", len(bad.Refused), bad.Passage.Status)
			}
			if mood != "breaks" && bad.Passage.Fault != want.refused {
				t.Errorf("the refused tool: fault %q, want %q", bad.Passage.Fault, want.refused)
			}
			if conforms := mood == "honest" || mood == "quotes"; good.Conforms() != conforms && want.refused == gateway.None {
				t.Errorf("the accepted tool conforms: %t", good.Conforms())
			}
			if report.Conforms() {
				t.Error("a report with a refused tool conforms")
			}
		})
	}
	report, err := gateway.Measure(t.Context(), job("honest"), tools[:1])
	if err != nil || !report.Conforms() || report.IsUnanswered() || report.Together.Status != http.StatusOK || !slices.Equal(report.Together.Calls, []string{"lookup"}) {
		t.Errorf("an honest gateway does not conform: %+v, %v", report, err)
	}
}

// TestStreams asks for streams: a call is read from its pieces, and one that is changed is found.
func TestStreams(t *testing.T) {
	t.Parallel()
	tools := []schema.Tool{tool(t, "lookup", `{"type":"object","properties":{"count":{"type":"integer","maximum":5}},"required":["count"]}`)}
	for in, model := range map[string]string{"chat": "gpt-4.1", "responses": "gpt-4.1", "messages": "claude-sonnet-4-5"} {
		for mood, want := range map[string]gateway.Fault{"honest": gateway.None, "calls": gateway.ChangesCall} {
			asked := job(mood)
			asked.Stream, asked.Way.In, asked.Way.Model = true, in, model
			report, err := gateway.Measure(t.Context(), asked, tools)
			if err != nil || !report.Stream || report.Tools[0].Passage.Fault != want || !slices.Equal(report.Tools[0].Passage.Calls, []string{"lookup"}) {
				t.Errorf("%s, %s: %+v, %v", in, mood, report, err)
			}
		}
	}
}

// TestNotStarted says why a gateway cannot be asked.
func TestNotStarted(t *testing.T) {
	t.Parallel()
	tools := []schema.Tool{tool(t, "lookup", `{"type":"object","properties":{}}`)}
	none := job("honest")
	none.Command = []string{"/none/such/program"}
	if err := untilSaid(t, job("ends"), tools, "a line of the gateway"); err == nil || !strings.Contains(err.Error(), "a line of the gateway") {
		t.Errorf("a gateway that ends: %v", err)
	}
	if _, err := gateway.Measure(t.Context(), none, tools); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no program: %v", err)
	}
	refused, err := gateway.Measure(t.Context(), job("refuses"), tools)
	if err != nil || !refused.IsUnanswered() || refused.Conforms() || refused.Together.GivenMessage != "model not found" {
		t.Errorf("a gateway that refuses everything: %+v, %v", refused, err)
	}
	late := job("slow")
	late.Answer = 100 * time.Millisecond
	report, err := gateway.Measure(t.Context(), late, tools)
	if err != nil || report.Tools[0].Passage.Fault != gateway.NoAnswer || report.Tools[0].State != arrival.Missing || report.Conforms() || !report.IsUnanswered() {
		t.Errorf("a gateway without an answer: %+v, %v", report, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := gateway.Measure(cancelled, job("honest"), tools); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled one: %v", err)
	}
}

// untilSaid measures a gateway that never listens, with more and more time to start, until it has had
// the time to write some words. It returns the error.
func untilSaid(t *testing.T, asked gateway.Job, tools []schema.Tool, words string) error {
	t.Helper()
	for asked.Start = time.Second; ; asked.Start *= 2 {
		_, err := gateway.Measure(t.Context(), asked, tools)
		if err == nil || strings.Contains(err.Error(), words) || asked.Start > time.Minute {
			return err
		}
	}
}

// TestApart shows that a gateway which is started has no network but loopback, or that the
// report says why it has one.
func TestApart(t *testing.T) {
	t.Parallel()
	tools := []schema.Tool{tool(t, "lookup", `{"type":"object","properties":{}}`)}
	report, err := gateway.Measure(t.Context(), job("honest"), tools)
	if err != nil || !report.Conforms() {
		t.Fatalf("an honest gateway: %+v, %v", report, err)
	}
	var text bytes.Buffer
	gateway.WriteText(&text, report, false)
	if report.Network != "" {
		if !strings.Contains(text.String(), "with a network, "+report.Network) {
			t.Errorf("the text is\n%s", text.String())
		}
		t.Skip("this system does not allow it: " + report.Network)
	}
	if err := untilSaid(t, job("looks"), tools, "unreachable"); err == nil || !strings.Contains(err.Error(), "unreachable") || !strings.Contains(text.String(), "without a network") {
		t.Errorf("the gateway has a network: %v\n%s", err, text.String())
	}
}

// TestRunning asks a gateway that runs, and asks nobody.
func TestRunning(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(writer, `{"choices":[{"message":{"content":"Hello."}}]}`)
	}))
	defer server.Close()
	running := job("")
	running.Command, running.URL, running.Listen = nil, server.URL, "127.0.0.1:0"
	report, err := gateway.Measure(t.Context(), running, []schema.Tool{tool(t, "lookup", `{"type":"object","properties":{}}`)})
	if err != nil || report.Tools[0].State != arrival.Missing || report.Tools[0].Passage.Fault != gateway.HidesError || report.Conforms() {
		t.Errorf("a gateway that asks nobody: %+v, %v", report, err)
	}
}

// TestRows checks that each row is complete.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, row := range gateway.Gateways {
		if row.Name == "" || row.Title == "" || row.Program == "" || row.Package == "" || len(row.Ways) == 0 || gateway.Named(row.Name) != row {
			t.Errorf("%+v lacks something", row)
		}
		for _, way := range row.Ways {
			if way.Name == "" || !gateway.IsAPI(way.In) || way.Model == "" || row.Way(way.Name).Name != way.Name {
				t.Errorf("%s: %+v lacks something", row.Name, way)
			}
		}
	}
}

// TestTexts shows what a user reads.
func TestTexts(t *testing.T) {
	t.Parallel()
	measured, err := gateway.Measure(t.Context(), job("widens"), []schema.Tool{
		tool(t, "lookup", `{"type":"object","properties":{"count":{"type":"integer","maximum":5}}}`),
		tool(t, "refused", `{"type":"object","properties":{"list":{"type":"array"}}}`),
		tool(t, "hostile\x1b[2J", `{"type":"object","properties":{}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	measured.Gateway = "fake"
	var text bytes.Buffer
	var page report.Markdown
	gateway.WriteText(&text, measured, false)
	gateway.Tables(&page, []gateway.Report{measured})
	for _, want := range []string{
		"fake, chat: 0 of 3 tools pass through whole",
		`lookup: /parameters/properties/count widens, {"maximum":5} becomes {"maximum":50}`,
		"array schema missing items",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
	if !strings.Contains(page.String(), "| `fake` | | `chat` | 0 of 3 | 0 | 2 | 1 | 0 |") {
		t.Errorf("the page is\n%s", page.String())
	}
	for _, out := range []string{text.String(), page.String()} {
		if strings.Contains(out, "\x1b") {
			t.Errorf("a control character is printed:\n%q", out)
		}
	}
}
