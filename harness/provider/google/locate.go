package google

import (
	"strconv"
	"strings"
	"unicode"

	"toolproof/harness/provider"
	"toolproof/harness/provider/google/descriptor"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// The forms in which Google's messages name a place.
var (
	// parseLine matches a violation that the parse stage reports. Its paths have the indices of
	// the entries of a map, without quotes.
	parseLine = lazy.Compile(`(?:Invalid JSON payload received\.\s*)?(?:Unknown name "([^"]*)"|Invalid value) at '([^']*)'(?: \((\w+)\), Starting an object)?[^\n]*`)
	// semanticLine matches a violation that the semantic or the proto stage reports. Its paths
	// have the names of properties. Those of the proto stage lack the name of the message.
	semanticLine = lazy.Compile(`(?m)(?:\* )?\bGenerateContentRequest\.(.*)$|(?:^|[\s:])\* ((?:tools|generation_config)\b.*)$`)
	// placeRoot matches the beginning of a path.
	placeRoot = lazy.Compile(`^(request\.)?(?:tools(?:\[(\d+)\])?\.function_declarations(?:\[(\d+)\])?|generation_config\.(response_(?:json_)?schema))`)
	// vertexLine matches a message of Vertex AI's own check, with a dotted path.
	vertexLine = lazy.Compile("Unable to submit request because [`']?([^\\s`']+)[`']? functionDeclaration [`']?(parameters[^`'\\s]*)[`']?[^\n]*")
	// referenceLine matches a message about a reference in a JSON Schema, which does not name
	// the function.
	referenceLine = lazy.Compile(`(?:reference to undefined schema|was found) at (top-level|[^\n]*\S)`)
	// jsonSchemaLine matches a message about any other part of a JSON Schema.
	jsonSchemaLine = lazy.Compile(`(?:schema|value for \w+) at (top-level|[^\n]*?\S) (?:requires unspecified|can only contain|must be)[^\n]*`)
	// besideReference matches a message that quotes a reference with other keywords beside it.
	besideReference = lazy.Compile(`(?:Schema\.ref|\$ref) '([^']*)' was set alongside[^\n]*`)
	// ofFunctions, ofResponses and ofEither match messages, or parts of messages, that name no
	// place.
	ofFunctions = lazy.Compile(`A FunctionDeclaration in the request exceeds[^\n]*|functionDeclaration \S+ schema specified[^\n]*`)
	ofResponses = lazy.Compile(`A schema in GenerationConfig in the request exceeds[^\n]*|response schemas? specified[^\n]*`)
	ofEither    = lazy.Compile(`[^\n]*(?:produces a constraint that has too many states|Max recursion depth reached|only allowed for (?:STRING|OBJECT) type|` +
		`field predicate failed: |key cannot be empty|: missing field\.?\s*$|Unknown name "|\(TYPE_STRING\)|Invalid value at '|should be non-empty for|` +
		`For schema with (?:properties|items), schema type should be)[^\n]*|^Request contains an invalid argument\.$`)
	// elsewhere matches the path of a member of the request that declares nothing.
	elsewhere = lazy.Compile(`^(?:request\.)?(?:generation_config|contents|system_instruction|safety_settings|tool_config|cached_content|tools\[\d+\])\b`)
	// parsedPlace matches a path from the request on any of the surfaces.
	parsedPlace = lazy.Compile(`tools(?:\[\d+\])?\.function_declarations|generation_config\.response_| at '(?:request\.)?(?:generation_config|contents|system_instruction|` +
		`safety_settings|tool_config|cached_content|tools\[\d+\])\b`)
	// wrappedPath matches a line break inside a path.
	wrappedPath = lazy.Compile(`\n\s+\.`)
	// ofClaude matches a message of Anthropic's API about a tool, which Google passes on.
	ofClaude = lazy.Compile(`tools\.(\d+)\.custom\.input_schema[^\n]*`)
	// functionLine matches messages that name a function and no place in it.
	functionLine = lazy.Compile(`FunctionDeclaration '([^']+)' in the request[^\n]*|Duplicate function declaration found: (\S+)`)
)

// locator makes the Locate of a surface.
func locator(surface *surface) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		refusal.Message = wrappedPath.ReplaceAllString(refusal.Message, ".")
		l := &locating{surface: surface, declarations: declarations}
		l.parse(refusal.Message)
		l.semantic(refusal.Message)
		l.vertex(refusal.Message)
		l.jsonSchema(refusal.Message)
		l.functions(refusal.Message)
		l.beside(refusal.Message)
		l.claude(refusal.Message)
		l.whole(refusal.Message)
		return l.places
	}
}

// locating collects the places that one message points at.
type locating struct {
	*surface
	declarations []*schema.Node
	places       []provider.Place
}

