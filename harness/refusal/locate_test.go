package refusal_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/fixture"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
	"toolproof/recordings"
	"toolproof/schema"
)

// refused is a refusal as a model predicts it for a list of tools, one of which is to blame.
type refused struct {
	dialect *provider.Dialect
	rule    *provider.Rule
	tools   []schema.Tool
	guilty  int
	at      schema.Pointer
	answer  provider.Response
}

// locator asks every surface, in the order of the command.
var locator = func() refusal.Locator {
	var l refusal.Locator
	for _, surface := range harness.Surfaces {
		l.Dialects = append(l.Dialects, surface.Dialect)
	}
	return l
}()

// innocent returns a tool that a surface accepts.
func innocent(t *testing.T, dialect *provider.Dialect, name string) schema.Tool {
	t.Helper()
	for _, parameters := range []string{
		`{"type":"object","properties":{"a":{"type":"string","description":"d"}},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"type":"string","description":"d"}},"required":["a"],"additionalProperties":false}`,
	} {
		node, err := schema.Parse([]byte(parameters))
		if err != nil {
			t.Fatal(err)
		}
		tool := schema.ToolOf(provider.Object("name", schema.NewString(name), "title", schema.NewString("t"), "description", schema.NewString("d"), "parameters", node,
			"annotations", provider.Object("readOnlyHint", schema.NewBool(true), "destructiveHint", schema.NewBool(false), "openWorldHint", schema.NewBool(false))))
		answer, err := (&provider.Model{Dialect: dialect}).Send(t.Context(), dialect.Encode([]schema.Tool{tool}))
		if err == nil && answer.Verdict == provider.Accepted {
			return tool
		}
	}
	t.Fatalf("%s accepts no tool", dialect.Name)
	return schema.Tool{}
}

// models returns the models of a surface that answer by rules of other days, other models and other
// parameters.
func models(dialect *provider.Dialect) []provider.Model {
	all := []provider.Model{{Dialect: dialect}}
	for _, rule := range dialect.Rules {
		model := provider.Model{Dialect: dialect, Parameters: dialect.Parameters}
		if rule.Until != "" {
			model.AsOf = rule.Until.Before()
		}
		for _, pattern := range rule.Models {
			if !strings.HasPrefix(pattern, "!") {
				model.ModelName = strings.ReplaceAll(pattern, "*", "")
			}
		}
		if !slices.Contains(all, model) {
			all = append(all, model)
		}
	}
	return all
}

