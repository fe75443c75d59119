package engines

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// llamaPlace is a place in a declaration.
type llamaPlace struct {
	declaration int
	node        *schema.Node // nil if the schema has no value at the place
	above       *llamaPlace  // nil for the root of a schema
	token       string
}

func (p *llamaPlace) below(token string, node *schema.Node) *llamaPlace {
	return &llamaPlace{declaration: p.declaration, node: node, above: p, token: token}
}

// pointer returns the JSON Pointer from the tool to the place.
func (p *llamaPlace) pointer() schema.Pointer { return schema.Pointer(p.appendTo(nil)) }

func (p *llamaPlace) appendTo(at []byte) []byte {
	if p.above == nil {
		return append(at, root...)
	}
	return schema.AppendToken(p.above.appendTo(at), p.token)
}

// llamaBranch is the keyword by which the converter decides how to convert a subschema, or the subject
// of a step that is not about a subschema.
type llamaBranch string

// The branches in the converter's order. The first whose keyword the subschema has decides.
const (
	byRef         llamaBranch = "$ref"
	byOneOf       llamaBranch = "oneOf"
	byAnyOf       llamaBranch = "anyOf"
	byTypes       llamaBranch = "a list of types"
	byConst       llamaBranch = "const"
	byEnum        llamaBranch = "enum"
	byProperties  llamaBranch = "properties"
	byAllOf       llamaBranch = "allOf"
	byItems       llamaBranch = "items"
	byPrefixItems llamaBranch = "prefixItems"
	byPattern     llamaBranch = "pattern"
	byFormat      llamaBranch = "format"
	byLength      llamaBranch = "minLength and maxLength"
	byBounds      llamaBranch = "minimum and maximum"
	byArray       llamaBranch = "type array"
	byType        llamaBranch = "type"
	byAny         llamaBranch = "no type"
	byNothing     llamaBranch = ""
)

// The branches of a part of allOf.
const (
	byPartRef        llamaBranch = "$ref of a part"
	byPartProperties llamaBranch = "properties of a part"
	byPartEnum       llamaBranch = "enum of a part"
	byNoPart         llamaBranch = "nothing of a part"
)

// The subjects of steps that are not about a subschema.
const (
	aboutNumber    llamaBranch = "a number of the request"
	aboutReference llamaBranch = "the target of a reference"
	aboutPattern   llamaBranch = "the text of a pattern"
	aboutParsing   llamaBranch = "a flaw of a schema"
)

// decides returns the branch of a subschema on the day of the walk.
func (w *llamaWalk) decides(node *schema.Node) llamaBranch {
	if w.since(llamaParses) {
		return llamaDecidesParsed(node)
	}
	by := llamaDecides(node)
	if by == byNothing && w.since(llamaTakesUntyped) && isObject(node) && (!node.Has("type") || node.Get("type").Kind == schema.Null) {
		return byAny
	}
	return by
}

// llamaDecides returns the branch of a subschema before llamaParses.
func llamaDecides(node *schema.Node) llamaBranch {
	has, kind := node.Has, node.Get("type")
	isUntyped := kind == nil || kind.Kind == schema.Null
	isText := kind.Is("string")
	by := llamaDecidesFirst(node, isUntyped)
	switch {
	case by != byNothing:
		return by
	case (isUntyped || isText) && has("pattern"):
		return byPattern
	case (isUntyped || isText) && llamaFormats.MatchString(node.GetString("format")):
		return byFormat
	case isText && (has("minLength") || has("maxLength")):
		return byLength
	case kind.Is("integer") && slices.ContainsFunc(llamaBounds, has):
		return byBounds
	case llamaIsEmpty(node) || kind.Is("object") || kind != nil && kind.Kind == schema.String && llamaPrimitives(kind.Text):
		return byType
	default:
		return byNothing
	}
}

