package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"toolproof/harness/live"
	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// answering answers everything except controls with one status and body.
func answering(status int, body string, header ...string) func(http.ResponseWriter, *http.Request, []byte) bool {
	return func(writer http.ResponseWriter, _ *http.Request, sent []byte) bool {
		if strings.Contains(string(sent), live.ControlName) {
			return false
		}
		writer.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(header); i += 2 {
			writer.Header().Set(header[i], header[i+1])
		}
		writer.WriteHeader(status)
		_, _ = writer.Write([]byte(body))
		return true
	}
}

// TestClassify: an answer is a refusal only if it is about the declaration, and an
// acceptance only if it is in the provider's form.
func TestClassify(t *testing.T) {
	t.Parallel()
	const attempts = 3
	for _, test := range []struct {
		name, provider, dialect string
		status                  int
		body                    string
		verdict                 provider.Verdict // empty if nothing is learnt
		sent                    int64
	}{
		{"accepted", "gemini", "gemini/parameters", 200, `{"candidates":[{}]}`, provider.Accepted, 1},
		{"blocked is accepted", "gemini", "gemini/parameters", 200, `{"promptFeedback":{"blockReason":"OTHER"}}`, provider.Accepted, 1},
		{"a page", "gemini", "gemini/parameters", 200, `<html>Welcome</html>`, "", attempts},
		{"an empty object", "gemini", "gemini/parameters", 200, `{}`, "", attempts},
		{"nothing", "gemini", "gemini/parameters", 200, ``, "", attempts},
		{"an error with 200", "openai", "openai/chat", 200, `{"error":{"message":"Invalid schema for function 'f': no"},"choices":[]}`, "", attempts},
		{"another API", "openai", "openai/responses", 200, `{"choices":[]}`, "", attempts},
		{"refused", "gemini", "gemini/parameters", 400, `{"error":{"code":400,"message":"Invalid value at 'tools[0].function_declarations[0].parameters.type' (x), \"any\"","status":"INVALID_ARGUMENT"}}`, provider.Rejected, 1},
		{"refused by openai", "openai", "openai/chat", 400, `{"error":{"message":"Invalid schema for function 'f': no","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`, provider.Rejected, 1},
		{"refused by anthropic", "anthropic", "anthropic/tools", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"tools.0.custom.input_schema.type: Field required"}}`, provider.Rejected, 1},
		{"refused in words with the key", "openai", "openai/chat", 400, `{"error":{"message":"Invalid schema for function 'f': ` + canary + `","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`, provider.Rejected, 1},
		{"accepted by anthropic", "anthropic", "anthropic/tools", 200, `{"type":"message","role":"assistant","content":[],"usage":{}}`, provider.Accepted, 1},
		{"words without a body", "openai", "openai/chat", 400, `Invalid schema for function 'f'`, "", attempts},
		{"the words of a refusal with 500", "openai", "openai/chat", 500, `{"error":{"message":"Invalid schema for function 'f': no"}}`, "", attempts},
		{"no key", "openai", "openai/chat", 401, `{"error":{"message":"Incorrect API key provided: ` + canary + `","code":"invalid_api_key"}}`, "", 1},
		{"no key at gemini", "gemini", "gemini/parameters", 400, `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`, "", 1},
		{"no region", "gemini", "gemini/parameters", 400, `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`, "", 1},
		{"no model", "openai", "openai/chat", 404, `{"error":{"message":"The model 'x' does not exist","code":"model_not_found"}}`, "", 1},
		{"no money", "openai", "openai/chat", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`, "", 1},
		{"forbidden", "gemini", "gemini/parameters", 403, `{"error":{"code":403,"message":"tools[0].function_declarations","status":"PERMISSION_DENIED"}}`, "", 1},
		{"too many", "gemini", "gemini/parameters", 429, `{"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}`, "", attempts},
		{"overloaded", "anthropic", "anthropic/tools", 529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "", attempts},
		{"conflict", "openai", "openai/chat", 409, `{"error":{"message":"conflict"}}`, "", attempts},
		{"too long", "openai", "openai/chat", 400, `{"error":{"message":"This model's maximum context length is 8 tokens","code":"context_length_exceeded"}}`, "", 1},
		{"other words", "openai", "openai/chat", 400, `{"error":{"message":"Something else is wrong","code":null}}`, "", 1},
		{"too large", "openai", "openai/chat", 413, `{"error":{"message":"too large"}}`, "", 1},
		{"not found, by a page", "openai", "openai/chat", 404, `<html>`, "", 1},
		{"unauthorized, in no words", "gemini", "gemini/parameters", 401, ``, "", 1},
		{"refused by a page", "openai", "openai/chat", 400, `<html>no permission`, "", attempts},
		{"a redirect", "openai", "openai/chat", 302, ``, "", attempts},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			count := serve(t, answering(test.status, test.body))
			options := quick(test.provider, count.URL)
			options.Retry.Attempts = attempts
			request := dialectNamed(t, test.dialect).Encode([]schema.Tool{tool(t, "f", good)})
			response, err := clientFor(t, options, test.dialect).Send(t.Context(), request)
			if response.Verdict != test.verdict || (err == nil) != (test.verdict != "") {
				t.Errorf("%q, %v, expected %q", response.Verdict, err, test.verdict)
			}
			if err != nil && strings.Contains(err.Error(), canary) || strings.Contains(response.Message, canary) {
				t.Errorf("the answer has the key: %v, %s", err, response.Message)
			}
			if got := count.requests.Load(); got != test.sent {
				t.Errorf("%d requests, expected %d", got, test.sent)
			}
		})
	}
}

// TestAnyKey: where any key will do, a key of one letter does not cause letters to be
// redacted.
func TestAnyKey(t *testing.T) {
	t.Parallel()
	options := quick("gemini", serve(t, nil).URL)
	options.Key = "a"
	dialect := dialectNamed(t, "gemini/parameters")
	response, err := clientFor(t, options, dialect.Name).Send(t.Context(), dialect.Encode([]schema.Tool{tool(t, "f", surfaces[0].bad)}))
	if err != nil || !strings.HasPrefix(response.Message, "Invalid value at 'tools[0].function_declarations[0].parameters") {
		t.Errorf("%q, %v", response.Message, err)
	}
}

// TestRetryAfter: a wait that the provider asks for is respected, and one that is too
// long ends the attempts.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, expected := range map[string]int64{"0.02": 3, "3600": 1} {
		count := serve(t, answering(429, `{"error":{"message":"slow down"}}`, "Retry-After", header))
		options := quick("openai", count.URL)
		options.Retry = live.Retry{Attempts: 3, First: time.Microsecond, Longest: time.Second}
		begin := time.Now()
		_, err := clientFor(t, options, "openai/chat").Send(t.Context(), dialectNamed(t, "openai/chat").Encode([]schema.Tool{tool(t, "f", good)}))
		var failure *live.NoVerdictError
		if !errors.As(err, &failure) || failure.Status != 429 || count.requests.Load() != expected {
			t.Errorf("Retry-After %s: %d requests, expected %d: %v", header, count.requests.Load(), expected, err)
		}
		if expected == 3 && time.Since(begin) < 40*time.Millisecond {
			t.Errorf("two waits of 20 ms took %s", time.Since(begin))
		}
	}
}

