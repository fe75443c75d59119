package emulator_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/lab/corpus"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// day is the day whose rules the tests use, so that they do not change overnight.
const day = provider.Date("2026-11-21")

// Schemas: one that every API accepts, and one that Gemini and OpenAI refuse.
const (
	goodSchema = `{"type":"object","properties":{"city":{"type":"string","enum":["Graz","Wien"]},"days":{"type":"integer","minimum":1,"maximum":7}},"required":["city","days"],"additionalProperties":false}`
	badSchema  = `{"type":"object","properties":{"tags":{"type":"array"}},"required":["tags"],"additionalProperties":false}`
)

var seed = flag.Uint64("seed", 0, "of the answers that are held against the models")

// served are the surfaces that the emulator serves, with a model of each service.
var served = []struct{ dialect, model string }{
	{"gemini/parameters", "gemini-2.5-flash"},
	{"gemini/parametersJsonSchema", "gemini-2.5-flash"},
	{"gemini/responseSchema", "gemini-2.5-flash"},
	{"gemini/responseJsonSchema", "gemini-2.5-flash"},
	{"vertex/parameters", "gemini-2.5-flash"},
	{"vertex/parametersJsonSchema", "gemini-2.5-flash"},
	{"vertex/responseSchema", "gemini-2.5-flash"},
	{"vertex/responseJsonSchema", "gemini-2.5-flash"},
	{"gemini-openai/chat", "gemini-2.5-flash"},
	{"openai/chat", "gpt-4o-mini"},
	{"openai/chat-strict", "gpt-4o-mini"},
	{"openai/responses", "gpt-4o-mini"},
	{"openai/responses-strict", "gpt-4o-mini"},
	{"openai/responses-nonstrict", "gpt-4o-mini"},
	{"openai/response_format", "gpt-4o-mini"},
	{"openai/text_format", "gpt-4o-mini"},
	{"anthropic/tools", "claude-sonnet-5"},
	{"anthropic/tools-strict", "claude-sonnet-5"},
	{"anthropic/output_format", "claude-sonnet-5"},
}

// post sends a body to a handler, without a network.
func post(t testing.TB, handler http.Handler, path string, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader(body)))
	return recorder
}

// compiled caches compiled schemas by their text, because most surfaces declare the same ones.
type compiled map[string]*instance.Schema

// of returns the compiled schema, or nil if the validator cannot compile it.
func (c compiled) of(root *schema.Node) *instance.Schema {
	text := root.String()
	found, isKnown := c[text]
	if !isKnown {
		found, _ = instance.Compile(root)
		c[text] = found
	}
	return found
}

// outcome counts tools: refused, called, answered with a text because no arguments were found,
// or declared with a schema that the validator cannot compile.
type outcome struct{ refused, called, empty, unread int }

