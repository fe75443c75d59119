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

// xgrammarDialects are the surfaces of xgrammar and of the servers that run it.
var xgrammarDialects = []*provider.Dialect{VLLMChat, VLLMResponseFormat, VLLMXGrammar, XGrammar}

// transform precedes xgrammar's words in vLLM's messages. xgrammar itself begins with the time and
// the line of its source, which are not predicted.
const transform = "Failed to transform json schema into a grammar: "

// backend is the Own of a surface, and says how the surface runs xgrammar.
type backend struct {
	prefix      string // of the messages that have xgrammar's words
	hasFallback bool   // whether another backend gets the schemas that xgrammar refuses
}

func backendOf(dialect *provider.Dialect) backend {
	own, _ := dialect.Own.(backend)
	return own
}

// The surfaces.
var (
	// VLLMChat is the parameters of a function that tool_choice names. If tool_choice is auto,
	// which is the default, vLLM converts no schema and refuses nothing.
	VLLMChat = &provider.Dialect{
		Name: "vllm/chat",
		Doc:  "a function of vLLM that tool_choice names, with the backend auto; with tool_choice auto no schema is converted",
		API:  provider.ChatCompletions, Path: completions, Subject: provider.Arguments, Portable: true, Schema: "/function/parameters", MostTools: 1,
		Account: "vllm", Control: vllmControl,
		Traffic: provider.Traffic{Provider: "vllm", Hosts: []string{"*vllm*"}}, Versions: vllmReleases,
		Own:      backend{hasFallback: true},
		Aliases:  []string{"vllm.messages"}, // vLLM translates its Messages API into this one
		Rules:    defaultRules,
		Declare:  declareFunction,
		Envelope: namedFunction,
		Render:   render, Classify: classify, Locate: locate("/function/parameters"),
	}

	// VLLMResponseFormat is the schema of an answer.
	VLLMResponseFormat = func() *provider.Dialect {
		dialect := format("vllm/response_format", "response_format of vLLM, with the backend auto: what xgrammar refuses goes to guidance",
			provider.Traffic{Provider: "vllm", Hosts: []string{"*vllm*"}}, vllmReleases, backend{hasFallback: true}, defaultRules)
		dialect.Account, dialect.Control = "vllm", vllmControl
		return dialect
	}()

	// VLLMXGrammar is the schema of an answer on a server whose only backend is xgrammar, so that
	// no other backend gets the schemas that xgrammar refuses.
	VLLMXGrammar = format("vllm/response_format-xgrammar", "response_format of vLLM, or a function that tool_choice names, of a server that is started with the backend xgrammar",
		provider.Traffic{Provider: "vllm", Hosts: []string{"*vllm*"}}, vllmReleases, backend{prefix: transform},
		slices.Concat([]*provider.Rule{firstList}, featureRules, xgrammarRules, lossRules))

	// XGrammar is the engine alone.
	XGrammar = format("xgrammar/response_format", "a schema as xgrammar alone converts it, for SGLang, MLC and TensorRT-LLM, in the engine's own words",
		provider.Traffic{Hosts: []string{"*sglang*"}}, xgrammarReleases, backend{}, slices.Concat(xgrammarRules, lossRules))
)

// vllmControl is the Control of vLLM. The first releases refuse its propertyNames, and the backends of
// later releases its type.
const vllmControl = `{"type":"object","properties":{"a":{"type":"no type"}},"propertyNames":{"pattern":"^a"}}`

// defaultRules are the rules of a server that is started without the name of a backend.
var defaultRules = slices.Concat([]*provider.Rule{firstList, guidanceKeyword, guidanceType, outlinesUnknown}, lossRules)

func format(
	name, doc string, traffic provider.Traffic, versions []provider.Version, own backend, rules []*provider.Rule,
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

// refusalBody is the error in a refusal of vLLM or SGLang. Since release 0.11 vLLM has it in the member
// error.
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
	return provider.AnswerBody(map[string]refusalBody{"error": {Message: response.Message, Type: "BadRequestError", Code: response.Status}})
}

// aboutSchema matches the words of refusals that are about a schema.
var aboutSchema = lazy.Compile(`features not supported by xgrammar|^Failed to transform json schema|^Grammar error: |` +
	`^Check failed: |^Unsupported type "|^Regex parsing error|^EBNF (?:lexer|parser) error|must be an? (?:boolean|object|array|integer|non-negative)|` +
	`is (?:greater|less) than |^prefixItems contains|validates string$|^"type mismatch|^std::overflow_error`)

// logged matches the text that xgrammar begins its words with when a Python program calls it.
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

// locate makes the Locate of a surface that has the schema of a declaration at the pointer. It finds
// the place at which the model refuses a declaration in the words of the refusal.
func locate(at schema.Pointer) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		message := logged.ReplaceAllString(refusal.Message, "")
		if !aboutSchema.MatchString(strings.TrimPrefix(message, transform)) && !aboutSchema.MatchString(message) {
			return nil
		}
		place := provider.Place{Declaration: provider.Nowhere, Message: message}
		for i, declaration := range declarations {
			document := declaration.Find(at)
			if document == nil {
				continue
			}
			err := bounded(func(charge func(steps int)) {
				if found, words, ok := placeOfWords(document, message, charge); ok {
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

// placeOfWords returns the place in a tool that a message is about, and the part of the message that
// is about the place. ok is false if the model says the same of no place.
func placeOfWords(document *schema.Node, message string, charge func(steps int)) (at schema.Pointer, words string, ok bool) {
	if !isObject(document) {
		return root, message, true
	}
	switch {
	case strings.Contains(message, unsupported):
		all := &objects{at: []byte(root), visit: func(object *schema.Node, place []byte) bool {
			charge(len(features) + len(object.Members))
			if ok = slices.ContainsFunc(features, func(feature feature) bool { return feature.isIn(object, typesIn(object)) }); ok {
				at = schema.Pointer(place)
			}
			return ok
		}}
		all.each(document)
		return at, unsupported, ok
	case strings.HasPrefix(message, "Grammar error: "):
		walk := &guidanceWalk{root: document, charge: charge, visit: func(node *schema.Node, place schema.Pointer) bool {
			words = cmp.Or(lackingKeyword(node), unknownType(node))
			ok = words != "" && strings.Contains(message, words)
			at = place
			return ok
		}}
		walk.run()
		return at, words, ok
	}
	convert(document, charge, func(node *schema.Node, place []byte, step *step) bool {
		words = wordsOf(node, step, charge)
		if words == "" {
			return false
		}
		ok, at = strings.Contains(message, strings.TrimSpace(words)), schema.Pointer(place)
		return true
	})
	return at, words, ok
}
