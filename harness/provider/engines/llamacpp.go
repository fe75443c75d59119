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

// llamaDialects are the surfaces of llama.cpp's server.
var llamaDialects = []*provider.Dialect{LlamaChat, LlamaResponseFormat}

// The days since when llama.cpp is known to behave in a new way. Where only builds before and
// after a change are known, the day is that of the first build that has it.
const (
	// llamaRefuses is since when llama-server answers with 400 to a schema that it cannot
	// convert; before it was 500. https://github.com/ggml-org/llama.cpp/pull/17572 was proposed
	// on 2025-11-28, and https://github.com/browseros-ai/BrowserOS/issues/255 shows a 400.
	llamaRefuses = "2025-12-18"

	// llamaDerivesParsers is since when a parser of the answer is derived from the template of the
	// model, and a failure of the conversion is reported as a failure of that:
	// https://github.com/ggml-org/llama.cpp/pull/18675, in the main branch on that day according to
	// https://github.com/ikawrakow/ik_llama.cpp/pull/1376.
	llamaDerivesParsers = "2026-03-06"

	// llamaMultiplies is since when the rules that a repetition repeats count as well:
	// https://github.com/ggml-org/llama.cpp/pull/18604, proposed on 2026-01-05. The limit has three
	// places in the code according to https://github.com/ggml-org/llama.cpp/pull/21139 of that day.
	llamaMultiplies = "2026-03-29"

	// llamaFailsClosed is since when a response_format whose grammar cannot be read is refused:
	// https://github.com/ggml-org/llama.cpp/issues/23990 (b9455). The build b7786 of 2026-01-23 still
	// answered 200: https://github.com/ggml-org/llama.cpp/issues/19051.
	llamaFailsClosed = "2026-06-01"

	// llamaDropsMost is since when a count beyond what a grammar may repeat is none.
	llamaDropsMost = "2026-08-05"

	// llamaSkipsPatterns is since when a pattern without a grammar is skipped, a schema without a type
	// is any value, and names of properties are read as letters: a build of that day has it all (wllama
	// 3.6.1). https://github.com/ggml-org/llama.cpp/pull/26939 was proposed on 2026-08-12, and the
	// main branch of 2026-08-19 did not have it: https://github.com/ggml-org/llama.cpp/issues/27397.
	llamaSkipsPatterns = "2026-09-01"

	// llamaTakesLimit is since when the largest count may be exactly 2000:
	// https://github.com/ggml-org/llama.cpp/pull/28469, proposed on 2026-09-06. wllama 3.6.1 of
	// 2026-09-01 refuses it, and https://github.com/am17an/llama.cpp/issues/29 was solved that day.
	llamaTakesLimit = "2026-09-07"

	// llamaParses is since when a schema is parsed before a grammar is made of it:
	// https://github.com/ggml-org/llama.cpp/pull/28736, proposed on 2026-09-11. A build of that day
	// has it (wllama 3.8.1).
	llamaParses = "2026-10-02"
)

// llamaReleases are builds whose answers are known: the first in public reports alone, the
// second by its code, which Ollama 0.13.5 took over that day, those of wllama by asking them,
// and the others by the change of that day.
var llamaReleases = []provider.Version{
	{Name: "b7188 (7c6980ae)", Date: "2025-11-28"},
	{Name: "ec98e2002", Date: llamaRefuses},
	{Name: "main of 2026-03-06", Date: llamaDerivesParsers},
	{Name: "main of 2026-03-29", Date: llamaMultiplies},
	{Name: "b9455", Date: llamaFailsClosed},
	{Name: "main of 2026-08-05", Date: llamaDropsMost},
	{Name: "as in wllama 3.6.1", Date: llamaSkipsPatterns},
	{Name: "main of 2026-09-07", Date: llamaTakesLimit},
	{Name: "as in wllama 3.8.1", Date: llamaParses},
}

var llamaTraffic = provider.Traffic{Provider: "llamacpp", Hosts: []string{"*llamacpp*", "*llama.cpp*", "*llama-server*"}}

// The surfaces.
var (
	// LlamaChat makes a grammar of all tools of a request, with any tool_choice but none.
	LlamaChat = &provider.Dialect{
		Name: "llamacpp/chat", Doc: "functions of llama.cpp's server, started with --jinja: all become one grammar, with every tool_choice but none",
		API: provider.ChatCompletions, Path: completions, Subject: provider.Arguments, Portable: true, Schema: inLlamaFunction,
		Account: "llamacpp", Control: unknownTypeControl,
		Traffic: llamaTraffic, Versions: llamaReleases,
		Rules:   slices.Concat(llamaRules, llamaPassedOver),
		Declare: declareFunction, Envelope: requestWithTools,
		Render: llamaRender, Classify: llamaClassify, Locate: llamaLocate(inLlamaFunction),
	}

	// LlamaResponseFormat makes a grammar of the schema of an answer. Until 2026-06-01 a grammar
	// that could not be read was left out.
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

// Where a declaration has its schema.
const (
	inLlamaFunction = schema.Pointer("/function/parameters")
	inLlamaFormat   = schema.Pointer("/schema")
)

// llamaSource is what the rules are read from; they were compared with it by running it.
const llamaSource = "llama.cpp ec98e2002, as in ollama v0.17.4: json-schema-to-grammar.cpp"

// llamaParsedSource is that of the rules of the newest builds, which were compared in the same way.
const llamaParsedSource = "llama.cpp as in wllama 3.8.1 of 2026-10-02: common_schema of https://github.com/ggml-org/llama.cpp/pull/28736"

// llamaGrammarSource is that of the rules about the grammar itself.
const llamaGrammarSource = "llama.cpp ec98e2002, as in ollama v0.17.4: llama-grammar.cpp"

// llamaPatternSource is that of the rules about patterns since llamaSkipsPatterns, and
// llamaRulesSource that of the rules that a repetition has.
const (
	llamaPatternSource = "llama.cpp as in wllama 3.6.1 of 2026-09-01: https://github.com/ggml-org/llama.cpp/pull/26939"
	llamaRulesSource   = "llama.cpp as in wllama 3.8.1 of 2026-10-02: https://github.com/ggml-org/llama.cpp/pull/18604 and https://github.com/ggml-org/llama.cpp/pull/28469"
)

// llamaError is a refusal.
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
		panic(err) // strings and a number alone: cannot fail
	}
	return text
}

// llamaUnderivable are the words that stand before those about a schema since llamaDerivesParsers.
const llamaUnderivable = "Unable to generate parser for this template. Automatic parser generation failed: "

// llamaAbout are the words of refusals that are about a schema.
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

// llamaLocate finds the places of a refusal: those where the rules of a build, the newest first,
// say the same.
func llamaLocate(at schema.Pointer) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) (places []provider.Place) {
		said := llamaAbout.FindStringIndex(refusal.Message)
		if said == nil {
			return nil
		}
		message := refusal.Message[said[0]:]
		err := bounded(func(charge func(steps int)) {
			for _, build := range slices.Backward(llamaReleases) {
				found := walkLlama(llamaSchemasAt(declarations, at, build.Date), build.Date, charge).faults()
				for i := range found {
					charge(written(len(message)))
					if !strings.Contains(refusal.Message, found[i].words) {
						continue
					}
					place := found[i].pointer()
					charge(written(len(place)))
					places = append(places, provider.Place{Declaration: found[i].step.place.declaration, At: place, Message: found[i].words})
				}
				if len(places) > 0 {
					return
				}
			}
		})
		if err != nil || len(places) == 0 {
			return []provider.Place{{Declaration: provider.Nowhere, Message: message}}
		}
		return places
	}
}