func (l *locating) add(declaration int, at schema.Pointer, location, message string) {
	l.places = append(l.places, provider.Place{Declaration: declaration, At: at, Location: location, Message: strings.TrimSpace(message)})
}

func (l *locating) parse(message string) {
	for _, match := range parseLine.FindAllStringSubmatch(message, -1) {
		name, location := match[1], match[2]
		if match[3] != "" { // the message has the field apart from the path of its parent
			name = match[3]
		}
		path := path{text: location, name: name, counted: true}
		if name != "" {
			location += " " + name
		}
		l.path(path, location, match[0])
	}
}

func (l *locating) semantic(message string) {
	for _, match := range semanticLine.FindAllStringSubmatch(message, -1) {
		text := match[1] + match[2]
		location, _, _ := strings.Cut(text, ": ")
		l.path(path{text: text}, location, strings.TrimPrefix(strings.TrimSpace(match[0]), "* "))
	}
}

// path adds the place of a path from the request, unless the path is that of another surface.
func (l *locating) path(p path, location, message string) {
	match := placeRoot.FindStringSubmatch(p.text)
	if match == nil && elsewhere.MatchString(p.text) && !l.isClaude && strings.HasPrefix(p.text, "request.") == (l.wrapper != "") {
		l.add(provider.Elsewhere, "", location, message)
		return
	}
	if match == nil || (match[1] != "") != (l.wrapper != "") && p.counted || match[4] != l.config {
		return
	}
	p.text = p.text[len(match[0]):]
	if l.config != "" {
		for i, declaration := range l.declarations {
			rest := p
			if at, ok := rest.follow(declaration, l.root); ok {
				l.add(i, at, location, message)
				return
			}
		}
		l.add(provider.Nowhere, "", location, message)
		return
	}
	if match[3] == "" { // about all functions, such as their number
		l.add(provider.Nowhere, "", location, message)
		return
	}
	if strings.Contains(p.text, ".parameters_json_schema") != l.free && strings.HasPrefix(p.text, ".parameters") {
		return
	}
	for _, index := range indices(match[2], match[3]) {
		declaration := provider.DeclarationAt(l.declarations, index)
		if declaration == provider.Nowhere {
			continue
		}
		rest := p
		if at, ok := rest.follow(l.declarations[declaration], ""); ok {
			l.add(declaration, at, location, message)
			return
		}
	}
	l.add(provider.Nowhere, "", location, message)
}

// indices returns the positions among all functions that tools[i].function_declarations[j] may
// mean, because some clients send one tool with all functions and others a tool for each function.
func indices(tool, function string) []int {
	i, _ := strconv.Atoi(tool)
	j, _ := strconv.Atoi(function)
	if i > 0 && j == 0 {
		return []int{i, j}
	}
	return []int{j}
}

// path is a path through a declaration, with the field names of the proto.
type path struct {
	text string // the rest of the path, after which the message may go on
	// name is the last member on the path, if the message has it apart from the path.
	name string
	// counted is set if the path numbers properties in document order.
	counted bool
}

// follow returns the pointer from the tool to the value to which the path leads from a node. If
// the path leads to a missing member, it returns the pointer to the object that lacks it.
func (p *path) follow(node *schema.Node, at schema.Pointer) (found schema.Pointer, ok bool) {
	for {
		switch {
		case strings.HasPrefix(p.text, "."):
			field := p.field()
			if field == "properties" && strings.HasPrefix(p.text, "[") {
				return p.property(node, at)
			}
			key, ok := memberOf(node, field)
			if !ok {
				// The last part of a path may be a missing member.
				return at, p.isAtEnd() && node.Kind == schema.Object
			}
			node, at = node.Get(key), at.Child(toolMember(at, key))
		case strings.HasPrefix(p.text, "["):
			number, ok := p.index()
			if !ok || node.Kind != schema.Array && number != 0 {
				return "", false
			}
			if node.Kind != schema.Array { // a single value counts as a list of one
				continue
			}
			if number = sentElement(node, number); number < 0 {
				return at, p.isAtEnd()
			}
			node, at = node.Elements[number], at.Element(number)
		default:
			if p.name == "" {
				return at, true
			}
			key, ok := memberOf(node, p.name)
			return at.Child(toolMember(at, key)), ok
		}
	}
}

// field takes the next name off the path.
func (p *path) field() string {
	end := 1 + strings.IndexFunc(p.text[1:], func(letter rune) bool { return letter != '_' && !unicode.IsLetter(letter) })
	if end == 0 {
		end = len(p.text)
	}
	field := p.text[1:end]
	p.text = p.text[end:]
	return field
}

// index takes the next index off the path.
func (p *path) index() (number int, ok bool) {
	text, rest, ok := strings.Cut(p.text[1:], "]")
	number, err := strconv.Atoi(text)
	p.text = rest
	return number, ok && err == nil && number >= 0
}

