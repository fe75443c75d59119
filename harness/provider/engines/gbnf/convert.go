// Package gbnf makes the grammar that llama.cpp makes of schemas, and reads it as llama.cpp
// does: json-schema-to-grammar.cpp and llama-grammar.cpp of ec98e2002, as in ollama v0.17.4.
// It says what both find fault with, in their words.
package gbnf

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// Spot is a place in a declaration. Few of them are ever written out.
type Spot struct {
	Declaration int
	Node        *schema.Node // nil for what is not there
	// IsCopy is set where a list of types made the node, which has one of them.
	IsCopy bool

	above *Spot
	token string
}

// below returns the spot of a value, by the token that leads to it.
func (s *Spot) below(token string, node *schema.Node) *Spot {
	return &Spot{above: s, token: token, Declaration: s.Declaration, Node: node}
}

// Pointer returns the place as a JSON Pointer from the tool.
func (s *Spot) Pointer() schema.Pointer { return schema.Pointer(s.appendTo(nil)) }

func (s *Spot) appendTo(at []byte) []byte {
	if s.above == nil {
		return append(at, "/parameters"...)
	}
	return schema.AppendToken(s.above.appendTo(at), s.token)
}

// Flaw is the kind of a Fault.
type Flaw string

// The flaws that one message lists together.
const (
	UnsupportedRef Flaw = "unsupported_ref"
	UnresolvedRef  Flaw = "unresolved_ref"
	Unrecognized   Flaw = "unrecognized_schema"
	NotAnchored    Flaw = "pattern_not_anchored"
	Unbalanced     Flaw = "pattern_unbalanced"
	BadCount       Flaw = "pattern_count"
)

// IsConversion reports whether one message lists a flaw with others of the conversion.
func (f Flaw) IsConversion() bool {
	switch f {
	case UnsupportedRef, UnresolvedRef, Unrecognized, NotAnchored, Unbalanced, BadCount:
		return true
	default:
		return false
	}
}

// The flaws that end the conversion.
const (
	KeywordValue    Flaw = "keyword_value"
	NumberTooLarge  Flaw = "number_too_large"
	NumberOverflow  Flaw = "number_overflow"
	NothingRepeated Flaw = "pattern_group"
	StrayBracket    Flaw = "pattern_bracket"
	EndlessAllOf    Flaw = "all_of_cycle"
)

// The flaws of a grammar.
const (
	PatternEscape  Flaw = "pattern_escape"
	TooOften       Flaw = "repetition"
	BoundsReversed Flaw = "bounds_reversed"
	NameInClass    Flaw = "property_name"
	LeftRecursion  Flaw = "left_recursion"
	NoAlternative  Flaw = "no_alternative"
)

// The words for some flaws.
const (
	// Crashes are the words for a server that crashes, or computes without an end.
	Crashes = "llama-server crashes"
	// ParseFailure are the words for a grammar that cannot be read.
	ParseFailure = "Failed to initialize samplers: failed to parse grammar"
)

// Fault is a flaw at a place, in llama.cpp's words.
type Fault struct {
	Flaw  Flaw
	At    *Spot
	Words string
}

// death is the panic that ends a conversion.
type death struct{ Fault }

// Grammar is what schemas become.
type Grammar struct {
	// Death is what ended the conversion; nil where it came to its end.
	Death *Fault
	// Faults are listed in one message.
	Faults []Fault
	// Decisions are the subschemas with what decided about them.
	Decisions []Decision
	// Shadowed are the references that an earlier declaration has, too, which lead there.
	Shadowed []*Spot

	rules map[string]*production
	// order has the names of the rules in the order in which they were made.
	order []string
	// hasReferences and hasPatterns say that rules may lead back to themselves.
	hasReferences, hasPatterns bool
	// isSketch is set where the rules that can be read in any case are left out, and what
	// names them names word. of are the schemas then. Two rules that are alike so may differ
	// in the whole grammar: that isDoubtful. mayMeet says where two may be one there.
	isSketch, isDoubtful bool
	of                   []Start
}

