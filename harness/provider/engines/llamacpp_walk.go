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

// llamaPlace is a place in a declaration. Its pointer is only written where it is reported.
type llamaPlace struct {
	declaration int
	node        *schema.Node // nil for what the schema does not have
	above       *llamaPlace  // nil for the root of a schema
	token       string
}

func (p *llamaPlace) below(token string, node *schema.Node) *llamaPlace {
	return &llamaPlace{declaration: p.declaration, node: node, above: p, token: token}
}

// pointer returns the place as a JSON Pointer from the tool.
func (p *llamaPlace) pointer() schema.Pointer { return schema.Pointer(p.appendTo(nil)) }

func (p *llamaPlace) appendTo(at []byte) []byte {
	if p.above == nil {
		return append(at, root...)
	}
	return schema.AppendToken(p.above.appendTo(at), p.token)
}

// llamaBranch is what decides about a subschema, or what else a step looks at.
type llamaBranch string

// The branches, in the converter's order: the first that fits decides.
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

// The branches of a part of an allOf.
const (
	byPartRef        llamaBranch = "$ref of a part"
	byPartProperties llamaBranch = "properties of a part"
	byPartEnum       llamaBranch = "enum of a part"
	byNoPart         llamaBranch = "nothing of a part"
)

// The steps that are not about a subschema.
const (
	aboutNumber    llamaBranch = "a number of the request"
	aboutReference llamaBranch = "the target of a reference"
	aboutPattern   llamaBranch = "the text of a pattern"
	aboutParsing   llamaBranch = "a flaw of a schema"
)

// decides returns what decides about a subschema.
func (w *llamaWalk) decides(node *schema.Node) llamaBranch {
	if w.since(llamaParses) {
		return llamaDecidesParsed(node)
	}
	by := llamaDecides(node)
	if by == byNothing && w.since(llamaSkipsPatterns) && isObject(node) && (!node.Has("type") || node.Get("type").Kind == schema.Null) {
		return byAny
	}
	return by
}

// llamaDecides returns what decides about a subschema before llamaParses.
func llamaDecides(node *schema.Node) llamaBranch {
	has, said := node.Has, node.Get("type")
	isUntyped := said == nil || said.Kind == schema.Null
	isText, isObject, isArray := said.Is("string"), said.Is("object"), said.Is("array")
	switch {
	case has("$ref"):
		return byRef
	case has("oneOf"):
		return byOneOf
	case has("anyOf"):
		return byAnyOf
	case said != nil && said.Kind == schema.Array:
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
	case (isUntyped || isText) && has("pattern"):
		return byPattern
	case (isUntyped || isText) && llamaFormats.MatchString(node.GetString("format")):
		return byFormat
	case isText && (has("minLength") || has("maxLength")):
		return byLength
	case said.Is("integer") && slices.ContainsFunc(llamaBounds, has):
		return byBounds
	case llamaIsEmpty(node) || isObject || said != nil && said.Kind == schema.String && llamaPrimitives(said.Text):
		return byType
	default:
		return byNothing
	}
}

// llamaFormats are the formats that a grammar can say.
var llamaFormats = lazy.Compile(`^(?:date|time|date-time|uuid[1-5]?)$`)

// llamaPrimitives are the rules that every grammar may have. A type can name each.
var llamaPrimitives = schema.Among([]string{
	"boolean", "decimal-part", "integral-part", "number", "integer", "value", "object", "array", "uuid", "char", "string", "null",
})

// llamaIsEmpty reports whether a value is null, or holds nothing.
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
	// isCopy is set where a list of types made the node, which has one of them.
	isCopy bool
	// starts are the subschemas that a value of this one can begin with.
	starts []*llamaStep
	// flaw is that of a pattern or of a reference.
	flaw      llamaFlaw
	recursion recursion
	// hasNoRule is set where the converter refuses to make a rule.
	hasNoRule bool
	// isEndless is set where a part of an allOf leads back to itself.
	isEndless bool
}

// llamaFlaw is what is wrong with the text of a step, by the name of a rule.
type llamaFlaw struct{ rule, words string }

// llamaTarget is where a reference leads.
type llamaTarget struct {
	node *schema.Node
	at   *llamaPlace
}

// llamaWalk goes through the schemas of a request as the converter does: each subschema where
// it is used, and the target of a reference once.
type llamaWalk struct {
	day    provider.Date // that the model answers for
	charge func(steps int)
	// steps are in the order in which the converter takes them, rules in that in which it
	// writes their rules.
	steps, rules []*llamaStep
	// shadowed are the references that an earlier declaration has too, which lead there.
	shadowed []*llamaPlace
	// skipped are the patterns, by their text, for which any string stands in the grammar.
	skipped map[string]bool

	targets map[string]llamaTarget
	indices schema.Indices
	named   map[string]*llamaStep // by the names of the rules of references
}

