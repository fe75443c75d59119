package openai

import (
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// The forms in which OpenAI's messages name a place.
var (
	invalidSchema = lazy.Compile(`(?s)Invalid schema for (function|response_format) '([^']*)': (.*)`)
	// inContext matches the path to a subschema, as a tuple of Python.
	inContext = lazy.Compile(`context=\s*\(((?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[,\s])*)\)`)
	// contextToken matches one string of the tuple. Python prints a string that has an
	// apostrophe in double quotes.
	contextToken = lazy.Compile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)
	// param matches a path in the request, from the message or from the member param. The path
	// may begin with a namespace or an item of the input. tools[i] or functions[i] follows,
	// and then the rest of the path.
	param = lazy.Compile(`((?:tools\[\d+\]\.|input\[\d+\]\.)?)(?:tools\[(\d+)\]|functions\[(\d+)\])((?:\.\w+|\[\d+\])*)`)
	// ofStrict matches words that refuse strict schemas only.
	ofStrict = lazy.Compile(`is not permitted|is required to be supplied|cannot have keywords|must have a 'type' key|` +
		`identical first keys|levels of nesting|reference can only point to`)
	// ofRust matches words of a Rust library that other providers use. OpenAI's messages are
	// those of a Python library, which prints None and single quotes.
	ofRust = lazy.Compile(`got 'type: null'|is not of type "|listed in the '\w+' keyword`)
	// inParam matches a message about a path in the request.
	inParam = lazy.Compile(`(?:Invalid|Missing required parameter:|Unknown parameter:) '((?:tools|functions|input\[\d+\]\.tools)\[\d+\][^']*)'`)
)

// locator makes the Locate of a surface. isStrict says that its schemas are strict.
func locator(surface *surface, isStrict bool) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		if index := param.FindStringSubmatch(refusal.Param); index != nil && !isOn(surface, index) {
			return nil
		}
		if match := invalidSchema.FindStringSubmatch(refusal.Message); match != nil {
			if ofRust.MatchString(match[3]) {
				return nil
			}
			if match[1] != surface.subject || ofStrict.MatchString(match[3]) && !isStrict {
				return nil
			}
			return []provider.Place{locateSchema(surface, match, refusal.Param, declarations)}
		}
		match := inParam.FindStringSubmatch(refusal.Message)
		if match == nil || surface.subject != "function" {
			return whole(surface, refusal.Message, declarations)
		}
		place := provider.Place{Declaration: provider.Nowhere, Location: match[1], Message: refusal.Message}
		index := param.FindStringSubmatch(match[1])
		if !isOn(surface, index) {
			return nil
		}
		if place.Declaration = provider.DeclarationAt(declarations, indexOf(index)); place.Declaration != provider.Nowhere {
			place.At = inRequest(declarations[place.Declaration], strings.TrimPrefix(index[4], ".function"))
		}
		return []provider.Place{place}
	}
}

// ofFunctions, ofChat, ofResponses and inPart match messages, or parts of messages, that name
// neither a place nor a function. The first three are those of one surface each.
var (
	ofFunctions = lazy.Compile(`Invalid 'tools': array too long[^\n]*`)
	ofChat      = lazy.Compile(`Invalid type for 'response_format\.json_schema\.schema'[^\n]*`)
	ofResponses = lazy.Compile(`Invalid type for 'text\.format\.schema'[^\n]*`)
	inPart      = lazy.Compile(`(?:In context=\([^\n]*|'?\w+'? is not permitter?d|\$ref cannot have keywords|must not share identical first keys|` +
		`array schema missing items|'[\w-]+' is not a valid format|schema must have a 'type' key)[^\n]*`)
)