// word stands for the name of a rule that a sketch leaves out.
const word = "w"

// production is a rule of a grammar.
type production struct {
	text string
	at   *Spot
	// maker says what a text that cannot be read is copied from; empty where none is.
	maker maker
}

// maker is what a part of a grammar is copied from without a check.
type maker string

// The makers.
const (
	fromPattern maker = "pattern"
	fromName    maker = "name"
	fromNumbers maker = "numbers"
	fromNothing maker = "nothing"
)

// Decision is what decided about a subschema: the first branch that fits.
type Decision struct {
	At *Spot
	By Branch
}

// Start is the schema of a declaration, and the name that its rule gets; the empty name is
// that of the whole grammar.
type Start struct {
	Name   string
	Schema *schema.Node
}

// target is where a reference leads.
type target struct {
	node *schema.Node
	at   *Spot
}

// converter makes a grammar.
type converter struct {
	charge    func(steps int)
	grammar   *Grammar
	targets   map[string]target
	indices   schema.Indices
	resolving map[string]bool
	numbers   map[string]*numbers
}

// Convert makes one grammar of the schemas of a request. charge is called with the steps
// that it takes. Where nothing can lead back to itself the grammar is a sketch.
func Convert(schemas []Start, charge func(steps int)) *Grammar {
	c := converter{charge: charge}
	isSketch := !slices.ContainsFunc(schemas, func(one Start) bool { return c.holds(one.Schema, leadsBack) })
	return convert(schemas, isSketch, charge)
}

func convert(schemas []Start, isSketch bool, charge func(steps int)) (made *Grammar) {
	c := converter{
		indices:   schema.Indices{},
		charge:    charge,
		grammar:   &Grammar{rules: map[string]*production{"space": {text: spaceRule}}, order: []string{"space"}, isSketch: isSketch, of: schemas},
		targets:   map[string]target{},
		resolving: map[string]bool{},
		numbers:   map[string]*numbers{},
	}
	defer func() {
		if caught := recover(); caught != nil {
			died, ok := caught.(death)
			if !ok {
				panic(caught)
			}
			c.grammar.Death = &died.Fault
			made = c.grammar
		}
	}()
	for i, one := range schemas {
		if c.holds(one.Schema, isInfinite) {
			c.parseNumbers(one.Schema, &Spot{Declaration: i, Node: one.Schema})
		}
	}
	for i, one := range schemas {
		root := &Spot{Declaration: i, Node: one.Schema}
		if !isSketch && c.holds(one.Schema, hasReference) {
			c.findTargets(one.Schema, one.Schema, root, root)
		}
		c.visit(one.Schema, one.Name, root)
	}
	return c.grammar
}

func (c *converter) fault(kind Flaw, at *Spot, words string) {
	c.charge(1 + len(words)/bytesPerStep)
	c.grammar.Faults = append(c.grammar.Faults, Fault{kind, at, words})
}

// die ends the conversion.
func (c *converter) die(kind Flaw, at *Spot, words string) { panic(death{Fault{kind, at, words}}) }

// bytesPerStep is how many bytes of a grammar are written in a step.
const bytesPerStep = 16

// add adds a rule and returns its name. A name that another rule has gets a number.
func (c *converter) add(name, text string, at *Spot, from maker) string {
	if text == "" {
		from = fromNothing
	}
	if c.grammar.isSketch && from == "" {
		return word
	}
	c.charge(1 + (len(name)+len(text))/bytesPerStep)
	key := ruleName(name)
	if known := c.grammar.rules[key]; known != nil {
		isTaken := known.text == text
		if !isTaken {
			key, isTaken = c.numbered(key, text)
		}
		if isTaken {
			c.grammar.isDoubtful = c.grammar.isSketch
			return key
		}
	}
	c.grammar.rules[key] = &production{text, at, from}
	c.grammar.order = append(c.grammar.order, key)
	return key
}

