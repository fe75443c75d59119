package engines

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// branch says how xgrammar converts a schema, which the first of its keywords decides that the
// schema has, in xgrammar's order of keywords.
type branch uint8

const (
	anything branch = iota
	boolean         // true or false in place of a schema
	noSchema        // neither an object nor a boolean
	reference
	constant
	enumeration
	union // anyOf, else oneOf
	allOf
	typeList
	typeInList // an element of a list of types, which is no schema
	typed      // a type that is not a string, or is none of JSON Schema
	integerType
	numberType
	stringType
	simpleType // boolean and null
	arrayType
	objectType
	patternText // a pattern, or a name in patternProperties
	wholeScript // the grammar of a whole schema
	overflow    // a number that is too large for a float of 64 bits, anywhere in the schema
)

// step is one step of the conversion of a schema.
type step struct {
	branch branch
	root   *schema.Node
	tables *tables
	// text says why a pattern cannot be converted, or the whole grammar cannot be read.
	text string
	// reported has the pointers to keywords that were reported as not enforced.
	reported map[string]bool
}

// tables are caches for one conversion.
type tables struct {
	members  schema.Indices            // of the objects that references lead through
	required map[*schema.Node]required // by the values of the keyword
}

func newTables() *tables {
	return &tables{members: schema.Indices{}, required: map[*schema.Node]required{}}
}

// required are the names that an object requires, each once.
type required struct {
	names []string
	has   func(name string) bool
}

// requiredOf returns the names that an object requires.
func (t *tables) requiredOf(object *schema.Node) required {
	list := object.Get("required")
	known, ok := t.required[list]
	if !ok {
		isRequired := map[string]bool{}
		for _, name := range list.Strings() {
			if !isRequired[name] {
				isRequired[name] = true
				known.names = append(known.names, name)
			}
		}
		known.has = func(name string) bool { return isRequired[name] }
		t.required[list] = known
	}
	return known
}

// branchOf returns the branch of a schema.
func branchOf(node *schema.Node) branch {
	has := node.Has
	switch {
	case node.Kind == schema.Bool:
		return boolean
	case node.Kind != schema.Object:
		return noSchema
	case has("$ref"):
		return reference
	case has("const"):
		return constant
	case has("enum"):
		return enumeration
	case has("anyOf") || has("oneOf"):
		return union
	case has("allOf"):
		return allOf
	case has("type"):
		return branchOfType(node.Get("type"))
	case has("properties") || has("additionalProperties") || has("unevaluatedProperties"):
		return objectType
	case has("items") || has("prefixItems") || has("unevaluatedItems"):
		return arrayType
	default:
		return anything
	}
}

func branchOfType(value *schema.Node) branch {
	if value.Kind == schema.Array {
		return typeList
	}
	if value.Kind != schema.String {
		return typed
	}
	switch value.Text {
	case "integer":
		return integerType
	case "number":
		return numberType
	case "string":
		return stringType
	case "boolean", "null":
		return simpleType
	case "array":
		return arrayType
	case "object":
		return objectType
	default:
		return typed
	}
}

// conversion walks through a schema as xgrammar 0.1.27 does in its strict mode, which is the default
// of all programs that use it. It converts a schema wherever it is used, and the target of a
// reference once. Source:
// https://github.com/mlc-ai/xgrammar/blob/v0.1.27/cpp/json_schema_converter.cc.
type conversion struct {
	root *schema.Node
	// visit is called with each step and the pointer from the tool to its place, which it must
	// not keep. The conversion ends when it returns true.
	visit  func(node *schema.Node, at []byte, step *step) bool
	charge func(steps int)

	seen   map[string]bool // the references that were converted
	tables *tables
	at     []byte
	depth  int
	ended  bool
	unread []unreadable
}

// unreadable is a schema for which xgrammar writes a part of the grammar that it cannot read.
type unreadable struct {
	node *schema.Node
	at   string
	by   grammarReader // that cannot read it
}

// cannotRead notes that the part of the grammar for a place cannot be read.
func (c *conversion) cannotRead(node *schema.Node, reader grammarReader) {
	c.unread = append(c.unread, unreadable{node, string(c.at), reader})
}

// root is the pointer from a tool to its schema.
const root = schema.Pointer("/parameters")

