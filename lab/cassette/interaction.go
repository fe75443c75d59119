package cassette

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolproof/harness/provider"
	"toolproof/harness/traffic"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Interaction is a declaration sent to a provider with its answer: a line of evidence as
// verify-lab calibrate reads it.
type Interaction struct {
	ID            string       `json:"id"`
	Provider      string       `json:"provider"`
	Host          string       `json:"host"`
	APIVersion    string       `json:"api_version"`
	Endpoint      string       `json:"endpoint"` // without the query, which may contain a key
	Model         string       `json:"model"`
	Status        int          `json:"status"`
	Request       *schema.Node `json:"request"` // only what declares something
	ResponseError *schema.Node `json:"response_error"`
	RecordedAt    string       `json:"recorded_at,omitempty"` // day
	Source        string       `json:"source"`
}

var (
	version = lazy.Compile(`^v\d+(?:(?:alpha|beta)\d*)?$`)
	inPath  = lazy.Compile(`/models?/([^/:]+)`)
	// owners matches the paying project or account, which is not part of the evidence.
	owners = lazy.Compile(`/(projects|accounts)/[^/]+`)
)

// interactionOf returns the part of an exchange to keep. It reports false if the exchange declares nothing.
func interactionOf(e *traffic.Exchange, surfaces []*provider.Dialect) (kept Interaction, ok bool) {
	body := e.Body()
	if e.Host == "" || body == nil || e.Status == 0 {
		return Interaction{}, false
	}
	request := declared(body)
	if request == nil {
		return Interaction{}, false
	}
	kept = Interaction{
		Host: e.Host, Status: e.Status, Request: request, Model: body.GetString("model"),
		Endpoint: owners.ReplaceAllStringFunc(e.Path, func(owner string) string {
			kind := strings.Split(owner, "/")[1]
			return "/" + kind + "/" + strings.ToUpper(strings.TrimSuffix(kind, "s"))
		}),
	}
	if found := inPath.FindStringSubmatch(e.Path); found != nil && kept.Model == "" {
		kept.Model = found[1]
	}
	kept.Model = strings.TrimPrefix(kept.Model, "models/")
	for segment := range strings.SplitSeq(e.Path, "/") {
		if version.MatchString(segment) {
			kept.APIVersion = segment
			break
		}
	}
	kept.Provider = providerOf(surfaces, kept.Host, kept.Endpoint)
	if e.Status >= 400 {
		kept.ResponseError = errorOf(e.Answer)
	}
	if kept.RecordedAt = e.Date; kept.RecordedAt == "" {
		kept.RecordedAt = createdOn(e.Answer)
	}
	digest := strings.TrimPrefix(request.Digest(kept.Host, kept.Endpoint), "sha256:")
	kept.ID = fmt.Sprintf("%s-%.16s-%d", kept.Provider, digest, kept.Status)
	return kept, true
}

// providerOf returns the name of the provider in evidence, or "other". If several surfaces
// match the host, the one with the longest path counts.
func providerOf(surfaces []*provider.Dialect, host, endpoint string) string {
	name, longest := "", -1
	for _, surface := range surfaces {
		known := surface.Traffic
		if len(known.Path) > longest && known.Names(host) && strings.Contains(endpoint, known.Path) {
			name, longest = known.Provider, len(known.Path)
		}
	}
	return cmp.Or(name, "other")
}

// created matches the time in answers, in seconds or as a timestamp.
var created = lazy.Compile(`"(?:created|created_at|createTime)": ?(?:(\d{10})\b|"(\d{4}-\d{2}-\d{2})T)`)

// createdOn returns the day in an answer, which may be in the first event of a stream, or "".
func createdOn(response []byte) string {
	found := created.FindSubmatch(response)
	if found == nil {
		return ""
	}
	if seconds, err := strconv.ParseInt(string(found[1]), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC().Format(time.DateOnly)
	}
	return traffic.Day(string(found[2]))
}

// keptMembers are the members of a request that are kept, with the members of them that are
// kept; nil keeps all. All other members, such as prompts, users and keys, are left out.
var keptMembers = map[string][]string{
	"model": nil, "tool_choice": nil, "parallel_tool_calls": nil, "response_format": nil, "output_format": nil, "stream": nil,
	"toolConfig": nil, "tool_config": nil, "function_call": nil,
	"text": {"format"}, "output_config": {"format"},
	"generationConfig": responseMembers, "generation_config": responseMembers,
}

var responseMembers = []string{
	"responseMimeType", "response_mime_type", "responseSchema", "response_schema", "responseJsonSchema", "response_json_schema", "_responseJsonSchema",
}

