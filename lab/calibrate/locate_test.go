package calibrate_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/lab/calibrate"
	"toolproof/schema"
)

// unread are messages by which the surface of their row is not recognized, with the reason. One
// that is recognized is an error, too.
var unread = map[string]string{
	"gemini-parameters-36":        "about a function's response, not about a declaration",
	"openai-chat-06":              "the words are DeepSeek's, which resellers of OpenAI's models have too",
	"openai-tool_name-03":         "the place is one of Responses; the row names Chat",
	"groq-chat-02":                "the thread names Groq, the words are OpenAI's",
	"fresh-gemini-openai-chat-02": "the names in the path are struck out",
}

// services are those that share messages with others; the first of them is recognized.
var services = map[string][]string{
	"azure":         {"openai"},
	"vertex":        {"gemini"},
	"gemini-openai": {"gemini"},
	"codeassist":    {"anthropic", "gemini", "vertex"}, // Claude, and the validators of Google
	"bedrock":       {"anthropic"},                     // Claude
}

// function matches a function's name in messages of OpenAI and similar providers.
var function = regexp.MustCompile(`for function '([^']*)'`)

// TestLocateEvidence locates published messages of surfaces that have a model: each is
// recognized as that surface's among all, and has the place that the model reports with the
// same words, however a gateway or client wraps it. A short test takes one row in four; make
// whole takes all.
func TestLocateEvidence(t *testing.T) {
	t.Parallel()
	folder := evidenceFolder(t)
	read, placed, every := 0, 0, 1
	if testing.Short() {
		every = 4
	}
	for _, name := range []string{"rejections.jsonl", "rejections_more.jsonl", "probes.jsonl"} {
		file, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := calibrate.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if i%every > 0 {
				continue
			}
			dialect, err := harness.DialectNamed(row.Dialect(harness.Dialects))
			if err != nil || row.Message == "" {
				continue
			}
			isRead, isPlaced := locateRow(t, row, dialect)
			switch {
			case !isRead && unread[row.ID] == "":
				t.Errorf("%s: %s does not read %q", row.Name(), dialect.Name, row.Message)
			case isRead && unread[row.ID] != "":
				t.Errorf("%s is read: %s", row.Name(), unread[row.ID])
			case isRead:
				read++
			}
			if isPlaced {
				placed++
			}
		}
	}
	t.Logf("%d messages are read, %d of them are the model's own and have their place", read, placed)
	if read*every < 320 || placed*every < 140 {
		t.Errorf("%d messages were read, %d placed: more are there", read, placed)
	}
}

// locateRow locates the message of a row, bare and wrapped. It reports whether the surface of
// the row recognizes it, and whether its place was compared with the model's.
func locateRow(t *testing.T, row *calibrate.Row, dialect *provider.Dialect) (isRead, isPlaced bool) {
	t.Helper()
	pasted := provider.ParsePasted(row.Message)
	for how, wrapped := range wrappedIn(row.Message) {
		if got := provider.ParsePasted(wrapped).Message; got != pasted.Message {
			t.Errorf("%s, %s: got %q, want %q", row.Name(), how, got, pasted.Message)
		}
	}
	pasted.Param = row.Param
	tool := schema.Tool{Name: "f"}
	declarations := []*schema.Node{dialect.Declare(tool)}
	cases, _ := row.Cases(harness.Dialects)
	if len(cases) > 0 {
		declarations = cases[0].Parts[0].Declarations
	}
	places := dialect.Locate(pasted, declarations)
	if len(places) == 0 {
		return false, false
	}
	if match := function.FindStringSubmatch(row.Message); match != nil {
		tool.Name = match[1]
	}
	var dialects []*provider.Dialect
	for _, surface := range harness.Surfaces { // as the command orders them
		dialects = append(dialects, surface.Dialect)
	}
	located, err := refusal.Locator{Dialects: dialects}.Locate(t.Context(), pasted.Message, []schema.Tool{tool})
	if err != nil && !errors.Is(err, refusal.ErrNoPlace) && !errors.Is(err, refusal.ErrPlaceless) && !errors.Is(err, refusal.ErrInnocent) && !errors.Is(err, refusal.ErrRequest) {
		t.Errorf("%q: %v", row.Message, err)
		return true, false
	}
	service, _, _ := strings.Cut(dialect.Name, "/")
	if ofRequest, isOf := errors.AsType[*refusal.RequestError](err); isOf && ofRequest.Conversation != nil {
		if !slices.Contains(ofRequest.Conversation.Services, service) {
			t.Errorf("%q of %s is taken for one of %q", row.Message, dialect.Name, ofRequest.Conversation.Services)
		}
		return true, false
	}
	found, _, _ := strings.Cut(located.Dialect.Name, "/")
	isKin := found == service
	for _, kin := range services[service] {
		isKin = isKin || found == kin
	}
	if !isKin {
		t.Errorf("%q of %s is taken for one of %s", row.Message, dialect.Name, located.Dialect.Name)
	}
	if len(cases) == 0 || !cases[0].Whole {
		return true, false
	}
	model := provider.Model{Dialect: dialect, AsOf: cases[0].Date, ModelName: cases[0].Model}
	said, err := model.Send(t.Context(), dialect.Request(declarations))
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(said.Message) != strings.TrimSpace(row.Message) {
		return true, false
	}
	for _, place := range places {
		if place.Declaration == provider.Nowhere && place.Location != "" {
			t.Errorf("%q has no place in %s", row.Message, declarations[len(declarations)-1])
		}
	}
	return true, true
}

// wrappedIn returns a message as gateways and clients show it.
func wrappedIn(message string) map[string]string {
	body := `{"error":{"message":` + quote(message) + `,"code":400}}`
	python := strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace
	return map[string]string{
		"a body":             body,
		"OpenRouter":         `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + quote(body) + `,"provider_name":"P"}}}`,
		"LiteLLM":            "litellm.BadRequestError: VertexAIException BadRequestError - " + body,
		"LiteLLM, bytes":     "litellm.BadRequestError: VertexAIException - b'" + python(body) + "'",
		"a client in Python": "Error code: 400 - {'error': {'message': '" + python(message) + "', 'type': 'invalid_request_error', 'param': None}}",
		"AI SDK":             "AI_APICallError: Bad Request " + `{"statusCode":400,"responseBody":` + quote(body) + `}`,
		"a string":           `API Error: 400 ` + body,
	}
}

func quote(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return strconv.Quote(text)
	}
	return string(quoted)
}
