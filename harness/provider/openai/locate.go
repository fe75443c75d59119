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
	// contextToken matches one part of it. Python prints a name with an apostrophe in
	// double quotes.
	contextToken = lazy.Compile(`'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"`)
	// param matches a path in the request, from the message or from the member param:
	// optionally a namespace or an item of the input, then tools[i] or functions[i], then
	// the rest.
	param = lazy.Compile(`((?:tools\[\d+\]\.|input\[\d+\]\.)?)(?:tools\[(\d+)\]|functions\[(\d+)\])((?:\.\w+|\[\d+\])*)`)
	// ofStrict matches words with which only strict schemas are refused.
	ofStrict = lazy.Compile(`is not permitted|is required to be supplied|cannot have keywords|must have a 'type' key|` +
		`identical first keys|levels of nesting|reference can only point to`)
	// ofRust matches words of a library that other providers use. OpenAI's library is one
	// of Python, which prints None and single quotes.
	ofRust = lazy.Compile(`got 'type: null'|is not of type "|listed in the '\w+' keyword`)
	// inParam matches a message about a path in the request.
	inParam = lazy.Compile(`(?:Invalid|Missing required parameter:|Unknown parameter:) '((?:tools|functions|input\[\d+\]\.tools)\[\d+\][^']*)'`)
)

// locator makes the Locate of a surface. isStrict says that its schemas are strict.
func locator(served *surface, isStrict bool) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		if index := param.FindStringSubmatch(refusal.Param); index != nil && !isOn(served, index) {
			return nil
		}
		if match := invalidSchema.FindStringSubmatch(refusal.Message); match != nil {
			if ofRust.MatchString(match[3]) {
				return nil
			}
			if match[1] != served.subject || ofStrict.MatchString(match[3]) && !isStrict {
				return nil
			}
			return []provider.Place{locateSchema(served, match, refusal.Param, declarations)}
		}
		match := inParam.FindStringSubmatch(refusal.Message)
		if match == nil || served.subject != "function" {
			return whole(served, refusal.Message, declarations)
		}
		place := provider.Place{Declaration: provider.Nowhere, Location: match[1], Message: refusal.Message}
		index := param.FindStringSubmatch(match[1])
		if !isOn(served, index) {
			return nil
		}
		if place.Declaration = provider.DeclarationAt(declarations, indexOf(index)); place.Declaration != provider.Nowhere {
			place.At = inRequest(declarations[place.Declaration], strings.TrimPrefix(index[4], ".function"))
		}
		return []provider.Place{place}
	}
}

// Messages that name neither a place nor a function, by what they are about. Those about
// strict schemas count only with words that ofStrict matches.
var (
	ofFunctions = lazy.Compile(`Invalid 'tools': array too long[^\n]*`)
	ofChat      = lazy.Compile(`Invalid type for 'response_format\.json_schema\.schema'[^\n]*`)
	ofResponses = lazy.Compile(`Invalid type for 'text\.format\.schema'[^\n]*`)
	inPart      = lazy.Compile(`(?:In context=\([^\n]*|'?\w+'? is not permitter?d|\$ref cannot have keywords|must not share identical first keys|` +
		`array schema missing items|'[\w-]+' is not a valid format|schema must have a 'type' key)[^\n]*`)
)

// whole reads a message that names no place: if there is only one schema, it is meant.
func whole(served *surface, message string, declarations []*schema.Node) []provider.Place {
	said := inPart.FindString(message)
	if text := served.whole.FindString(message); text != "" {
		said = text
	}
	switch {
	case said == "", strings.Contains(message, "for function") != (served.subject == "function") && strings.Contains(message, "Invalid schema for"):
		return nil
	case len(declarations) == 1:
		return []provider.Place{{At: "/parameters", Message: said}}
	default:
		return []provider.Place{{Declaration: provider.Nowhere, Message: said}}
	}
}

// indexOf returns the index in a match of param, or Nowhere for one in a list of other
// entries than the declarations.
func indexOf(match []string) int {
	if match[1] != "" {
		return provider.Nowhere
	}
	number, _ := strconv.Atoi(match[2] + match[3]) // one of the two is empty
	return number
}

// isOn reports whether a path that param matches is one of the surface's: those of Chat
// contain .function or functions, those of Responses do not.
func isOn(served *surface, match []string) bool {
	ofChat := match[3] != "" || strings.HasPrefix(match[4], ".function")
	return served.subject == "function" && ofChat == strings.Contains(served.tool, ".function")
}

// inRequest turns .parameters.type into a pointer, as far as the declaration has the
// members.
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
func locateSchema(served *surface, match []string, inParam string, declarations []*schema.Node) provider.Place {
	name, words := match[2], match[3]
	place := provider.Place{Declaration: provider.DeclarationNamed(declarations, name), Location: name, Message: strings.TrimSpace(match[0])}
	if served.subject != "function" && place.Declaration == provider.Nowhere && len(declarations) == 1 {
		place.Declaration = 0 // a bare schema does not have the name of its format
	}
	if index := param.FindStringSubmatch(inParam); index != nil && place.Declaration != provider.Nowhere {
		// Of several tools with one name the one at the index is meant.
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
	at, ok := follow(declarations[place.Declaration].Get(served.parameters), tokens)
	if !ok {
		place.Declaration = provider.Nowhere
		return place
	}
	place.At = "/parameters" + at
	return place
}

// follow returns the pointer to which a context leads from the root of a schema. Contexts
// in definitions begin at the definition, so it tries each definition if the root does
// not have the path.
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