// llamaDecidesFirst returns the branch of the keywords that the server has always looked at first, in
// this order; byNothing if the subschema has none of them.
func llamaDecidesFirst(node *schema.Node, isUntyped bool) llamaBranch {
	has, kind := node.Has, node.Get("type")
	isText, isObject, isArray := kind.Is("string"), kind.Is("object"), kind.Is("array")
	switch {
	case has("$ref"):
		return byRef
	case has("oneOf"):
		return byOneOf
	case has("anyOf"):
		return byAnyOf
	case kind != nil && kind.Kind == schema.Array:
		return byTypes
	case has("const"):
		return byConst
	case has("enum"):
		return byEnum
	case (isUntyped || isObject) && (has("properties") || has("additionalProperties") && !node.Get("additionalProperties").IsTrue()):
		return byProperties
	case (isUntyped || isObject || isText) && has("allOf"):
		return byAllOf
	case (isUntyped || isArray) && has("items"):
		return byItems
	case (isUntyped || isArray) && has("prefixItems"):
		return byPrefixItems
	default:
		return byNothing
	}
}

// llamaFormats matches the formats that the converter has rules for.
var llamaFormats = lazy.Compile(`^(?:date|time|date-time|uuid[1-5]?)$`)

// llamaPrimitives are the names of the converter's own rules, each of which a type may name.
var llamaPrimitives = schema.Among([]string{
	"boolean", "decimal-part", "integral-part", "number", "integer", "value", "object", "array", "uuid", "char", "string", "null",
})

// llamaIsEmpty reports whether a value is null, an empty object or an empty list.
func llamaIsEmpty(node *schema.Node) bool {
	if node == nil {
		return true
	}
	isHolder := node.Kind == schema.Null || node.Kind == schema.Object || node.Kind == schema.Array
	return isHolder && len(node.Members)+len(node.Elements) == 0
}

// llamaStep is one step of the conversion, and the Subject of the stages.
type llamaStep struct {
	by    llamaBranch
	place *llamaPlace
	walk  *llamaWalk
	// isCopy is set if the node is a copy that has one type of a list of types.
	isCopy bool
	// starts are the steps whose rules the rule of this step can begin with.
	starts []*llamaStep
	// flaw is the flaw of a pattern, a reference or a schema.
	flaw      llamaFlaw
	recursion recursion
	// hasNoRule is set if the converter makes no rule because of an error.
	hasNoRule bool
	// isEndless is set if the reference of a part of allOf leads back to the part.
	isEndless bool
}

// llamaFlaw is a violation of the named rule, in llama.cpp's words.
type llamaFlaw struct{ rule, words string }

// llamaTarget is the value to which a reference leads, and its place.
type llamaTarget struct {
	node *schema.Node
	at   *llamaPlace
}

// llamaWalk visits the schemas of a request in the converter's order. It visits a subschema wherever it
// is used, but the target of a reference only once.
type llamaWalk struct {
	day    provider.Date // for which the model answers
	charge func(steps int)
	// steps are in the order in which the converter visits them, and rules in the order in which
	// it writes their rules.
	steps, rules []*llamaStep
	// shadowed are the references that lead into an earlier declaration with the same reference.
	shadowed []*llamaPlace
	// skipped holds the patterns for which the grammar takes any string.
	skipped map[string]bool

	targets map[string]llamaTarget
	indices schema.Indices
	named   map[string]*llamaStep // the targets of references by the names of their rules
}

// walkLlama visits the schemas of declarations as a build of the given day does. It calls charge with
// the number of steps that it takes.
func walkLlama(schemas []*schema.Node, day provider.Date, charge func(steps int)) *llamaWalk {
	w := &llamaWalk{charge: charge, day: day, skipped: map[string]bool{}, targets: map[string]llamaTarget{}, indices: schema.Indices{}, named: map[string]*llamaStep{}}
	starts := make([]*llamaPlace, len(schemas))
	for i, root := range schemas {
		starts[i] = &llamaPlace{declaration: i, node: root}
		if w.holds(root, isInfinite) {
			w.numbers(root, starts[i])
		}
	}
	if w.since(llamaParses) {
		w.parse(starts)
		return w
	}
	for _, start := range starts {
		if w.holds(start.node, func(node *schema.Node) bool { return node.Has("$ref") }) {
			w.references(start, start)
		}
		w.visit(start)
	}
	return w
}