// outcomes judges tools and returns the outcomes by name.
func outcomes(t *testing.T, client *live.Client, dialect *provider.Dialect, tools ...schema.Tool) map[string]live.Outcome {
	t.Helper()
	questions := make([]live.Question, len(tools))
	for i, one := range tools {
		questions[i].Declarations = dialect.Encode([]schema.Tool{one}).Declarations
	}
	found := map[string]live.Outcome{}
	if err := client.Judge(t.Context(), questions, func(question int, outcome live.Outcome) { found[tools[question].Name] = outcome }); err != nil {
		t.Fatal(err)
	}
	return found
}

// TestControls: if a control misbehaves, before or after, nothing is learnt and nothing
// recorded.
func TestControls(t *testing.T) {
	t.Parallel()
	for name, front := range map[string]func(http.ResponseWriter, *http.Request, []byte) bool{
		"all is accepted": func(writer http.ResponseWriter, _ *http.Request, _ []byte) bool {
			writer.Header().Set("Content-Type", "application/json")
			_, _ = writer.Write([]byte(`{"choices":[]}`))
			return true
		},
		"all is refused": func(writer http.ResponseWriter, _ *http.Request, _ []byte) bool {
			writer.WriteHeader(http.StatusBadRequest)
			_, _ = writer.Write([]byte(`{"error":{"message":"Invalid schema for function 'toolproof_control': no"}}`))
			return true
		},
		"it begins to accept": func() func(http.ResponseWriter, *http.Request, []byte) bool {
			var seen atomic.Int64
			return func(writer http.ResponseWriter, _ *http.Request, _ []byte) bool {
				if seen.Add(1) < 4 {
					return false
				}
				writer.Header().Set("Content-Type", "application/json")
				_, _ = writer.Write([]byte(`{"choices":[]}`))
				return true
			}
		}(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := quick("openai", serve(t, front).URL)
			options.Record = func(live.Exchange) error {
				t.Error("something was recorded")
				return nil
			}
			dialect := dialectNamed(t, "openai/chat")
			for name, outcome := range outcomes(t, clientFor(t, options, dialect.Name), dialect, tool(t, "f", good), tool(t, "g", good)) {
				if !errors.Is(outcome.Err, live.ErrControl) {
					t.Errorf("%s: %+v", name, outcome)
				}
			}
		})
	}
}

