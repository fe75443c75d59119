package engines

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// OllamaFormat is the schema of an answer. Ollama converts it to a grammar with the converter of the
// llama.cpp that it embeds, and does not show the converter's words.
var OllamaFormat = &provider.Dialect{
	Name: "ollama/format", Doc: "format of Ollama's /api/chat, and response_format of its /v1/chat/completions", Path: "/api/chat",
	API: provider.OllamaChat, Subject: provider.Answer, MostTools: 1, Relative: "llamacpp", RelativeDay: ollamaEmbeds,
	Account: "ollama", Control: unknownTypeControl,
	Versions: ollamaVersions()[2:], // the converter of earlier ones was not read
	Traffic:  ollamaTraffic,
	Rules:    slices.Concat([]*provider.Rule{ollamaNoFormat, ollamaFormatSchema, ollamaFormatGrammar, ollamaFormatCrash}, ollamaPassedOver),
	Declare: func(tool schema.Tool) *schema.Node {
		if tool.Parameters == nil {
			return schema.NewObject()
		}
		return tool.Parameters
	},
	Envelope: func(declarations []*schema.Node) *schema.Node {
		return provider.Object("model", schema.NewString("{model}"), "messages", hi(), "stream", schema.NewBool(false), "format", declarations[0])
	},
	Render: ollamaRender, Classify: ollamaClassify, Locate: ollamaLocateFormat,
}

// ollamaPassedOver are the rules for the keywords that the converter drops in the build that Ollama
// embeds, without that about several schemas in a request.
var ollamaPassedOver = func() (rules []*provider.Rule) {
	for _, rule := range llamaPassedOver {
		if rule != llamaShadowedReference && rule.InForce(ollamaEmbeds, "") {
			undated := *rule
			undated.Since, undated.Until = "", ""
			rules = append(rules, &undated)
		}
	}
	return rules
}()

// ollamaEmbeds is the day of the build of llama.cpp that the releases of Ollama embed.
const ollamaEmbeds = llamaRefuses

// formatFault is the reason for which a format is refused, and the Subject of the stage.
type formatFault struct {
	flaw  formatFlaw
	words string
	node  *schema.Node
	at    schema.Pointer
}

type formatFlaw uint8

const (
	noFormat formatFlaw = iota
	notConverted
	notRead
	fatal
)

// Ollama's words about a format. It has none for ollamaCrashes, which is the model's own.
const (
	invalidFormat     = "invalid JSON schema in format"
	unreadableGrammar = "failed to load model vocabulary required for format"
	ollamaCrashes     = "ollama crashes"
	runnerStopped     = "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details"
)

// faultOf returns the reason for which a format is refused, or nil.
func faultOf(format *schema.Node, charge func(int)) *formatFault {
	if format.Kind != schema.Object {
		if format.Kind == schema.Null || format.Is("") || format.Is("json") {
			return nil
		}
		words := "invalid format: " + strconv.Quote(format.String()) + `; expected "json" or a valid JSON Schema object`
		return &formatFault{noFormat, words, format, "/parameters"}
	}
	faults := walkLlama([]*schema.Node{format}, ollamaEmbeds, charge).faults()
	if len(faults) == 0 {
		return nil
	}
	fault, flaw, words := &faults[0], notConverted, invalidFormat
	switch isCrash, isRead := fault.words == llamaCrashes, fault.rule.Stage == llamaReads; {
	case isCrash && isRead:
		flaw, words = fatal, runnerStopped
	case isCrash:
		flaw, words = fatal, ollamaCrashes
	case isRead:
		flaw, words = notRead, unreadableGrammar
	}
	return &formatFault{flaw, words, fault.node(), fault.pointer()}
}

// ollamaFormat is the stage that converts the format to a grammar and reads the grammar.
var ollamaFormat = &provider.Stage{
	Name:           "format",
	Status:         500,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		if fault := faultOf(request.Declarations[declaration], visitor.Charge); fault != nil {
			visitor.ChargeText(len(fault.at))
			visitor.Visit(&provider.Pass{Request: request, Declaration: declaration, Node: fault.node, At: []byte(fault.at), Subject: fault})
		}
	},
}

// formatRule makes the rule of a flaw.
func formatRule(name string, flaw formatFlaw, source, doc string) *provider.Rule {
	return &provider.Rule{
		Name: name, Effect: provider.Rejects, Stage: ollamaFormat, Source: source, Doc: doc,
		Check: func(p *provider.Pass) {
			if fault := p.Subject.(*formatFault); fault.flaw == flaw { //nolint:forcetypeassert // of the stage
				p.Reportf("%s", fault.words)
			}
		},
	}
}

// The rules of a format.
var (
	ollamaNoFormat = formatRule("not_an_object", noFormat, "ollama@0.17.4 llm/server.go", `format is an object, or "json"

null and an empty string mean no format. The status is 500, as for every refusal of a
format.`)

	ollamaFormatSchema = formatRule("invalid_schema", notConverted, "ollama@0.17.4 llama/sampling_ext.cpp; "+llamaSource, `llama.cpp converts the schema

Ollama does not say why the conversion failed. The rules of llamacpp/response_format say what
the converter refuses. The place is that of the converter's first error.`)

	ollamaFormatGrammar = formatRule("unreadable_grammar", notRead, "ollama@0.17.4 runner/ollamarunner/runner.go; "+llamaGrammarSource, `the grammar of the schema can be read

The words are those of Ollama's own runner. If llama.cpp runs the model, they name a sampling
context instead. llama.cpp's own server ignores such a grammar.`)

	ollamaFormatCrash = formatRule("crash", fatal, "ollama@0.17.4 llama/sampling_ext.cpp, llm/server.go; "+llamaSource, `no pattern and no allOf ends the server

The converter is a part of the server, which crashes with it and does not answer. Reversed
counts crash only the runner of the model. llamacpp/response_format has the rules.`)
)

// ollamaLocateFormat finds the place for which a format is refused.
func ollamaLocateFormat(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	message := strings.TrimSpace(refusal.Message)
	if !isAboutFormat(message) {
		return nil
	}
	place := provider.Place{Declaration: provider.Nowhere, Message: message}
	for i, declared := range declarations {
		err := bounded(func(charge func(steps int)) {
			if fault := faultOf(declared, charge); fault != nil && strings.Contains(message, fault.words) {
				place.Declaration, place.At = i, fault.at
			}
		})
		if err != nil || place.At != "" {
			break
		}
	}
	return []provider.Place{place}
}

// isAboutFormat reports whether a message is about a format. runnerStopped does not count, because a
// runner stops for other reasons too.
func isAboutFormat(message string) bool {
	return strings.HasPrefix(message, "invalid format: ") || strings.Contains(message, invalidFormat) || strings.Contains(message, unreadableGrammar)
}
