package engines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

var ollamaDialects = []*provider.Dialect{OllamaChat, OllamaFormat}

// ollamaTraffic recognizes hosts that have the name. Most servers have no public address.
var ollamaTraffic = provider.Traffic{Provider: "ollama", Hosts: []string{"*ollama*"}}

// OllamaChat is the tools of Ollama's own API. Its Chat Completions decode the same types and answer in
// the same words.
var OllamaChat = &provider.Dialect{
	Name: "ollama/chat", Doc: "functions of Ollama, on /api/chat and /v1/chat/completions", Path: "/api/chat",
	API: provider.OllamaChat, Subject: provider.Arguments, Portable: true, Schema: "/function/parameters",
	Account: "ollama", Control: `{"type":"object","properties":{},"required":"a"}`,
	Versions: ollamaVersions(),
	Traffic:  ollamaTraffic,
	Rules:    []*provider.Rule{ollamaType, ollamaNestedProperties, ollamaRoot, ollamaMember},
	Declare:  declareFunction,
	Envelope: func(declarations []*schema.Node) *schema.Node {
		return provider.Object("model", schema.NewString("{model}"), "messages", hi(), "stream", schema.NewBool(false), "tools", schema.NewArray(declarations...))
	},
	Render: ollamaRender, Classify: ollamaClassify, Locate: ollamaLocate,
	Echo: func(declaration *schema.Node, day provider.Date) *schema.Node {
		kept, _ := ollamaTool(day).kept(declaration)
		return kept
	},
}

// ollamaRelease is a release with the type that it decodes a tool into.
type ollamaRelease struct {
	provider.Version

	tool *goType
}

// ollamaReleases are the releases whose code was read and run, with the days of their tags.
var ollamaReleases = []ollamaRelease{
	{provider.Version{Name: "0.11.10", Date: "2025-09-04"}, ollamaTypes(goMap, false, true, true)},
	{provider.Version{Name: "0.12.6", Date: "2025-10-16"}, ollamaTypes(goMap, false, true, false)},
	{provider.Version{Name: "0.13.5", Date: "2025-12-18"}, ollamaTypes(goMap, true, false, false)},
	{provider.Version{Name: "0.16.1", Date: "2026-02-12"}, ollamaTypes(goOrderedMap, true, false, false)},
	{provider.Version{Name: "0.16.2", Date: "2026-02-16"}, ollamaTypes(goOrderedMap, true, false, false)},
	{provider.Version{Name: "0.17.4", Date: "2026-02-27"}, ollamaTypes(goOrderedMap, true, false, false)},
}

func ollamaVersions() []provider.Version {
	versions := make([]provider.Version, len(ollamaReleases))
	for i, release := range ollamaReleases {
		versions[i] = release.Version
	}
	return versions
}

// ollamaTool returns the type of a tool in the newest release of a day, or in the first.
func ollamaTool(day provider.Date) *goType {
	tool := ollamaReleases[0].tool
	for _, release := range ollamaReleases {
		if release.Date <= day {
			tool = release.tool
		}
	}
	return tool
}

// The names of the structs that have no field for some members.
const (
	ollamaParameters = "api.ToolFunctionParameters"
	ollamaProperty   = "api.ToolProperty"
)

// ollamaTypes returns the type of a tool, as a release has it in api/types.go. Properties are in a map
// of the kind; nested says that a property may have properties itself. requiredIsKept and
// textsAreKept say that required, and the type and the description, are written if they are
// empty.
func ollamaTypes(properties goKind, nested, requiredIsKept, textsAreKept bool) *goType {
	text, anything := &goType{kind: goText, name: "string"}, &goType{kind: goAny}
	property := &goType{kind: goStruct, name: ollamaProperty}
	propertyMap := &goType{kind: properties, name: "map[string]api.ToolProperty", of: property}
	property.fields = []goField{
		{"anyOf", &goType{kind: goList, name: "[]api.ToolProperty", of: property}, false},
		{"type", &goType{kind: goTexts, of: text}, textsAreKept},
		{"items", anything, false},
		{"description", text, textsAreKept},
		{"enum", &goType{kind: goList, name: "[]interface {}", of: anything}, false},
	}
	if nested {
		property.fields = append(property.fields, goField{"properties", propertyMap, false})
	}
	parameters := &goType{kind: goStruct, name: ollamaParameters, fields: []goField{
		{"type", text, true},
		{"$defs", anything, false},
		{"items", anything, false},
		{"required", &goType{kind: goList, name: "[]string", of: text}, requiredIsKept},
		{"properties", propertyMap, true},
	}}
	function := &goType{kind: goStruct, name: "api.ToolFunction", fields: []goField{
		{"name", text, true}, {"description", text, textsAreKept}, {"parameters", parameters, true},
	}}
	return &goType{kind: goStruct, name: "api.Tool", fields: []goField{
		{"type", text, true}, {"items", anything, false}, {"function", function, true},
	}}
}

