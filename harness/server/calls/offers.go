package calls

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Ask returns a request that calls no tool, such as prompts/get. The name of its Tool is the method and the name of
// the prompt or resource.
func Ask(method, of string, arguments *schema.Node) Call {
	return Call{Tool: &Tool{Name: strings.TrimSpace(method + " " + of), Entry: schema.NewObject()}, Method: method, How: "what is listed", Arguments: arguments, IsValid: true}
}

// Follow returns the requests that an answer makes possible: each prompt and resource of a list is read, the first argument
// of each prompt and template is completed if the server does that, and the next page is asked for.
func (e *Exchange) Follow(completes bool) []Call {
	result := e.Answer.Result
	if result == nil {
		return nil
	}
	var calls []Call
	switch e.Call.Method {
	case "prompts/list":
		for _, prompt := range elements(result, "prompts") {
			calls = append(calls, readingPrompt(prompt, completes)...)
		}
	case "resources/list":
		for _, resource := range elements(result, "resources") {
			if uri := resource.GetString("uri"); uri != "" {
				calls = append(calls, Ask("resources/read", uri, object("uri", schema.NewString(uri))))
			}
		}
	case "resources/templates/list":
		for _, template := range elements(result, "resourceTemplates") {
			uri := template.GetString("uriTemplate")
			if found := firstVariable.FindStringSubmatch(uri); found != nil && completes {
				calls = append(calls, completing(object("type", schema.NewString("ref/resource"), "uri", schema.NewString(uri)), uri, found[1]))
			}
		}
	default:
		return nil
	}
	if cursor := result.GetString("nextCursor"); cursor != "" {
		calls = append(calls, Ask(e.Call.Method, "", object("cursor", schema.NewString(cursor))))
	}
	return calls
}

// readingPrompt returns the requests about a prompt: with a string for each argument, with none if none is
// required, and the completion of the first.
func readingPrompt(prompt *schema.Node, completes bool) []Call {
	name := prompt.GetString("name")
	if name == "" {
		return nil
	}
	given, needs, first := schema.NewObject(), false, ""
	for _, argument := range elements(prompt, "arguments") {
		if key := argument.GetString("name"); key != "" {
			given.Set(key, schema.NewString("1"))
			needs = needs || argument.Get("required") != nil && argument.Get("required").IsTrue()
			if first == "" {
				first = key
			}
		}
	}
	calls := []Call{Ask("prompts/get", name, object("name", schema.NewString(name), "arguments", given))}
	if !needs {
		calls = append(calls, Ask("prompts/get", name, object("name", schema.NewString(name))))
	}
	if first != "" && completes {
		calls = append(calls, completing(object("type", schema.NewString("ref/prompt"), "name", schema.NewString(name)), name, first))
	}
	return calls
}

// completing returns the request for the values of an argument.
func completing(reference *schema.Node, of, argument string) Call {
	return Ask("completion/complete", of, object("ref", reference, "argument", object("name", schema.NewString(argument), "value", schema.NewString(""))))
}

// object returns an object of names and values.
func object(pairs ...any) *schema.Node {
	made := schema.NewObject()
	for pair := range slices.Chunk(pairs, 2) {
		made.Set(pair[0].(string), pair[1].(*schema.Node)) //nolint:forcetypeassert // the callers write them
	}
	return made
}

// elements returns the objects in a list that a node has under a name.
func elements(node *schema.Node, name string) []*schema.Node {
	listed := node.Get(name)
	if listed == nil || listed.Kind != schema.Array {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(listed.Elements), func(element *schema.Node) bool { return element.Kind != schema.Object })
}

// firstVariable finds the first variable of a template.
var firstVariable = lazy.Compile(`\{[+#./;?&]?([A-Za-z0-9_.%]+)`)

// expression matches an expression of a template, as RFC 6570 has it.
var expression = lazy.Compile(`\{[+#./;?&]?` + variable + `(?:,` + variable + `)*\}`)

// variable matches a variable of an expression with its modifier.
const variable = `(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*(?::[1-9][0-9]{0,3}|\*)?`

