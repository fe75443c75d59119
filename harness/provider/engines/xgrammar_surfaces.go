package engines

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// xgrammarDialects are the surfaces of xgrammar and of what runs it.
var xgrammarDialects = []*provider.Dialect{VLLMChat, VLLMResponseFormat, VLLMXGrammar, XGrammar}

// transform is what vLLM puts before xgrammar's words. The time and the line of the source
// that xgrammar itself puts before them are not predicted.
const transform = "Failed to transform json schema into a grammar: "

// running is the Own of a surface: how it runs xgrammar.
type running struct {
	before string // what it puts before xgrammar's words
	falls  bool   // whether another backend gets what xgrammar refuses
}

// runs returns how a surface runs xgrammar.
func runs(dialect *provider.Dialect) running {
	own, _ := dialect.Own.(running)
	return own
}

// The surfaces.
var (
	// VLLMChat converts a schema where tool_choice names its function. With auto, which is
	// the default, no schema is converted and nothing here is refused.
	VLLMChat = &provider.Dialect{
		Name: "vllm/chat",
		Doc:  "a function of vLLM that tool_choice names, with the backend auto; with tool_choice auto no schema is converted",
		API:  provider.ChatCompletions, Path: completions, Subject: provider.Arguments, Portable: true, Schema: "/function/parameters", MostTools: 1,
		Account: "vllm", Control: vllmControl,
		Traffic: provider.Traffic{Provider: "vllm", Hosts: []string{"*vllm*"}}, Versions: vllmReleases,
		Own:      running{falls: true},
		Aliases:  []string{"vllm.messages"}, // which is translated into this one
		Rules:    defaultRules,
		Declare:  declareFunction,
		Envelope: namedFunction,
		Render:   render, Classify: classify, Locate: locate("/function/parameters"),
	}

	// VLLMResponseFormat has the schema of an answer.
	VLLMResponseFormat = func() *provider.Dialect {
		dialect := format("vllm/response_format", "response_format of vLLM, with the backend auto: what xgrammar refuses goes to guidance",
			provider.Traffic{Provider: "vllm", Hosts: []string{"*vllm*"}}, vllmReleases, running{falls: true}, defaultRules)
		dialect.Account, dialect.Control = "vllm", vllmControl
		return dialect
	}()

	// VLLMXGrammar is that of a server whose only backend is xgrammar, so that what it
	// refuses is refused.
	VLLMXGrammar = format("vllm/response_format-xgrammar", "response_format of vLLM, or a function that tool_choice names, of a server that is started with the backend xgrammar",
		provider.Traffic{Provider: "vllm", Hosts: []string{"*vllm*"}}, vllmReleases, running{before: transform},
		slices.Concat([]*provider.Rule{firstList}, featureRules, xgrammarRules, lossRules))

	// XGrammar is the engine alone.
	XGrammar = format("xgrammar/response_format", "a schema as xgrammar alone converts it, for SGLang, MLC and TensorRT-LLM, in the engine's own words",
		provider.Traffic{Hosts: []string{"*sglang*"}}, xgrammarReleases, running{}, slices.Concat(xgrammarRules, lossRules))
)

// vllmControl is refused by the first releases for its propertyNames, and by the backends of
// later ones for its type.
const vllmControl = `{"type":"object","properties":{"a":{"type":"no type"}},"propertyNames":{"pattern":"^a"}}`

// defaultRules are those of a server that is started without a backend.
var defaultRules = slices.Concat([]*provider.Rule{firstList, guidanceKeyword, guidanceType}, lossRules)

func format(
	name, doc string, traffic provider.Traffic, versions []provider.Version, own running, rules []*provider.Rule,
) *provider.Dialect {
	return &provider.Dialect{
		Name: name, Doc: doc, API: provider.ChatCompletions, Path: completions, Subject: provider.Answer, Schema: "/schema", MostTools: 1, Relative: "vllm",
		Traffic: traffic, Versions: versions, Own: own, Rules: rules,
		Declare: declareAnswer, Envelope: requestForAnswer,
		Render: render, Classify: classify, Locate: locate("/schema"),
	}
}