// ollamaDecode is the stage that decodes the request.
var ollamaDecode = &provider.Stage{
	Name:   "decode",
	Shared: "all that take tools decode the same types",
	Walk: func(request provider.Request, _ int, visitor *provider.Visitor) {
		if declaration, found := ollamaMisfit(request.Declarations, visitor.Day, visitor.Charge); found != nil {
			visitor.Visit(&provider.Pass{
				Request: request, Declaration: declaration, Node: found.node, Subject: found,
				At:       []byte(placeIn(request.Declarations[declaration], found.node)),
				Location: []byte(strings.Join(found.fields, ".")),
			})
		}
	},
}

// ollamaMisfit returns the value for which the release of a day refuses a request, and the index of its
// declaration. The misfit is nil if the release accepts the request.
func ollamaMisfit(declarations []*schema.Node, day provider.Date, charge func(int)) (declaration int, found *misfit) {
	decoding := decoding{charge: charge, within: "ChatRequest", fields: []string{"tools"}}
	tool := ollamaTool(day)
	for i, declared := range declarations {
		before := decoding.first
		if !decoding.value(tool, declared) {
			return i, decoding.last
		}
		if before == nil {
			declaration = i
		}
	}
	return declaration, decoding.first
}

// placeIn returns the pointer from a tool to a value in its declaration.
func placeIn(declaration, node *schema.Node) schema.Pointer {
	return schema.Pointer(strings.TrimPrefix(string(declaration.Pointers(map[*schema.Node]bool{node: true})[node]), "/function"))
}

// ollamaType reports a value that its field does not take.
var ollamaType = &provider.Rule{
	Name:   "field_type",
	Effect: provider.Rejects,
	Stage:  ollamaDecode,
	Doc: `a value is of the type of its field in Go

encoding/json decodes the request and reports the first value that does not fit, in its own
words. The types of a property, and since 0.16 also properties, have a decoder of their own,
whose error ends the decoding and takes precedence over earlier ones. Source: ollama@0.17.4
api/types.go.`,
	Evidence: []string{
		"ollama/chat/469d0001241e",
		"ollama/chat/96dfbf69d36d",
		"ollama/chat/3ded5ae3d788",
		"ollama/chat/a326d8377b79",
		// Near misses.
		"ollama/chat/df3cae8b9a0d",
	},
	Check: func(p *provider.Pass) {
		p.Report(provider.Finding{Message: p.Subject.(*misfit).message()}) //nolint:forcetypeassert // of the stage
	},
}

// ollamaFields is the stage that finds the members for which a struct has no field. The Subject is the
// *goType of the struct.
var ollamaFields = &provider.Stage{
	Name:           "fields",
	All:            true,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		ollamaTool(visitor.Day).dropped(request.Declarations[declaration], nil, func(structure *goType, at []byte, member *schema.Member) {
			visitor.Visit(&provider.Pass{
				Request: request, Declaration: declaration, Key: member.Key, KeyPosition: member.Position, Node: member.Value,
				At: bytes.TrimPrefix(at, []byte("/function")), Subject: structure,
			})
		})
	},
}

// dropped calls visit with each member that is not decoded into a field or that the field omits, the
// type of the struct, and the pointer to the member, which visit must not keep. A value that is
// decoded into an any is kept whole.
func (t *goType) dropped(node *schema.Node, at []byte, visit func(structure *goType, at []byte, member *schema.Member)) {
	below := func(key string) []byte { return schema.AppendToken(at, key) }
	switch {
	case t.kind == goStruct && node.Kind == schema.Object:
		for i := range node.Members {
			member := &node.Members[i]
			field := t.field(member.Key)
			switch {
			case field != nil && !field.leavesOut(member.Value):
				field.of.dropped(member.Value, below(member.Key), visit)
			case !provider.SaysNothing(*member):
				visit(t, below(member.Key), member)
			}
		}
	case (t.kind == goMap || t.kind == goOrderedMap) && node.Kind == schema.Object:
		for _, member := range node.Members {
			if t.of.name == ollamaProperty && member.Value.IsPlain() {
				continue // a property has a type and a description
			}
			t.of.dropped(member.Value, below(member.Key), visit)
		}
	case t.kind == goList && node.Kind == schema.Array && t.of.kind == goStruct:
		for i, element := range node.Elements {
			t.of.dropped(element, below(strconv.Itoa(i)), visit)
		}
	default:
	}
}

