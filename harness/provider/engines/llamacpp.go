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

// llamaRefuses is since when llama-server answers with 400 to a schema that it cannot
// convert; before it was 500. https://github.com/ggml-org/llama.cpp/pull/17572 was proposed
// on 2025-11-28, and https://github.com/browseros-ai/BrowserOS/issues/255 shows a 400.
const llamaRefuses = "2025-12-18"

// llamaDropsMost is since when a count beyond what a grammar may repeat is none.
const llamaDropsMost = "2026-08-05"

// llamaReleases are builds whose answers are known: the first in public reports alone, the
// second by its code, which Ollama 0.13.5 took over that day, and the last by the day of
// its change.
var llamaReleases = []provider.Version{
	{Name: "b7188 (7c6980ae)", Date: "2025-11-28"},
	{Name: "ec98e2002", Date: llamaRefuses},
	{Name: "main of 2026-08-05", Date: llamaDropsMost},
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

	// LlamaResponseFormat makes a grammar of the schema of an answer. One that it cannot
	// read is left out.
	LlamaResponseFormat = &provider.Dialect{
		Name: "llamacpp/response_format", Doc: "response_format of llama.cpp's server, type json_schema",
		API: provider.ChatCompletions, Path: completions, Subject: provider.Answer, Schema: inLlamaFormat, MostTools: 1, Relative: "llamacpp",
		Account: "llamacpp", Control: unknownTypeControl,
		Traffic: llamaTraffic, Versions: llamaReleases,
		Rules:   slices.Concat(llamaFatal, []*provider.Rule{llamaNoGrammar}, llamaPassedOver),
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

// llamaGrammarSource is that of the rules about the grammar itself.
const llamaGrammarSource = "llama.cpp ec98e2002, as in ollama v0.17.4: llama-grammar.cpp"

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

// llamaAbout are the words of refusals that are about a schema. Newer builds put others
// before them.
var llamaAbout = lazy.Compile(`JSON schema conversion failed:|failed to parse grammar|\[json\.exception\.(?:type_error\.302|out_of_range\.406)\] |` +
	`^sto(?:ul|i)$|^At least one of min_value or max_value must be set$`)

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

// llamaLocate finds the places of a refusal: those where the rules say the same.
func llamaLocate(at schema.Pointer) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) (places []provider.Place) {
		said := llamaAbout.FindStringIndex(refusal.Message)
		if said == nil {
			return nil
		}
		message := refusal.Message[said[0]:]
		err := bounded(func(charge func(steps int)) {
			found := walkLlama(schemasAt(declarations, at), "", charge).faults()
			for i := range found {
				charge(written(len(message)))
				if !strings.Contains(refusal.Message, found[i].words) {
					continue
				}
				place := found[i].pointer()
				charge(written(len(place)))
				places = append(places, provider.Place{Declaration: found[i].step.place.declaration, At: place, Message: found[i].words})
			}
		})
		if err != nil || len(places) == 0 {
			return []provider.Place{{Declaration: provider.Nowhere, Message: message}}
		}
		return places
	}
}