// since reports whether the walk is for the given day or a later one.
func (w *llamaWalk) since(day provider.Date) bool { return w.day >= day }

// parse parses all schemas and then, if none has a flaw, visits those that become rules of the grammar.
func (w *llamaWalk) parse(starts []*llamaPlace) {
	targets := make([]map[string]llamaTarget, len(starts))
	for i, start := range starts {
		targets[i] = map[string]llamaTarget{}
		parsed := &llamaParsed{walk: w, root: start, targets: targets[i]}
		if !isAbsent(start.node) && !parsed.schema(start, &llamaPath{text: "#"}) {
			return
		}
	}
	for i, start := range starts {
		w.targets = targets[i]
		w.visit(start)
	}
}

// isAbsent reports whether a value is missing or null.
func isAbsent(node *schema.Node) bool { return node == nil || node.Kind == schema.Null }

// holds reports whether isOf holds for a value or for a value within it.
func (w *llamaWalk) holds(node *schema.Node, isOf func(*schema.Node) bool) bool {
	w.charge(1)
	if node == nil || isOf(node) {
		return node != nil
	}
	if node.IsPlain() {
		return false
	}
	for _, element := range node.Elements {
		if w.holds(element, isOf) {
			return true
		}
	}
	for i := range node.Members {
		if w.holds(node.Members[i].Value, isOf) {
			return true
		}
	}
	return false
}

// isInfinite reports whether a value is a number that overflows a double.
func isInfinite(node *schema.Node) bool {
	const safe = 300 // digits, without an exponent, that a double has room for
	return node.Kind == schema.Number && (len(node.Text) > safe || strings.ContainsAny(node.Text, "eE")) && math.IsInf(floatOf(node), 0)
}

// numbers adds a step for the first number that overflows a double, and reports whether there is one.
func (w *llamaWalk) numbers(node *schema.Node, at *llamaPlace) bool {
	w.charge(1)
	if isInfinite(node) {
		w.steps = append(w.steps, &llamaStep{by: aboutNumber, place: at, walk: w})
		return true
	}
	for _, value := range llamaValues(at) {
		if w.numbers(value.node, value) {
			return true
		}
	}
	return false
}

// llamaValues returns the elements of a list, or the values of the members of an object.
func llamaValues(at *llamaPlace) []*llamaPlace {
	if at.node == nil {
		return nil
	}
	values := make([]*llamaPlace, 0, len(at.node.Elements)+len(at.node.Members))
	for i, element := range at.node.Elements {
		values = append(values, at.below(strconv.Itoa(i), element))
	}
	for _, member := range at.node.Members {
		values = append(values, at.below(member.Key, member.Value))
	}
	return values
}

// llamaValuesOr returns the values in a list or an object. For any other value except null, it returns
// the value itself.
func llamaValuesOr(at *llamaPlace) []*llamaPlace {
	if node := at.node; node != nil && node.Kind != schema.Object && node.Kind != schema.Array && node.Kind != schema.Null {
		return []*llamaPlace{at}
	}
	return llamaValues(at)
}

// references resolves the $ref of every object. The converter does not ask under which keyword an object
// is, so that it also resolves a $ref in data and a property with that name.
func (w *llamaWalk) references(start, at *llamaPlace) {
	w.charge(1)
	if reference := at.node.Get("$ref"); reference != nil {
		w.reference(start, at.below("$ref", reference))
		return
	}
	for _, value := range llamaValues(at) {
		w.references(start, value)
	}
}