// listedTwice reports entries of a list that have one name or one address.
var listedTwice = &Rule{
	Name: "listed_twice", Doc: "The names of prompts are unique, and so are the addresses of resources and of templates.", Since: "2024-11-05",
	Source:  "specification of 2025-06-18, server/prompts and server/resources: name and uri are unique identifiers",
	Instead: "give each entry a name or an address of its own",
	check: func(e *Exchange) []fault {
		list := lists[e.Call.Method]
		if e.Answer.Result == nil || list.name == "" {
			return nil
		}
		var faults []fault
		seen := map[string]bool{}
		for i, entry := range elements(e.Answer.Result, list.name) {
			key := entry.GetString(list.key)
			if key != "" && seen[key] {
				faults = append(faults, fault{at: schema.Pointer(fmt.Sprintf("/%s/%d/%s", list.name, i, list.key)), message: fmt.Sprintf("%q is listed twice", short(key))})
			}
			seen[key] = true
		}
		return faults
	},
}

// lists are the lists with their member, and the member of an entry that is unique.
var lists = map[string]struct{ name, key string }{
	"prompts/list": {"prompts", "name"}, "resources/list": {"resources", "uri"}, "resources/templates/list": {"resourceTemplates", "uriTemplate"},
}

// templateSyntax reports a template that RFC 6570 does not have.
var templateSyntax = &Rule{
	Name: "template_syntax", Doc: "A uriTemplate is a template of RFC 6570.", Since: "2024-11-05",
	Source:  "schema of 2025-11-25, ResourceTemplate.uriTemplate: a URI template (according to RFC 6570)",
	Instead: "write variables as {name}, {+name} or {?name,other}",
	check: func(e *Exchange) []fault {
		if e.Call.Method != "resources/templates/list" || e.Answer.Result == nil {
			return nil
		}
		var faults []fault
		for i, entry := range elements(e.Answer.Result, "resourceTemplates") {
			if template := entry.GetString("uriTemplate"); strings.ContainsAny(expression.ReplaceAllString(template, ""), "{}") {
				faults = append(faults, fault{at: schema.Pointer(fmt.Sprintf("/resourceTemplates/%d/uriTemplate", i)), message: fmt.Sprintf("%q is no template", short(template))})
			}
		}
		return faults
	},
}

// notAString matches refusals of a string for want of another type.
var notAString = lazy.Compile(`(?i)expected (number|integer|int|boolean|array|object|record|date|bigint)\b.{0,20}received string`)

// promptTyped reports a prompt that wants an argument of another type than string.
var promptTyped = &Rule{
	Name: "prompt_argument_typed", Doc: "The arguments of a prompt are strings, because clients can send nothing else.", Since: "2024-11-05", Client: "every client",
	Source:  "schema of 2025-11-25, GetPromptRequest: arguments are strings; https://github.com/saurabhsharma2u/search-console-mcp/issues/112 (2026-09-20)",
	Instead: "take a string, and convert it in the prompt",
	check: func(e *Exchange) []fault {
		if e.Call.Method != "prompts/get" || !notAString.MatchString(e.Answer.Message) {
			return nil
		}
		return whole("MCP error %d: %s", e.Answer.Code, e.Answer.Message)
	},
}

// promptBare reports a prompt without required arguments that refuses a request without arguments.
var promptBare = &Rule{
	Name: "prompt_without_arguments", Doc: "A prompt that requires no argument takes a request without arguments.", Since: "2024-11-05", Client: "a client that sends no arguments",
	Source:  "schema of 2025-11-25, GetPromptRequest: arguments is optional; https://github.com/bgauryy/octocode/issues/373 (2026-04-06)",
	Instead: "let the schema of the arguments be optional, or give it the default {}",
	check: func(e *Exchange) []fault {
		if e.Call.Method != "prompts/get" || e.Call.Arguments.Get("arguments") != nil || e.Answer.Message == "" {
			return nil
		}
		return whole("MCP error %d: %s", e.Answer.Code, e.Answer.Message)
	},
}

// notRead reports a listed resource that cannot be read.
var notRead = &Rule{
	Name: "resource_not_read", Doc: "A resource that is listed can be read, and has contents.", Since: "2024-11-05",
	Source:  "specification of 2025-11-25, server/resources: resources/list returns the available resources",
	Instead: "list what can be read, and return its contents",
	check: func(e *Exchange) []fault {
		switch {
		case e.Call.Method != "resources/read":
			return nil
		case e.Answer.Message != "":
			return whole("MCP error %d: %s", e.Answer.Code, e.Answer.Message)
		case e.Answer.Result != nil && e.Answer.Result.Get("contents") != nil && len(elements(e.Answer.Result, "contents")) == 0:
			return []fault{{at: "/contents", message: "the resource has no contents"}}
		default:
			return nil
		}
	},
}
