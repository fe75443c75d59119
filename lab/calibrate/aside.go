package calibrate

import "toolproof/internal/lazy"

// The classes of rows that are set aside, because they ask nothing, or because their failure is
// not about a declaration. They are part of the format of reports.
const (
	NoModelOfSurface  = "no_model_of_surface"
	NoModelOfProvider = "no_model_of_provider"
	NoSchema          = "no_schema"     // nothing declared
	Unreadable        = "unreadable"    // request cannot be read
	Auth              = "auth"          // key or permission
	NoSuchModel       = "model"         // model missing or not available in this way
	Quota             = "quota"         // too many requests
	Billing           = "billing"       // account without money
	Media             = "media"         // file or picture in the prompt
	Features          = "features"      // combination that the model lacks
	Conversation      = "conversation"  // messages or the model's answer
	Server            = "server"        // failure of the provider
	OtherFailure      = "other_failure" // any other failure
)

// classesOfWords are the classes of status 400 refusals that are not about a declaration, by
// the words of Google, OpenAI, Anthropic and similar providers.
var classesOfWords = []struct {
	class string
	words *lazy.Regexp
}{
	{Auth, lazy.Compile(`(?i)\bAPI[ _]key\b|api key (?:not|is)|unauthori[sz]ed|authentication|permission denied|location is not supported`)},
	{Billing, lazy.Compile(`(?i)\bbilling\b|credit balance|insufficient[ _](?:quota|funds|balance)|purchase credits`)},
	{Quota, lazy.Compile(`(?i)\bquota exceeded|rate limit|too many requests|resource has been exhausted|usage limits`)},
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
		`no tool (?:call|output) found|previous response|thought[ _]signature`)},
}

// aboutSchema matches the beginnings and places of refusals that are about a declaration,
// whatever other words they quote from it.
var aboutSchema = lazy.Compile(`^Invalid schema for|^Invalid JSON payload received|GenerateContentRequest\.|function_declarations\[|` +
	`^tools\.\d+\.(?:custom|input_schema|name)|^output_(?:format|config)\.|^Schemas? |^Unable to submit request because .*(?:schema|declaration)|[Ff]unctionDeclaration`)

// ClassOf returns the class of a failure that is not about a declaration, judging by status and
// words, or "" if it may be about one.
func ClassOf(status int, message string) string {
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
	for _, known := range classesOfWords {
		if known.words.MatchString(message) {
			return known.class
		}
	}
	return ""
}

// messageOf returns the message of a recorded error: a text, an object with a message, or
// either inside another object.
func (r *Row) messageOf() string {
	node := parse(r.ResponseError)
	for _, key := range []string{"error", "message"} {
		if inner := node.First(key); inner != nil {
			node = inner
		}
	}
	if node == nil {
		return ""
	}
	return node.Text
}
