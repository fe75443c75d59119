package provider

import (
	"encoding/json"
	"regexp"
	"strings"

	"toolproof/schema"
)

// Place is where a provider's message points, in the declarations that it is read
// with.
type Place struct {
	// Declaration counts from 0; -1 when the declarations do not have the place.
	Declaration int
	// At leads from the tool to the value, as in a Finding: "/parameters/properties/x".
	// A value that is missed is pointed at by what it is missed in.
	At schema.Pointer
	// Location is the place in the provider's own syntax.
	Location string
	// Message is the part of the message that speaks of the place.
	Message string
}

// Nowhere is the Declaration of a place that the declarations do not have.
const Nowhere = -1

// ParsePasted reads a refusal as people copy it: the body of the answer, a text with
// the body in it, or the message alone. A body whose message is a body again, as a
// gateway passes it on, is unwrapped.
func ParsePasted(text string) Response {
	response := Response{Verdict: Rejected, Message: strings.TrimSpace(text)}
	const deepest = 4
	for range deepest {
		body, ok := bodyIn(response.Message)
		if !ok {
			break
		}
		response.Message = strings.TrimSpace(body.Message)
		response.Param, response.Code = textOf(body.Param), textOf(body.Code)
	}
	if match := pythonMessage.FindStringSubmatch(response.Message); match != nil {
		response.Message = match[1] + match[2]
		if match := pythonParam.FindStringSubmatch(text); match != nil {
			response.Param = match[1]
		}
	}
	if !strings.Contains(response.Message, "\n") || strings.Contains(response.Message, `\'`) {
		// A message that is copied out of a printed string has its escapes.
		response.Message = strings.NewReplacer(`\n`, "\n", `\'`, "'", `\"`, `"`).Replace(response.Message)
	}
	return response
}

// A body as Python prints it, which is how most SDKs show an error.
var (
	pythonMessage = regexp.MustCompile(`'message': (?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')`)
	pythonParam   = regexp.MustCompile(`'param': '([^']*)'`)
)

// pastedError is what the envelopes of all providers share.
type pastedError struct {
	Message string `json:"message"`
	Param   any    `json:"param"`
	Code    any    `json:"code"`
}

// maxBodies is how many places of a text are tried that a body may begin at. Each costs
// the length of the text.
const maxBodies = 100

// bodyIn finds the first body of a refusal in a text.
func bodyIn(text string) (pastedError, bool) {
	tried := 0
	for start := range len(text) {
		if text[start] != '{' {
			continue
		}
		if tried++; tried > maxBodies {
			break
		}
		var body struct {
			pastedError

			Error json.RawMessage `json:"error"`
		}
		if err := json.NewDecoder(strings.NewReader(text[start:])).Decode(&body); err != nil {
			continue
		}
		var inner pastedError
		if json.Unmarshal(body.Error, &inner) == nil && inner.Message != "" {
			return inner, true
		}
		if body.Message != "" {
			return body.pastedError, true
		}
	}
	return pastedError{}, false
}

// Alike reports whether one message says what the other does, or a part of it.
// Numbers and spaces are left aside: they are those of another request.
func Alike(a, b string) bool {
	a, b = wordsOf(a), wordsOf(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

func wordsOf(message string) string {
	return strings.Map(func(letter rune) rune {
		if strings.ContainsRune("0123456789 \n\t", letter) {
			return -1
		}
		return letter
	}, message)
}

func textOf(value any) string {
	text, _ := value.(string)
	return text
}

// DeclarationNamed returns the declaration of a function: the one of that name, or
// else the only one whose name the function's ends with, because clients put the
// name of a server before it. It returns Nowhere when there is none.
func DeclarationNamed(declarations []*schema.Node, function string) int {
	longest, found := 0, Nowhere
	for i, declaration := range declarations {
		name := nameOf(declaration)
		if name == function {
			return i
		}
		prefix, ok := strings.CutSuffix(function, name)
		if !ok || name == "" || !strings.HasSuffix(prefix, "_") && !strings.HasSuffix(prefix, "-") && !strings.HasSuffix(prefix, ".") {
			continue
		}
		if len(name) > longest {
			longest, found = len(name), i
		}
	}
	return found
}

func nameOf(declaration *schema.Node) string {
	if function := declaration.Get("function"); function != nil {
		declaration = function
	}
	return declaration.GetString("name")
}

// DeclarationAt returns the declaration at an index that a provider tells. Where
// there is one alone, it is meant: people paste the tool that was refused and not
// the whole request.
func DeclarationAt(declarations []*schema.Node, index int) int {
	switch {
	case index >= 0 && index < len(declarations):
		return index
	case len(declarations) == 1:
		return 0
	default:
		return Nowhere
	}
}
