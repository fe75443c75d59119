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
tool instead of GET /users.`,
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
		if slices.ContainsFunc(name, isOfHTTP) || tool.prose.Has(ofHTTP...) && !tool.prose.Has(codes...) || slices.ContainsFunc(tool.own(), func(param *parameter) bool {
			return slices.Contains([]string{"method", "headers", "endpoint", "http_method", "queryParams", "query_params"}, param.name)
		}) {
			return
		}
		if tool.prose.Has(requests...) || tool.prose.Has(codes...) || tool.prose.Route() != "" || slices.ContainsFunc(tool.prose.Sentences, namesEndpoint) {
			at, node := tool.descriptionOf()
			p.report(at, node, "the description of "+tool.Name+" speaks of an HTTP request, which a model does not make: say it in terms of tools and their arguments")
		}
		var found []*parameter
		for _, param := range tool.params {
			isBody := param.isA("object") && strings.HasSuffix(strings.TrimRight(param.lower, ". "), " body")
			if isBody || param.prose.Has(requests...) || param.prose.Route() != "" || strings.HasSuffix(strings.TrimRight(param.lower, ". "), " path segment") || slices.ContainsFunc(param.prose.Sentences, namesEndpoint) {
				found = append(found, param)
			}
		}
		p.reportAll(found, "is described as a part of an HTTP request, which a model does not make: say what it means to the tool",
			"are described as parts of an HTTP request, which a model does not make: say what they mean to the tool")
	},
}

// requests are phrases about the parts of a request, and ofHTTP those of tools that make requests.
var (
	requests = prose.Phrases("path segment for", "value for the path", "as a path parameter", "value for the path parameter", "the path segment", "as a query parameter", "this query parameter", "the query parameter", "query string parameter", "request body", "body parameter", "request header", "this endpoint", "this api endpoint", "endpoint parameter", "paginated endpoints", "the api endpoint",
		"request payload", "url parameter", "http request body", "post body", "request parameter", "method parameters", "from this request", "call to this method")
	codes  = prose.Phrases("404 not found", "202 accepted", "200 ok", "400 bad request", "403 forbidden", "404 :", "400 :", "403 :", "401 unauthorized", "429 :", "curl", "error responses", "query parameter")
	ofHTTP = prose.Phrases("http request", "http requests", "network requests", "webhook", "webhooks", "rest api request", "api call", "api calls", "openapi", "openapi specification", "api testing", "curl command", "any endpoint", "scrape", "api documentation")
)

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
