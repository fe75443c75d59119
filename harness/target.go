// Package harness is the registry of the modelled surfaces and of the targets. Package judge uses
// it to take tools through the whole flow.
package harness

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/provider/anthropic"
	"toolproof/harness/provider/compatible"
	"toolproof/harness/provider/engines"
	"toolproof/harness/provider/google"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/provider/openai"
	"toolproof/harness/provider/wire"
	"toolproof/harness/toolfile"
	"toolproof/normalizers"
	"toolproof/schema"
)

// Targets are all targets, in the order in which they are listed.
var Targets = []judge.Target{
	{Normalizer: normalizers.Gemini, Dialect: google.GeminiParameters},
	{Normalizer: normalizers.GeminiJSON, Dialect: google.GeminiParametersJSONSchema},
	{Normalizer: normalizers.GeminiResponse, Dialect: google.GeminiResponseSchema},
	{Normalizer: normalizers.GeminiResponseJSON, Dialect: google.GeminiResponseJSONSchema},
	{Normalizer: normalizers.Vertex, Dialect: google.VertexParameters},
	{Normalizer: normalizers.VertexJSON, Dialect: google.VertexParametersJSONSchema},
	{Normalizer: normalizers.GeminiOpenAI, Dialect: google.GeminiOpenAI},
	{Normalizer: normalizers.OpenAI, Dialect: openai.Chat},
	{Normalizer: normalizers.OpenAIStrict, Dialect: openai.ChatStrict, Fallback: openai.Chat},
	{Normalizer: normalizers.OpenAIResponses, Dialect: openai.Responses},
	{Normalizer: normalizers.Anthropic, Dialect: anthropic.Tools},
	{Normalizer: normalizers.AnthropicStrict, Dialect: anthropic.ToolsStrict, Fallback: anthropic.Tools},
	{Normalizer: normalizers.CodeAssistClaude, Dialect: google.CodeAssistClaude},
	{Normalizer: normalizers.MCP, Dialect: mcp.InputSchema, Also: []*provider.Dialect{mcp.StreamableHTTP}},
	{Normalizer: normalizers.Ollama, Dialect: engines.OllamaChat},
	{Normalizer: normalizers.LlamaCPP, Dialect: engines.LlamaChat},
	{Normalizer: normalizers.VLLM, Dialect: engines.VLLMChat},
	{Normalizer: normalizers.Moonshot, Dialect: compatible.MoonshotChat},
	{Normalizer: normalizers.Portable, Dialect: portable, Also: everywhere},
}

// Direct are the targets to which clients pass the tools of a server on as they are, without a
// normalizer and not strict.
var Direct = targetsOf(mcp.InputSchema, openai.Chat, openai.Responses, anthropic.Tools, google.GeminiParametersJSONSchema, google.GeminiParameters, google.VertexParameters)

// DirectFor returns the targets in Direct to which a tool in a form goes: those of the provider whose form
// it is, and all if the form is of no provider.
func DirectFor(form toolfile.Form) []judge.Target {
	switch form {
	case toolfile.OfOpenAIChat:
		return targetsOf(openai.Chat)
	case toolfile.OfOpenAIResponses:
		return targetsOf(openai.Responses)
	case toolfile.OfAnthropic:
		return targetsOf(anthropic.Tools)
	case toolfile.OfGemini:
		return targetsOf(google.GeminiParameters, google.VertexParameters)
	case toolfile.OfGeminiJSON:
		return targetsOf(google.GeminiParametersJSONSchema, google.VertexParametersJSONSchema)
	default:
		return Direct
	}
}

// DirectResponses are the targets to which the schemas of answers are sent as they are: those of
// the services in Direct.
var DirectResponses = func() []judge.Target {
	var targets []judge.Target
	for _, dialect := range Dialects {
		isOfService := func(direct judge.Target) bool { return direct.Dialect.Service() == dialect.Service() }
		if dialect.Subject == provider.Answer && slices.ContainsFunc(Direct, isOfService) {
			targets = append(targets, TargetOf(dialect))
		}
	}
	return targets
}()

