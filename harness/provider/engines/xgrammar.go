package engines

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// xgrammarReleases are the releases whose answers are known. The day is that of the package for
// JavaScript, which gave the recorded answers.
var xgrammarReleases = []provider.Version{{Name: "0.1.27", Date: "2026-04-09"}}

// convertStage is the stage in which xgrammar converts a schema to a grammar. It visits each step of
// the conversion, in xgrammar's order, up to the first fault. The Subject is a *step.
var convertStage = &provider.Stage{
	Name:           "convert",
	Shared:         "one engine converts for all surfaces: https://github.com/mlc-ai/xgrammar, cpp/json_schema_converter.cc of version 0.1.27",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		document := visitor.Dialect.SchemaOf(request.Declarations[declaration])
		if document == nil {
			return
		}
		pass := &provider.Pass{Request: request, Declaration: declaration}
		convert(document, visitor.Charge, func(node *schema.Node, at []byte, step *step) bool {
			pass.Node, pass.At, pass.Subject = node, at, step
			return visitor.Visit(pass)
		})
	},
}

// convert calls visit with each step of the conversion of a schema, until visit returns true
// because the step is refused. The last step is the one in which xgrammar reads its grammar, if
// a part of the grammar cannot be read. A part that the lexer cannot read comes before others,
// because the lexer reads the whole grammar first.
func convert(node *schema.Node, charge func(int), visit func(*schema.Node, []byte, *step) bool) {
	whole := &conversion{root: node, visit: visit, charge: charge}
	if overflowing := firstOverflow(node, charge); overflowing != nil && whole.take(overflowing, overflow, "") {
		return
	}
	whole.run()
	if whole.ended || len(whole.unread) == 0 {
		return
	}
	first := slices.MaxFunc(whole.unread, func(a, b unreadable) int { return cmp.Compare(a.by, b.by) })
	whole.at = []byte(first.at)
	whole.take(first.node, wholeScript, first.by.words())
}

// firstOverflow returns the first number that is too large for a float of 64 bits, or nil.
func firstOverflow(node *schema.Node, charge func(int)) *schema.Node {
	charge(1)
	if node.IsPlain() {
		return nil
	}
	if node.Kind == schema.Number && math.IsInf(floatOf(node), 0) {
		return node
	}
	for _, element := range node.Elements {
		if found := firstOverflow(element, charge); found != nil {
			return found
		}
	}
	for _, member := range node.Members {
		if found := firstOverflow(member.Value, charge); found != nil {
			return found
		}
	}
	return nil
}

// mismatch returns the words of xgrammar's JSON library about a value that is not of the expected type.
func mismatch(expected string) string {
	return `"type mismatch! call is<type>() before get<type>()" && is<` + expected + `>()`
}

func checkFailed(condition, words string) string {
	return "Check failed: (" + condition + ") is false: " + words
}

// refusal is one reason for which xgrammar refuses a schema.
type refusal struct {
	name, doc string
	evidence  []string
	source    string // if there is no evidence
	// says returns the words with which xgrammar refuses a step of the conversion, or "".
	says func(node *schema.Node, step *step) string
}