// namedFunction makes a request whose answer must be a call of the first function.
func namedFunction(declarations []*schema.Node) *schema.Node {
	body := requestWithTools(declarations)
	if len(declarations) > 0 {
		name := schema.NewString(declarations[0].Get("function").GetString("name"))
		body.Set("tool_choice", provider.Object("type", schema.NewString("function"), "function", provider.Object("name", name)))
	}
	return body
}

// refusalBody is how vLLM and SGLang refuse; vLLM wraps it into error since 0.11.
type refusalBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    int     `json:"code"`
}

func render(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	text, err := json.Marshal(map[string]refusalBody{"error": {Message: response.Message, Type: "BadRequestError", Code: response.Status}})
	if err != nil {
		panic(err) // strings and a number alone: cannot fail
	}
	return text
}

// aboutSchema are the words of refusals that are about a schema.
var aboutSchema = lazy.Compile(`features not supported by xgrammar|^Failed to transform json schema|^Grammar error: |` +
	`^Check failed: |^Unsupported type "|^Regex parsing error|^EBNF (?:lexer|parser) error|must be an? (?:boolean|object|array|integer|non-negative)|` +
	`is (?:greater|less) than |^prefixItems contains|validates string$|^"type mismatch|^std::overflow_error`)

// logged is what xgrammar puts before its words where it is asked from Python.
var logged = lazy.Compile(`\[\d\d:\d\d:\d\d\] \S+:\d+: `)

func classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Message string       `json:"message"`
		Error   *refusalBody `json:"error"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if body.Error != nil {
		body.Message = body.Error.Message
	}
	message := logged.ReplaceAllString(body.Message, "")
	if !aboutSchema.MatchString(message) {
		return provider.Response{}, fmt.Errorf("status %d: %w", status, provider.ErrNothingLearnt)
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: message}, nil
}

// locate finds the place of a refusal: where the model says the same of a declaration.
func locate(at schema.Pointer) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		message := logged.ReplaceAllString(refusal.Message, "")
		if !aboutSchema.MatchString(strings.TrimPrefix(message, transform)) && !aboutSchema.MatchString(message) {
			return nil
		}
		place := provider.Place{Declaration: provider.Nowhere, Message: message}
		for i, declaration := range declarations {
			given := declaration.Find(at)
			if given == nil {
				continue
			}
			err := bounded(func(charge func(steps int)) {
				if found, words, ok := placeOfWords(given, message, charge); ok {
					place = provider.Place{Declaration: i, At: found, Message: words}
				}
			})
			if err != nil || place.Declaration != provider.Nowhere {
				break
			}
		}
		return []provider.Place{place}
	}
}

// placeOfWords returns the place in a tool that a message is about, and the part of it that
// says so. ok is false where no place has these words.
func placeOfWords(given *schema.Node, message string, charge func(steps int)) (at schema.Pointer, words string, ok bool) {
	if !isObject(given) {
		return root, message, true
	}
	switch {
	case strings.Contains(message, unsupported):
		all := &objects{at: []byte(root), visit: func(object *schema.Node, place []byte) bool {
			charge(len(features) + len(object.Members))
			if ok = slices.ContainsFunc(features, func(one feature) bool { return one.isIn(object, typesIn(object)) }); ok {
				at = schema.Pointer(place)
			}
			return ok
		}}
		all.each(given)
		return at, unsupported, ok
	case strings.HasPrefix(message, "Grammar error: "):
		walk := &guidanceWalk{root: given, charge: charge, visit: func(node *schema.Node, place schema.Pointer) bool {
			words = cmp.Or(lackingKeyword(node), unknownType(node))
			ok = words != "" && strings.Contains(message, words)
			at = place
			return ok
		}}
		walk.run()
		return at, words, ok
	}
	convert(given, charge, func(node *schema.Node, place []byte, subject *asked) bool {
		words = wordsOf(node, subject, charge)
		if words == "" {
			return false
		}
		ok, at = strings.Contains(message, strings.TrimSpace(words)), schema.Pointer(place)
		return true
	})
	return at, words, ok
}