// wrappers are the members in which some endpoints have the actual request.
var wrappers = []string{"generateContentRequest", "generate_content_request", "request"}

// declared returns the part of a request body to keep, or nil if it declares nothing.
func declared(body *schema.Node) *schema.Node {
	kept := schema.NewObject()
	declares := false
	for _, member := range body.Members {
		parts, isKept := keptMembers[member.Key]
		value := member.Value
		switch {
		case slices.Contains(wrappers, member.Key):
			if value = declared(value); value == nil {
				continue
			}
			declares = true
		case member.Key == "tools", member.Key == "functions": // the predecessor of tools
			value = toolsOf(value)
			declares = declares || value.Kind == schema.Object || len(value.Elements) > 0
		case !isKept:
			continue
		case parts != nil:
			if value = only(value, parts); len(value.Members) == 0 {
				continue
			}
			declares = true
		case member.Key == "toolConfig": // in Bedrock's Converse it has the tools
			declares = declares || value.Has("tools")
		case member.Key == "response_format", member.Key == "output_format":
			declares = declares || value.Kind == schema.Object
		}
		kept.Members = append(kept.Members, schema.Member{Key: member.Key, Value: value})
	}
	if !declares {
		return nil
	}
	return kept
}

func only(object *schema.Node, names []string) *schema.Node {
	kept := schema.NewObject()
	for _, member := range object.Members {
		if slices.Contains(names, member.Key) {
			kept.Members = append(kept.Members, member)
		}
	}
	return kept
}

// functionMembers are the members of a tool that declares a function.
var functionMembers = []string{"functionDeclarations", "function_declarations", "function", "parameters", "input_schema", "toolSpec", "custom"}

// toolsOf returns tools with complete functions. Of a provider's built-in tool, such as a
// search or a remote server, it keeps only the type and the names of the members, because their
// values may contain keys.
func toolsOf(tools *schema.Node) *schema.Node {
	if tools.Kind != schema.Array {
		return toolOf(tools)
	}
	kept := schema.NewArray()
	for _, tool := range tools.Elements {
		kept.Elements = append(kept.Elements, toolOf(tool))
	}
	return kept
}

func toolOf(tool *schema.Node) *schema.Node {
	kind := tool.Get("type")
	isFunction := slices.ContainsFunc(functionMembers, tool.Has)
	if kind == nil && isFunction || kind.Is("function") || kind.Is("custom") {
		return tool
	}
	if kind.Is("namespace") {
		return schema.NewObject(
			schema.Member{Key: "type", Value: kind},
			schema.Member{Key: "name", Value: tool.Get("name")},
			schema.Member{Key: "tools", Value: toolsOf(tool.Get("tools"))},
		)
	}
	if kind != nil {
		return schema.NewObject(schema.Member{Key: "type", Value: kind})
	}
	kept := schema.NewObject()
	for _, member := range tool.Members {
		kept.Members = append(kept.Members, schema.Member{Key: member.Key, Value: schema.NewObject()})
	}
	if tool.Kind != schema.Object || tool.Has("name") {
		return tool // a function without a schema, or not a tool
	}
	return kept
}

// errorMembers are the members of an error that are kept.
var errorMembers = []string{"message", "type", "param", "code", "status", "details"}

// errorOf returns the error in the body of an answer, or nil if it has none.
func errorOf(body []byte) *schema.Node {
	node, err := schema.ParseWire(body)
	if err != nil {
		return nil
	}
	if node.Kind == schema.Array && len(node.Elements) > 0 {
		node = node.Elements[0] // a stream of Google's
	}
	if inner := node.First("error"); inner != nil {
		node = inner
	}
	if node.Kind == schema.String {
		return schema.NewObject(schema.Member{Key: "message", Value: schema.NewString(redacted(node.Text))})
	}
	kept := only(node, errorMembers)
	if len(kept.Members) == 0 {
		return nil
	}
	for i, member := range kept.Members {
		if member.Key == "message" && member.Value.Kind == schema.String {
			kept.Members[i].Value = schema.NewString(redacted(member.Value.Text))
		}
	}
	return kept
}

// keys matches words that look like a key.
var keys = lazy.Compile(`\b(?:sk-[\w*-]{4,}|AIza[\w-]{8,}|gsk_\w{4,}|xai-\w{4,}|ya29\.[\w.-]{4,}|Bearer \S+)`)

func redacted(message string) string { return keys.ReplaceAllString(message, "KEY") }
