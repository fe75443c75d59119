package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// httpWords finds texts about requests that a model does not make.
var httpWords = &Rule{
	Name: "http_words",
	Doc: `a text speaks of an HTTP request, and a model makes none

A text that a generator took from the description of an API speaks of paths, bodies and query
parameters. A model has only the arguments of the tool. Say what the argument means, and name the
tool instead of GET /users. A parameter called body, or path beside query, says where a value goes in a request, and not what it
is for.`,
	Source: Source{
		"Anthropic: tools that only wrap the endpoints of an API suit agents badly; describe them as to a new member of the team.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "get_user", "description": "Read an account.", "parameters": {"type": "object", "properties": {"login": {"type": "string", "description": "Value for the path parameter."}}}}]`,
	Good: `[{"name": "get_user", "description": "Read an account.", "parameters": {"type": "object", "properties": {"login": {"type": "string", "description": "The name with which the person logs in, such as octocat."}}}}]`,
	check: func(p *pass, tool *declaration) {
		name := tool.named
		if len(name) > 0 && name[0] == "api" { // a prefix of all tools
			name = name[1:]
		}
		if slices.ContainsFunc(name, isOfHTTP) && !slices.Contains(name, "merge") && !slices.Contains(name, "pull") || tool.prose.Has(ofHTTP...) && !tool.prose.Has(codes...) || slices.ContainsFunc(tool.own(), func(param *parameter) bool {
			return slices.Contains([]string{"method", "headers", "endpoint", "http_method", "queryParams", "query_params"}, param.name)
		}) {
			return
		}
		p.speaksOfRequest(tool)
		var strong, weak []*parameter
		for _, param := range tool.params {
			switch {
			case param.prose.Has(requests...) || strings.Contains(param.text, " /") && param.prose.Route() != "" || strings.HasSuffix(strings.TrimRight(param.lower, ". "), " path segment") || param.prose.Has(endpoint...) && slices.ContainsFunc(param.prose.Sentences, namesEndpoint):
				strong = append(strong, param)
			case tool.hints(param.prose) || param.isHeader() || param.prose.Has(queryOf...) && !param.hasNameOf("params", "parameters") || param.isPartOfRequest(tool):
				weak = append(weak, param)
			}
		}
		before := len(p.found)
		p.reportAll(append(strong, weak...), "is put in terms of an HTTP request, which a model does not make: say what it means to the tool",
			"are put in terms of an HTTP request, which a model does not make: say what they mean to the tool")
		if len(strong) == 0 {
			p.note(before)
		}
	},
}

// speaksOfRequest reports a tool whose text speaks of a request.
func (p *pass) speaksOfRequest(tool *declaration) {
	isStrong := tool.prose.Has(requests...) || tool.prose.Has(bodies...) && !tool.prose.Has(ofGit...) || tool.prose.Has(codes...) || tool.prose.Route() != ""
	if !isStrong && !tool.hints(tool.prose) && !(strings.Contains(tool.lower, "http ") && slices.ContainsFunc(tool.prose.Sentences, hasStatus)) {
		return
	}
	before := len(p.found)
	at, node := tool.descriptionOf()
	p.report(at, node, "the description of "+tool.Name+" speaks of an HTTP request, which a model does not make: say it in terms of tools and their arguments")
	if !isStrong {
		p.note(before)
	}
}

// hints reports whether a text speaks of a request, and the tool is not about endpoints.
func (t *declaration) hints(text *prose.Text) bool {
	return text.Has(hints...) && !text.Has(ofGit...) && !t.isNamed([]string{"endpoint"})
}

// isHeader reports whether a parameter has the name of a header of a request.
func (p *parameter) isHeader() bool {
	name := strings.ToLower(p.name)
	return p.isA("string") && (strings.HasPrefix(name, "x-") || strings.HasSuffix(name, "api-version") || slices.Contains([]string{"accept", "content-type", "authorization"}, name))
}

// isPartOfRequest reports whether a parameter is an object that stands for the body of a request, or one of several that
// stand for its parts.
func (p *parameter) isPartOfRequest(tool *declaration) bool {
	isPart := func(other *parameter) bool {
		return slices.Contains([]string{"path", "query", "params", "body"}, other.name) && (other.isA("object") || other.schema.Has("$ref"))
	}
	if p.depth > 0 || !p.isA("object") && !p.schema.Has("$ref") {
		return false
	}
	if !isPart(p) {
		return strings.HasSuffix(strings.TrimRight(p.lower, ". "), " body")
	}
	parts := 0
	for _, other := range tool.own() {
		if isPart(other) {
			parts++
		}
	}
	return parts > 1 || p.name == "body" && p.text == "" || strings.HasSuffix(strings.TrimRight(p.lower, ". "), " body")
}

// requests are phrases about the parts of a request, bodies and hints those that are clear all the same, ofGit those of other requests, and ofHTTP those of
// tools that make requests.
var (
	requests = prose.Phrases("path segment for", "value for the path", "as a path parameter", "as a query parameter", "this query parameter", "the query parameter", "query string parameter", "body parameter", "request header", "endpoint parameter", "request parameter")
	// queryOf are phrases about the query of a request, or about values in one of a database.
	queryOf = prose.Phrases("query parameters")
	bodies  = prose.Phrases("request body", "http request body", "request payload")
	ofGit   = prose.Phrases("pull request", "merge request")
	hints   = prose.Phrases("request body", "request payload", "this endpoint", "this api endpoint", "the api endpoint", "from this request", "in the request", "url-encoded")
	codes   = prose.Phrases("404 not found", "202 accepted", "200 ok", "400 bad request", "404 :", "400 :", "403 :", "curl", "error responses", "query parameter")
	ofHTTP  = prose.Phrases("http request", "http requests", "webhook", "webhooks", "api call", "api calls", "openapi", "curl command", "any endpoint")
)

// hasStatus reports whether a sentence names the status of an HTTP response, such as HTTP 422.
func hasStatus(sentence prose.Sentence) bool {
	for i := range len(sentence) - 1 {
		if sentence[i].Lower == "http" && sentence[i+1].Kind == prose.Number {
			return true
		}
	}
	return false
}

// namesEndpoint reports whether a sentence sends the reader to an endpoint, where a model has a tool.
func namesEndpoint(sentence prose.Sentence) bool {
	return sentence.Has(endpoint...) && sentence.Has(ways...)
}

var (
	endpoint = prose.Phrases("endpoint")
	ways     = prose.Phrases("via", "from", "obtained", "discoverable", "retrieved", "returned by")
)

func isOfHTTP(word string) bool {
	return slices.Contains([]string{"http", "request", "requests", "fetch", "api", "webhook", "webhooks", "url", "openapi", "swagger", "route", "routes", "network", "graphql", "proxy", "mock", "spec"}, word)
}