// written returns the number of steps that it takes to write or read a number of bytes.
func written(bytes int) int {
	const bytesPerStep = 8
	return 1 + bytes/bytesPerStep
}

// cost returns the number of steps that it takes to read a schema: its members, and the members and
// elements of these.
func cost(node *schema.Node) int {
	steps := 1
	for i := range node.Members {
		value := node.Members[i].Value
		steps += written(len(value.Text))
		for _, element := range value.Elements {
			steps += written(len(element.Text))
		}
		for j := range value.Members {
			steps += written(len(value.Members[j].Key))
		}
	}
	return steps
}

// run converts the whole schema, unless visit ends the conversion.
func (c *conversion) run() {
	c.at = append(c.at[:0], root...)
	c.seen, c.tables = map[string]bool{}, newTables()
	c.rule(c.root)
}

// deepest limits how deeply references and schemas may nest together. xgrammar itself is limited by
// its stack alone.
const deepest = 4 * schema.MaxDepth

// take visits one step, unless the conversion has ended. It reports whether the conversion has ended
// then.
func (c *conversion) take(node *schema.Node, branch branch, text string) bool {
	if !c.ended {
		c.ended = c.visit(node, c.at, &step{branch: branch, root: c.root, tables: c.tables, text: text})
	}
	return c.ended
}

// below calls convert for the place to which the tokens lead from this one.
func (c *conversion) below(convert func(), tokens ...string) {
	length := len(c.at)
	for _, token := range tokens {
		c.at = schema.AppendToken(c.at, token)
	}
	c.charge(1)
	convert()
	c.at = c.at[:length]
}

// rule converts a schema, unless one of the rules with which every grammar begins accepts the same.
func (c *conversion) rule(node *schema.Node) {
	if basicRule(node) == "" {
		c.body(node)
	}
}

// basicRule returns the name of the rule among those with which every grammar begins that accepts the
// same as a schema, or "".
func basicRule(node *schema.Node) string {
	if node.IsTrue() {
		return "basic_any"
	}
	if node.Kind != schema.Object {
		return ""
	}
	var only *schema.Member
	for i := range node.Members {
		switch member := &node.Members[i]; member.Key {
		case "title", "default", "description", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema":
		default:
			if only != nil {
				return ""
			}
			only = member
		}
	}
	switch {
	case only == nil:
		return "basic_any"
	case only.Key != "type":
		return ""
	}
	switch name := only.Value; {
	case name.Is("integer"), name.Is("number"), name.Is("string"), name.Is("boolean"), name.Is("null"), name.Is("array"), name.Is("object"):
		return "basic_" + name.Text
	default:
		return ""
	}
}

// body converts a schema.
func (c *conversion) body(node *schema.Node) {
	branch := branchOf(node)
	if c.depth++; c.depth > deepest {
		c.charge(math.MaxInt32) // spends the budget: what xgrammar does then is not known
	}
	defer func() { c.depth-- }()
	c.charge(cost(node))
	if c.take(node, branch, "") {
		return
	}
	switch branch {
	case reference:
		c.reference(node)
	case enumeration:
		if len(node.Get("enum").Elements) == 0 {
			c.cannotRead(node, parser)
		}
	case union:
		keyword := "anyOf"
		if !node.Has(keyword) {
			keyword = "oneOf"
		}
		c.union(node, keyword)
	case allOf: // several schemas in it count as any value
		if all := node.Get("allOf").Elements; len(all) == 1 {
			c.below(func() { c.body(all[0]) }, "allOf", "0")
		}
	case typeList:
		c.typeList(node)
	case stringType:
		c.string(node)
	case arrayType:
		c.array(node)
	case objectType:
		c.object(node)
	default: // has no subschemas
	}
}

func (c *conversion) union(node *schema.Node, keyword string) {
	options := node.Get(keyword).Elements
	if len(options) == 0 {
		c.cannotRead(node, parser)
	}
	for i, option := range options {
		if c.ended {
			return
		}
		c.below(func() { c.rule(option) }, keyword, strconv.Itoa(i))
	}
}

// typeList converts the schema once for each type of the list.
func (c *conversion) typeList(node *schema.Node) {
	types := node.Get("type")
	if len(types.Elements) == 0 {
		c.body(without(node, "type"))
		return
	}
	for _, name := range types.Elements {
		if c.take(name, typeInList, "") {
			return
		}
		c.charge(len(node.Members))
		c.rule(node.With("type", name))
	}
}