// isAtEnd reports whether nothing is left of the path.
func (p *path) isAtEnd() bool {
	return !strings.HasPrefix(p.text, ".") && !strings.HasPrefix(p.text, "[")
}

// property follows properties[3].value or properties[name]. The name may contain dots and
// brackets.
func (p *path) property(node *schema.Node, at schema.Pointer) (found schema.Pointer, ok bool) {
	properties := node.Get("properties")
	if properties == nil || properties.Kind != schema.Object {
		return "", false
	}
	at = at.Child("properties")
	if p.counted {
		index, rest, _ := strings.Cut(p.text[1:], "]")
		number, err := strconv.Atoi(index)
		if err != nil || number < 0 || number >= len(properties.Members) {
			return "", false
		}
		p.text = strings.TrimPrefix(rest, ".value")
		member := properties.Members[number]
		return p.follow(member.Value, at.Child(member.Key))
	}
	for _, member := range properties.Members {
		for _, index := range []string{"[" + member.Key + "]", `["` + member.Key + `"]`} {
			rest, ok := strings.CutPrefix(p.text, index)
			if !ok || rest != "" && !strings.ContainsAny(rest[:1], ".: [") {
				continue
			}
			below := &path{text: rest, name: p.name}
			if found, ok := below.follow(member.Value, at.Child(member.Key)); ok {
				return found, true
			}
		}
	}
	return "", false
}

// memberOf returns the key of the member that a proto field is decoded from.
func memberOf(node *schema.Node, field string) (key string, ok bool) {
	if node == nil || node.Kind != schema.Object {
		return "", false
	}
	if node.Has(field) {
		return field, true
	}
	for _, member := range node.Members {
		if descriptor.ProtoName(member.Key) == descriptor.ProtoName(field) {
			return member.Key, true
		}
	}
	return "", false
}

// toolMember returns the name that a member of a declaration has in the tool.
func toolMember(at schema.Pointer, key string) string {
	if at == "" && strings.HasPrefix(key, "parameters") {
		return "parameters"
	}
	return key
}

// sentElement returns the index of the element of a list that has the number when null elements
// are not counted, or -1 if there is none.
func sentElement(list *schema.Node, number int) int {
	for i, element := range list.Elements {
		if element.Kind == schema.Null {
			continue
		}
		if number == 0 {
			return i
		}
		number--
	}
	return -1
}

// vertex reads a message of Vertex AI's own check.
func (l *locating) vertex(message string) {
	if !l.isVertex {
		return
	}
	for _, match := range vertexLine.FindAllStringSubmatch(message, -1) {
		location := match[1] + " " + match[2]
		declaration := provider.DeclarationNamed(l.declarations, match[1])
		if declaration == provider.Nowhere {
			l.add(declaration, "", location, match[0])
			l.places[len(l.places)-1].Name = match[1]
			continue
		}
		key, _ := memberOf(l.declarations[declaration], "parameters")
		at, ok := dottedProperties(l.declarations[declaration].Get(key), strings.TrimPrefix(match[2], "parameters"), "/parameters")
		if !ok {
			declaration = provider.Nowhere
		}
		l.add(declaration, at, location, match[0])
		l.places[len(l.places)-1].Name = match[1]
	}
}

// dottedProperties follows a path such as .a.b. Each name in it is that of a property, which may
// contain dots, or items, or any_of, which stands for one of the branches.
func dottedProperties(node *schema.Node, rest string, at schema.Pointer) (found schema.Pointer, ok bool) {
	if rest == "" {
		return at, true
	}
	try := func(name string, below *schema.Node, pointer schema.Pointer) bool {
		after, cut := strings.CutPrefix(rest, "."+name)
		if !cut || after != "" && after[0] != '.' || below == nil {
			return false
		}
		found, ok = dottedProperties(below, after, pointer)
		return ok
	}
	if properties := node.Get("properties"); properties != nil {
		for _, member := range properties.Members {
			if try(member.Key, member.Value, at.Child("properties").Child(member.Key)) {
				return found, true
			}
		}
	}
	if try("items", node.Get("items"), at.Child("items")) {
		return found, true
	}
	if key, ok := memberOf(node, "any_of"); ok {
		for i, branch := range node.Get(key).Elements {
			if try("any_of", branch, at.Child(key).Element(i)) {
				return found, true
			}
		}
	}
	return "", false
}

// jsonSchema reads messages about a JSON Schema. Their paths begin at the root of the schema and
// name no function, so that every function is meant that has the place or, if the message is
// about a reference, a reference at the place.
func (l *locating) jsonSchema(message string) {
	if !l.free && l.named == "" {
		return
	}
	for _, match := range referenceLine.FindAllStringSubmatchIndex(message, -1) {
		l.dotted(message[match[2]:match[3]], lineOf(message, match), func(node *schema.Node) bool { return node.Has("$ref") })
	}
	for _, match := range jsonSchemaLine.FindAllStringSubmatchIndex(message, -1) {
		l.dotted(message[match[2]:match[3]], lineOf(message, match), func(*schema.Node) bool { return true })
	}
}