// whole reads a message that names no place. It means the schema if there is only one.
func whole(surface *surface, message string, declarations []*schema.Node) []provider.Place {
	words := inPart.FindString(message)
	if own := surface.whole.FindString(message); own != "" {
		words = own
	}
	switch {
	case words == "", strings.Contains(message, "for function") != (surface.subject == "function") && strings.Contains(message, "Invalid schema for"):
		return nil
	case ofFunctions.MatchString(words):
		return []provider.Place{{Declaration: provider.Elsewhere, Location: "tools", Message: words}}
	case len(declarations) == 1:
		return []provider.Place{{At: "/parameters", Message: words}}
	default:
		return []provider.Place{{Declaration: provider.Nowhere, Message: words}}
	}
}

// indexOf returns the index of a declaration in a match of param, or Nowhere if the path leads into
// a namespace or an item of the input.
func indexOf(match []string) int {
	if match[1] != "" {
		return provider.Nowhere
	}
	number, _ := strconv.Atoi(match[2] + match[3]) // one of the two is empty
	return number
}

// isOn reports whether a path that param matches is one of the surface. Those of Chat contain
// .function or functions, and those of Responses do not.
func isOn(surface *surface, match []string) bool {
	ofChat := match[3] != "" || strings.HasPrefix(match[4], ".function")
	return surface.subject == "function" && ofChat == strings.Contains(surface.tool, ".function")
}

// inRequest returns the pointer for a path such as .parameters.type, as far as the declaration has
// the path.
func inRequest(declaration *schema.Node, rest string) schema.Pointer {
	at := schema.Pointer("")
	for _, token := range strings.FieldsFunc(rest, func(letter rune) bool { return strings.ContainsRune(".[]", letter) }) {
		if declaration = declaration.Step(token); declaration == nil {
			break
		}
		at = at.Child(token)
	}
	return at
}

// locateSchema finds the place of a message about the schema of a function or of a
// response.
func locateSchema(surface *surface, match []string, inParam string, declarations []*schema.Node) provider.Place {
	name, words := match[2], match[3]
	place := provider.Place{Declaration: provider.DeclarationNamed(declarations, name), Name: name, Location: name, Message: strings.TrimSpace(match[0])}
	if surface.subject != "function" && place.Declaration == provider.Nowhere && len(declarations) == 1 {
		place.Declaration = 0 // a bare schema does not have the name of its format
	}
	if index := param.FindStringSubmatch(inParam); index != nil && place.Declaration != provider.Nowhere {
		// The index tells several tools of one name apart.
		number := indexOf(index)
		if number >= 0 && number < len(declarations) && provider.DeclarationNamed(declarations[number:number+1], name) == 0 {
			place.Declaration = number
		}
	}
	var tokens []string
	if context := inContext.FindStringSubmatch(words); context != nil {
		place.Location += " " + strings.Join(strings.Fields(context[0]), " ")
		for _, token := range contextToken.FindAllStringSubmatch(context[1], -1) {
			tokens = append(tokens, strings.NewReplacer(`\'`, "'", `\"`, `"`, `\\`, `\`).Replace(token[1]+token[2]))
		}
	}
	if place.Declaration == provider.Nowhere {
		return place
	}
	at, ok := follow(declarations[place.Declaration].Get(surface.parameters), tokens)
	if !ok {
		place.Declaration = provider.Nowhere
		return place
	}
	place.At = "/parameters" + at
	return place
}

// follow returns the pointer from the root of a schema to the place of a context. If the root does
// not have the place, the context is one in a definition, where contexts begin at the
// definition, and the first definition that has the place counts.
func follow(root *schema.Node, tokens []string) (at schema.Pointer, ok bool) {
	for _, token := range tokens {
		at = at.Child(token)
	}
	if len(tokens) == 0 || root.Find(at) != nil {
		return at, true
	}
	for _, keyword := range []string{"$defs", "definitions"} {
		definitions := root.Get(keyword)
		if definitions == nil {
			continue
		}
		for _, definition := range definitions.Members {
			if definition.Value.Find(at) != nil {
				return schema.Pointer("").Child(keyword).Child(definition.Key) + at, true
			}
		}
	}
	return "", false
}
