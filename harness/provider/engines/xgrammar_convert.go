package engines

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// branch is what xgrammar makes of a schema: the first keyword of its order that is there.
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
	typed      // of a type of one of the names below, or of another
	integerType
	numberType
	stringType
	simpleType // boolean and null
	arrayType
	objectType
	patternText // a pattern or a name of patternProperties, in asked.text
	wholeScript // the grammar of a whole schema, with its fault in asked.text
	overflow    // a number beyond what fits a float, anywhere in the request's schema
)

// asked is the Subject of the stage that converts a schema: one step of the conversion.
type asked struct {
	branch branch
	root   *schema.Node
	tables *tables
	// text is why a pattern cannot be converted, or the grammar cannot be read.
	text string
	// reported has the places of keywords that are known to have no effect.
	reported map[string]bool
}

// tables keep what is looked up in the objects and the lists of a schema again and again.
type tables struct {
	members  schema.Indices            // of the objects that references lead through
	required map[*schema.Node]required // by their lists
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
		isThere := map[string]bool{}
		for _, name := range list.Strings() {
			if !isThere[name] {
				isThere[name] = true
				known.names = append(known.names, name)
			}
		}
		known.has = func(name string) bool { return isThere[name] }
		t.required[list] = known
	}
	return known
}

// branchOf returns what decides of a schema.
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

// conversion goes through a schema as xgrammar 0.1.27 does, in its strict mode, which is
// the default of all that use it: each schema where it is used, a reference once.
// https://github.com/mlc-ai/xgrammar/blob/v0.1.27/cpp/json_schema_converter.cc
type conversion struct {
	root *schema.Node
	// meet is asked about each step, at a place below the root, which it must not keep. The
	// conversion ends when it returns true.
	meet   func(node *schema.Node, at []byte, subject *asked) bool
	charge func(steps int)

	script   *script           // nil where no grammar is written
	rules    map[string]string // of references that were met
	tables   *tables
	at       []byte
	depth    int
	ended    bool
	doubtful bool // whether the grammar may be unreadable
}

// root is where the schema is in a tool.
const root = schema.Pointer("/parameters")

// written is what it costs to write or read so many bytes.
func written(bytes int) int {
	const inStep = 8
	return 1 + bytes/inStep
}

// cost is what it costs to look at a schema: at its members, and at theirs.
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

// run goes through the whole schema, or until it is ended.
func (c *conversion) run() {
	c.at = append(c.at[:0], root...)
	c.rules, c.tables = map[string]string{}, newTables()
	c.rule(c.root, "root")
}

// deepest is how deep references and schemas may nest together. xgrammar itself has no
// more than its stack.
const deepest = 4 * schema.MaxDepth

func (c *conversion) ask(node *schema.Node, branch branch, text string) bool {
	if !c.ended {
		c.ended = c.meet(node, c.at, &asked{branch: branch, root: c.root, tables: c.tables, text: text})
	}
	return c.ended
}

// below converts at a place below this one.
func (c *conversion) below(convert func(), tokens ...string) {
	length := len(c.at)
	for _, token := range tokens {
		c.at = schema.AppendToken(c.at, token)
	}
	c.charge(1)
	convert()
	c.at = c.at[:length]
}

// rule writes the rule of a schema and returns its name.
func (c *conversion) rule(node *schema.Node, wanted string) string {
	if basic := basicRule(node); basic != "" {
		if wanted == "root" {
			return c.script.add("root", basic, string(c.at))
		}
		return basic
	}
	name := c.script.allocate(wanted)
	return c.script.add(name, c.body(node, name), string(c.at))
}

// basicRule returns the name of the first rules' one that says the same as a schema, or "".
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