// walkLlama goes through the schemas of declarations, for a day. charge is called with the steps
// that it takes.
func walkLlama(schemas []*schema.Node, day provider.Date, charge func(steps int)) *llamaWalk {
	w := &llamaWalk{charge: charge, day: day, skipped: map[string]bool{}, targets: map[string]llamaTarget{}, indices: schema.Indices{}, named: map[string]*llamaStep{}}
	starts := make([]*llamaPlace, len(schemas))
	for i, given := range schemas {
		starts[i] = &llamaPlace{declaration: i, node: given}
		if w.holds(given, isInfinite) {
			w.numbers(given, starts[i])
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

// since reports whether the day of the walk is not before another.
func (w *llamaWalk) since(day provider.Date) bool { return w.day >= day }

// parse parses all schemas, and then goes through what a grammar is made of, unless one of them
// cannot be parsed.
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

// isAbsent reports whether there is no value, or null.
func isAbsent(node *schema.Node) bool { return node == nil || node.Kind == schema.Null }

// holds reports whether a value, or one within it, is of a kind.
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

// isInfinite reports whether a value is a number that a double has no room for.
func isInfinite(node *schema.Node) bool {
	const safe = 300 // digits without an exponent
	return node.Kind == schema.Number && (len(node.Text) > safe || strings.ContainsAny(node.Text, "eE")) && math.IsInf(floatOf(node), 0)
}

// numbers makes a step of the first number that a double has no room for.
func (w *llamaWalk) numbers(node *schema.Node, at *llamaPlace) bool {
	w.charge(1)
	if isInfinite(node) {
		w.steps = append(w.steps, &llamaStep{by: aboutNumber, place: at, walk: w})
		return true
	}
	for _, one := range llamaValues(at) {
		if w.numbers(one.node, one) {
			return true
		}
	}
	return false
}

// llamaValues returns the elements of a list, or the values of an object's members.
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

// llamaValuesOr returns the values in a list or an object, and any other value but null itself.
func llamaValuesOr(at *llamaPlace) []*llamaPlace {
	if node := at.node; node != nil && node.Kind != schema.Object && node.Kind != schema.Array && node.Kind != schema.Null {
		return []*llamaPlace{at}
	}
	return llamaValues(at)
}

// references looks up where the references lead, of every object that has a $ref: the
// converter asks for no keyword, so that data and names of properties count as well.
func (w *llamaWalk) references(start, at *llamaPlace) {
	w.charge(1)
	if reference := at.node.Get("$ref"); reference != nil {
		w.reference(start, at.below("$ref", reference))
		return
	}
	for _, one := range llamaValues(at) {
		w.references(start, one)
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
	case strings.HasPrefix(reference, "https://"): // the server fetches nothing: it is null
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

// llamaStoul are the words of C++ for an index beyond 64 bits.
const llamaStoul = "stoul"

// follow follows the tokens of a reference, whose escapes are not read. It returns words where
// one of them leads nowhere.
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

// step follows tokens. Where one of them leads nowhere, the node of what is found is nil, and
// isOut says whether the token is an index beyond a list.
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

// json returns a value as the converter writes it into its words.
func (w *llamaWalk) json(value *schema.Node) string {
	text := string(appendNlohmann(nil, value))
	w.charge(written(len(text)))
	return text
}

// resolve returns the step of what a reference leads to.
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

// otherLetters are what the name of a rule cannot have.
var otherLetters = lazy.Compile(`[^a-zA-Z0-9-]+`)

func (w *llamaWalk) visit(at *llamaPlace) *llamaStep {
	step := &llamaStep{place: at, walk: w}
	w.convert(step)
	return step
}

// convert takes the step of a subschema, and those of the subschemas that it uses.
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
		for _, one := range places {
			step.starts = append(step.starts, w.visit(one))
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
		for _, one := range node.Get("type").Elements {
			w.charge(1 + len(node.Members)) // each copy has all members
			copied := *at
			copied.node = node.With("type", one)
			of := &llamaStep{place: &copied, walk: w, isCopy: true}
			w.convert(of)
			step.starts = append(step.starts, of)
		}
	case byProperties:
		for _, one := range llamaValuesOr(at.below("properties", node.Get("properties"))) {
			w.visit(one)
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
		for _, one := range llamaValues(items) {
			w.visit(one)
		}
	case byPattern:
		step.hasNoRule = !w.pattern(at.below("pattern", node.Get("pattern")))
	default: // nothing is below it
	}
	w.rules = append(w.rules, step)
}

// pattern takes a step for each flaw of a pattern, and reports whether it gets a rule.
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

// allOf takes the steps of the parts, of which the converter reads properties or enums alone.
func (w *llamaWalk) allOf(parts *llamaPlace) {
	var properties []*llamaPlace
	counts := map[string]int{}
	isCommon := false // whether all parts list a value
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
			w.charge(24 * len(more)) // each has a place, and is visited later
			properties = append(properties, more...)
		case byPartEnum:
			for _, one := range llamaValuesOr(at.below("enum", part.Get("enum"))) {
				text := w.json(one.node)
				counts[text]++
				isCommon = isCommon || counts[text] == len(all)
			}
		default: // it is not read
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
	for _, one := range properties {
		w.visit(one)
	}
}

// partOf returns what decides about a part of an allOf.
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

// alternativesOf returns the alternatives of a part of an allOf, or nil where it has none.
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
		for _, one := range part.node.Get("type").Elements {
			w.charge(1 + len(part.node.Members))
			copied := *part
			copied.node = part.node.With("type", one)
			alternatives, areCopies = append(alternatives, &copied), true
		}
	default: // the part is one alternative
	}
	return alternatives, areCopies
}

// recursion says whether a value of a step can begin with itself, as far as it is known.
type recursion uint8

const (
	notAsked recursion = iota
	isAsked            // the question leads back to the step
	isRecursive
	isNotRecursive
)

// isLeftRecursive reports whether a value of the step can begin with itself, or with a value
// that can.
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

// leadingNumber reads the number at the beginning of a text, as C's strtoul does. fits is
// false where it has more than 64 bits.
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