// numbers are the rules whose names are one name with a number.
type numbers struct {
	next   int               // the first number that was not looked at
	byText map[string]string // the names of those before
}

// numbered returns the name with a number that a rule has, or that is free.
func (c *converter) numbered(name, text string) (key string, isTaken bool) {
	known := c.numbers[name]
	if known == nil {
		known = &numbers{byText: map[string]string{}}
		c.numbers[name] = known
	}
	if key, ok := known.byText[text]; ok {
		return key, true
	}
	for ; ; known.next++ {
		c.charge(1)
		key = name + strconv.Itoa(known.next)
		taken := c.grammar.rules[key]
		if taken == nil {
			return key, false
		}
		if _, ok := known.byText[taken.text]; !ok {
			known.byText[taken.text] = key
		}
		if taken.text == text {
			return key, true
		}
	}
}

// ruleName returns a name as grammars write it: each run of other letters is one hyphen.
func ruleName(name string) string {
	isPlain := func(letter byte) bool {
		return letter == '-' || '0' <= letter && letter <= '9' || 'a' <= letter && letter <= 'z' || 'A' <= letter && letter <= 'Z'
	}
	clean := 0
	for clean < len(name) && isPlain(name[clean]) {
		clean++
	}
	if clean == len(name) {
		return name
	}
	written := make([]byte, clean, len(name))
	copy(written, name)
	inRun := false
	for i := clean; i < len(name); i++ {
		if isPlain(name[i]) {
			written, inRun = append(written, name[i]), false
			continue
		}
		if !inRun {
			written = append(written, '-')
		}
		inRun = true
	}
	return string(written)
}

// primitive adds a rule that each grammar has when it is used, and those that it names.
func (c *converter) primitive(name, of string, at *Spot) string {
	if c.grammar.isSketch {
		return word
	}
	rule := builtins[of]
	made := c.add(name, rule.text, at, "")
	for _, dependency := range rule.needs {
		if c.grammar.rules[dependency] == nil {
			c.primitive(dependency, dependency, at)
		}
	}
	return made
}

// holds reports whether a value, or one within it, is of a kind.
func (c *converter) holds(node *schema.Node, isOf func(*schema.Node) bool) bool {
	c.charge(1)
	if node == nil || isOf(node) {
		return node != nil
	}
	if node.IsPlain() {
		return false
	}
	for _, element := range node.Elements {
		if c.holds(element, isOf) {
			return true
		}
	}
	for i := range node.Members {
		if c.holds(node.Members[i].Value, isOf) {
			return true
		}
	}
	return false
}

func hasReference(node *schema.Node) bool { return node.Has("$ref") }

// leadsBack reports whether an object may make rules that lead back to themselves.
func leadsBack(node *schema.Node) bool { return node.Has("$ref") || node.Has("pattern") }

// findTargets collects where the references lead, of every object that has a $ref: it
// asks for no keyword, so that data and names of properties count as well.
func (c *converter) findTargets(root, node *schema.Node, rootAt, at *Spot) {
	c.charge(1)
	if node == nil {
		return
	}
	for i, element := range node.Elements {
		c.findTargets(root, element, rootAt, at.below(strconv.Itoa(i), element))
	}
	if node.Kind != schema.Object {
		return
	}
	if reference := node.Get("$ref"); reference != nil {
		c.grammar.hasReferences = true
		c.findTarget(root, c.text(reference, at), rootAt, at.below("$ref", reference))
		return
	}
	for _, member := range node.Members {
		c.findTargets(root, member.Value, rootAt, at.below(member.Key, member.Value))
	}
}