func (w *llamaWalk) reference(start, at *llamaPlace) {
	step := &llamaStep{by: aboutReference, place: at, walk: w}
	w.steps = append(w.steps, step)
	if at.node.Kind != schema.String {
		return
	}
	reference := at.node.Text
	base, fragment, _ := strings.Cut(reference, "#")
	tokens := strings.Split(fragment, "/")[1:]
	from := llamaTarget{start.node, start}
	if known, ok := w.targets[reference]; ok {
		if known.at != nil && known.at.declaration != at.declaration {
			w.charge(known.node.Size())
			if here, words := w.follow(from, tokens); words != "" || !schema.Equal(here.node, known.node) {
				w.shadowed = append(w.shadowed, at)
			}
		}
		return
	}
	switch {
	case strings.HasPrefix(reference, "https://"): // the server does not fetch it, and takes null
		from, w.targets[base] = llamaTarget{}, llamaTarget{}
		if fragment == "" {
			return
		}
	case !strings.HasPrefix(reference, "#/"):
		step.flaw = llamaFlaw{"unsupported_ref", "Unsupported ref: " + reference}
		return
	}
	found, words := w.follow(from, tokens)
	switch words {
	case "":
		w.targets[reference] = found
	case llamaStoul:
		step.flaw = llamaFlaw{"number_too_large", words}
	default:
		step.flaw = llamaFlaw{"unresolved_ref", "Error resolving ref " + reference + ": " + words}
	}
}

// llamaStoul is what C++ says about an index beyond 64 bits.
const llamaStoul = "stoul"

// follow follows the tokens of a reference without decoding their escapes. If one of them leads nowhere,
// it returns llama.cpp's words about it.
func (w *llamaWalk) follow(from llamaTarget, tokens []string) (found llamaTarget, words string) {
	for _, token := range tokens {
		if from.node != nil && from.node.Kind == schema.Array {
			if _, isNumber, fits := leadingNumber(token); isNumber && !fits {
				return from, llamaStoul
			}
		}
		next, _, _ := w.step(from, []string{token})
		if next.node == nil {
			return from, token + " not in " + w.json(from.node)
		}
		from = next
	}
	return from, ""
}

// step follows the tokens of a reference. If one of them leads nowhere, it returns that token and a nil
// node, and isOut says whether the token should be an index of a list.
func (w *llamaWalk) step(from llamaTarget, tokens []string) (found llamaTarget, token string, isOut bool) {
	for _, token = range tokens {
		var next *schema.Node
		spelled := token
		isOut = from.node != nil && from.node.Kind == schema.Array
		if isOut {
			index, isNumber, fits := leadingNumber(token)
			if isNumber && fits && index < uint64(len(from.node.Elements)) {
				next = from.node.Elements[index]
				spelled = strconv.FormatUint(index, 10)
			}
		} else if from.node != nil {
			next = w.indices.Get(from.node, token)
		}
		if next == nil {
			return llamaTarget{}, token, isOut
		}
		from = llamaTarget{next, from.at.below(spelled, next)}
	}
	return from, "", false
}

// json returns a value as the converter quotes it.
func (w *llamaWalk) json(value *schema.Node) string {
	text := string(appendNlohmann(nil, value))
	w.charge(written(len(text)))
	return text
}

// resolve returns the step of the target of a reference.
func (w *llamaWalk) resolve(at *llamaPlace) *llamaStep {
	reference := at.node.Text
	fragment := reference
	if _, after, ok := strings.Cut(reference, "#"); ok {
		fragment = after
	}
	w.charge(written(len(fragment)))
	name := otherLetters.ReplaceAllString(fragment, "-")
	found := w.targets[reference]
	if known := w.named[name]; known != nil {
		if w.since(llamaParses) && known.place.declaration != at.declaration {
			w.charge(found.node.Size())
			if !schema.Equal(found.node, known.place.node) {
				w.shadowed = append(w.shadowed, at)
			}
		}
		return known
	}
	if found.at == nil {
		found.at = &llamaPlace{}
	}
	step := &llamaStep{place: found.at, walk: w}
	w.named[name] = step
	w.convert(step)
	if step.hasNoRule {
		delete(w.named, name) // the next reference tries again
	}
	return step
}