// body converts a schema to the body of a rule.
func (c *conversion) body(node *schema.Node, name string) string {
	branch := branchOf(node)
	if c.depth++; c.depth > deepest {
		c.charge(math.MaxInt32) // nothing is known of it
	}
	defer func() { c.depth-- }()
	c.charge(cost(node))
	if c.ask(node, branch, "") {
		return ""
	}
	switch branch {
	case reference:
		return c.reference(node.Get("$ref"))
	case constant:
		return c.literal(node.Get("const"))
	case enumeration:
		return c.enumeration(node.Get("enum"))
	case union:
		keyword := "anyOf"
		if !node.Has(keyword) {
			keyword = "oneOf"
		}
		return c.union(node.Get(keyword), keyword, name)
	case allOf:
		return c.allOf(node.Get("allOf"), name)
	case typeList:
		return c.typeList(node, name)
	case integerType, numberType:
		return `"0"`
	case stringType:
		return c.string(node)
	case simpleType:
		return `"null"`
	case arrayType:
		return c.array(node, name)
	case objectType:
		return c.object(node, name)
	default:
		return "basic_any"
	}
}

// literal is a value as it must be written.
func (c *conversion) literal(value *schema.Node) string {
	if c.script == nil {
		return ""
	}
	text := string(appendPicoJSON(nil, value))
	c.charge(written(len(text)))
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), `"`, `\"`) + `"`
}

func (c *conversion) enumeration(values *schema.Node) string {
	c.doubtful = c.doubtful || len(values.Elements) == 0
	parts := make([]string, 0, len(values.Elements))
	for _, value := range values.Elements {
		parts = append(parts, "("+c.literal(value)+")")
	}
	return strings.Join(parts, " | ")
}

func (c *conversion) union(options *schema.Node, keyword, name string) string {
	c.doubtful = c.doubtful || len(options.Elements) == 0
	var names []string
	for i, option := range options.Elements {
		if c.ended {
			return ""
		}
		c.below(func() { names = append(names, c.rule(option, name+"_case_"+strconv.Itoa(i))) }, keyword, strconv.Itoa(i))
	}
	return strings.Join(names, " | ")
}

// allOf converts the only schema of a list. xgrammar takes several for any value.
func (c *conversion) allOf(all *schema.Node, name string) (body string) {
	if len(all.Elements) != 1 {
		return "basic_any"
	}
	c.below(func() { body = c.body(all.Elements[0], name+"_case_0") }, "allOf", "0")
	return body
}

// typeList converts the schema once for each type of the list.
func (c *conversion) typeList(node *schema.Node, name string) string {
	types := node.Get("type")
	if len(types.Elements) == 0 {
		return c.body(without(node, "type"), name)
	}
	var names []string
	for _, one := range types.Elements {
		if c.ask(one, typeInList, "") {
			return ""
		}
		c.charge(len(node.Members))
		names = append(names, c.rule(node.With("type", one), name+"_"+one.Text))
	}
	return strings.Join(names, " | ")
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

// reference converts what a reference leads to, when it is first met.
func (c *conversion) reference(value *schema.Node) string {
	uri := value.Text
	if name, ok := c.rules[uri]; ok {
		return name
	}
	if uri == "#" {
		return "root"
	}
	rest, isLocal := strings.CutPrefix(uri, "#/")
	if !isLocal {
		return "basic_any"
	}
	name, isNamed := c.script.allocate(nameOfReference(rest)), nameOfReference(rest) != ""
	c.doubtful = c.doubtful || !isNamed
	c.rules[uri] = name
	target, _, _ := follow(c.root, rest, c.tables.members)
	if target == nil { // the rule for that is left out
		return name
	}
	before := c.at
	c.at = []byte(root)
	c.below(func() { c.script.add(name, c.body(target, name), string(c.at)) }, partsOf(rest)...)
	c.at = before
	return name
}

// partsOf returns the names that a reference leads through. xgrammar takes them as they
// are, without the escapes of JSON Pointer.
func partsOf(rest string) []string {
	return strings.FieldsFunc(rest, func(char rune) bool { return char == '/' })
}

// nameOfReference is the name that the rule of a reference gets.
func nameOfReference(rest string) string {
	var name strings.Builder
	for part := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
		if name.Len() > 0 {
			name.WriteByte('_')
		}
		for _, char := range []byte(part) {
			if isNameByte(char) {
				name.WriteByte(char)
			}
		}
	}
	return name.String()
}