// TestControlsOfModels: on every surface that live runs ask about, the model accepts one
// control and refuses the other, so that a server which answers like the model passes for
// the provider.
func TestControlsOfModels(t *testing.T) {
	t.Parallel()
	for _, known := range live.Providers {
		for _, name := range surfacesOf(known) {
			t.Run(known.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				dialect := dialectNamed(t, name)
				options := quick(known.Name, serve(t, modelled(dialect)).URL)
				found := outcomes(t, clientFor(t, options, name), dialect, tool(t, "f", goodFor(name)))
				if outcome := found["f"]; outcome.Err != nil || outcome.Response.Verdict != provider.Accepted {
					t.Errorf("%+v", outcome)
				}
			})
		}
	}
}

// modelled answers everything as the model of a surface does.
func modelled(dialect *provider.Dialect) func(http.ResponseWriter, *http.Request, []byte) bool {
	return func(writer http.ResponseWriter, request *http.Request, sent []byte) bool {
		body, err := schema.ParseWire(sent)
		if err != nil {
			return false
		}
		service := []*provider.Dialect{dialect}
		var asked []provider.Request
		var success string
		switch {
		case strings.HasSuffix(request.URL.Path, "/messages"):
			asked, success = wire.Read(provider.Messages, service, body), `{"type":"message","content":[]}`
		case strings.HasSuffix(request.URL.Path, "/responses"):
			asked, success = wire.Read(provider.Responses, service, body), `{"output":[]}`
		case strings.HasSuffix(request.URL.Path, "/api/chat"):
			asked, success = wire.Read(provider.OllamaChat, service, body), `{"message":{"role":"assistant","content":""},"done":true}`
		case strings.HasSuffix(request.URL.Path, "/completions"):
			asked, success = wire.Read(provider.ChatCompletions, service, body), `{"choices":[]}`
		default:
			asked, success = wire.Read(provider.GenerateContent, service, body), `{"candidates":[]}`
		}
		model := provider.Model{Dialect: dialect}
		answer, _ := model.Send(context.Background(), asked[0])
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(answer.Status)
		if answer.Verdict == provider.Rejected {
			success = string(dialect.Render(answer))
		}
		_, _ = writer.Write([]byte(success))
		return true
	}
}

