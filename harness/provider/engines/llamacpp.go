package engines

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// llamaDialects are the surfaces of llama-server, the server of llama.cpp.
var llamaDialects = []*provider.Dialect{LlamaChat, LlamaResponseFormat}

// The days on which llama.cpp is known to have changed. If the day of a change is not known, it is that
// of the first known build with the change.
const (
	// llamaRefuses: llama-server answers 400 instead of 500 to a schema that it cannot convert.
	// https://github.com/ggml-org/llama.cpp/pull/17572 was proposed on 2025-11-28, and
	// https://github.com/browseros-ai/BrowserOS/issues/255 shows a 400 of this day.
	llamaRefuses = "2025-12-18"

	// llamaDerivesParsers: llama-server derives the parser of answers from the template of the
	// model, and reports a failed conversion as a failure to derive it. The change is
	// https://github.com/ggml-org/llama.cpp/pull/18675, which the main branch had on this day
	// according to https://github.com/ikawrakow/ik_llama.cpp/pull/1376.
	llamaDerivesParsers = "2026-03-06"

	// llamaMultiplies: a repetition counts each rule in the group that it repeats. The change is
	// https://github.com/ggml-org/llama.cpp/pull/18604, proposed on 2026-01-05.
	// https://github.com/ggml-org/llama.cpp/pull/21139, which was proposed on this day, found the
	// limit in three places, one of which came with the change.
	llamaMultiplies = "2026-03-29"

	// llamaFailsClosed: llama-server refuses a response_format with an unreadable grammar. The build
	// b9455 of this day does (https://github.com/ggml-org/llama.cpp/issues/23990); the build b7786 of
	// 2026-01-23 answered 200 (https://github.com/ggml-org/llama.cpp/issues/19051).
	llamaFailsClosed = "2026-06-01"

	// llamaTakesUntyped: the converter takes a schema without a type for any value. The build b10257,
	// which is inside of npm's @fugood/node-llama-linux-x64 1.7.15, does. It was there on this day, according to
	// https://github.com/lev-goryachev/lctk/blob/686ee872b323f5d5069a97fd2b1db6f27e57f41c/docs/spikes/nvidia-gpu-inference-installer-dry-run.md.
	llamaTakesUntyped = "2026-08-06"

	// llamaDropsMost: a maximum beyond what a grammar may repeat has no effect. The change is
	// https://github.com/ggml-org/llama.cpp/pull/26613, proposed on 2026-08-05. b10257 does not have it.
	llamaDropsMost = "2026-08-07"

	// llamaSkipsPatterns: the converter skips a pattern that it has no grammar for, and splits the
	// names of properties into characters instead of bytes. The build in wllama 3.6.1, published on this day, does. The first of these changes,
	// https://github.com/ggml-org/llama.cpp/pull/26939, was proposed on 2026-08-12, and was not in the
	// main branch of 2026-08-19 (https://github.com/ggml-org/llama.cpp/issues/27397).
	llamaSkipsPatterns = "2026-09-01"

	// llamaTakesLimit: a repetition may count exactly 2000 rules. The change is
	// https://github.com/ggml-org/llama.cpp/pull/28469, proposed on 2026-09-06; a fork had it on this
	// day (https://github.com/am17an/llama.cpp/issues/29), and wllama 3.6.1 of 2026-09-01 does not.
	llamaTakesLimit = "2026-09-07"

	// llamaParses: llama.cpp parses the whole schema before it converts it to a grammar. The build in
	// wllama 3.8.1, published on this day, does. The change is
	// https://github.com/ggml-org/llama.cpp/pull/28736, proposed on 2026-09-11.
	llamaParses = "2026-10-02"
)

// llamaReleases are the builds whose answers are known. The first is known only from public reports,
// the second from its code, which Ollama 0.13.5 embeds, b10257 and those of wllama from their answers,
// and the others from the change of their day.
var llamaReleases = []provider.Version{
	{Name: "b7188 (7c6980ae)", Date: "2025-11-28"},
	{Name: "ec98e2002", Date: llamaRefuses},
	{Name: "main of 2026-03-06", Date: llamaDerivesParsers},
	{Name: "main of 2026-03-29", Date: llamaMultiplies},
	{Name: "b9455", Date: llamaFailsClosed},
	{Name: "b10257", Date: llamaTakesUntyped},
	{Name: "main of 2026-08-07", Date: llamaDropsMost},
	{Name: "as in wllama 3.6.1", Date: llamaSkipsPatterns},
	{Name: "main of 2026-09-07", Date: llamaTakesLimit},
	{Name: "as in wllama 3.8.1", Date: llamaParses},
}

var llamaTraffic = provider.Traffic{Provider: "llamacpp", Hosts: []string{"*llamacpp*", "*llama.cpp*", "*llama-server*"}}

