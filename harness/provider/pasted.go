package provider

import (
	"encoding/json"
	"strings"

	"toolproof/internal/lazy"
)

// Limits for reading pasted text.
const (
	longestPaste = 1 << 18 // bytes; an error message is never longer
	mostWrappers = 8       // nested bodies
	mostStarts   = 64      // places where a body may begin
	deepestBody  = 64      // nested brackets
)

// ParsePasted reads a refusal as people copy it: the body of an answer, with or without text
// around it, or the message alone. If the message contains another body, as with gateways, it
// reads that one. Bodies may be JSON, JSON inside a string, or values that Python printed.
// Names of exceptions that clients put before the message are removed.
func ParsePasted(text string) Response {
	text = text[:min(len(text), longestPaste)]
	response := Response{Verdict: Rejected, Message: strings.TrimSpace(text)}
	for range mostWrappers {
		body, ok := bodyIn(response.Message)
		if !ok {
			break
		}
		response.Message = strings.TrimSpace(body.Message)
		if param, code := textOf(body.Param), textOf(body.Code); param != "" || code != "" {
			response.Param, response.Code = param, code
		}
	}
	response.Message = withoutException(response.Message)
	if !strings.Contains(response.Message, "\n") || strings.Contains(response.Message, `\'`) {
		// A message copied out of a printed string still has its escapes.
		response.Message = strings.NewReplacer(`\n`, "\n", `\'`, "'", `\"`, `"`).Replace(response.Message)
	}
	return response
}

// exception matches what LiteLLM, the AI SDK, LangChain and the providers' SDKs put
// before a provider's message.
var exception = lazy.Compile(`^(?:(?:[\w.]*(?:Error|Exception)(?: \[\w+\])?|Error code: \d{3}|\[?API Error|got status: \d{3}[\w ]*)\s*(?::|-)\s+` +
	`|\w+(?:Exception|Error)(?: \w+)? - |[45]\d\d\s+(?:[A-Z_]{4,}[.:]\s+)?)`)

// withoutException strips the exception names before a message.
func withoutException(message string) string {
	for range mostWrappers {
		prefix := exception.FindString(message)
		if prefix == "" || len(prefix) == len(message) {
			break
		}
		message = message[len(prefix):]
	}
	return message
}

// pastedError has the members of an error that are read from the bodies of any provider.
type pastedError struct {
	Message json.RawMessage `json:"message"`
	Param   any             `json:"param"`
	Code    any             `json:"code"`
	// Metadata holds what OpenRouter says about the provider behind it.
	Metadata struct {
		Raw json.RawMessage `json:"raw"`
	} `json:"metadata"`
}

// pastedBody is the body of a refusal; Error is a string or a pastedError.
type pastedBody struct {
	pastedError

	Error        json.RawMessage `json:"error"`
	Detail       json.RawMessage `json:"detail"`
	ResponseBody json.RawMessage `json:"responseBody"` // of the AI SDK
}

// unwrapped is a message with the param and the code of the body that it was in.
type unwrapped struct {
	Message     string
	Param, Code any
}

// quoting matches the words after which a provider's message quotes a part of a schema, which
// must not be taken for a body.
var quoting = lazy.Compile(`Invalid schema for (?:function|response_format) '|Schema type is missing for schema|could not understand the instance|Unrecognized schema`)

// bodyIn finds the first body of a refusal in a text.
func bodyIn(text string) (unwrapped, bool) {
	if words := quoting.FindStringIndex(text); words != nil && !strings.Contains(text[:words[0]], "{") {
		return unwrapped{}, false
	}
	starts := 0
	for start := 0; start < len(text) && starts < mostStarts; start++ {
		if text[start] != '{' && !isBytes(text[start:]) {
			continue
		}
		starts++
		body, end := read(text[start:])
		if found, ok := body.message(); ok {
			return found, true
		}
		start += end
	}
	return unwrapped{}, false
}