// natives are the services that made an API, which a request to the API means if nothing
// else is known of it. Gemini and Vertex AI have the same API.
var natives = map[provider.API][]string{
	provider.ChatCompletions: {"openai"},
	provider.Responses:       {"openai"},
	provider.Messages:        {"anthropic"},
	provider.GenerateContent: {"gemini", "vertex"},
	provider.CodeAssist:      {"codeassist"},
	provider.Converse:        {"bedrock"},
	provider.OllamaChat:      {"ollama"},

	provider.ElicitationCreate:     {"mcp"},
	provider.SamplingCreateMessage: {"mcp"},
}

// Conversing returns the targets for which a request to an API is judged as a whole: one of the service
// that has the host or, if the host is empty or unknown, that alone has the model, or else of each service that
// the API is of.
func Conversing(api provider.API, host, model string) []judge.Target {
	if api == provider.Publish {
		return []judge.Target{{Dialect: mcp.Registry}}
	}
	ofAPI := slices.DeleteFunc(slices.Clone(Dialects), func(dialect *provider.Dialect) bool { return dialect.API != api })
	hasHost := func(dialect *provider.Dialect) bool { return host != "" && dialect.Traffic.Names(host) }
	for _, dialects := range [][]*provider.Dialect{ofAPI, Dialects} { // a service may have APIs of which no surface is known
		if i := slices.IndexFunc(dialects, hasHost); i >= 0 {
			return []judge.Target{TargetOf(dialects[i])}
		}
	}
	if i := slices.IndexFunc(ofAPI, func(dialect *provider.Dialect) bool { return dialect.Traffic.Has(model) }); i >= 0 {
		return []judge.Target{TargetOf(ofAPI[i])}
	}
	var targets []judge.Target
	for _, service := range natives[api] {
		if surfaces := provider.OfService(ofAPI, service); len(surfaces) > 0 {
			targets = append(targets, TargetOf(surfaces[0]))
		}
	}
	return targets
}

// Declaring returns what finds the targets for the tools, and for the response schema, in the body of a request
// to an API: of each service for which Conversing judges the request the surface to which the body sends them.
// A response schema that no surface is known to judge has none.
func Declaring(api provider.API, host string, body *schema.Node) func(toolfile.Tool) []judge.Target {
	var finders []func(toolfile.Tool) *provider.Dialect
	for _, service := range Conversing(api, host, body.GetString("model")) {
		finders = append(finders, declaring(api, provider.OfService(Dialects, service.Dialect.Service()), body))
	}
	return func(tool toolfile.Tool) []judge.Target {
		var targets []judge.Target
		for _, find := range finders {
			if dialect := find(tool); dialect != nil {
				targets = append(targets, TargetOf(dialect))
			}
		}
		return targets
	}
}

// declaring returns what finds the surface of a tool in a body, nil if there is none.
func declaring(api provider.API, surfaces []*provider.Dialect, body *schema.Node) func(toolfile.Tool) *provider.Dialect {
	named := map[string]*provider.Dialect{}
	var answer *provider.Dialect
	for _, request := range wire.Read(api, surfaces, body) {
		at := slices.IndexFunc(surfaces, func(surface *provider.Dialect) bool { return surface.Name == request.Dialect })
		switch {
		case at < 0:
		case surfaces[at].Subject == provider.Answer:
			answer = surfaces[at]
		default:
			for _, declaration := range request.Declarations {
				named[cmp.Or(declaration.GetString("name"), declaration.Get("function").GetString("name"))] = surfaces[at]
			}
		}
	}
	usual := slices.IndexFunc(surfaces, func(surface *provider.Dialect) bool {
		return surface.API == api && surface.Subject == provider.Arguments && !surface.Strict
	})
	return func(tool toolfile.Tool) *provider.Dialect {
		switch {
		case tool.IsResponse:
			return answer
		case named[tool.Name] != nil || usual < 0:
			return named[tool.Name]
		default:
			return surfaces[usual]
		}
	}
}