// lineOf returns the text from the beginning of the line in which a match begins to the end of the
// match.
func lineOf(message string, match []int) string {
	return message[strings.LastIndexByte(message[:match[0]], '\n')+1 : match[1]]
}

// dotted adds the place at a dotted path in each declaration that has one, if isMeant returns
// true for its value.
func (l *locating) dotted(location, line string, isMeant func(*schema.Node) bool) {
	before := len(l.places)
	for i, declaration := range l.declarations {
		root := l.surface.jsonSchema(declaration)
		at, node, ok := schema.Pointer("/parameters"), root, root != nil
		if location != "top-level" {
			at, node, ok = stepDotted(root, strings.TrimSuffix(location, "."), at)
		}
		if ok && isMeant(node) {
			l.add(i, at, location, line)
		}
	}
	if len(l.places) == before {
		l.add(provider.Nowhere, "", location, line)
	}
}

// beside reads messages that quote a reference with other keywords beside it.
func (l *locating) beside(message string) {
	for _, match := range besideReference.FindAllStringSubmatch(message, -1) {
		before := len(l.places)
		for i, declaration := range l.declarations {
			root, at := declaration, schema.Pointer("/parameters")
			if l.config == "" {
				key, _ := memberOf(declaration, "parameters")
				root = declaration.Get(key)
			}
			root.Walk(func(below schema.Pointer, node *schema.Node) bool {
				for _, keyword := range []string{"$ref", "ref"} {
					reference := node.GetString(keyword)
					if reference != "" && strings.HasSuffix(reference, match[1]) && len(node.Members) > 1 {
						l.add(i, at+below.Child(keyword), match[1], match[0])
					}
				}
				return true
			})
		}
		if len(l.places) == before {
			l.add(provider.Nowhere, "", match[1], match[0])
		}
	}
}

// claude reads messages of Anthropic's API, which Google passes on.
func (l *locating) claude(message string) {
	if !l.isClaude {
		return
	}
	for _, match := range ofClaude.FindAllStringSubmatch(message, -1) {
		index, err := strconv.Atoi(match[1])
		if err != nil {
			index = provider.Nowhere
		}
		location, _, _ := strings.Cut(match[0], ": ")
		l.add(provider.DeclarationAt(l.declarations, index), "/parameters", location, match[0])
	}
}

// whole reads messages that name no place. They mean the schema if there is only one.
func (l *locating) whole(message string) {
	if len(l.places) > 0 || parsedPlace.MatchString(message) { // a path that was not followed is of another surface
		return
	}
	words := ofEither.FindString(strings.TrimSpace(message))
	if own := ofFunctions.FindString(message); own != "" && l.config == "" {
		words = own
	}
	if own := ofResponses.FindString(message); own != "" && l.config != "" {
		words = own
	}
	switch {
	case words == "":
	case len(l.declarations) == 1:
		l.add(0, "/parameters", "", words)
	default:
		l.add(provider.Nowhere, "", "", words)
	}
}

// stepDotted follows a path of members and indices, whose names may contain dots.
func stepDotted(node *schema.Node, rest string, at schema.Pointer) (found schema.Pointer, last *schema.Node, ok bool) {
	if rest == "" {
		return at, node, node != nil
	}
	if node == nil {
		return "", nil, false
	}
	if node.Kind == schema.Array {
		token, after, _ := strings.Cut(rest, ".")
		return stepDotted(node.Step(token), after, at.Child(token))
	}
	for _, member := range node.Members {
		after, cut := strings.CutPrefix(rest, member.Key)
		if !cut || after != "" && after[0] != '.' {
			continue
		}
		if found, last, ok = stepDotted(member.Value, strings.TrimPrefix(after, "."), at.Child(member.Key)); ok {
			return found, last, true
		}
	}
	return "", nil, false
}

// functions reads messages that name a function and no place in it.
func (l *locating) functions(message string) {
	if l.config != "" {
		return
	}
	for _, match := range functionLine.FindAllStringSubmatch(message, -1) {
		name, at := match[1]+strings.TrimRight(match[2], ".,"), schema.Pointer("/parameters")
		declaration := provider.DeclarationNamed(l.declarations, name)
		if match[2] != "" {
			at = "/name"
			for i, other := range l.declarations { // of several with the name the last one is refused
				if other.GetString("name") == name {
					declaration = i
				}
			}
		}
		l.add(declaration, at, name, match[0])
		l.places[len(l.places)-1].Name = name
	}
}