// TestUnknownWords: a tool that is refused in unknown words, or that makes a server fail,
// costs no other tool its verdict. Nothing is learnt about it from a provider, but a
// user's own server may have words of its own.
func TestUnknownWords(t *testing.T) {
	t.Parallel()
	const words = "Grammar error: unimplemented keys"
	for _, test := range []struct {
		provider string
		status   int
		words    string
		expected provider.Verdict
	}{
		{"openai", http.StatusBadRequest, words, ""},
		{"openai", http.StatusBadRequest, "no permission for a tool of this organization", ""},
		{"openai", http.StatusInternalServerError, words, ""},
		{"openai-compatible", http.StatusBadRequest, words, provider.Rejected},
		{"openai-compatible", http.StatusInternalServerError, words, ""},
	} {
		t.Run(fmt.Sprintf("%s %d %s", test.provider, test.status, test.words), func(t *testing.T) {
			t.Parallel()
			options := quick(test.provider, serve(t, func(writer http.ResponseWriter, _ *http.Request, sent []byte) bool {
				if !strings.Contains(string(sent), `"name":"odd"`) {
					return false
				}
				writer.Header().Set("Content-Type", "application/json")
				writer.WriteHeader(test.status)
				_, _ = fmt.Fprintf(writer, `{"object":"error","message":%q,"code":400}`, test.words)
				return true
			}).URL)
			dialect := dialectNamed(t, "openai/chat")
			given := []schema.Tool{tool(t, "odd", good)}
			for i := range 20 {
				given = append(given, tool(t, fmt.Sprintf("f%d", i), good))
			}
			for tool, outcome := range outcomes(t, clientFor(t, options, dialect.Name), dialect, given...) {
				want := provider.Accepted
				if tool == "odd" {
					want = test.expected
				}
				if outcome.Response.Verdict != want || (outcome.Err == nil) != (want != "") {
					t.Errorf("%s: %+v, expected %q", tool, outcome, want)
				}
			}
		})
	}
}