// targetsOf returns the targets of dialects, in the same order.
func targetsOf(dialects ...*provider.Dialect) []judge.Target {
	targets := make([]judge.Target, len(dialects))
	for i, dialect := range dialects {
		targets[i] = Targets[slices.IndexFunc(Targets, func(target judge.Target) bool { return target.Dialect == dialect })]
	}
	return targets
}

// portable is the dialect of tools that a server of the Model Context Protocol publishes for
// clients of all providers.
var portable = func() *provider.Dialect {
	dialect := *mcp.InputSchema
	dialect.Name, dialect.Doc = "portable", "tools of the Model Context Protocol for every surface that is not strict"
	return &dialect
}()

// everywhere are the surfaces that portable has to satisfy.
var everywhere = func() []*provider.Dialect {
	var open []*provider.Dialect
	for _, dialect := range Dialects {
		if dialect.Portable {
			open = append(open, dialect)
		}
	}
	return open
}()

// Alternates are targets that are used only if they are named. Each does what one seed document
// describes, or strikes another compromise than the main target of its dialect.
var Alternates = []judge.Target{
	{Normalizer: normalizers.GeminiFlags, Dialect: google.GeminiParameters, Doc: "flags of required properties, as docs/seeds.md#seed-000 has them"},
	{Normalizer: normalizers.GeminiStrip, Dialect: google.GeminiParameters, Doc: "leaves out, reports nothing, as docs/seeds.md#seed-001 has it"},
	{Normalizer: normalizers.GeminiInline, Dialect: google.GeminiParameters, Doc: "the 22 patterns of docs/seeds.md#seed-002-log-002"},
	{Normalizer: normalizers.GeminiLocalize, Dialect: google.GeminiParameters, Doc: "one language, as docs/seeds.md#seed-003 has it"},
	{Normalizer: normalizers.GeminiSpill, Dialect: google.GeminiParametersJSONSchema, Doc: "strips and spills, as docs/seeds.md#seed-004-2 has it"},
	{Normalizer: normalizers.OpenAIStrictSpill, Dialect: openai.ChatStrict, Fallback: openai.Chat, Doc: "strips and spills, as docs/seeds.md#seed-004-1 has it"},
	{Normalizer: normalizers.PortableUnions, Dialect: portable, Also: everywhere, Doc: "portable with unions: they mean more, and Continue does not send such a tool to Gemini"},
}

// Dialects are all modelled surfaces.
var Dialects = slices.Concat(google.Dialects, openai.Dialects, anthropic.Dialects, compatible.Dialects, engines.Dialects, mcp.Dialects)

// Surfaces are the targets, followed by the modelled surfaces without a target. Fixtures are judged
// for the latter only as given.
var Surfaces = func() []judge.Target {
	surfaces := slices.Clone(Targets)
	for _, dialect := range Dialects {
		if !hasTarget(dialect) {
			surfaces = append(surfaces, judge.Target{Dialect: dialect})
		}
	}
	return surfaces
}()

// Relatives are targets for the surfaces that are in no target of Targets. Each has the name of its
// dialect, and the normalizer of the target that the dialect names as its relative; without such a
// relative it has none.
var Relatives = func() []judge.Target {
	var relatives []judge.Target
	for _, dialect := range Dialects {
		if !hasTarget(dialect) {
			relatives = append(relatives, relativeOf(dialect))
		}
	}
	return relatives
}()

// hasTarget reports whether one of Targets is for a dialect.
func hasTarget(dialect *provider.Dialect) bool {
	return slices.ContainsFunc(Targets, func(target judge.Target) bool { return target.Dialect == dialect })
}