func (c *converter) findTarget(root *schema.Node, reference string, rootAt, at *Spot) {
	base, fragment, _ := strings.Cut(reference, "#")
	tokens := strings.Split(fragment, "/")[1:]
	from := target{root, rootAt}
	if known, ok := c.targets[reference]; ok {
		if known.at != nil && known.at.Declaration != at.Declaration {
			here, _, ok := c.follow(from, tokens, at)
			c.charge(known.node.Size())
			if !ok || !schema.Equal(here.node, known.node) {
				c.grammar.Shadowed = append(c.grammar.Shadowed, at)
			}
		}
		return
	}
	switch {
	case strings.HasPrefix(reference, "https://"): // the server fetches nothing: it is null
		from, c.targets[base] = target{}, target{}
		if fragment == "" {
			return
		}
	case !strings.HasPrefix(reference, "#/"):
		c.fault(UnsupportedRef, at, "Unsupported ref: "+reference)
		return
	}
	found, missing, ok := c.follow(from, tokens, at)
	if !ok {
		c.fault(UnresolvedRef, at, "Error resolving ref "+reference+": "+missing+" not in "+c.json(found.node))
		return
	}
	c.targets[reference] = found
}

// follow follows tokens as far as they lead. Where one leads nowhere it is missing.
func (c *converter) follow(from target, tokens []string, at *Spot) (found target, missing string, ok bool) {
	for _, token := range tokens {
		next, ok := c.step(from, token, at)
		if !ok {
			return from, token, false
		}
		from = next
	}
	return from, "", true
}

// step follows a token of a reference. Escapes of JSON Pointer are not read.
func (c *converter) step(from target, token string, at *Spot) (target, bool) {
	switch {
	case from.node == nil:
		return target{}, false
	case from.node.Kind == schema.Object:
		if value := c.indices.Get(from.node, token); value != nil {
			return target{value, from.at.below(token, value)}, true
		}
	case from.node.Kind == schema.Array:
		index, isNumber, fits := leadingNumber(token)
		if isNumber && !fits {
			c.die(NumberTooLarge, at, "stoul")
		}
		if isNumber && index < uint64(len(from.node.Elements)) {
			value := from.node.Elements[index]
			return target{value, from.at.below(strconv.FormatUint(index, 10), value)}, true
		}
	}
	return target{}, false
}

// resolve returns the rule that a reference leads to.
func (c *converter) resolve(reference string) string {
	fragment := reference
	if _, after, ok := strings.Cut(reference, "#"); ok {
		fragment = after
	}
	name := "ref" + ruleName(fragment)
	if c.grammar.rules[name] == nil && !c.resolving[reference] {
		c.resolving[reference] = true
		found := c.targets[reference]
		name = c.visit(found.node, name, found.at)
		delete(c.resolving, reference)
	}
	return name
}

// Branch is what decides about a subschema.
type Branch string

// The branches, in their order.
const (
	ByRef         Branch = "$ref"
	ByOneOf       Branch = "oneOf"
	ByAnyOf       Branch = "anyOf"
	ByTypes       Branch = "a list of types"
	ByConst       Branch = "const"
	ByEnum        Branch = "enum"
	ByProperties  Branch = "properties"
	ByAllOf       Branch = "allOf"
	ByItems       Branch = "items"
	ByPrefixItems Branch = "prefixItems"
	ByPattern     Branch = "pattern"
	ByFormat      Branch = "format"
	ByLength      Branch = "minLength and maxLength"
	ByBounds      Branch = "minimum and maximum"
	ByType        Branch = "type"
	ByNothing     Branch = ""
)

// The branches of a part of an allOf.
const (
	ByPartRef        Branch = "$ref of a part"
	ByPartProperties Branch = "properties of a part"
	ByPartEnum       Branch = "enum of a part"
	ByNoPart         Branch = "nothing of a part"
)