// refusals are all refusals, in the order in which they judge a step.
var refusals = []refusal{
	{
		name:   "number_overflow",
		source: "xgrammar 0.1.27 picojson.h: the constructor of a value of a float throws std::overflow_error",
		doc: `a number fits a float of 64 bits, in data too

The engine fails without a message while it reads the schema. The words are the model's own.`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != overflow {
				return ""
			}
			return "std::overflow_error: " + node.Text
		},
	},
	{
		name: "false_schema",
		evidence: []string{
			"xgrammar/response_format/9cd9e3ac79e4",
			// Near misses.
			"xgrammar/response_format/312e984cd4c3",
		},
		doc: `a schema is not false

additionalProperties, unevaluatedProperties, items and unevaluatedItems may be.`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != boolean || node.IsTrue() {
				return ""
			}
			return checkFailed("schema.get<bool>()", "Schema should not be false: it cannot accept any value")
		},
	},
	{
		name: "not_a_schema",
		evidence: []string{
			"xgrammar/response_format/add812774ee3",
			// Near misses.
			"xgrammar/response_format/ce6840970f52",
		},
		doc: `a schema is an object or a boolean`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != noSchema {
				return ""
			}
			return checkFailed("schema.is<picojson::object>()", "Schema should be an object or bool, but got "+string(appendPicoJSON(nil, node)))
		},
	},
	{
		name: "reference_not_text",
		evidence: []string{
			"xgrammar/response_format/cbed3491fbb4",
			// Near misses.
			"xgrammar/response_format/1729f0d4b058",
		},
		doc: `a reference is a string`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != reference || node.Get("$ref").Kind == schema.String {
				return ""
			}
			return checkFailed(`schema.count("$ref") && schema.at("$ref").is<std::string>()`, "Schema $ref should be a string")
		},
	},
	{
		name: "reference_dangling",
		evidence: []string{
			"xgrammar/response_format/084a985c12ab",
			// Near misses.
			"xgrammar/response_format/e0b0865094e3",
		},
		doc: `a reference that begins with #/ leads through objects to a value

It does not lead to elements of lists, and the escapes of JSON Pointer are not decoded. A
reference that begins otherwise accepts any value, except for #.`,
		says: func(node *schema.Node, step *step) string {
			rest, isLocal := strings.CutPrefix(node.GetString("$ref"), "#/")
			if step.branch != reference || !isLocal {
				return ""
			}
			_, missing, holder := follow(step.root, rest, step.tables.members)
			if holder == nil {
				return ""
			}
			return checkFailed("current.get().is<picojson::object>() && current.get().contains(part)",
				"Cannot find field "+missing+" in "+string(appendPicoJSON(nil, holder)))
		},
	},
	{
		name:   "enum_not_list",
		source: "xgrammar 0.1.27 json_schema_converter.cc VisitEnum, with the words of the assertion of picojson.h",
		doc:    `an enum is a list`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != enumeration || node.Get("enum").Kind == schema.Array {
				return ""
			}
			return mismatch("array")
		},
	},
	{
		name: "union_not_list",
		evidence: []string{
			"xgrammar/response_format/89d09446cca6",
			// Near misses.
			"xgrammar/response_format/96d85c77bf30",
		},
		doc: `anyOf, oneOf and allOf are lists; oneOf beside anyOf is not read`,
		says: func(node *schema.Node, step *step) string {
			isList := func(keyword string) bool { return node.Get(keyword) != nil && node.Get(keyword).Kind == schema.Array }
			switch {
			case step.branch == union && !isList("anyOf") && (node.Has("anyOf") || !isList("oneOf")):
				return checkFailed("anyof_schema.is<picojson::array>()", "anyOf or oneOf must be an array")
			case step.branch == allOf && !isList("allOf"):
				return checkFailed(`schema.at("allOf").is<picojson::array>()`, "allOf must be an array")
			default:
				return ""
			}
		},
	},
	{
		name: "type_not_name",
		evidence: []string{
			"xgrammar/response_format/05706b8c210f",
			// Near misses.
			"xgrammar/response_format/439b44ff74ca",
		},
		doc: `a type is a string or a list of strings`,
		says: func(node *schema.Node, step *step) string {
			switch {
			case step.branch == typed && node.Get("type").Kind != schema.String:
				return checkFailed(`schema_obj.at("type").is<std::string>()`, "Type should be a string")
			case step.branch == typeInList && node.Kind != schema.String:
				return checkFailed("type.is<std::string>()", "type must be a string or an array of strings, but got "+string(appendPicoJSON(nil, node)))
			default:
				return ""
			}
		},
	},
	{
		name: "type_unknown",
		evidence: []string{
			"xgrammar/response_format/fec8f0991532",
			// Near misses.
			"xgrammar/response_format/28ee6fbce5cf",
		},
		doc: `a type is one of the seven of JSON Schema

A type beside $ref, const, enum, anyOf, oneOf or allOf is not read.`,
		says: func(node *schema.Node, step *step) string {
			if name := node.Get("type"); step.branch == typed && name.Kind == schema.String {
				return `Unsupported type "` + name.Text + `"`
			}
			return ""
		},
	},
	{
		name: "integer_bound",
		evidence: []string{
			"xgrammar/response_format/7c71ac1fd342",
			// Near misses.
			"xgrammar/response_format/24a970ba564b",
		},
		doc: `the bounds of an integer are whole numbers of 64 bits, and leave one between them`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != integerType {
				return ""
			}
			least, most := int64(math.MinInt64), int64(math.MaxInt64)
			for _, keyword := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
				bound := node.Get(keyword)
				if bound == nil {
					continue
				}
				value, fault := wholeBound(bound)
				switch {
				case fault != "":
					return fault
				case keyword == "minimum":
					least = value
				case keyword == "maximum":
					most = value
				case keyword == "exclusiveMinimum" && value == math.MaxInt64:
					return checkFailed("exclusive_min != std::numeric_limits<int64_t>::max()", "exclusiveMinimum would cause integer overflow")
				case keyword == "exclusiveMinimum":
					least = value + 1
				case value == math.MinInt64:
					return checkFailed("exclusive_max != std::numeric_limits<int64_t>::min()", "exclusiveMaximum would cause integer underflow")
				default:
					most = value - 1
				}
			}
			if least > most {
				return checkFailed("!(start && end) || *start <= *end", "Invalid range: minimum greater than maximum")
			}
			return ""
		},
	},
	{
		name: "number_bound",
		evidence: []string{
			"xgrammar/response_format/21a932f9ff57",
			// Near misses.
			"xgrammar/response_format/8479acc52d5f",
		},
		doc: `the bounds of a number are numbers, and leave one between them; an exclusive one counts as inclusive`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != numberType {
				return ""
			}
			least, most := math.Inf(-1), math.Inf(1)
			for _, keyword := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
				switch bound := node.Get(keyword); {
				case bound == nil:
				case bound.Kind != schema.Number:
					return checkFailed(`schema.at("`+keyword+`").is<double>() || schema.at("`+keyword+`").is<int64_t>()`, keyword+" must be a number")
				case strings.HasSuffix(strings.ToLower(keyword), "minimum"):
					least = floatOf(bound)
				default:
					most = floatOf(bound)
				}
			}
			if least > most {
				return checkFailed("!(start && end) || *start <= *end", "Invalid range, start value greater than end value")
			}
			return ""
		},
	},
	{
		name: "string_keyword",
		evidence: []string{
			"xgrammar/response_format/e29ced374ea1",
			// Near misses.
			"xgrammar/response_format/97e6906832bb",
		},
		doc: `the keywords of a string have values of their types, and a length is left

A format that xgrammar knows takes precedence over a pattern, and a pattern over bounds of the
length. The others are not read. Bounds have 32 bits.`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != stringType {
				return ""
			}
			format, pattern := node.Get("format"), node.Get("pattern")
			switch {
			case format != nil && format.Kind != schema.String:
				return mismatch("std::string")
			case formats(node.GetString("format")):
				return ""
			case pattern != nil && pattern.Kind != schema.String:
				return mismatch("std::string")
			case pattern != nil:
				return ""
			}
			for _, keyword := range []string{"minLength", "maxLength"} {
				if _, ok := integerOf(node.Get(keyword)); node.Has(keyword) && !ok {
					return mismatch("int64_t")
				}
			}
			if least, most := lengths(node); most != -1 && least > most {
				return checkFailed("string_spec.max_length == -1 || string_spec.min_length <= string_spec.max_length",
					fmt.Sprintf("In string schema, minLength %d is greater than maxLength %d", least, most))
			}
			return ""
		},
	},
	{
		name: "pattern",
		evidence: []string{
			"xgrammar/response_format/054747696985",
			// Near misses.
			"xgrammar/response_format/47c0eb241971",
		},
		doc: `a pattern has no look-around, backreference, word boundary, class of Unicode or flag

The names of patternProperties are patterns too. Beside a format that xgrammar knows a
pattern is not read.`,
		says: func(_ *schema.Node, step *step) string {
			if step.branch != patternText {
				return ""
			}
			return step.text
		},
	},
	{
		name: "array_keyword",
		evidence: []string{
			"xgrammar/response_format/ae34bf1f1904",
			// Near misses.
			"xgrammar/response_format/cf63a02621de",
		},
		doc: `the keywords of an array have values of the types of draft 2020-12

A list in items, as draft 7 has it, is refused. Counts are integers that are written without
a fraction.`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != arrayType {
				return ""
			}
			if prefix := node.Get("prefixItems"); prefix != nil {
				if prefix.Kind != schema.Array {
					return "prefixItems must be an array"
				}
				for _, item := range prefix.Elements {
					if item.IsFalse() {
						return "prefixItems contains false"
					}
					if !isSchema(item) {
						return "prefixItems must be an array of objects or booleans"
					}
				}
			}
			for _, keyword := range []string{"items", "unevaluatedItems"} {
				if value := node.Get(keyword); value != nil {
					if !isSchema(value) {
						return keyword + " must be a boolean or an object"
					}
					break
				}
			}
			for _, keyword := range []string{"minItems", "minContains"} {
				if _, ok := integerOf(node.Get(keyword)); node.Has(keyword) && !ok {
					return keyword + " must be an integer"
				}
			}
			if most, ok := integerOf(node.Get("maxItems")); node.Has("maxItems") && (!ok || most < 0) {
				return "maxItems must be a non-negative integer"
			}
			return ""
		},
	},
	{
		name: "array_count",
		evidence: []string{
			"xgrammar/response_format/485443a95e96",
			// Near misses.
			"xgrammar/response_format/72d40ad21da3",
		},
		doc: `minItems, maxItems and prefixItems leave an array

An array without items has no more elements than prefixItems has schemas.`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != arrayType {
				return ""
			}
			least, most := counts(node)
			prefix := int64(0)
			if items := node.Get("prefixItems"); items != nil {
				prefix = int64(len(items.Elements))
			}
			_, rest := restOf(node)
			switch {
			case most != -1 && least > most:
				return fmt.Sprintf("minItems is greater than maxItems: %d > %d", least, most)
			case most != -1 && most < prefix:
				return fmt.Sprintf("maxItems is less than the number of prefixItems: %d < %d", most, prefix)
			case rest == nil && prefix < least:
				return fmt.Sprintf("minItems is greater than the number of prefixItems, but additional items are not allowed: %d > %d", least, prefix)
			default:
				return ""
			}
		},
	},
	{
		name: "object_keyword",
		evidence: []string{
			"xgrammar/response_format/6d02c782cf7a",
			// Near misses.
			"xgrammar/response_format/d3d724c5b0ad",
		},
		doc: `the keywords of an object have values of their types

propertyNames is an object, and its type is string. Counts are integers that are written
without a fraction.`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != objectType {
				return ""
			}
			is := func(keyword string, kind schema.Kind) bool {
				return !node.Has(keyword) || node.Get(keyword).Kind == kind
			}
			switch {
			case !is("properties", schema.Object):
				return "properties must be an object"
			case !is("required", schema.Array):
				return "required must be an array"
			case node.Has("required") && slices.ContainsFunc(node.Get("required").Elements, isNoText):
				return mismatch("std::string")
			case !is("patternProperties", schema.Object):
				return "patternProperties must be an object"
			case !is("propertyNames", schema.Object):
				return "propertyNames must be an object"
			}
			if name := node.Get("propertyNames").Get("type"); name != nil && name.Kind == schema.String && name.Text != "string" {
				return "propertyNames must be an object that validates string"
			}
			for _, keyword := range []string{"minProperties", "maxProperties"} {
				count, ok := integerOf(node.Get(keyword))
				switch {
				case !node.Has(keyword):
				case !ok:
					return keyword + " must be an integer"
				case int32(count) < 0:
					return keyword + " must be a non-negative integer"
				}
			}
			return ""
		},
	},
	{
		name: "object_count",
		evidence: []string{
			"xgrammar/response_format/184f6ee6f1ae",
			// Near misses.
			"xgrammar/response_format/babb005e4695",
		},
		doc: `minProperties, maxProperties and required leave an object

An object without additionalProperties has no more properties than it declares.`,
		says: func(node *schema.Node, step *step) string {
			if step.branch != objectType {
				return ""
			}
			least, most := propertyCounts(node)
			required, declared := len(step.tables.requiredOf(node).names), len(membersOf(node.Get("properties")))
			_, other := otherProperties(node)
			isOpen := other != nil || len(membersOf(node.Get("patternProperties"))) > 0 || node.Has("propertyNames") || isNull(node)
			switch {
			case most != -1 && least > most:
				return fmt.Sprintf("minxPropertiesmax is greater than maxProperties: %d > %d", least, most)
			case most != -1 && required > int(most):
				return fmt.Sprintf("maxProperties is less than the number of required properties: %d < %d", most, required)
			case !isOpen && int(least) > declared:
				return "minProperties is greater than the number of properties, but additional properties aren't allowed: " +
					strconv.Itoa(int(least)) + " > " + strconv.Itoa(declared)
			default:
				return ""
			}
		},
	},
	{
		name: "grammar_unreadable",
		evidence: []string{
			"xgrammar/response_format/5f3be4deac26",
			// Near misses.
			"xgrammar/response_format/3f8fd7057f42",
		},
		doc: `the grammar that xgrammar writes of a schema can be read

It writes the names of properties without escapes, so that quotes, backslashes and line breaks
in them make the grammar unreadable. So do an empty enum or union, a negative minLength, and
some patterns, such as a class with a reversed range.`,
		says: func(_ *schema.Node, step *step) string {
			if step.branch != wholeScript {
				return ""
			}
			return step.text
		},
	},
}

