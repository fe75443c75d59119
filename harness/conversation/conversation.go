// Package conversation says what providers refuse of a request besides its declarations:
// results without a call, calls without a result, an empty list of tools, two features that
// exclude each other. Each rule is data with the provider's words and where they were seen,
// on which day. What no evidence refuses is let pass.
package conversation

import (
	"fmt"
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Asked is a request, as the rules see it.
type Asked struct {
	API     provider.API
	Service string // the part of the names of its surfaces before the slash
	Model   string // the provider's model that the request names
	Body    *schema.Node
	Day     provider.Date
}

// Rule is one thing that a service refuses.
type Rule struct {
	Name string // snake_case, unique
	Doc  string // one line
	API  provider.API
	// Services are those of which it is known.
	Services []string
	// Since, Until and Models are as those of a provider.Rule.
	Since, Until provider.Date
	Models       []string
	Status       int    // of HTTP; 0 means 400
	code         string // what OpenAI's error calls code; empty for null
	// Words are the provider's, with %s for what Check returns.
	Words string
	// Sources are where the words were seen.
	Sources []Source
	// Refused and Accepted are bodies of requests, the second being a near miss: an example
	// for readers, and a test. Model is the model that they ask, and On the day; empty means
	// any and today.
	Refused, Accepted string
	model             string
	on                provider.Date
	// check returns what is refused, or nil.
	check func(*Asked) *found
}

// Key is what a service says to a request without a key.
type Key struct {
	Services []string
	Status   int
	Message  string
	Sources  []Source
}

// Keys are what is known of requests without a key.
var Keys = []*Key{
	{
		openAI, 401,
		"You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), " +
			"or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. " +
			"You can obtain an API key from https://platform.openai.com/account/api-keys.",
		[]Source{{"https://github.com/openai/openai-python/issues/1434", "2024-05-22"}, {"https://github.com/continuedev/continue/issues/11228", "2026-03-09"}},
	},
	{
		claude, 401, "x-api-key header is required",
		[]Source{{"https://github.com/karthink/gptel/issues/354", "2024-08-04"}, {"https://github.com/n8n-io/n8n/issues/37930", "2026"}},
	},
	{
		gemini, 403,
		"Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
		[]Source{{"https://github.com/UnityGameStudio/Gemini-Unity-Package/issues/1", "2025-10-24"}, {"https://github.com/PublicAffairs/openai-gemini/issues/92", "2026-05-10"}},
	},
}

// KeyOf returns what a service says to a request without a key, or nil where it is not known.
func KeyOf(service string) *Key {
	for _, key := range Keys {
		if slices.Contains(key.Services, service) {
			return key
		}
	}
	return nil
}

// ModelNotFound is how Responses says that it has no model, %s. Other APIs say it in other
// words.
var ModelNotFound = struct {
	Source

	Words string
}{
	Source{"https://github.com/pydantic/pydantic-ai, a recorded answer of Responses", "2026-08-13"},
	"The requested model '%s' does not exist.",
}

// ResponseNotFound is how Responses says that it has no response, %s, to go on with.
var ResponseNotFound = struct {
	Source

	Words, Code string
}{
	Source{"https://github.com/maximhq/bifrost/issues/2441", "2026-03-31"},
	"Previous response with id '%s' not found.", "previous_response_not_found",
}

// Source is a public answer.
type Source struct {
	URL  string
	Date provider.Date
}

// found is what a rule finds.
type found struct {
	words []any  // for the verbs of Rule.Words
	param string // what OpenAI's error calls param; empty for null
}

// Refusal is an answer that refuses a request.
type Refusal struct {
	rule    *Rule
	Status  int // of HTTP
	Message string
	Param   string
	Code    string
}

// Rules are all rules, in the order in which a request is judged. Which of two faults a
// provider names first is not known.
var Rules = slices.Concat(chatRules, responsesRules, messagesRules, googleRules)

// Judge returns the refusal of the first rule that refuses a request, or nil.
func Judge(asked *Asked, rules []*Rule) *Refusal {
	for _, rule := range rules {
		dated := provider.Rule{Since: rule.Since, Until: rule.Until, Models: rule.Models}
		if rule.API != asked.API || !slices.Contains(rule.Services, asked.Service) || !dated.InForce(asked.Day, asked.Model) {
			continue
		}
		if found := rule.check(asked); found != nil {
			refusal := &Refusal{rule: rule, Status: rule.Status, Message: fmt.Sprintf(rule.Words, found.words...), Param: found.param, Code: rule.code}
			if refusal.Status == 0 {
				refusal.Status = 400
			}
			return refusal
		}
	}
	return nil
}

// refuse makes what a check returns.
func refuse(param string, words ...any) *found { return &found{words: words, param: param} }

// list returns the elements of a list; one value counts as a list of one.
func list(node *schema.Node) []*schema.Node {
	switch {
	case node == nil || node.Kind == schema.Null:
		return nil
	case node.Kind != schema.Array:
		return []*schema.Node{node}
	default:
		return node.Elements
	}
}

// isEmptyList reports whether a member is a list without elements.
func isEmptyList(node *schema.Node) bool {
	return node != nil && node.Kind == schema.Array && len(node.Elements) == 0
}

// isGiven reports whether a member is there and not null.
func isGiven(body *schema.Node, name string) bool { return body.First(name) != nil }