// visit makes the rule of a subschema and returns its name; empty after a fault.
//
//nolint:funlen // one case for each keyword that decides, in the engine's order
func (c *converter) visit(node *schema.Node, name string, at *Spot) string {
	k := keywordsOf(node)
	c.charge(8 + k.count + len(name)/bytesPerStep)
	if k.format != nil {
		c.text(k.format, at)
	}
	by := k.decides()
	c.grammar.Decisions = append(c.grammar.Decisions, Decision{at, by})
	rule := name
	switch {
	case isReserved(name):
		rule = name + "-"
	case name == "":
		rule = "root"
	}
	switch by {
	case ByRef:
		return c.add(rule, c.resolve(c.text(k.ref, at)), at, "")
	case ByOneOf:
		return c.add(rule, c.union(name, c.list(k.oneOf, at), at, "oneOf"), at, "")
	case ByAnyOf:
		return c.add(rule, c.union(name, c.list(k.anyOf, at), at, "anyOf"), at, "")
	case ByTypes:
		c.charge(len(k.typ.Elements) * (1 + k.count)) // each copy has all members
		return c.add(rule, c.union(name, k.copies(node), at, ""), at, "")
	case ByConst:
		if c.grammar.isSketch {
			return word
		}
		return c.add(rule, c.literal(k.constant)+" space", at, "")
	case ByEnum:
		if c.grammar.isSketch {
			return word
		}
		return c.add(rule, "("+c.literals(valuesOf(k.enum))+") space", at, "")
	case ByProperties:
		var required map[string]bool
		if !c.grammar.isSketch {
			required = c.namesIn(k.required)
		}
		return c.add(rule, c.object(propertiesOf(k.properties, at), required, name, k.additional, at), at, "")
	case ByAllOf:
		return c.allOf(k.allOf, name, rule, at)
	case ByItems:
		return c.array(k, k.items, "items", name, rule, at)
	case ByPrefixItems:
		return c.array(k, k.prefixItems, "prefixItems", name, rule, at)
	case ByPattern:
		return c.pattern(c.text(k.pattern, at), rule, at.below("pattern", k.pattern))
	case ByFormat:
		return c.format(k.format.Text, rule, at)
	case ByLength:
		letters := c.primitive("char", "char", at)
		least, most := c.count(k.minLength, 0, at), c.count(k.maxLength, unbounded, at)
		return c.add(rule, quote+" "+repeated(letters, least, most, "")+" "+quote+" space", at, makerOf(least, most))
	case ByBounds:
		return c.add(rule, "("+c.bounds(k, at)+") space", at, fromNumbers)
	case ByType:
		if k.isObject || k.isEmpty {
			return c.add(rule, c.primitive("object", "object", at), at, "")
		}
		if rule == "root" {
			return c.primitive("root", k.typ.Text, at)
		}
		return c.primitive(k.typ.Text, k.typ.Text, at)
	default:
		c.fault(Unrecognized, at, "Unrecognized schema: "+c.json(node))
		return ""
	}
}

// quote is the quotation mark of a text, as a grammar writes it.
const quote = `"\""`

// union makes the alternatives. Those of a list of types lie at the place itself.
func (c *converter) union(name string, alternatives []*schema.Node, at *Spot, keyword string) string {
	separator := "-"
	if name == "" {
		separator = "alternative-"
	}
	list := at.below(keyword, nil)
	var text strings.Builder
	for i, alternative := range alternatives {
		if i > 0 {
			text.WriteString(" | ")
		}
		place := &Spot{above: at.above, token: at.token, Declaration: at.Declaration, Node: alternative, IsCopy: true}
		if keyword != "" {
			place = list.below(strconv.Itoa(i), alternative)
		}
		text.WriteString(c.visit(alternative, name+separator+strconv.Itoa(i), place))
	}
	return text.String()
}

// literal returns a value, as a grammar writes it.
func (c *converter) literal(value *schema.Node) string { return literalOf(c.json(value)) }

// literals returns values as alternatives.
func (c *converter) literals(values []*schema.Node) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = c.literal(value)
	}
	return strings.Join(texts, " | ")
}