// otherLetters matches the characters that the name of a rule cannot have.
var otherLetters = lazy.Compile(`[^a-zA-Z0-9-]+`)

func (w *llamaWalk) visit(at *llamaPlace) *llamaStep {
	step := &llamaStep{place: at, walk: w}
	w.convert(step)
	return step
}

// convert adds the step of a subschema and the steps of the subschemas in it.
func (w *llamaWalk) convert(step *llamaStep) {
	at, node := step.place, step.place.node
	w.charge(8)
	if node != nil {
		w.charge(len(node.Members))
	}
	step.by = w.decides(node)
	step.hasNoRule = step.by == byNothing
	w.steps = append(w.steps, step)
	visitAll := func(places []*llamaPlace) {
		for _, place := range places {
			step.starts = append(step.starts, w.visit(place))
		}
	}
	switch step.by {
	case byRef:
		if node.Get("$ref").Kind == schema.String {
			step.starts = []*llamaStep{w.resolve(at.below("$ref", node.Get("$ref")))}
		}
	case byOneOf, byAnyOf:
		if list := node.Get(string(step.by)); list.Kind == schema.Array {
			visitAll(llamaValues(at.below(string(step.by), list)))
		}
	case byTypes:
		for _, name := range node.Get("type").Elements {
			w.charge(1 + len(node.Members)) // each copy has all members
			copied := *at
			copied.node = node.With("type", name)
			of := &llamaStep{place: &copied, walk: w, isCopy: true}
			w.convert(of)
			step.starts = append(step.starts, of)
		}
	case byProperties:
		for _, property := range llamaValuesOr(at.below("properties", node.Get("properties"))) {
			w.visit(property)
		}
		if other := node.Get("additionalProperties"); isObject(other) {
			w.visit(at.below("additionalProperties", other))
		}
	case byAllOf:
		w.allOf(at.below("allOf", node.Get("allOf")))
	case byItems, byPrefixItems:
		items := at.below(string(step.by), node.Get(string(step.by)))
		if items.node.Kind != schema.Array {
			w.visit(items)
			break
		}
		for _, item := range llamaValues(items) {
			w.visit(item)
		}
	case byPattern:
		step.hasNoRule = !w.pattern(at.below("pattern", node.Get("pattern")))
	default: // the branch has no subschemas
	}
	w.rules = append(w.rules, step)
}

// pattern adds a step for each flaw of a pattern, and reports whether the pattern gets a rule.
func (w *llamaWalk) pattern(at *llamaPlace) (isRule bool) {
	if at.node.Kind != schema.String {
		return true
	}
	flaws, isSkipped := w.flawsOfPattern(at.node.Text)
	w.skipped[at.node.Text] = isSkipped
	isRule = true
	for _, flaw := range flaws {
		step := &llamaStep{by: aboutPattern, place: at, walk: w, flaw: flaw}
		w.steps, w.rules = append(w.steps, step), append(w.rules, step)
		isRule = isRule && flaw.rule != "pattern_not_anchored" && flaw.rule != "pattern_invalid"
	}
	return isRule
}