// holds sends a tool to the emulator and compares the answer with the model's: a refusal has to
// be the same byte for byte, and the arguments of a call have to be valid for the declaration.
func (o *outcome) holds(t *testing.T, known compiled, handler http.Handler, dialect *provider.Dialect, model string, tools ...schema.Tool) {
	t.Helper()
	tool := tools[0]
	if isFormat(dialect) {
		tools = tools[:1]
	}
	request := dialect.Encode(tools)
	for _, placeholder := range []string{"{model}", "MODEL"} {
		if request.Body.Get("model").Is(placeholder) {
			request.Body.Set("model", schema.NewString(model))
		}
	}
	predicted, err := (&provider.Model{Dialect: dialect, AsOf: day, ModelName: model}).Send(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if request.Body.Has("max_tokens") { // of Messages, which would end the answer at one token
		request.Body.Set("max_tokens", schema.NewInt(emulator.MaxBody))
	}
	answer := post(t, handler, strings.ReplaceAll(request.Path, "{model}", model), request.Body.JSON())
	if answer.Header().Get(provider.EmulatorHeader) == "" {
		t.Fatal("the answer is not marked as the emulator's")
	}
	if predicted.Verdict == provider.Rejected {
		o.refused++
		want := bytes.ReplaceAll(dialect.Render(predicted), []byte(anthropic.RequestID), []byte(cmp.Or(answer.Header().Get("Request-Id"), anthropic.RequestID)))
		if answer.Code != predicted.Status || !bytes.Equal(answer.Body.Bytes(), want) {
			t.Errorf("%s %s: %d\n%s\nand the model says %d\n%s\nto %s", dialect.Name, tool.Name, answer.Code, answer.Body, predicted.Status, want, request.Body)
		}
		return
	}
	if answer.Code != http.StatusOK {
		t.Errorf("%s %s: status %d, and the model accepts: %s\n%s", dialect.Name, tool.Name, answer.Code, answer.Body, request.Body)
		return
	}
	declared := request.Declarations[0]
	if dialect.Echo != nil {
		declared = dialect.Echo(declared, day)
	}
	root := declared.First("parameters", "parametersJsonSchema", "input_schema", "schema")
	if isFormat(dialect) && strings.Contains(request.Path, ":generateContent") {
		root = declared
	}
	if root == nil {
		o.called++
		return
	}
	declares := known.of(root)
	if declares == nil {
		o.unread++
		return
	}
	instance := saidIn(t, answer.Body.Bytes())
	if instance == nil {
		o.empty++
		return
	}
	if o.called++; !declares.Accepts(instance) {
		t.Errorf("%s %s: %s is not valid for %s", dialect.Name, tool.Name, instance, root)
	}
}

// isFormat reports whether a dialect declares the schema of an answer.
func isFormat(dialect *provider.Dialect) bool {
	_, surface, _ := strings.Cut(dialect.Name, "/")
	return slices.Contains([]string{"responseSchema", "responseJsonSchema", "response_format", "text_format", "output_format"}, surface)
}

// saidIn returns the arguments of the call in an answer, or the JSON of its text, or nil.
func saidIn(t *testing.T, answer []byte) *schema.Node {
	t.Helper()
	var body struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text         string `json:"text"`
					FunctionCall *struct {
						Args *schema.Node `json:"args"`
					} `json:"functionCall"` //nolint:tagliatelle // as Google spells it
				} `json:"parts"`
			} `json:"content"`
		} `json:"candidates"`
		Choices []struct {
			Message struct {
				Content   string `json:"content"`
				ToolCalls []struct {
					Function struct {
						Arguments string `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
		Output []struct {
			Arguments string `json:"arguments"`
			Content   []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"output"`
		Content []struct {
			Text  string       `json:"text"`
			Input *schema.Node `json:"input"`
		} `json:"content"`
	}
	if err := json.Unmarshal(answer, &body); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	text := ""
	for _, candidate := range body.Candidates {
		if call := candidate.Content.Parts[0].FunctionCall; call != nil {
			return call.Args
		}
		text = candidate.Content.Parts[0].Text
	}
	for _, choice := range body.Choices {
		if text = choice.Message.Content; len(choice.Message.ToolCalls) > 0 {
			text = choice.Message.ToolCalls[0].Function.Arguments
		}
	}
	for _, item := range body.Output {
		if text = item.Arguments; len(item.Content) > 0 {
			text = item.Content[0].Text
		}
	}
	for _, block := range body.Content {
		if block.Input != nil {
			return block.Input
		}
		text = block.Text
	}
	instance, err := schema.Parse([]byte(text))
	if err != nil {
		return nil
	}
	return instance
}

// allFixtures reads the fixtures once for all tests.
var allFixtures = sync.OnceValues(func() ([]*fixture.Fixture, error) { return fixture.Load(fixtures.Files) })

// inShare reports whether a sweep takes a case: make whole takes all, and a short test one of
// eight. A sweep over fixtures and surfaces numbers a case by the sum of the two indices, so
// that every fixture and every surface has its share.
func inShare(number int) bool { return !testing.Short() || number%8 == 0 }

// TestFixtures compares the answers to all fixtures with the models.
func TestFixtures(t *testing.T) {
	t.Parallel()
	all, err := allFixtures()
	if err != nil {
		t.Fatal(err)
	}
	handler := emulator.New(emulator.Options{Seed: *seed, AsOf: day})
	var counted outcome
	known := compiled{}
	for number, surface := range served {
		dialect, err := harness.DialectNamed(surface.dialect)
		if err != nil {
			t.Fatal(err)
		}
		for i, fixture := range all {
			if !inShare(i + number) {
				continue
			}
			counted.holds(t, known, handler, dialect, surface.model, fixture.Tools...)
		}
	}
	t.Logf("%+v", counted)
	least := 1000
	if testing.Short() {
		least /= 8
	}
	if counted.refused < least || counted.called < least {
		t.Errorf("%+v are too few to show anything", counted)
	}
}

var everyTool = flag.Bool("every-tool", false, "ask for every tool of the corpus: make corpus")

// TestCorpus does the same with one in four real tools, as they are and normalized. A short
// test takes one of eleven of those.
func TestCorpus(t *testing.T) {
	t.Parallel()
	handler := emulator.New(emulator.Options{Seed: *seed, AsOf: day})
	counts := make([]outcome, len(served))
	const share = 4
	interval := 1
	if testing.Short() {
		interval = 11
	}
	for i, node := range corpus.Sample(t, interval, "tools.jsonl.gz") {
		number := i * interval
		if number/len(served)%share != 0 && !*everyTool { // len(served) consecutive tools go to all surfaces
			continue
		}
		known := compiled{}
		surface := (number + int(*seed)) % len(served) // another seed pairs each tool with another surface
		tool := schema.Tool{Name: node.GetString("name"), Description: node.Get("description"), Parameters: node.Get("schema")}
		dialect, err := harness.DialectNamed(served[surface].dialect)
		if err != nil {
			t.Fatal(err)
		}
		counts[surface].holds(t, known, handler, dialect, served[surface].model, tool)
		for _, target := range harness.Targets {
			if target.Dialect != dialect {
				continue
			}
			result, err := target.Normalizer.Normalize(t.Context(), tool)
			if err != nil {
				t.Fatal(err)
			}
			counts[surface].holds(t, known, handler, dialect, served[surface].model, result.Tool)
		}
	}
	rare := 10 // tools that have no valid arguments
	if !*everyTool {
		rare /= share
	}
	for i, surface := range served {
		t.Logf("%s: %+v", surface.dialect, counts[i])
		if counts[i].empty > rare {
			t.Errorf("%s: no arguments were found for %d tools", surface.dialect, counts[i].empty)
		}
	}
}
