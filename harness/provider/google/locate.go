package google

import (
	"strconv"
	"strings"
	"unicode"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// The forms in which Google's messages name a place.
var (
	// parseLine matches a violation that the front end reports. Its paths have no quotes,
	// and count the entries of a map.
	parseLine = lazy.Compile(`(?:Invalid JSON payload received\.\s*)?(?:Unknown name "([^"]*)"|Invalid value) at '([^']*)'(?: \((\w+)\), Starting an object)?[^\n]*`)
	// semanticLine matches a violation that the later check reports, whose paths have the
	// names of properties. The validator of Code Assist leaves out the name of the
	// message.
	semanticLine = lazy.Compile(`(?m)^\s*(?:\* )?GenerateContentRequest\.(.*)$|^\s*\* ((?:tools|generation_config)\b.*)$`)
	// placeRoot matches the beginning of a path.
	placeRoot = lazy.Compile(`^(request\.)?(?:tools(?:\[(\d+)\])?\.function_declarations(?:\[(\d+)\])?|generation_config\.(response_(?:json_)?schema))`)
	// vertexLine matches what the Vertex AI service says, with a dotted path.
	vertexLine = lazy.Compile("Unable to submit request because [`']?([^\\s`']+)[`']? functionDeclaration [`']?(parameters[^`'\\s]*)[`']?[^\n]*")
	// referenceLine matches what is said about a reference in a JSON Schema, without a
	// function.
	referenceLine = lazy.Compile(`(?:reference to undefined schema|was found) at (top-level|[^\n]*\S)`)
	// jsonSchemaLine matches what is said about another part of a JSON Schema.
	jsonSchemaLine = lazy.Compile(`(?:schema|value for \w+) at (top-level|[^\n]*?\S) (?:requires unspecified|can only contain|must be)[^\n]*`)
	// besideReference matches the quotation of a reference that has other keywords beside
	// it.
	besideReference = lazy.Compile(`(?:Schema\.ref|\$ref) '([^']*)' was set alongside[^\n]*`)
	// ofFunctions, ofResponses and ofEither match messages, or parts of messages, that
	// name no place.
	ofFunctions = lazy.Compile(`A FunctionDeclaration in the request exceeds[^\n]*|functionDeclaration \S+ schema specified[^\n]*`)
	ofResponses = lazy.Compile(`A schema in GenerationConfig in the request exceeds[^\n]*|response schemas? specified[^\n]*`)
	ofEither    = lazy.Compile(`[^\n]*(?:produces a constraint that has too many states|Max recursion depth reached|only allowed for (?:STRING|OBJECT) type|` +
		`field predicate failed: |key cannot be empty|: missing field\.?\s*$|Unknown name "|\(TYPE_STRING\)|Invalid value at '|should be non-empty for|` +
		`For schema with (?:properties|items), schema type should be)[^\n]*|^Request contains an invalid argument\.$`)
	// parsedPlace matches a path from the request on any of the surfaces.
	parsedPlace = lazy.Compile(`(?:tools(?:\[\d+\])?\.function_declarations|generation_config\.response_)`)
	// wrappedPath matches a line break inside a path.
	wrappedPath = lazy.Compile(`\n\s+\.`)
	// ofClaude matches what Claude says about a tool, passed on by Google.
	ofClaude = lazy.Compile(`tools\.(\d+)\.custom\.input_schema[^\n]*`)
	// functionLine matches messages that name a function and no place in it.
	functionLine = lazy.Compile(`FunctionDeclaration '([^']+)' in the request[^\n]*|Duplicate function declaration found: (\S+)`)
)

// locator makes the Locate of a surface.
func locator(served *surface) func(provider.Response, []*schema.Node) []provider.Place {
	return func(refusal provider.Response, declarations []*schema.Node) []provider.Place {
		refusal.Message = wrappedPath.ReplaceAllString(refusal.Message, ".")
		l := &locating{surface: served, declarations: declarations}
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
		named := location
		if name != "" {
			named += " " + name
		}
		l.path(path{text: location, name: name, counted: true}, named, match[0])
	}
}

func (l *locating) semantic(message string) {
	for _, match := range semanticLine.FindAllStringSubmatch(message, -1) {
		text := match[1] + match[2]
		location, _, _ := strings.Cut(text, ": ")
		l.path(path{text: text}, location, strings.TrimPrefix(strings.TrimSpace(match[0]), "* "))
	}
}

// path adds the place of a path that begins at the request, if the path is one of the
// surface's.
func (l *locating) path(p path, location, message string) {
	match := placeRoot.FindStringSubmatch(p.text)
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

// indices returns the positions among all functions that
// tools[i].function_declarations[j] can mean: some clients send one tool with all
// functions, others a tool for each.
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
	text string // the rest that has not been followed; the message may go on after the path
	// name is the last member found, as the message spells it.
	name string
	// counted is set if the path numbers properties in document order.
	counted bool
}

// follow returns the pointer, from the tool, to where the path leads from a node. For a
// member that the last object lacks it returns that of the object.
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
	end := strings.IndexFunc(p.text[1:], func(letter rune) bool { return letter != '_' && !unicode.IsLetter(letter) }) + 1
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
		for _, spelt := range []string{"[" + member.Key + "]", `["` + member.Key + `"]`} {
			rest, ok := strings.CutPrefix(p.text, spelt)
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
		if snakeCase(member.Key) == snakeCase(field) {
			return member.Key, true
		}
	}
	return "", false
}