// TestSets: a limit on all tools of a request does not incriminate a good tool.
func TestSets(t *testing.T) {
	t.Parallel()
	dialect := dialectNamed(t, "anthropic/tools-strict")
	var given []schema.Tool
	for i := range 70 {
		given = append(given, tool(t, fmt.Sprintf("f%d", i),
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`))
	}
	given = append(given, tool(t, "bad", `{"type":"object","properties":{"a":{"type":"string"}}}`))
	options := quick("anthropic", serve(t, modelled(dialect)).URL)
	for name, outcome := range outcomes(t, clientFor(t, options, dialect.Name), dialect, given...) {
		if outcome.Err != nil || (outcome.Response.Verdict == provider.Rejected) != (name == "bad") {
			t.Errorf("%s: %+v", name, outcome)
		}
	}
}

// TestEnds: an error that affects every request ends the run, instead of being tried with
// each tool.
func TestEnds(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	count := serve(t, func(writer http.ResponseWriter, _ *http.Request, _ []byte) bool {
		if seen.Add(1) < 5 {
			return false
		}
		writer.WriteHeader(http.StatusUnauthorized)
		_, _ = writer.Write([]byte(`{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`))
		return true
	})
	options := quick("openai", count.URL)
	options.Concurrency = 1
	questions, _ := questionsAbout(t, 1000, "openai/chat", "", 0)
	lost := check(t, clientFor(t, options, "openai/chat"), questions, nil, true)
	if lost != 1000 || seen.Load() > 8 {
		t.Errorf("%d lost after %d requests", lost, seen.Load())
	}
}

// TestOutage: one outage is not waited for again with each tool.
func TestOutage(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	options := quick("openai", serve(t, func(writer http.ResponseWriter, _ *http.Request, _ []byte) bool {
		seen.Add(1)
		writer.WriteHeader(http.StatusServiceUnavailable)
		return true
	}).URL)
	options.Single, options.Retry.Attempts = true, 2
	questions, _ := questionsAbout(t, 1000, "openai/chat", "", 0)
	lost := check(t, clientFor(t, options, "openai/chat"), questions, nil, true)
	if lost != 1000 || seen.Load() > 20 {
		t.Errorf("%d lost after %d requests", lost, seen.Load())
	}
}

// TestOutagesApart: each of several outages that end is waited for, however many there
// are.
func TestOutagesApart(t *testing.T) {
	t.Parallel()
	const questions, inARow, rest = 12, 2, 4
	begun, left := 0, 0 // batches begun, and remaining requests of the one that continues
	options := quick("openai", serve(t, func(writer http.ResponseWriter, _ *http.Request, _ []byte) bool {
		if left > 0 {
			left--
			return false
		}
		if begun++; begun%(inARow+1) != 0 {
			writer.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		left = rest // the other control, the tool, and both controls again
		return false
	}).URL)
	options.Single, options.Concurrency, options.Retry.Attempts = true, 1, 1
	var tools []schema.Tool
	for i := range questions {
		tools = append(tools, tool(t, "f"+strconv.Itoa(i), good))
	}
	answered := 0
	for _, outcome := range outcomes(t, clientFor(t, options, "openai/chat"), dialectNamed(t, "openai/chat"), tools...) {
		if outcome.Err == nil && outcome.Response.Verdict == provider.Accepted {
			answered++
		}
	}
	if want := questions / (inARow + 1); answered != want {
		t.Errorf("%d of %d tools have an answer, expected %d", answered, questions, want)
	}
}

// TestTwice: an answer that differs from the recorded one is asked for again, and two
// different answers count as none.
func TestTwice(t *testing.T) {
	t.Parallel()
	dialect := dialectNamed(t, "openai/chat")
	ask := func(known provider.Verdict, front func(http.ResponseWriter, *http.Request, []byte) bool) (live.Outcome, int64) {
		count := serve(t, front)
		var got live.Outcome
		question := live.Question{Declarations: dialect.Encode([]schema.Tool{tool(t, "f", good)}).Declarations, Known: known}
		err := clientFor(t, quick("openai", count.URL), dialect.Name).Judge(t.Context(), []live.Question{question}, func(_ int, outcome live.Outcome) { got = outcome })
		if err != nil {
			t.Fatal(err)
		}
		return got, count.requests.Load()
	}
	if got, sent := ask(provider.Accepted, nil); got.Changed || got.Err != nil || sent != 1 {
		t.Errorf("the known answer: %+v after %d requests", got, sent)
	}
	if got, sent := ask(provider.Rejected, nil); !got.Changed || got.Response.Verdict != provider.Accepted || sent != 2 {
		t.Errorf("another answer: %+v after %d requests", got, sent)
	}
	var seen atomic.Int64
	refuse := answering(400, `{"error":{"message":"Invalid schema for function 'f': no"}}`)
	got, sent := ask(provider.Accepted, func(writer http.ResponseWriter, request *http.Request, body []byte) bool {
		return !strings.Contains(string(body), live.ControlName) && seen.Add(1) == 1 && refuse(writer, request, body)
	})
	if got.Err == nil || got.Changed || sent != 2 {
		t.Errorf("two answers: %+v after %d requests", got, sent)
	}
}

// TestNames: tools with one name are sent in one request under different names, and the
// places in answers are those of each tool.
func TestNames(t *testing.T) {
	t.Parallel()
	dialect := dialectNamed(t, "gemini/parameters")
	var mutex sync.Mutex
	var names []string
	count := serve(t, func(_ http.ResponseWriter, _ *http.Request, sent []byte) bool {
		body, err := schema.Parse(sent)
		if err == nil && !strings.Contains(string(sent), live.ControlName) {
			mutex.Lock()
			defer mutex.Unlock()
			names = nil
			for _, declaration := range wire.Read(provider.GenerateContent, []*provider.Dialect{dialect}, body)[0].Declarations {
				names = append(names, declaration.GetString("name"))
			}
		}
		return false
	})
	questions := make([]live.Question, 4)
	for i := range questions {
		parameters := good
		if i == 2 {
			parameters = `{"type":"object","properties":{"a":{"type":"any"}}}`
		}
		questions[i].Declarations = dialect.Encode([]schema.Tool{tool(t, "same", parameters)}).Declarations
	}
	err := clientFor(t, quick("gemini", count.URL), dialect.Name).Judge(t.Context(), questions, func(question int, outcome live.Outcome) {
		if outcome.Err != nil || (outcome.Response.Verdict == provider.Rejected) != (question == 2) {
			t.Errorf("question %d: %+v", question, outcome)
		}
		if question == 2 && len(outcome.Response.Findings) > 0 && outcome.Response.Findings[0].At != "/parameters/properties/a/type" {
			t.Errorf("found at %s", outcome.Response.Findings[0].At)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if expected := []string{"same", "same_2", "same_4"}; !slices.Equal(names, expected) {
		t.Errorf("the names %s, expected %s", names, expected)
	}
	if count.requests.Load() != 2 {
		t.Errorf("%d requests", count.requests.Load())
	}
}

// TestExactBytes: the bytes that arrive are those of the digest, and the request asks for
// as little output as possible.
func TestExactBytes(t *testing.T) {
	t.Parallel()
	const parameters = `{"type":"object","properties":{"z":{"type":"string"},"a":{"enum":["<é>\u2028"],"type":"string"}},"required":["z"],"description":"1e2 & 1.0"}`
	least := func(known live.Provider, path string) string {
		switch {
		case strings.HasSuffix(path, "/api/chat"):
			return `"options":{"num_predict":1}`
		case known.Engine != nil: // an engine makes a grammar of the tools that may be called
			return `"max_tokens":16`
		case strings.HasSuffix(path, ":generateContent"):
			return `"toolConfig":{"functionCallingConfig":{"mode":"NONE"}},"generationConfig":{"maxOutputTokens":1}`
		case strings.HasSuffix(path, "/responses"):
			return `"tool_choice":"none","max_output_tokens":16,"store":false`
		case strings.HasSuffix(path, "/messages"):
			return `"tool_choice":{"type":"none"}`
		default:
			return `"tool_choice":"none","max_`
		}
	}
	for _, known := range live.Providers {
		if known.Loose {
			continue
		}
		for _, name := range surfacesOf(known) {
			dialect := dialectNamed(t, name)
			request := dialect.Encode([]schema.Tool{tool(t, "f", parameters)})
			var sent string
			answer := modelled(dialect)
			root := serve(t, func(writer http.ResponseWriter, request *http.Request, body []byte) bool {
				sent = string(body)
				return answer(writer, request, body)
			}).URL
			if _, err := clientFor(t, quick(known.Name, root), name).Send(t.Context(), request); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if text := request.Declarations[0].String(); !strings.Contains(sent, text) {
				t.Errorf("%s: %s is not in %s", name, text, sent)
			}
			if text := least(known, dialect.Path); !strings.Contains(sent, text) {
				t.Errorf("%s: %q is not in %s", name, text, sent)
			}
		}
	}
}

// TestBudget: neither the number of requests nor the dollars exceed the budget.
func TestBudget(t *testing.T) {
	t.Parallel()
	questions, _ := questionsAbout(t, 1000, "openai/chat", "", 0)
	for name, budget := range map[string]*live.Budget{"requests": {Requests: 11}, "dollars": {Dollars: new(0.02)}, "nothing": {Dollars: new(0.0)}} {
		count := serve(t, nil)
		options := quick("openai", count.URL)
		options.Model, options.Budget = "gpt-4o-mini", budget
		client := clientFor(t, options, "openai/chat")
		lost := check(t, client, questions, nil, true)
		requests, dollars := budget.Spent()
		if sent := count.requests.Load() + count.controls.Load(); lost == 0 || int64(requests) != sent {
			t.Errorf("%s: %d lost, %d requests counted, %d sent", name, lost, requests, sent)
		}
		if budget.Requests > 0 && requests > budget.Requests || budget.Dollars != nil && dollars > *budget.Dollars {
			t.Errorf("%s: spent %d requests and %f dollars", name, requests, dollars)
		}
		if plan := client.Plan(questions); plan.Requests != 8 || plan.Controls != 32 || plan.Dollars <= 0 || plan.MostDollars < plan.Dollars {
			t.Errorf("the plan is %+v", plan)
		}
	}
}

// TestRedirect: no key is sent on to where a redirect leads.
func TestRedirect(t *testing.T) {
	t.Parallel()
	for _, known := range live.Providers {
		if known.Loose {
			continue
		}
		elsewhere := serve(t, nil)
		from := serve(t, func(writer http.ResponseWriter, request *http.Request, _ []byte) bool {
			http.Redirect(writer, request, elsewhere.URL+request.URL.Path, http.StatusTemporaryRedirect)
			return true
		})
		dialect := dialectNamed(t, surfacesOf(known)[0])
		options := quick(known.Name, from.URL)
		options.Retry.Attempts = 1
		if answer, err := clientFor(t, options, dialect.Name).Send(t.Context(), dialect.Encode([]schema.Tool{tool(t, "f", good)})); err == nil {
			t.Errorf("%s: %+v", known.Name, answer)
		}
		if elsewhere.requests.Load() > 0 {
			t.Errorf("%s: the request was sent on", known.Name)
		}
	}
}