// without returns a copy of an object that lacks a member.
func without(node *schema.Node, key string) *schema.Node {
	clone := *node
	clone.Members = slices.Clone(node.Members)
	for clone.Has(key) {
		clone.Delete(key)
	}
	return &clone
}

// reference converts the target of a reference, the first time that the reference occurs.
func (c *conversion) reference(node *schema.Node) {
	uri := node.Get("$ref").Text
	rest, isLocal := strings.CutPrefix(uri, "#/")
	if c.seen[uri] || !isLocal {
		return
	}
	c.seen[uri] = true
	c.charge(written(len(rest)))
	if !strings.ContainsFunc(rest, isNameLetter) {
		c.cannotRead(node, lexer)
	}
	target, _, _ := follow(c.root, rest, c.tables.members)
	if target == nil { // the rule for that is left out
		return
	}
	before := c.at
	c.at = []byte(root)
	c.below(func() { c.body(target) }, partsOf(rest)...)
	c.at = before
}

// isNameLetter reports whether xgrammar uses a character of a reference in the name of a rule.
func isNameLetter(char rune) bool {
	return char == '_' || char == '-' || char == '.' || isLetter(char)
}

// partsOf returns the names that a reference leads through. xgrammar does not decode the escapes of
// JSON Pointer in them.
func partsOf(rest string) []string {
	return strings.FieldsFunc(rest, func(char rune) bool { return char == '/' })
}

// follow returns the target of a reference or, if there is none, the first name that is missing and
// the value that lacks it.
func follow(root *schema.Node, rest string, indices schema.Indices) (target *schema.Node, missing string, holder *schema.Node) {
	target = root
	for _, part := range partsOf(rest) {
		next := indices.Get(target, part)
		if next == nil {
			return nil, part, target
		}
		target = next
	}
	return target, "", nil
}

// formats reports whether xgrammar knows a format. Beside such a format it reads neither the pattern
// nor the bounds of the length.
var formats = schema.Among([]string{
	"email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri", "uri-reference", "uri-template",
	"json-pointer", "relative-json-pointer",
})

func (c *conversion) string(node *schema.Node) {
	pattern := node.Get("pattern")
	switch least, _ := lengths(node); {
	case formats(node.GetString("format")):
	case pattern != nil:
		c.pattern(node, pattern, pattern.Text, "pattern")
	case least < 0:
		c.cannotRead(node, parser)
	}
}

// lengths returns the bounds of a string's length, cut to 32 bits as xgrammar does. most is -1 if
// there is none.
func lengths(node *schema.Node) (least, most int32) {
	most = -1
	if bound := node.Get("minLength"); bound != nil {
		value, _ := integerOf(bound)
		least = int32(value) //nolint:gosec // as xgrammar does
	}
	if bound := node.Get("maxLength"); bound != nil {
		value, _ := integerOf(bound)
		most = int32(value) //nolint:gosec // as xgrammar does
	}
	return least, most
}

// pattern converts a regular expression, which is the value to which the tokens lead or its name.
func (c *conversion) pattern(node, value *schema.Node, text string, tokens ...string) {
	c.charge(1 + len(text))
	fault, unread := checkRegex(text)
	c.below(func() { c.take(value, patternText, fault) }, tokens...)
	if unread != noReader {
		c.cannotRead(node, unread)
	}
}

func (c *conversion) array(node *schema.Node) {
	if prefix := node.Get("prefixItems"); prefix != nil {
		for i, item := range prefix.Elements {
			if c.ended {
				return
			}
			c.below(func() { c.rule(item) }, "prefixItems", strconv.Itoa(i))
		}
	}
	if keyword, rest := restOf(node); rest != nil && !c.ended {
		c.below(func() { c.rule(rest) }, keyword)
	}
}

// restOf returns the schema of the elements after those of prefixItems, and its keyword. The schema
// is nil if there may be no such elements.
func restOf(node *schema.Node) (keyword string, rest *schema.Node) {
	for _, keyword := range []string{"items", "unevaluatedItems"} {
		if rest := node.Get(keyword); rest != nil {
			if rest.IsFalse() {
				return "", nil
			}
			return keyword, rest
		}
	}
	return "", nil
}