// everyRefusal returns for each rule that refuses one tool alone the first refusal of a fixture, with
// the tool between others.
func everyRefusal(t *testing.T) []refused {
	t.Helper()
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	var all []refused
	for _, dialect := range harness.Dialects {
		known := map[*provider.Rule]bool{}
		before, after := innocent(t, dialect, "first_one"), innocent(t, dialect, "last_one")
		for _, model := range models(dialect) {
			for _, given := range loaded {
				if given.WireOnly || len(given.Tools) != 1 {
					continue
				}
				r := refused{dialect: dialect, tools: given.Tools}
				if dialect.Subject == provider.Arguments {
					r.tools, r.guilty = []schema.Tool{before, given.Tools[0], after}, 1
				}
				r.answer, err = model.Send(t.Context(), dialect.Declared(r.tools))
				if err != nil || r.answer.Verdict == provider.Accepted || r.answer.Findings[0].Declaration != r.guilty {
					continue
				}
				if r.rule, r.at = r.answer.Findings[0].Rule, r.answer.Findings[0].At; !known[r.rule] {
					known[r.rule] = true
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// isLocated returns nil if a text is understood to mean the tool that is to blame and no other.
func (r *refused) isLocated(ctx context.Context, text string) error {
	located, err := locator.Locate(ctx, text, r.tools)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(located.Places, func(place refusal.Place) bool { return place.Declaration == r.guilty }) {
		return errors.New("located elsewhere")
	}
	for _, place := range located.Places {
		if place.Declaration != r.guilty {
			return fmt.Errorf("blames %s", r.tools[place.Declaration].Name)
		}
	}
	return nil
}

// otherRefusals returns refusals by the rules of which everyRefusal has none: of requests with several
// tools, of what is beside the tools, and recorded ones. It fails the test if a rule refuses nothing.
func otherRefusals(t *testing.T, known []refused) []refused {
	t.Helper()
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	type key struct {
		dialect *provider.Dialect
		rule    *provider.Rule
	}
	isKnown, isShown := map[key]bool{}, map[string]bool{}
	for _, r := range known {
		isKnown[key{r.dialect, r.rule}] = true
		isShown[r.rule.Doc] = true
	}
	var all []refused
	add := func(model provider.Model, request provider.Request, tools []schema.Tool) {
		answer, err := model.Send(t.Context(), request)
		if err != nil || answer.Verdict == provider.Accepted {
			return
		}
		for _, finding := range answer.Findings {
			if of := (key{model.Dialect, finding.Rule}); !isKnown[of] {
				isKnown[of], isShown[finding.Rule.Doc] = true, true
				all = append(all, refused{model.Dialect, finding.Rule, tools, finding.Declaration, finding.At, answer})
			}
		}
	}
	for _, dialect := range harness.Dialects {
		for _, model := range models(dialect) {
			for _, example := range loaded {
				add(model, dialect.Declared(example.Tools), example.Tools)
			}
		}
		for _, example := range loaded {
			if expected := example.Expect[dialect.Name]; expected.Parameters != nil {
				model := provider.Model{Dialect: dialect, AsOf: provider.Date(expected.AsOf), ModelName: expected.Model, Parameters: expected.Parameters}
				add(model, dialect.Encode(example.Tools), example.Tools)
			}
		}
		for _, recorded := range store.All {
			if origin, err := harness.DialectNamed(recorded.Dialect); err == nil && !recorded.Accepted() && (origin == dialect || origin.Schema == dialect.Schema) {
				var tools []schema.Tool
				for _, declaration := range recorded.Request.Declarations {
					tools = append(tools, schema.Tool{Name: provider.NameOf(declaration), Parameters: dialect.SchemaOf(declaration)})
				}
				model := recorded.Asked(dialect)
				add(model, dialect.Request(recorded.Request.Declarations), tools)
			}
		}
	}
	for _, dialect := range harness.Dialects {
		for _, rule := range dialect.Rules { // surfaces share rules
			if rule.Effect == provider.Rejects && !isShown[rule.Doc] {
				t.Errorf("%s/%s refuses no fixture and no recording", dialect.Name, rule.Name)
			}
		}
	}
	return all
}

// TestEveryRuleIsUnderstood: whatever a rule says is understood, and a tool that it refuses is found
// among others.
func TestEveryRuleIsUnderstood(t *testing.T) {
	t.Parallel()
	missed, placed := 0, 0
	all := everyRefusal(t)
	others := otherRefusals(t, all)
	if testing.Short() { // one rule in four
		for i := range all {
			all[i/4] = all[i]
		}
		all = all[:len(all)/4]
	}
	for i := range all {
		r := &all[i]
		if err := r.isLocated(t.Context(), r.answer.Message); err != nil {
			missed++
			t.Errorf("%s/%s: %v: %.300q", r.dialect.Name, r.rule.Name, err, r.answer.Message)
			continue
		}
		located, _ := locator.Locate(t.Context(), r.answer.Message, r.tools)
		if slices.ContainsFunc(located.Places, func(place refusal.Place) bool { return place.At == r.at }) {
			placed++
		}
	}
	t.Logf("%d rules, %d not understood, %d at the very place, %d of several tools, of no tool or recorded", len(all), missed, placed, len(others))
	if placed*100 < len(all)*97 || len(all) < 150 {
		t.Errorf("%d of %d are at the very place", placed, len(all))
	}
	for i := range others {
		r := &others[i]
		located, err := locator.Locate(t.Context(), r.answer.Message, r.tools)
		of, isOfRequest := errors.AsType[*refusal.RequestError](err)
		switch location := r.answer.Param; {
		case errors.Is(err, refusal.ErrUnknownWords):
			t.Errorf("%s/%s: %v: %.300q", r.dialect.Name, r.rule.Name, err, r.answer.Message)
		case r.dialect.Parameters == nil || !r.dialect.Parameters.Has(location):
		case !isOfRequest || of.Rule == nil || of.Rule.Name != r.rule.Name:
			t.Errorf("%s/%s: %v %v: %.300q", r.dialect.Name, r.rule.Name, located.Places, err, r.answer.Message)
		}
	}
}

// TestEveryRuleIsExplained: whatever a rule says is explained by a rule of that name.
func TestEveryRuleIsExplained(t *testing.T) {
	t.Parallel()
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		t.Fatal(err)
	}
	explainer := &refusal.Explainer{Dialects: harness.Dialects, Of: func(rule *provider.Rule) (shown []refusal.Shown) {
		named, err := recording.Named(recordings.Files, rule.Evidence)
		if err != nil {
			t.Error(err)
		}
		for _, recorded := range named {
			if !recorded.Accepted() {
				shown = append(shown, refusal.Shown{Request: provider.Request{Dialect: recorded.Dialect, Declarations: recorded.Request.Declarations}, Day: recorded.Date})
			}
		}
		return append(shown, judge.Bodies(harness.Dialects, rule, loaded)...)
	}}
	for _, example := range loaded {
		explainer.Tools = append(explainer.Tools, example.Tools)
	}
	all := everyRefusal(t)
	all = append(all, otherRefusals(t, all)...)
	asked := map[string]bool{}
	for i := range all {
		r := &all[i]
		shape := r.rule.Name + refusal.Shape(r.answer.Message, nil)
		if asked[shape] || testing.Short() && i%16 > 0 {
			continue
		}
		asked[shape] = true
		explained, err := explainer.Explain(t.Context(), r.answer.Message)
		if err != nil || !slices.ContainsFunc(explained, func(known refusal.Explained) bool { return known.Rule != nil && known.Rule.Name == r.rule.Name }) {
			t.Errorf("%s/%s: %v %v: %.300q", r.dialect.Name, r.rule.Name, explained, err, r.answer.Message)
		}
	}
	t.Logf("%d messages", len(asked))
}

// wrappers are the forms in which people paste a message.
var wrappers = map[string]func(message string) string{
	"alone":              func(m string) string { return m },
	"a body":             func(m string) string { return indented(body(m)) },
	"a body in one line": body,
	"a body in a string": func(m string) string { return quote(body(m)) },
	"a body in two":      func(m string) string { return `{"detail":` + quote(quote(body(m))) + `}` },
	"without its quotes": func(m string) string { return strings.Trim(quote(body(m)), `"`) },
	"Python": func(m string) string {
		return "openai.BadRequestError: Error code: 400 - {'error': {'message': " + python(m) + ", 'type': 'invalid_request_error', 'param': None, 'code': None}}"
	},
	"Node": func(m string) string {
		return "BadRequestError: 400 " + m + "\n    at APIError.generate (/app/node_modules/openai/core/error.js:45:20)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5) {\n  status: 400,\n  code: null\n}"
	},
	"Node, a body":    func(m string) string { return "ApiError: " + body(m) },
	"Google's Go SDK": func(m string) string { return "Error 400, Message: " + m + ", Status: INVALID_ARGUMENT, Details: []" },
	"Google's Python SDK": func(m string) string {
		return "google.genai.errors.ClientError: 400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': " + python(m) + ", 'status': 'INVALID_ARGUMENT'}}"
	},
	"LangChain": func(m string) string {
		return "langchain_google_genai.chat_models.ChatGoogleGenerativeAIError: Invalid argument provided to Gemini: 400 " + m
	},
	"a log":           logged,
	"a log of a body": func(m string) string { return "2026-11-02T10:11:12.345Z ERROR [agent.llm] request failed: " + body(m) },
	"a trace": func(m string) string {
		return "Traceback (most recent call last):\n  File \"/app/agent.py\", line 12, in run\n    answer = client.create(tools=tools)\nexceptions.ProviderError: " + m + "\nDuring handling of the above exception, another exception occurred:\n"
	},
	"colours":         colours,
	"a box":           box,
	"a quotation":     func(m string) string { return "> " + strings.ReplaceAll(m, "\n", "\n> ") },
	"a block of code": func(m string) string { return "It says:\n```json\n" + indented(body(m)) + "\n```\nand stops." },
	"a page": func(m string) string {
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;").Replace(m)
	},
	"a body of a gateway": func(m string) string {
		return `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":` + quote(body(m)) + `}}}`
	},
	"escaped, of Go": func(m string) string { return strings.NewReplacer(`\u0026`, `\u0026`, "'", `\u0027`).Replace(body(m)) },
	"between other things": func(m string) string {
		return "I updated the server yesterday and now get this:\n\n" + m + "\n\nAny idea? It worked before."
	},
}

func quote(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

func body(message string) string {
	return `{"error":{"code":400,"message":` + quote(message) + `,"status":"INVALID_ARGUMENT"}}`
}

func indented(text string) string {
	node, err := schema.Parse([]byte(text))
	if err != nil {
		return text
	}
	return string(node.Indented())
}

// python writes a text as Python prints it.
func python(text string) string {
	text = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text)
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", `\'`) + "'"
}

func logged(message string) string {
	return "2026-11-02 10:11:12,345 ERROR agent.llm - " + strings.ReplaceAll(message, "\n", "\n2026-11-02 10:11:12,346 ERROR agent.llm - ")
}

// colours paints each word.
func colours(message string) string {
	words := strings.Split(message, " ")
	for i := range words {
		words[i] = "\x1b[3" + string(rune('1'+i%6)) + "m" + words[i] + "\x1b[0m"
	}
	return strings.Join(words, " ")
}

// box frames a message of 80 columns, in which long lines break at any letter.
func box(message string) string {
	const width = 76
	var out strings.Builder
	out.WriteString("╭" + strings.Repeat("─", width+2) + "╮\n")
	for line := range strings.SplitSeq(message, "\n") {
		for letters := []rune(line); len(letters) > 0; {
			part := letters[:min(width, len(letters))]
			letters = letters[len(part):]
			out.WriteString("│ " + string(part) + strings.Repeat(" ", width-len(part)) + " │\n")
		}
	}
	out.WriteString("╰" + strings.Repeat("─", width+2) + "╯\n")
	return out.String()
}

// someRefusals returns refusals with different words, of each surface some.
func someRefusals(t *testing.T, most int) []refused {
	t.Helper()
	shapes, surfaces := map[string]bool{}, map[string]int{}
	var some []refused
	all := everyRefusal(t)
	for _, r := range all {
		shape := refusal.Shape(r.answer.Message, nil)
		if len(strings.Fields(shape)) < 4 || shapes[shape] || surfaces[r.dialect.Service()] >= most {
			continue
		}
		shapes[shape] = true
		surfaces[r.dialect.Service()]++
		some = append(some, r)
	}
	return some
}

// share returns the distance of the cases that a sweep takes: one in four with -short.
func share() int {
	if testing.Short() {
		return 4
	}
	return 1
}

// TestWrappers is the table of messages and of the forms in which people paste them: nearly all are
// located in each form that keeps the words, and no tool is blamed wrongly.
func TestWrappers(t *testing.T) {
	t.Parallel()
	messages := someRefusals(t, 5)
	if len(messages) < 33 || len(wrappers) < 14 {
		t.Fatalf("%d messages in %d wrappers", len(messages), len(wrappers))
	}
	t.Logf("%d messages in %d wrappers", len(messages), len(wrappers))
	for name, wrap := range wrappers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			missed := 0
			for i := 0; i < len(messages); i += share() {
				r := &messages[i]
				if err := r.isLocated(t.Context(), wrap(strings.TrimSpace(r.answer.Message))); err != nil {
					missed++
					t.Logf("%s/%s: %v\n%s", r.dialect.Name, r.rule.Name, err, wrap(r.answer.Message))
				}
			}
			if missed*100 > len(messages) {
				t.Errorf("%d of %d messages are not located", missed, len(messages))
			}
		})
	}
}

// TestCutMessages: a message that is cut is located, or said to be unclear; it never blames another
// tool.
func TestCutMessages(t *testing.T) {
	t.Parallel()
	messages, found, asked := someRefusals(t, 5), 0, 0
	for i := 0; i < len(messages); i += share() {
		r := &messages[i]
		asked++
		letters := []rune(strings.TrimSpace(r.answer.Message))
		err := r.isLocated(t.Context(), string(letters[:len(letters)*8/10]))
		switch {
		case err == nil:
			found++
		case strings.HasPrefix(err.Error(), "blames"):
			t.Errorf("%s/%s: %v: %s", r.dialect.Name, r.rule.Name, err, r.answer.Message)
		default:
			t.Logf("%s/%s: %v: %.200s", r.dialect.Name, r.rule.Name, err, r.answer.Message)
		}
	}
	if found*100 < asked*85 {
		t.Errorf("%d of %d cut messages are located", found, asked)
	}
}

// TestNoInnocentTool: in lists that an agent shuffled, merged or that lack the guilty tool, no tool is
// blamed that the message does not mean.
func TestNoInnocentTool(t *testing.T) {
	t.Parallel()
	messages := someRefusals(t, 8)
	for i := 0; i < len(messages); i += share() {
		r := &messages[i]
		if len(r.tools) == 1 {
			continue
		}
		guilty, others := r.tools[r.guilty], []schema.Tool{r.tools[0], r.tools[2], innocent(t, r.dialect, "another")}
		for name, tools := range map[string][]schema.Tool{
			"shuffled": {guilty, others[1], others[0]}, "merged": {others[2], others[0], others[1], guilty}, "off by one": {others[0], others[1], guilty},
			"without": others,
		} {
			located, err := locator.Locate(t.Context(), r.answer.Message, tools)
			for _, place := range located.Places {
				if tools[place.Declaration].Name != guilty.Name {
					t.Errorf("%s/%s, %s: blames %s (%v): %s", r.dialect.Name, r.rule.Name, name, tools[place.Declaration].Name, place.Rule, r.answer.Message)
				}
			}
			if isWithout := name == "without"; isWithout == (err == nil) {
				t.Errorf("%s/%s, %s: %v: %.200s", r.dialect.Name, r.rule.Name, name, err, r.answer.Message)
			}
		}
	}
}

// TestRequests: what is refused in a request besides its tools is said to be that.
func TestRequests(t *testing.T) {
	t.Parallel()
	node, err := schema.Parse([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tools := []schema.Tool{{Name: "f", Parameters: node}}
	for _, text := range []string{
		`Invalid JSON payload received. Unknown name "maxTokens" at 'generation_config': Cannot find field.`,
		`tools: Tool names must be unique.`,
		`Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 132 instead.`,
	} {
		if located, err := locator.Locate(t.Context(), text, tools); !errors.Is(err, refusal.ErrRequest) {
			t.Errorf("%s: %v %v", text, located.Places, err)
		}
	}
	for _, rule := range conversation.Rules {
		request, err := schema.Parse([]byte(rule.Refused))
		if err != nil {
			t.Fatal(err)
		}
		said := conversation.Judge(&conversation.Request{API: rule.API, Service: rule.Services[0], Model: "gemini-3-pro", Body: request, Day: cmp.Or(rule.Until.Before(), provider.Today())}, []*conversation.Rule{rule})
		text := strings.NewReplacer("%s", "m", "%d", "1").Replace(rule.Words)
		if said != nil {
			text = said.Message
		}
		for at, name := range slices.Sorted(maps.Keys(wrappers)) {
			if (at+len(text))%share() != 0 {
				continue
			}
			located, err := locator.Locate(t.Context(), wrappers[name](text), tools)
			if known, ok := errors.AsType[*refusal.RequestError](err); !ok || known.Conversation == nil || known.Conversation.Words != rule.Words {
				t.Errorf("%s, %s: %v %v: %s", rule.Name, name, located.Places, err, text)
				break
			}
		}
	}
}

// TestRecognizeWithoutTools: some surfaces have no request without a schema.
func TestRecognizeWithoutTools(t *testing.T) {
	t.Parallel()
	words := provider.Response{Verdict: provider.Rejected, Status: 400, Message: "Invalid schema for function 'f': array schema missing items."}
	found, err := refusal.Recognize(t.Context(), words, nil, harness.Dialects)
	if err != nil || found == nil || !strings.HasPrefix(found.Name, "openai/") {
		t.Errorf("the surface is %v: %v", found, err)
	}
}

// TestHugePaste: a huge text that is no error message ends, and one that hides a message is
// understood. TestWorkGrowsAsTheText counts the work.
func TestHugePaste(t *testing.T) {
	t.Parallel()
	node, err := schema.Parse([]byte(`{"type":"object","properties":{"a":{"type":"array"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tools := []schema.Tool{{Name: "f", Parameters: node}}
	const size, message = 1 << 18, "Invalid schema for function 'f': In context=('properties', 'a'), array schema missing items."
	for _, filling := range []string{`{"error":`, `\`, "{", "tools.0.", "GenerateContentRequest.tools[0].function_declarations[0].parameters", "'properties', ", "2026-01-01 10:00:00 ERROR x: no\n", "Invalid schema for function 'g': ", "\x1b[31m", "...", `"message": "`} {
		text := strings.Repeat(filling, size/len(filling))
		if located, err := locator.Locate(t.Context(), text, tools); (err == nil) != (len(located.Places) > 0) {
			t.Errorf("%.20q: %v %v", filling, located.Places, err)
		}
		located, err := locator.Locate(t.Context(), text[:size/2]+"\n"+message, tools)
		if err != nil || located.Places[0].At != "/parameters/properties/a" {
			t.Errorf("%.20q hides a message: %v %v", filling, located.Places, err)
		}
	}
}