// ollamaNestedProperties reports the properties of a property.
var ollamaNestedProperties = &provider.Rule{
	Name:   "nested_properties",
	Effect: provider.Ignores,
	Stage:  ollamaFields,
	Until:  "2025-12-18",
	Doc: `the properties of a property are dropped

A property has a field for its own properties since 0.13.5 at the latest; 0.12.6 had none.
Before that the model saw an object without members.`,
	Source: "ollama@0.12.6 and 0.13.5 api/types.go",
	Evidence: []string{
		"ollama/chat/81a74cae3c56",
		// Near misses.
		"ollama/chat/8ff1192cf66d",
	},
	Check: func(p *provider.Pass) {
		ollamaDropped(p, ollamaProperty, strings.EqualFold(p.Key, "properties"))
	},
}

// ollamaRoot reports a member of the root that is dropped.
var ollamaRoot = &provider.Rule{
	Name:   "root_member",
	Effect: provider.Ignores,
	Stage:  ollamaFields,
	Doc: `the root keeps type, $defs, items, required and properties alone

It is decoded into a Go struct with these fields, from which the model's template is filled in.
Everything else is dropped: anyOf, oneOf, allOf, $ref, additionalProperties, description. The
values of $defs and items are kept whole.`,
	Source: "ollama@0.17.4 api/types.go",
	Evidence: []string{
		"ollama/chat/8ff1192cf66d",
		// Near misses.
		"ollama/chat/f044110dd454",
		"ollama/chat/df3cae8b9a0d",
	},
	Check: func(p *provider.Pass) {
		ollamaDropped(p, ollamaParameters, true)
	},
}

// ollamaMember reports a member of a property that is dropped.
var ollamaMember = &provider.Rule{
	Name:   "property_member",
	Effect: provider.Ignores,
	Stage:  ollamaFields,
	Doc: `a property keeps anyOf, type, items, description, enum and properties alone

The same holds for the branches of its anyOf and for its own properties. Everything else is
dropped, such as $ref, oneOf, const, default, format, pattern and bounds. An object in a
property loses required and additionalProperties. The value of items is kept whole.`,
	Source: "ollama@0.17.4 api/types.go",
	Evidence: []string{
		"ollama/chat/f044110dd454",
		// Near misses.
		"ollama/chat/8ff1192cf66d",
		"ollama/chat/df3cae8b9a0d",
	},
	Check: func(p *provider.Pass) {
		ollamaDropped(p, ollamaProperty, !strings.EqualFold(p.Key, "properties"))
	},
}

// ollamaDropped reports the member of a pass if isMeant is set and the struct has the name.
func ollamaDropped(p *provider.Pass, name string, isMeant bool) {
	if structure := p.Subject.(*goType); isMeant && structure.name == name { //nolint:forcetypeassert // of the stage
		p.Reportf("'%s' is dropped: the model does not see it", p.Key)
	}
}

// ollamaRender makes the body of an answer of the server's own API.
func ollamaRender(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	return provider.AnswerBody(map[string]string{"error": response.Message})
}

// ollamaClassify reads an answer of the server. Its own API has the message as the value of error, and
// Chat Completions has an object there.
func ollamaClassify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	var wrapped struct {
		Message string `json:"message"`
	}
	message := ""
	if err := json.Unmarshal(data, &body); err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if json.Unmarshal(body.Error, &message) != nil && json.Unmarshal(body.Error, &wrapped) == nil {
		message = wrapped.Message
	}
	isAboutTools := strings.HasPrefix(message, "json: cannot unmarshal") && strings.Contains(message, ".tools.") || message == notObject
	if !(status == 400 && isAboutTools || status == 500 && isAboutFormat(message)) {
		return provider.Response{}, fmt.Errorf("status %d: %w", status, provider.ErrNothingLearnt)
	}
	return provider.Response{Verdict: provider.Rejected, Status: status, Message: message}, nil
}

// ollamaLocate finds the value that any release, the newest first, refuses with the message.
func ollamaLocate(refusal provider.Response, declarations []*schema.Node) []provider.Place {
	message := strings.TrimSpace(refusal.Message)
	var places []provider.Place
	err := bounded(func(charge func(steps int)) {
		for _, release := range slices.Backward(ollamaReleases) {
			declaration, found := ollamaMisfit(declarations, release.Date, charge)
			if found != nil && strings.Contains(message, found.message()) {
				places = []provider.Place{{
					Declaration: declaration, At: placeIn(declarations[declaration], found.node),
					Location: strings.Join(found.fields, "."), Message: found.message(),
				}}
				return
			}
		}
	})
	if err == nil && places != nil {
		return places
	}
	_, after, isOurs := strings.Cut(message, "Go struct field ")
	_, field, isTool := strings.Cut(after, ".tools.function.")
	if !isOurs || !isTool {
		return nil
	}
	field, _, _ = strings.Cut(field, " ")
	return []provider.Place{{Declaration: provider.Nowhere, Location: "tools.function." + field, Message: message}}
}