// follow returns what a reference leads to. Where there is nothing, it returns the part
// that is missed, and the value that lacks it.
func follow(root *schema.Node, rest string, indices schema.Indices) (target *schema.Node, missed string, in *schema.Node) {
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

// formats are those that xgrammar knows; they win over a pattern and over bounds.
var formats = schema.Among([]string{
	"email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri", "uri-reference", "uri-template",
	"json-pointer", "relative-json-pointer",
})

func (c *conversion) string(node *schema.Node) string {
	pattern := node.Get("pattern")
	switch {
	case formats(node.GetString("format")):
		return c.script.shared(`"\"" "`+node.GetString("format")+`" "\""`, string(c.at))
	case pattern != nil:
		var body string
		c.below(func() { body = c.pattern(pattern, pattern.Text) }, "pattern")
		return c.script.shared(`"\"" `+body+` "\""`, string(c.at))
	case node.Has("minLength") || node.Has("maxLength"):
		least, most := lengths(node)
		if least == 0 && most == -1 {
			return c.script.shared(`"\"" [^"\\\r\n] "\""`, string(c.at))
		}
		c.doubtful = c.doubtful || least < 0
		upper := ""
		if most != -1 {
			upper = strconv.Itoa(int(most))
		}
		return c.script.shared(`"\"" [^"\\\r\n]{`+strconv.Itoa(int(least))+","+upper+`} "\""`, string(c.at))
	default:
		return "basic_string"
	}
}

// lengths returns the bounds of a string's length; xgrammar keeps 32 bits of them.
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

// pattern converts a regular expression.
func (c *conversion) pattern(node *schema.Node, text string) string {
	c.charge(1 + len(text)) // each letter becomes a part of the grammar
	c.doubtful = true
	body, fault := convertRegex(text)
	c.ask(node, patternText, fault)
	return body
}

func (c *conversion) array(node *schema.Node, name string) string {
	var names []string
	prefix := node.Get("prefixItems")
	if prefix != nil {
		for i, item := range prefix.Elements {
			if c.ended {
				return ""
			}
			c.below(func() { names = append(names, c.rule(item, name+"_item_"+strconv.Itoa(i))) }, "prefixItems", strconv.Itoa(i))
		}
	}
	keyword, rest := restOf(node)
	additional := ""
	if rest != nil && !c.ended {
		c.below(func() { additional = c.rule(rest, name+"_additional") }, keyword)
	}
	if c.script == nil {
		return ""
	}
	least, most := counts(node)
	const empty = `"[" ` + space + ` "]"`
	if len(names) > 0 {
		inner := "(" + strings.Join(names, " "+comma+" ") + ")"
		if rest != nil {
			left := most
			if most != -1 {
				left -= int64(len(names))
			}
			inner += " " + repeated("("+comma+" "+additional+")", max(0, least-int64(len(names))), left)
		}
		return `("[" ` + space + " " + inner + " " + space + ` "]")`
	}
	left := most
	if most != -1 {
		left--
	}
	switch {
	case rest == nil, least == 0 && most == 0:
		return "(" + empty + ")"
	case least == 0:
		return `(("[" ` + space + " " + additional + " " + repeated("("+comma+" "+additional+")", 0, left) + " " + space + ` "]") | (` + empty + "))"
	default:
		return `("[" ` + space + " " + additional + " " + repeated("("+comma+" "+additional+")", least-1, left) + " " + space + ` "]")`
	}
}

// restOf returns the schema of the elements behind those of prefixItems, and its keyword;
// nil where there are no more.
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

// counts returns how many elements an array may have; most is -1 for any number.
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

func (c *conversion) object(node *schema.Node, name string) string {
	inner, mayBeEmpty := "", false
	least, most := propertyCounts(node)
	declared, patterns := membersOf(node.Get("properties")), membersOf(node.Get("patternProperties"))
	keyword, additional := otherProperties(node)
	switch {
	case len(patterns) > 0 || node.Has("propertyNames"):
		if most == 0 {
			break
		}
		inner, mayBeEmpty = c.byName(node, patterns, name), least == 0
	case len(declared) > 0:
		if most != 0 {
			inner = c.properties(node, declared, additional, keyword, name)
		}
		mayBeEmpty = least == 0 && (c.script == nil || len(c.tables.requiredOf(node).names) == 0)
	case additional != nil:
		if most != 0 {
			c.below(func() {
				rule := c.rule(additional, name+suffixOf(keyword))
				part := "basic_string " + colon + " " + rule
				inner = space + " " + part + " (" + comma + " " + part + ")*  " + space
			}, keyword)
		}
		mayBeEmpty = least == 0
	}
	if c.script == nil {
		return ""
	}
	body := `"{" "}"`
	if inner != "" {
		body = `"{" ` + inner + ` "}"`
	}
	switch {
	case mayBeEmpty && inner == "":
		return `"{" ` + space + ` "}"`
	case mayBeEmpty:
		return "(" + body + `) | "{" ` + space + ` "}"`
	default:
		return body
	}
}

// byName converts an object whose names of properties decide: xgrammar passes over
// its properties then.
func (c *conversion) byName(node *schema.Node, patterns []schema.Member, name string) string {
	var parts []string
	for i, member := range patterns {
		if c.ended {
			return ""
		}
		c.below(func() {
			value := c.rule(member.Value, name+"_prop_"+strconv.Itoa(i))
			if !c.ended {
				parts = append(parts, "("+space+` "\""`+c.pattern(member.Value, member.Key)+`"\"" `+colon+" "+value+")")
			}
		}, "patternProperties", member.Key)
	}
	if len(patterns) == 0 {
		names := node.Get("propertyNames").With("type", schema.NewString("string"))
		c.below(func() { parts = append(parts, space+" "+c.rule(names, name+"_name")+" "+colon+" basic_any") }, "propertyNames")
	}
	rule := c.script.add(c.script.allocate(name+"_prop"), "("+strings.Join(parts, " | ")+")", string(c.at))
	return rule + " (" + comma + " " + rule + ")*" + space
}

func (c *conversion) properties(node *schema.Node, declared []schema.Member, additional *schema.Node, keyword, name string) string {
	written := &properties{}
	for i, member := range declared {
		if c.ended {
			return ""
		}
		c.doubtful = c.doubtful || strings.ContainsAny(member.Key, "\"\\\n\r\x00")
		if c.script == nil && member.Value.IsPlain() {
			continue // one of the first rules says the same
		}
		c.below(func() {
			written.names, written.values = append(written.names, member.Key), append(written.values, c.rule(member.Value, name+"_prop_"+strconv.Itoa(i)))
		}, "properties", member.Key)
	}
	if additional != nil && !c.ended {
		c.below(func() {
			written.additional = "basic_string " + colon + " " + c.rule(additional, name+suffixOf(keyword))
		}, keyword)
	}
	if c.script == nil || c.ended {
		return ""
	}
	required := c.tables.requiredOf(node)
	written.isRequired, written.required = required.has, len(required.names)
	return c.script.members(written, name, string(c.at))
}

func suffixOf(keyword string) string {
	if keyword == "additionalProperties" {
		return "_addl"
	}
	return "_uneval"
}

// otherProperties returns the schema of properties that are not declared, and its keyword;
// nil where there are none. null means none.
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

// propertyCounts returns how many properties an object may have; most is -1 for any
// number. xgrammar keeps 32 bits of them.
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

// membersOf returns the members of an object, which may be nil. Of those with one name it
// returns the last value in the first place, as the library does that xgrammar reads with.
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
	isThere := map[string]bool{}
	for _, member := range node.Members {
		if !isThere[member.Key] {
			isThere[member.Key] = true
			members = append(members, node.Members[last(member.Key)])
		}
	}
	return members
}

// integerOf returns the value of a number that the library reads as an integer: it is
// spelt without a fraction and without an exponent, and fits into 64 bits.
func integerOf(node *schema.Node) (value int64, ok bool) {
	if node == nil || node.Kind != schema.Number {
		return 0, false
	}
	value, err := strconv.ParseInt(node.Text, 10, 64)
	return value, err == nil
}

// floatOf returns the value of a number as a float.
func floatOf(node *schema.Node) float64 {
	value, err := strconv.ParseFloat(node.Text, 64)
	if err != nil && !math.IsInf(value, 0) {
		return 0
	}
	return value
}

// shortened makes what C prints with %.17g of a number in the form d.ddde+dd.
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