// relativeOf returns the target of a surface that has none in Targets.
func relativeOf(dialect *provider.Dialect) judge.Target {
	target := judge.Target{Dialect: dialect}
	if pipeline := normalizers.Named(dialect.Relative); pipeline != nil {
		target.Normalizer = pipeline.For(dialect.Name, normalizers.Limits{
			NameLength: dialect.NameLength, DescriptionLength: dialect.DescriptionLength, Day: string(dialect.RelativeDay),
		})
		target.Fallback = looser(dialect)
	}
	return target
}

// looser returns the surface for functions that cannot be strict; nil if functions on the dialect
// are not strict anyway. If the service has several such surfaces on the same API it is the last,
// because Responses distinguishes strict false from a missing strict.
func looser(dialect *provider.Dialect) *provider.Dialect {
	var fallback *provider.Dialect
	for _, other := range Dialects {
		if dialect.Strict && !other.Strict && other.Subject == dialect.Subject && other.API == dialect.API && other.Service() == dialect.Service() {
			fallback = other
		}
	}
	return fallback
}

// TargetOf returns the target of a surface from Targets or Relatives.
func TargetOf(dialect *provider.Dialect) judge.Target {
	all := slices.Concat(Targets, Relatives)
	return all[slices.IndexFunc(all, func(target judge.Target) bool { return target.Dialect == dialect })]
}

// TargetNamed returns the target, alternate or dialect with a name.
func TargetNamed(name string) (judge.Target, error) {
	all := slices.Concat(Targets, Alternates)
	names := make([]string, len(all))
	for i, target := range all {
		if target.Name() == name {
			return target, nil
		}
		names[i] = target.Name()
	}
	if dialect, err := DialectNamed(name); err == nil {
		return TargetOf(dialect), nil
	}
	return judge.Target{}, fmt.Errorf("unknown target %q: use one of %s", name, strings.Join(names, ", "))
}

// TargetsNamed returns the targets that a name or a pattern stands for. A pattern without a slash
// matches the names of targets or, if it matches none, those of services, whose dialects it then
// stands for. A pattern with a slash matches the names of dialects. The name all stands for
// Targets.
func TargetsNamed(name string) ([]judge.Target, error) {
	if name == "all" {
		return Targets, nil
	}
	if strings.ContainsAny(name, "*?[") {
		if matching := matching(name); len(matching) > 0 {
			return matching, nil
		}
	}
	target, err := TargetNamed(name)
	return []judge.Target{target}, err
}

// matching returns the targets that match a pattern.
func matching(pattern string) []judge.Target {
	isMatched := func(name string) bool {
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	}
	found := slices.DeleteFunc(slices.Clone(Targets), func(target judge.Target) bool { return !isMatched(target.Name()) })
	if len(found) > 0 {
		return found
	}
	for _, dialect := range Dialects {
		if isMatched(dialect.Name) || isMatched(dialect.Service()) {
			found = append(found, TargetOf(dialect))
		}
	}
	return found
}

// TargetNames are the names that TargetNamed accepts: those of targets, alternates and dialects.
var TargetNames = func() []string {
	var names []string
	for _, target := range slices.Concat(Targets, Alternates) {
		names = append(names, target.Name())
	}
	for _, dialect := range Dialects {
		names = append(names, dialect.Name)
	}
	return names
}()

// DialectNamed returns the dialect with a name.
func DialectNamed(name string) (*provider.Dialect, error) {
	names := make([]string, len(Dialects))
	for i, dialect := range Dialects {
		if dialect.Name == name {
			return dialect, nil
		}
		names[i] = dialect.Name
	}
	return nil, fmt.Errorf("unknown dialect %q: use one of %s", name, strings.Join(names, ", "))
}

// Serving returns the target whose rewrites answer the refusals of a surface: the target of the
// surface or of its relative. Its Normalizer is nil if there is none.
func Serving(dialect *provider.Dialect) judge.Target {
	for _, target := range Targets {
		if target.Dialect == dialect || target.Name() == dialect.Relative {
			return target
		}
	}
	return judge.Target{Dialect: dialect}
}