// The surfaces.
var (
	// LlamaChat converts all tools of a request to one grammar unless tool_choice is none.
	LlamaChat = &provider.Dialect{
		Name: "llamacpp/chat", Doc: "functions of llama.cpp's server, started with --jinja: all become one grammar, with every tool_choice but none",
		API: provider.ChatCompletions, Path: completions, Subject: provider.Arguments, Portable: true, Schema: inLlamaFunction,
		Account: "llamacpp", Control: unknownTypeControl,
		Traffic: llamaTraffic, Versions: llamaReleases,
		Rules:   slices.Concat(llamaRules, llamaPassedOver),
		Declare: declareFunction, Envelope: requestWithTools,
		Render: llamaRender, Classify: llamaClassify, Locate: llamaLocate(inLlamaFunction),
	}

	// LlamaResponseFormat converts the schema of an answer to a grammar. Before llamaFailsClosed it
	// ignored a grammar that it could not read.
	LlamaResponseFormat = &provider.Dialect{
		Name: "llamacpp/response_format", Doc: "response_format of llama.cpp's server, type json_schema",
		API: provider.ChatCompletions, Path: completions, Subject: provider.Answer, Schema: inLlamaFormat, MostTools: 1, Relative: "llamacpp",
		Account: "llamacpp", Control: unknownTypeControl,
		Traffic: llamaTraffic, Versions: llamaReleases,
		Rules:   slices.Concat(llamaRulesOfAnswers, []*provider.Rule{llamaNoGrammar}, llamaPassedOver),
		Declare: declareAnswer, Envelope: requestForAnswer,
		Render: llamaRender, Classify: llamaClassify, Locate: llamaLocate(inLlamaFormat),
	}
)

// The places of the schema in a declaration.
const (
	inLlamaFunction = schema.Pointer("/function/parameters")
	inLlamaFormat   = schema.Pointer("/schema")
)

// llamaSource names the code from which the rules were read, and with whose answers they were compared.
const llamaSource = "llama.cpp ec98e2002, as in ollama v0.17.4: json-schema-to-grammar.cpp"

// llamaParsedSource names the build with whose answers the rules since llamaParses were compared.
const llamaParsedSource = "llama.cpp as in wllama 3.8.1 of 2026-10-02: common_schema of https://github.com/ggml-org/llama.cpp/pull/28736"

// llamaGrammarSource is the source of the rules about the reading of a grammar.
const llamaGrammarSource = "llama.cpp ec98e2002, as in ollama v0.17.4: llama-grammar.cpp"

// llamaPatternSource is the source of the rules about patterns since llamaSkipsPatterns, and
// llamaRulesSource that of the limit on the rules in a repetition.
const (
	llamaPatternSource = "llama.cpp as in wllama 3.6.1 of 2026-09-01: https://github.com/ggml-org/llama.cpp/pull/26939"
	llamaRulesSource   = "llama.cpp as in wllama 3.8.1 of 2026-10-02: https://github.com/ggml-org/llama.cpp/pull/18604 and https://github.com/ggml-org/llama.cpp/pull/28469"
)

// llamaError is the error in the body of an answer.
type llamaError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Type    string `json:"type"`
}

func llamaRender(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	kind := "invalid_request_error"
	if response.Status/100 == 5 {
		kind = "server_error"
	}
	text, err := json.Marshal(map[string]llamaError{"error": {response.Status, response.Message, kind}})
	if err != nil {
		panic(err) // cannot happen: strings and a number can always be encoded
	}
	return text
}

// llamaUnderivable precedes the words about a schema since llamaDerivesParsers.
const llamaUnderivable = "Unable to generate parser for this template. Automatic parser generation failed: "

// llamaAbout matches the words of refusals that are about a schema.
var llamaAbout = lazy.Compile(`JSON schema conversion failed:|JSON schema error at |failed to parse grammar|\[json\.exception\.(?:type_error\.302|out_of_range\.406)\] |` +
	`(?:^|failed: )sto(?:ul|i)$|At least one of min_value or max_value must be set$`)

func llamaClassify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Error llamaError `json:"error"`
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if !llamaAbout.MatchString(body.Error.Message) {
		return provider.Response{}, fmt.Errorf("status %d: %w", status, provider.ErrNothingLearnt)
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Error.Message}, nil
}

// llamaLocate finds the places at which the rules say the words of a refusal, as the build has them that says the most of
// these words, or the newest of several.
func llamaLocate(at schema.Pointer) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) (places []provider.Place) {
		about := llamaAbout.FindStringIndex(refusal.Message)
		if about == nil {
			return nil
		}
		message := refusal.Message[about[0]:]
		// Where the steps run out, what was found before counts.
		_ = bounded(func(charge func(steps int)) {
			for _, build := range slices.Backward(llamaReleases) {
				var of []provider.Place
				found := walkLlama(llamaSchemasAt(declarations, at, build.Date), build.Date, charge).faults()
				for i := range found {
					charge(written(len(message)))
					if !strings.Contains(refusal.Message, found[i].words) {
						continue
					}
					place := found[i].pointer()
					charge(written(len(place)))
					of = append(of, provider.Place{Declaration: found[i].step.place.declaration, At: place, Message: found[i].words})
				}
				if len(of) > len(places) {
					places = of
				}
			}
		})
		if len(places) == 0 {
			return []provider.Place{{Declaration: provider.Nowhere, Message: message}}
		}
		return places
	}
}