// allOf adds the steps of the parts of allOf, in which the converter reads only properties and enums.
func (w *llamaWalk) allOf(parts *llamaPlace) {
	var properties []*llamaPlace
	counts := map[string]int{}
	isCommon := false // whether one value is in the enums of all parts
	all := llamaValuesOr(parts)
	var merge func(at *llamaPlace, isCopy bool, seen int)
	merge = func(at *llamaPlace, isCopy bool, seen int) {
		of := &llamaStep{by: w.partOf(at.node), place: at, walk: w, isCopy: isCopy}
		defer func() { w.steps = append(w.steps, of) }()
		part := at.node
		w.charge(8)
		if part != nil {
			w.charge(len(part.Members))
		}
		switch of.by {
		case byPartRef:
			if seen > len(w.targets) {
				of.isEndless = true
			} else if found := w.targets[part.GetString("$ref")]; found.at != nil {
				merge(found.at, false, seen+1)
			}
		case byPartProperties:
			more := llamaValuesOr(at.below("properties", part.Get("properties")))
			w.charge(24 * len(more)) // for their places
			properties = append(properties, more...)
		case byPartEnum:
			for _, value := range llamaValuesOr(at.below("enum", part.Get("enum"))) {
				text := w.json(value.node)
				counts[text]++
				isCommon = isCommon || counts[text] == len(all)
			}
		default: // the converter does not read the part
		}
	}
	for _, part := range all {
		alternatives, areCopies := w.alternativesOf(part)
		if alternatives == nil {
			merge(part, false, 0)
		}
		for _, alternative := range alternatives {
			merge(alternative, areCopies, 0)
		}
	}
	if isCommon {
		return
	}
	for _, property := range properties {
		w.visit(property)
	}
}

// partOf returns the branch of a part of allOf.
func (w *llamaWalk) partOf(part *schema.Node) llamaBranch {
	isOf := part.Has
	if w.since(llamaParses) {
		by := w.decides(part)
		isOf = func(keyword string) bool { return by == llamaBranch(keyword) && part.Has(keyword) }
	}
	switch {
	case isOf("$ref"):
		return byPartRef
	case isOf("properties"):
		return byPartProperties
	case isOf("enum"):
		return byPartEnum
	default:
		return byNoPart
	}
}

// alternativesOf returns the alternatives in a part of allOf, or nil if the part is no union. areCopies
// is set if they are copies of the part for each of its types.
func (w *llamaWalk) alternativesOf(part *llamaPlace) (alternatives []*llamaPlace, areCopies bool) {
	by := byAnyOf
	if w.since(llamaParses) {
		by = w.decides(part.node)
	}
	switch by {
	case byOneOf, byAnyOf:
		if union := part.node.Get(string(by)); union != nil {
			alternatives = llamaValuesOr(part.below(string(by), union))
		}
	case byTypes:
		for _, name := range part.node.Get("type").Elements {
			w.charge(1 + len(part.node.Members))
			copied := *part
			copied.node = part.node.With("type", name)
			alternatives, areCopies = append(alternatives, &copied), true
		}
	default: // no union
	}
	return alternatives, areCopies
}

// recursion says whether the rule of a step can begin with itself, as far as that is known.
type recursion uint8

const (
	notAsked recursion = iota
	isAsked            // the search has reached the step and not left it
	isRecursive
	isNotRecursive
)

// isLeftRecursive reports whether the rule of the step can begin with itself, or with a rule that can.
func (s *llamaStep) isLeftRecursive() bool {
	if s.recursion != notAsked {
		return s.recursion != isNotRecursive
	}
	s.walk.charge(1 + len(s.starts))
	s.recursion = isAsked
	leadsBack := slices.ContainsFunc(s.starts, (*llamaStep).isLeftRecursive)
	s.recursion = isNotRecursive
	if leadsBack {
		s.recursion = isRecursive
	}
	return leadsBack
}

// leadingNumber reads the number at the beginning of a text as C's strtoul does. fits is false if the
// number has more than 64 bits.
func leadingNumber(text string) (number uint64, isNumber, fits bool) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	isNegative := strings.HasPrefix(text, "-")
	if isNegative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 {
		return 0, false, true
	}
	number, err := strconv.ParseUint(text[:digits], 10, 64)
	if isNegative {
		number = -number
	}
	return number, true, err == nil
}