// wordsOf returns the words with which xgrammar refuses a step, or "".
func wordsOf(node *schema.Node, step *step, charge func(steps int)) string {
	charge(len(refusals))
	for _, refusal := range refusals {
		if words := refusal.says(node, step); words != "" {
			return words
		}
	}
	return ""
}

// xgrammarRules are the rules of the refusals.
var xgrammarRules = func() []*provider.Rule {
	rules := make([]*provider.Rule, len(refusals))
	for i, refusal := range refusals {
		rules[i] = &provider.Rule{
			Name: refusal.name, Doc: refusal.doc, Effect: provider.Rejects, Stage: convertStage, Evidence: refusal.evidence, Source: refusal.source,
			Check: func(p *provider.Pass) {
				step := p.Subject.(*step) //nolint:forcetypeassert // the package's own type
				if words := refusal.says(p.Node, step); words != "" {
					p.Reportf("%s%s", backendOf(p.Dialect()).prefix, words)
				}
			},
		}
	}
	return rules
}()

// wholeBound reads a bound of an integer. The fault is the words with which xgrammar refuses it, or
// "".
func wholeBound(bound *schema.Node) (value int64, fault string) {
	const edge = 1 << 63 // one more than the largest integer of 64 bits
	if bound.Kind != schema.Number {
		return 0, checkFailed("value.is<int64_t>() || value.is<double>()", "Value must be a number")
	}
	if value, ok := integerOf(bound); ok {
		return value, ""
	}
	switch float := floatOf(bound); {
	case float != math.Floor(float):
		return 0, checkFailed("val == std::floor(val)", "Integer constraint must be a whole number")
	case float == -edge:
		return 0, checkFailed("false", "Integer exceeds minimum limit due to precision loss at 64-bit boundary")
	case float == edge:
		return 0, checkFailed("false", "Integer exceeds maximum limit due to precision loss at 64-bit boundary")
	case float > edge:
		return 0, checkFailed("val <= MAX_INT64_AS_DOUBLE", "Integer exceeds maximum limit")
	case float < -edge:
		return 0, checkFailed("val >= MIN_INT64_AS_DOUBLE", "Integer exceeds minimum limit")
	default:
		return int64(float), ""
	}
}

func isNoText(node *schema.Node) bool { return node.Kind != schema.String }

func isSchema(node *schema.Node) bool { return node.Kind == schema.Object || node.Kind == schema.Bool }

// isNull reports whether the schema for undeclared properties is null. Such an object counts as open.
func isNull(node *schema.Node) bool {
	other := node.Get("additionalProperties")
	if other == nil {
		other = node.Get("unevaluatedProperties")
	}
	return other != nil && other.Kind == schema.Null
}