// snakeCase returns the proto name of a JSON name.
func snakeCase(name string) string {
	var snake strings.Builder
	for _, letter := range name {
		if unicode.IsUpper(letter) {
			snake.WriteByte('_')
			letter = unicode.ToLower(letter)
		}
		snake.WriteRune(letter)
	}
	return snake.String()
}

// toolMember returns the name in the tool of a member of a declaration.
func toolMember(at schema.Pointer, key string) string {
	if at == "" && strings.HasPrefix(key, "parameters") {
		return "parameters"
	}
	return key
}

// sentElement returns the index of an element of a list, given its number without null
// elements; -1 if there is none.
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

// vertex reads a message of the Vertex AI service.
func (l *locating) vertex(message string) {
	if !l.isVertex {
		return
	}
	for _, match := range vertexLine.FindAllStringSubmatch(message, -1) {
		location := match[1] + " " + match[2]
		declaration := provider.DeclarationNamed(l.declarations, match[1])
		if declaration == provider.Nowhere {
			l.add(declaration, "", location, match[0])
			continue
		}
		key, _ := memberOf(l.declarations[declaration], "parameters")
		at, ok := dottedProperties(l.declarations[declaration].Get(key), strings.TrimPrefix(match[2], "parameters"), "/parameters")
		if !ok {
			declaration = provider.Nowhere
		}
		l.add(declaration, at, location, match[0])
	}
}

// dottedProperties follows a path such as .a.b, in which a name is that of a property, or
// else items, or any_of for one of the branches. Names may contain dots.
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

// jsonSchema reads what is said about a JSON Schema. Its path begins at the root of the
// schema and names no function, so every function that has the place is meant; for a
// message about a reference, every one with a reference there.
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

// lineOf returns the line in which a match begins, to its end.
func lineOf(message string, match []int) string {
	return message[strings.LastIndexByte(message[:match[0]], '\n')+1 : match[1]]
}

// dotted adds the place at a dotted path in each declaration that has it, if isMeant
// holds there.
func (l *locating) dotted(location, line string, isMeant func(*schema.Node) bool) {
	before := len(l.places)
	for i, declaration := range l.declarations {
		schemaNode := l.surface.jsonSchema(declaration)
		at, node, ok := schema.Pointer("/parameters"), schemaNode, schemaNode != nil
		if location != "top-level" {
			at, node, ok = stepDotted(schemaNode, strings.TrimSuffix(location, "."), at)
		}
		if ok && isMeant(node) {
			l.add(i, at, location, line)
		}
	}
	if len(l.places) == before {
		l.add(provider.Nowhere, "", location, line)
	}
}

// beside reads what is said about a reference with other keywords beside it, which the
// message quotes.
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

// claude reads what Claude says, passed on by Google.
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

// whole reads messages that name no place: if there is only one schema, it is meant.
func (l *locating) whole(message string) {
	if len(l.places) > 0 || parsedPlace.MatchString(message) {
		return // the message is of another surface
	}
	said := ofEither.FindString(strings.TrimSpace(message))
	if own := ofFunctions.FindString(message); own != "" && l.config == "" {
		said = own
	}
	if own := ofResponses.FindString(message); own != "" && l.config != "" {
		said = own
	}
	switch {
	case said == "":
	case len(l.declarations) == 1:
		l.add(0, "/parameters", "", said)
	default:
		l.add(provider.Nowhere, "", "", said)
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

// functions reads messages that name a function as a whole.
func (l *locating) functions(message string) {
	if l.config != "" {
		return
	}
	for _, match := range functionLine.FindAllStringSubmatch(message, -1) {
		name, at := match[1]+strings.TrimRight(match[2], ".,"), schema.Pointer("/parameters")
		declaration := provider.DeclarationNamed(l.declarations, name)
		if match[2] != "" {
			at = "/name"
			for i, other := range l.declarations { // of equal names the last one is too many
				if other.GetString("name") == name {
					declaration = i
				}
			}
		}
		l.add(declaration, at, name, match[0])
	}
}