// counts returns the bounds of the number of elements in an array. most is -1 if there is none.
func counts(node *schema.Node) (least, most int64) {
	most = -1
	if bound, ok := integerOf(node.Get("minItems")); ok {
		least = max(0, bound)
	}
	if bound, ok := integerOf(node.Get("minContains")); ok {
		least = max(least, bound)
	}
	if bound, ok := integerOf(node.Get("maxItems")); ok {
		most = bound
	}
	return least, most
}

func (c *conversion) object(node *schema.Node) {
	if _, most := propertyCounts(node); most == 0 {
		return
	}
	patterns := membersOf(node.Get("patternProperties"))
	if len(patterns) > 0 { // xgrammar does not read properties then
		for _, member := range patterns {
			if c.ended {
				return
			}
			c.below(func() { c.rule(member.Value) }, "patternProperties", member.Key)
			if !c.ended {
				c.pattern(node, member.Value, member.Key, "patternProperties", member.Key)
			}
		}
		return
	}
	if names := node.Get("propertyNames"); names != nil {
		c.below(func() { c.rule(names.With("type", schema.NewString("string"))) }, "propertyNames")
		return
	}
	for _, member := range membersOf(node.Get("properties")) {
		if c.ended {
			return
		}
		c.charge(written(len(member.Key)))
		if !isReadableName(member.Key) {
			c.cannotRead(node, lexer)
		}
		if !member.Value.IsPlain() {
			c.below(func() { c.rule(member.Value) }, "properties", member.Key)
		}
	}
	if keyword, other := otherProperties(node); other != nil && !c.ended {
		c.below(func() { c.rule(other) }, keyword)
	}
}

// otherProperties returns the schema of undeclared properties, and its keyword. The schema is nil if
// there may be no such properties, which false and null mean, and if no keyword has it.
func otherProperties(node *schema.Node) (keyword string, other *schema.Node) {
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		if other := node.Get(keyword); other != nil {
			if other.IsFalse() || other.Kind == schema.Null {
				return "", nil
			}
			return keyword, other
		}
	}
	return "", nil
}

// propertyCounts returns the bounds of the number of properties in an object, cut to 32 bits as
// xgrammar does. most is -1 if there is none.
func propertyCounts(node *schema.Node) (least, most int32) {
	most = -1
	if bound, ok := integerOf(node.Get("minProperties")); ok {
		least = int32(bound) //nolint:gosec // as xgrammar does
	}
	if bound, ok := integerOf(node.Get("maxProperties")); ok {
		most = int32(bound) //nolint:gosec // as xgrammar does
	}
	return least, most
}

// membersOf returns the members of an object, which may be nil. Of several members with one name, the
// value of the last is at the position of the first, as in xgrammar's JSON library.
func membersOf(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	last := node.Indexed()
	for i, member := range node.Members {
		if last(member.Key) != i {
			return merged(node, last)
		}
	}
	return node.Members
}

func merged(node *schema.Node, last func(string) int) []schema.Member {
	var members []schema.Member
	seen := map[string]bool{}
	for _, member := range node.Members {
		if !seen[member.Key] {
			seen[member.Key] = true
			members = append(members, node.Members[last(member.Key)])
		}
	}
	return members
}

// integerOf returns the value of a number that xgrammar's JSON library reads as an integer: one
// without a fraction and an exponent that fits 64 bits.
func integerOf(node *schema.Node) (value int64, ok bool) {
	if node == nil || node.Kind != schema.Number {
		return 0, false
	}
	value, err := strconv.ParseInt(node.Text, 10, 64)
	return value, err == nil
}

// floatOf returns the value of a number as a float, which may be infinite.
func floatOf(node *schema.Node) float64 {
	value, err := strconv.ParseFloat(node.Text, 64)
	if err != nil && !math.IsInf(value, 0) {
		return 0
	}
	return value
}

// shortened returns a number as C prints it with %.17g, given its text in the form d.ddde+dd with 17
// digits.
func shortened(text string) string {
	const digits, least = 17, -4
	mantissa, power, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(power)
	if exponent >= least && exponent < digits {
		value, _ := strconv.ParseFloat(text, 64)
		mantissa, power = strconv.FormatFloat(value, 'f', digits-1-exponent, 64), ""
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	if power != "" {
		return mantissa + "e" + power
	}
	return mantissa
}
