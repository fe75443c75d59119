// Package conversation judges what providers refuse in a request besides its
// declarations: results without a call, calls without a result, an empty list of tools,
// features that exclude each other. Each rule has the provider's words, with where and
// when they were seen. What is not known to be refused is accepted.
package conversation

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// Request is a request to judge.
type Request struct {
	API     provider.API
	Service string // the part before the slash in the names of its surfaces
	Model   string // the provider's model that the request names
	Body    *schema.Node
	Day     provider.Date
	// IsForged reports whether a signature of thinking is not one that the service gave; nil if nobody
	// can tell.
	IsForged func(signature string) bool
	// ReasoningOf returns the identifier of the reasoning that came right before a call of an identifier in
	// an answer of the service, "" if there was none; nil if nobody can tell.
	ReasoningOf func(call string) string
}

// Rule is one thing that a service refuses.
type Rule struct {
	Name string // snake_case, unique
	Doc  string // one line
	API  provider.API
	// Services are those known to refuse it.
	Services []string
	// Since, Until and Models are as those of a provider.Rule.
	Since, Until provider.Date
	Models       []string
	Status       int    // of HTTP; 0 means 400
	code         string // what OpenAI's error calls code; empty for null
	// Words are the provider's, a format for the words that check finds.
	Words string
	// Instead says what to send instead, as a format of which every verb has the index of one of the
	// words that check finds.
	Instead string
	// Sources are where the words were seen.
	Sources []Source
	// Refused and Accepted are bodies of requests, examples for readers and tests at
	// once; Accepted is a near miss. They are sent to model, or any if empty, on a day,
	// today if empty.
	Refused, Accepted string
	model             string
	on                provider.Date
	// check returns what the request violates, or nil.
	check func(*Request) *found
}

// Key is how a service answers a request without a key.
type Key struct {
	Services []string
	Status   int
	Message  string
	Sources  []Source
}

// Keys are the known answers to requests without a key.
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

// KeyOf returns how a service answers a request without a key, or nil if that is not
// known.
func KeyOf(service string) *Key {
	for _, key := range Keys {
		if slices.Contains(key.Services, service) {
			return key
		}
	}
	return nil
}

// ModelNotFound is how Responses says that it has no model of a name. Other APIs have
// other words.
var ModelNotFound = struct {
	Source

	Words string
}{
	Source{"https://github.com/pydantic/pydantic-ai, a recorded answer of Responses", "2026-08-13"},
	"The requested model '%s' does not exist.",
}

// ResponseNotFound is how Responses says that it has no previous response of an
// identifier.
var ResponseNotFound = struct {
	Source

	Words, Code string
}{
	Source{"https://github.com/maximhq/bifrost/issues/2441", "2026-03-31"},
	"Previous response with id '%s' not found.", "previous_response_not_found",
}

// ThreadNotFound is how Messages says that it holds no thread with a message of an identifier, with
// status 404. The words are those of the client's documentation; the client replays the conversation
// because of the code.
var ThreadNotFound = struct {
	Source

	Words, Code string
}{
	Source{"ThreadNotFoundError of @anthropic-ai/sdk 1.12.0 on npm", "2026-11-20"},
	"No usable Thread state was found for `previous_message_id`. Replay the full conversation with `thread: {\"type\": \"create\"}` to start a new Thread.",
	"thread_not_found",
}

// Source is where a provider's answer is published.
type Source struct {
	URL  string
	Date provider.Date
}

// found is the violation that a rule found.
type found struct {
	words []any        // the arguments of the format Rule.Words
	param string       // what OpenAI's error calls param; empty for null
	node  *schema.Node // of the body, to blame; nil if param says which
}

// at says which part of the body is to blame.
func (f *found) at(node *schema.Node) *found {
	f.node = node
	return f
}

// Refusal is a provider's answer to a request that a rule refuses.
type Refusal struct {
	Rule    *Rule
	Status  int // of HTTP
	Message string
	Param   string
	Code    string
	// At is the part of the body that is to blame; empty if that is the whole request.
	At schema.Pointer
	// Instead says what to send instead.
	Instead string
}

// Rules are all rules, in the order in which they judge a request. Which of two
// violations a provider reports is not known.
var Rules = slices.Concat(chatRules, compatibleRules, hostRules, responsesRules, messagesRules, googleRules, askRules)

// holds reports whether the rule is in force for a request.
func (r *Rule) holds(request *Request) bool {
	dated := provider.Rule{Since: r.Since, Until: r.Until, Models: r.Models}
	return r.API == request.API && slices.Contains(r.Services, request.Service) && dated.InForce(request.Day, request.Model)
}

// Judge returns the refusal of the first rule that refuses a request, or nil.
func Judge(request *Request, rules []*Rule) *Refusal {
	for _, rule := range rules {
		if !rule.holds(request) {
			continue
		}
		if refusal := rule.Refuses(request); refusal != nil {
			return refusal
		}
	}
	return nil
}

// Ignored returns what the service of a request accepts and does not do.
func Ignored(request *Request) []*Refusal {
	var all []*Refusal
	for _, rule := range Ignoring {
		if ignored := rule.Refuses(request); rule.holds(request) && ignored != nil {
			all = append(all, ignored)
		}
	}
	return all
}

// Refuses returns the refusal of a request that has what the rule refuses, whatever its service, its model and
// its day, or nil.
func (r *Rule) Refuses(request *Request) *Refusal {
	found := r.check(request)
	if found == nil {
		return nil
	}
	refusal := &Refusal{
		Rule: r, Status: r.Status, Message: fmt.Sprintf(r.Words, found.words...), Param: found.param, Code: r.code,
		At: found.place(request.Body), Instead: r.instead(found.words),
	}
	if refusal.Status == 0 {
		refusal.Status = 400
	}
	return refusal
}

// instead returns what to send instead.
func (r *Rule) instead(words []any) string {
	if !strings.Contains(r.Instead, "%[") {
		return r.Instead
	}
	return fmt.Sprintf(r.Instead, words...)
}

// refuse makes the result of a check.
func refuse(param string, words ...any) *found { return &found{words: words, param: param} }

// isEmptyList reports whether a member is a list without elements.
func isEmptyList(node *schema.Node) bool {
	return node != nil && node.Kind == schema.Array && len(node.Elements) == 0
}

// isGiven reports whether a member is present and not null.
func isGiven(body *schema.Node, name string) bool { return body.First(name) != nil }
