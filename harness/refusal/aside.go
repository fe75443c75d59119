package refusal

import "toolproof/internal/lazy"

// Aside is a class of failures that no declaration causes. The values are part of the format of
// reports.
type Aside string

// The classes.
const (
	Auth         Aside = "auth"
	NoSuchModel  Aside = "model"
	Quota        Aside = "quota"
	Billing      Aside = "billing"
	Media        Aside = "media"
	Features     Aside = "features"
	Conversation Aside = "conversation"
	Server       Aside = "server"
	OtherFailure Aside = "other_failure"
)

// Doc says what failures of the class are about.
func (a Aside) Doc() string {
	switch a {
	case Auth:
		return "a key or a permission"
	case NoSuchModel:
		return "the model, which is missing or not available in this way"
	case Quota:
		return "too many requests"
	case Billing:
		return "an account without money"
	case Media:
		return "a file or a picture in the prompt"
	case Features:
		return "features that the model lacks or does not combine"
	case Conversation:
		return "the messages of the request, or their length"
	case Server:
		return "a failure of the provider"
	default:
		return "something else in the request"
	}
}

// asideWords are the classes of status 400 refusals that are not about a declaration, by the
// words of Google, OpenAI, Anthropic and similar providers.
var asideWords = []struct {
	class Aside
	words *lazy.Regexp
}{
	{Auth, lazy.Compile(`(?i)\bAPI[ _-]key\b|invalid_api_key|unauthori[sz]ed|authentication|permission denied|location is not supported`)},
	{Billing, lazy.Compile(`(?i)\bbilling\b|credit balance|insufficient[ _](?:quota|funds|balance)|purchase credits`)},
	{Quota, lazy.Compile(`(?i)\bquota exceeded|current quota|rate[ _]limit|too many requests|resource has been exhausted|usage limits`)},
	{Features, lazy.Compile(`(?i)^(?:JSON mode|Function calling|Tool use|Developer instruction|Thinking)\b.*\b(?:is|are) not (?:enabled|supported)|` +
		`response modalities|^Function calling with a response mime type|tool use with a response mime type|` +
		`(?:does not|doesn't|do not|not) support (?:this )?(?:tool|function|thinking|response_format|structured output|json_schema)|` +
		`(?:tools?|tool calling|response_format|json_schema|structured outputs?|functions?|reasoning|temperature)\W* (?:is|are) not supported (?:in|with|by|for) (?:this|the) model|` +
		`^Unsupported (?:parameter|value): '[a-z_]+'|(?:tools?|calling|search|grounding|mime type\S*)\b[^.]{0,60} (?:is|are) unsupported|search grounding is not supported|` +
		`^Function tools with|\bthinking (?:is|may)|^Hosted tool|^Tool '[^']*' (?:is )?not (?:supported|allowed)|^tools\.\d+: Input tag '|` +
		`^Invalid value: '[^']*'\. Supported values are: 'function'|models only support the|multiple tools are supported only|` +
		`built-in tools|at the same time is not supported|tool_choice`)},
	{NoSuchModel, lazy.Compile(`(?i)\bmodel\b[^.]{0,80}(?:does not exist|not found|decommissioned|deprecated|no longer (?:supported|available)|is not supported with the)|` +
		`^models?[/:] ?\S+ (?:is )?not found|is not a (?:chat|valid) model|invalid model`)},
	{Media, lazy.Compile(`(?i)invalid file data|file type|mime type|context stuffing|cannot fetch content|invalid[ _](?:image|file|base64)|unable to process input image|` +
		`\b(?:document|image|audio|video)\.source\b|input tag 'file'|content blocks are expected|unsupported (?:image|file|media)|image is not valid|has no pages`)},
	{Conversation, lazy.Compile(`(?i)must be followed by tool messages|function call turn|function response parts|tool_use. (?:ids|blocks)|tool call validation failed|` +
		`did not call a tool|contents? (?:is not specified|are required|must not be empty)|maximum context length|prompt is too long|^messages[.:\[]|^Invalid '(?:input|messages)\[|` +
		`no tool (?:call|output) found|previous response|thought[ _]signature|context[ _](?:length|window)|input token count`)},
	{Server, lazy.Compile(`(?i)\boverloaded(?:_error)?\b|internal (?:server )?error|service (?:is )?(?:temporarily |currently )?unavailable`)},
}

// aboutSchema matches the beginnings and places of refusals that are about a declaration,
// whatever other words they quote from it.
var aboutSchema = lazy.Compile(`^Invalid schema for|^Invalid JSON payload received|GenerateContentRequest\.|function_declarations\[|` +
	`^tools\.\d+\.(?:custom|input_schema|name)|^output_(?:format|config)\.|^Schemas? |^Unable to submit request because .*(?:schema|declaration)|[Ff]unctionDeclaration`)

// aside returns the class of the text, or "" if it may be about a declaration.
func (p *paste) aside() Aside {
	for _, refusal := range p.refusals {
		const usual = 400
		if class := AsideOf(usual, refusal.Message); class != "" {
			return class
		}
	}
	return ""
}

// AsideOf returns the class of a failure that is not about a declaration, judging by status and
// words, or "" if it may be about one.
func AsideOf(status int, message string) Aside {
	switch {
	case status == 401, status == 403:
		return Auth
	case status == 402:
		return Billing
	case status == 404:
		return NoSuchModel
	case status == 429:
		return Quota
	case status >= 500, status == 408:
		return Server
	case status != 400:
		return OtherFailure
	}
	if aboutSchema.MatchString(message) {
		return ""
	}
	for _, known := range asideWords {
		if known.words.MatchString(message) {
			return known.class
		}
	}
	return ""
}