// isBytes reports whether a text begins with a bytes literal of Python.
func isBytes(text string) bool {
	return strings.HasPrefix(text, "b'{") || strings.HasPrefix(text, `b"{`)
}

// read reads the body at the beginning of a text, as JSON or as Python prints it. The
// body is empty if there is none; end is the offset from which the next one may start.
func read(text string) (body pastedBody, end int) {
	if isBytes(text) {
		literal, length := pythonText(text[1:])
		body, _ := read(literal)
		return body, length
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	var value json.RawMessage
	if decoder.Decode(&value) == nil {
		if json.Unmarshal(value, &body) == nil {
			return body, 0
		}
		return pastedBody{}, 0
	}
	if value, ok := pythonValue(text); ok && json.Unmarshal([]byte(value), &body) == nil {
		return body, 0
	}
	return pastedBody{}, 0
}

// message returns the message of a body. What a gateway quotes from the provider behind
// it takes precedence over the gateway's own words.
func (b pastedBody) message() (unwrapped, bool) {
	var inner pastedError
	if len(b.Error) > 0 && json.Unmarshal(b.Error, &inner) == nil {
		if raw := plain(inner.Metadata.Raw); raw != "" {
			return unwrapped{Message: raw}, true
		}
		if len(inner.Message) > 0 { // an empty message says nothing
			return unwrapped{plain(inner.Message), inner.Param, inner.Code}, true
		}
	}
	if text := plain(b.Error); text != "" {
		return unwrapped{Message: text, Code: b.Code}, true
	}
	if raw := plain(b.ResponseBody); raw != "" {
		return unwrapped{Message: raw}, true
	}
	if raw := plain(b.Metadata.Raw); raw != "" {
		return unwrapped{Message: raw}, true
	}
	for _, message := range []json.RawMessage{b.Message, b.Detail} {
		if text := plain(message); text != "" {
			return unwrapped{text, b.Param, b.Code}, true
		}
	}
	return unwrapped{}, false
}

// plain returns the value of a string, the JSON text of an object, or "".
func plain(value json.RawMessage) string {
	text := ""
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	if len(value) > 0 && value[0] == '{' {
		return string(value)
	}
	return ""
}

// pythonValue converts a dictionary that Python printed, at the beginning of a text, to
// JSON.
func pythonValue(text string) (value string, ok bool) {
	var written strings.Builder
	depth := 0
	for i := 0; i < len(text); {
		switch letter := text[i]; letter {
		case '\'', '"':
			literal, length := pythonText(text[i:])
			if length == 0 {
				return "", false
			}
			quoted, err := json.Marshal(literal)
			if err != nil {
				return "", false
			}
			written.Write(quoted)
			i += length
			continue
		case '{', '[':
			if depth++; depth > deepestBody {
				return "", false
			}
		case '}', ']':
			depth--
		}
		if word := pythonWord(text[i:]); word != "" {
			written.WriteString(pythonWords[word])
			i += len(word)
			continue
		}
		written.WriteByte(text[i])
		i++
		if depth == 0 {
			return written.String(), true
		}
	}
	return "", false
}

// pythonWords maps Python's literals to those of JSON.
var pythonWords = map[string]string{"None": "null", "True": "true", "False": "false"}

func pythonWord(text string) string {
	for word := range pythonWords {
		if strings.HasPrefix(text, word) {
			return word
		}
	}
	return ""
}

// pythonText reads a string literal of Python at the beginning of a text. The length of
// the literal is 0 if it does not end.
func pythonText(text string) (literal string, length int) {
	quote := text[0]
	var read strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return read.String(), i + 1
		case text[i] == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case 'n':
				read.WriteByte('\n')
			case 't':
				read.WriteByte('\t')
			case 'r':
				read.WriteByte('\r')
			case '\\', '\'', '"':
				read.WriteByte(text[i])
			default: // leave any other escape as it is
				read.WriteByte('\\')
				read.WriteByte(text[i])
			}
		default:
			read.WriteByte(text[i])
		}
	}
	return "", 0
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}