var literalEscapes = strings.NewReplacer("\r", `\r`, "\n", `\n`, `"`, `\"`, `\`, `\\`)

func literalOf(text string) string { return `"` + literalEscapes.Replace(text) + `"` }

// property is one of an object, or the value that is in place of one.
type property struct {
	name  string
	node  *schema.Node
	in    *Spot // of the properties
	isAll bool  // whether it is in their place
}

// at returns the spot of a property.
func (p *property) at() *Spot {
	if p.isAll {
		return p.in
	}
	return p.in.below(p.name, p.node)
}

// propertiesOf returns the properties in a value. Those of a list are named by their
// index, and what holds none is one without a name.
func propertiesOf(node *schema.Node, at *Spot) []property {
	if node == nil || node.Kind == schema.Null {
		return nil
	}
	at = at.below("properties", node)
	switch node.Kind {
	case schema.Object:
		made := make([]property, len(node.Members))
		for i, member := range node.Members {
			made[i] = property{name: member.Key, node: member.Value, in: at}
		}
		return made
	case schema.Array:
		made := make([]property, len(node.Elements))
		for i, element := range node.Elements {
			made[i] = property{name: strconv.Itoa(i), node: element, in: at}
		}
		return made
	default:
		return []property{{node: node, in: at, isAll: true}}
	}
}

// rest is the name under which further properties go.
const rest = "*"

// object makes an object whose properties come in the order in which they are declared,
// those that are required first.
func (c *converter) object(properties []property, required map[string]bool, name string, additional *schema.Node, at *Spot) string {
	prefix := name
	if name != "" {
		prefix += "-"
	}
	if c.grammar.isSketch {
		c.sketch(properties, prefix, additional, at)
		return word
	}
	var needed, optional, names []string
	members := map[string]string{}
	for _, one := range properties {
		place := one.at()
		value := c.visit(one.node, prefix+one.name, place)
		members[one.name] = c.add(prefix+one.name+"-kv", literalOf(quoted(one.name))+` space ":" space `+value, place, "")
		if required[one.name] {
			needed = append(needed, one.name)
		} else {
			optional = append(optional, one.name)
		}
		names = append(names, one.name)
	}
	if additional.IsTrue() || additional != nil && additional.Kind == schema.Object {
		var value string
		if additional.Kind == schema.Object {
			value = c.visit(additional, prefix+"additional-value", at.below("additionalProperties", additional))
		} else {
			value = c.primitive("value", "value", at)
		}
		var key string
		if len(names) == 0 {
			key = c.primitive("string", "string", at)
		} else {
			key = c.add(prefix+"additional-k", c.otherNames(names, at), at, fromName)
		}
		members[rest] = c.add(prefix+"additional-kv", key+` ":" space `+value, at, "")
		optional = append(optional, rest)
	}
	var text strings.Builder
	text.WriteString(`"{" space `)
	for i, one := range needed {
		if i > 0 {
			text.WriteString(` "," space `)
		}
		text.WriteString(members[one])
	}
	if len(optional) > 0 {
		text.WriteString(" (")
		if len(needed) > 0 {
			text.WriteString(` "," space ( `)
		}
		c.optional(&text, optional, members, prefix, at)
		if len(needed) > 0 {
			text.WriteString(" )")
		}
		text.WriteString(" )?")
	}
	text.WriteString(` "}" space`)
	return text.String()
}

// sketch is object of a sketch: what is plain makes no rule that cannot be read.
func (c *converter) sketch(properties []property, prefix string, additional *schema.Node, at *Spot) {
	for i := range properties {
		if one := &properties[i]; one.node == nil || !one.node.IsPlain() {
			c.visit(one.node, prefix+one.name, one.at())
		}
	}
	if !additional.IsTrue() && (additional == nil || additional.Kind != schema.Object) {
		return
	}
	if additional.Kind == schema.Object {
		c.visit(additional, prefix+"additional-value", at.below("additionalProperties", additional))
	}
	if len(properties) > 0 {
		names := make([]string, len(properties))
		for i := range properties {
			names[i] = properties[i].name
		}
		c.add(prefix+"additional-k", c.otherNames(names, at), at, fromName)
	}
}

// optional writes that any one of the properties is the first, and that what follows it
// comes from those after it.
func (c *converter) optional(text *strings.Builder, names []string, members map[string]string, prefix string, at *Spot) {
	tails := make([]string, len(names)) // what can follow a property
	following := ""
	for i := len(names) - 1; i >= 0; i-- {
		if i < len(names)-1 {
			tails[i] = " " + c.add(prefix+names[i]+"-rest", following, at, "")
		}
		repeat := "?"
		if names[i] == rest {
			repeat = "*"
		}
		following = `( "," space ` + members[names[i]] + " )" + repeat + tails[i]
	}
	for i, name := range names {
		if i > 0 {
			text.WriteString(" | ")
		}
		text.WriteString(members[name])
		if name == rest {
			text.WriteString(` ( "," space ` + members[name] + " )*")
		}
		text.WriteString(tails[i])
	}
}

// otherNames makes the names that no property has. It writes single bytes into classes of
// letters, without escapes.
func (c *converter) otherNames(names []string, at *Spot) string {
	letters := c.primitive("char", "char", at)
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, compareSigned)
	sorted = slices.Compact(sorted)
	var text strings.Builder
	text.WriteString(`["] ( `)
	var write func(names []string, depth int)
	write = func(names []string, depth int) {
		if depth > longestName {
			c.die(NothingRepeated, at, Crashes)
		}
		c.charge(8 + len(names))
		if len(names[0]) == depth {
			names = names[1:]
		}
		var taken []byte
		for len(names) > 0 {
			letter := names[0][depth]
			same := 1
			for same < len(names) && names[same][depth] == letter {
				same++
			}
			if len(taken) > 0 {
				text.WriteString(" | ")
			}
			taken = append(taken, letter)
			text.WriteString("[" + string([]byte{letter}) + "]")
			if same == 1 && len(names[0]) == depth+1 {
				text.WriteString(" " + letters + "+")
			} else {
				text.WriteString(" (")
				write(names[:same], depth+1)
				text.WriteString(")")
			}
			names = names[same:]
		}
		if len(taken) > 0 {
			text.WriteString(` | [^"` + string(taken) + "] " + letters + "*")
		}
	}
	write(sorted, 0)
	text.WriteString(" )")
	if sorted[0] != "" {
		text.WriteString("?")
	}
	text.WriteString(` ["] space`)
	return text.String()
}

// compareSigned orders texts by their bytes as signed numbers.
func compareSigned(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			return int(int8(a[i])) - int(int8(b[i])) //nolint:gosec // it is meant to wrap
		}
	}
	return len(a) - len(b)
}

// allOf merges properties, or enums, of the parts; it reads nothing else of them.
func (c *converter) allOf(parts *schema.Node, name, rule string, at *Spot) string {
	var properties []property
	required, values := map[string]bool{}, map[string]int{}
	var merge func(part *schema.Node, isNeeded bool, at *Spot, seen int)
	merge = func(part *schema.Node, isNeeded bool, at *Spot, seen int) {
		k := keywordsOf(part)
		c.charge(8 + k.count)
		by := ByNoPart
		defer func() { c.grammar.Decisions = append(c.grammar.Decisions, Decision{at, by}) }()
		switch {
		case k.ref != nil:
			by = ByPartRef
			if seen > len(c.targets) {
				c.die(EndlessAllOf, at, Crashes)
			}
			found := c.targets[c.text(k.ref, at)]
			merge(found.node, isNeeded, found.at, seen+1)
		case k.properties != nil:
			by = ByPartProperties
			c.charge(24 * (len(k.properties.Members) + len(k.properties.Elements))) // each gets a spot, and is looked up by its name
			for _, one := range propertiesOf(k.properties, at) {
				properties = append(properties, one)
				required[one.name] = required[one.name] || isNeeded
			}
		case k.enum != nil:
			by = ByPartEnum
			for _, value := range valuesOf(k.enum) {
				values[c.literal(value)]++
			}
		}
	}
	list := at.below("allOf", parts)
	members := valuesOf(parts)
	for i, part := range members {
		place := list.below(strconv.Itoa(i), part)
		if union := part.Get("anyOf"); union != nil {
			for j, alternative := range valuesOf(union) {
				merge(alternative, false, place.below("anyOf", union).below(strconv.Itoa(j), alternative), 0)
			}
			continue
		}
		merge(part, true, place, 0)
	}
	var common []string
	for value, count := range values {
		if count == len(members) {
			common = append(common, value)
		}
	}
	if len(common) > 0 {
		slices.Sort(common)
		return c.add(rule, "("+strings.Join(common, " | ")+") space", at, "")
	}
	return c.add(rule, c.object(properties, required, name, nil, at), at, "")
}

// array makes a list: of elements that are alike, or of those that a list of schemas says.
func (c *converter) array(k *keywords, items *schema.Node, keyword, name, rule string, at *Spot) string {
	prefix := name
	if name != "" {
		prefix += "-"
	}
	place := at.below(keyword, items)
	if items.Kind == schema.Array {
		var text strings.Builder
		text.WriteString(`"[" space `)
		for i, item := range items.Elements {
			if i > 0 {
				text.WriteString(` "," space `)
			}
			text.WriteString(c.visit(item, prefix+"tuple-"+strconv.Itoa(i), place.below(strconv.Itoa(i), item)))
		}
		text.WriteString(` "]" space`)
		return c.add(rule, text.String(), at, "")
	}
	item := c.visit(items, prefix+"item", place)
	least, most := c.count(k.minItems, 0, at), unbounded
	if IsInteger(k.maxItems) {
		most = c.count(k.maxItems, unbounded, at)
	}
	return c.add(rule, `"[" space `+repeated(item, least, most, `"," space`)+` "]" space`, at, makerOf(least, most))
}

// unbounded is the number of a bound that is missing.
const unbounded = math.MaxInt32

// mostRepetitions is how often a grammar may repeat a part.
const mostRepetitions = 2000

// makerOf returns the maker of a repetition, which can be read where its bounds are in
// order.
func makerOf(least, most int) maker {
	if 0 <= least && least <= mostRepetitions && (most == unbounded || least <= most && most <= mostRepetitions) {
		return ""
	}
	return fromNumbers
}

// repeated says how often an item comes.
func repeated(item string, least, most int, separator string) string {
	switch {
	case most == 0:
		return ""
	case least == 0 && most == 1:
		return item + "?"
	case separator == "" && least == 1 && most == unbounded:
		return item + "+"
	case separator == "" && least == 0 && most == unbounded:
		return item + "*"
	case separator == "" && most == unbounded:
		return item + "{" + strconv.Itoa(least) + ",}"
	case separator == "":
		return item + "{" + strconv.Itoa(least) + "," + strconv.Itoa(most) + "}"
	}
	others, fewest := most, least
	if most != unbounded {
		others--
	}
	if least != 0 {
		fewest--
	}
	text := item + " " + repeated("("+separator+" "+item+")", fewest, others, "")
	if least == 0 {
		return "(" + text + ")?"
	}
	return text
}

// format makes a text of a format that has a rule.
func (c *converter) format(name, rule string, at *Spot) string {
	if c.grammar.isSketch {
		return word
	}
	if uuid.MatchString(name) {
		if rule == "root" {
			return c.primitive("root", "uuid", at)
		}
		return c.primitive(name, "uuid", at)
	}
	return c.add(rule, c.primitive(name+"-string", name+"-string", at), at, "")
}
