package openai

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/python"
	"toolproof/schema"
)

// keywordRules judge the keywords of a strict schema. They judge all its subschemas before the other
// rules judge any.
var keywordRules = []*provider.Rule{
	unsupportedKeywords, remoteReference, referenceKeywords, referenceTarget, notPermitted, notPermittedBefore, keywordUnknown,
}

// strictRules judge each subschema of a strict response schema, in the validator's order. The first
// rule that reports ends the judgement.
var strictRules = slices.Concat(keywordRules, []*provider.Rule{
	typeKey, arrayItemsOfType, format, additionalProperties, objectProperties, requiredMissing, requiredExtra,
	provider.Unproved(enumOfType),
})

// strictFunctionRules judge each subschema of a strict function after the keywordRules. They also judge
// the entries of lists of types, as reports about functions show and those about response schemas do not.
var strictFunctionRules = []*provider.Rule{
	typeKey, arrayItems, formatOfTypes, additionalPropertiesOfTypes, objectProperties, requiredMissing, requiredExtra,
}

// strictResponsesRules judge each subschema of a strict function of Responses.
var strictResponsesRules = slices.Concat(keywordRules, []*provider.Rule{lookaroundOfFunctions, lookaroundOfGPT4o}, strictFunctionRules, []*provider.Rule{
	enumOfType,
	provider.Unproved(parametersMissing), provider.Unproved(lengthNotPermitted), provider.Unproved(arrayItemsBesideTypes),
})

// strictChatRules judge each subschema of a strict function of Chat Completions.
var strictChatRules = slices.Concat([]*provider.Rule{lengthNotPermitted}, keywordRules, []*provider.Rule{arrayItemsBesideTypes}, strictFunctionRules,
	[]*provider.Rule{provider.Unproved(lookaroundOfFunctions), provider.Unproved(enumOfType)})

// arrayItems reports an array without items in the parameters of a function.
var arrayItems = &provider.Rule{
	Name:   "array_items",
	Effect: provider.Rejects,
	About:  "items",
	Stage:  subschemas,
	Doc: `an array without items fails the request

That holds for functions that are not strict too; prefixItems does not count. A list of
types that has array counts as an array. The place then names the entry of the list.`,
	Evidence: []string{
		"openai/chat/3a4efcd1c350",
		"openai/chat/552872de1fb8",
		"openai/responses/c0f4f4a55609",
		"azure/chat/2949e2636d16",
		// Near misses.
		"openai/chat/9828032efd75",
		"openai/chat-strict/6238d0f1edf9",
	},
	Check: entering(func(p *provider.Pass) {
		if !p.Node.Has("items") {
			ofType(p, "array", func() { reportInf(p, "array schema missing items.") })
		}
	}),
}

// arrayItemsOfType is arrayItems for response schemas, where lists of types are not known to be
// judged.
var arrayItemsOfType = &provider.Rule{
	Name:   "array_items",
	Effect: provider.Rejects,
	About:  "items",
	Stage:  subschemas,
	Doc: `an array without items fails the request

prefixItems does not count. gpt-4o-mini accepted a list of types with array and null
beside items on 2025-10-03 and 2025-12-11. One report of 2025-10-04 says the opposite
and names no model: https://github.com/JetBrains/koog/pull/925.`,
	Evidence: []string{
		"openai/response_format/d4fd8c6cea9d",
		"openai/text_format/a62451b6d819",
		// Near misses.
		"openai/response_format/6b326eb2f3fc",
		"openai/text_format/261452d92ca6",
		"openai/response_format/358aac9d65ef",
		"openai/text_format/3a34a1332421",
	},
	Check: entering(func(p *provider.Pass) {
		if p.Node.Get("type").Is("array") && !p.Node.Has("items") {
			reportInf(p, "array schema missing items.")
		}
	}),
}

// arrayItemsBesideTypes reports a list of types that has array, whether or not there are
// items.
var arrayItemsBesideTypes = &provider.Rule{
	Name:   "array_items_beside_types",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `items beside a list of types does not count

["array", "null"] fails even beside items, while anyOf with the two is accepted. One pull
request reports it of strict functions, without showing the request. The response_format of
gpt-4o-mini accepted the same, so the rule is not known to hold on other surfaces.`,
	Evidence: []string{
		"openai/chat-strict/68ae163ffd86",
		// Near misses.
		"openai/chat-strict/6238d0f1edf9",
		"openai/chat-strict/ba9e9701434a",
	},
	Check: entering(func(p *provider.Pass) {
		if value := p.Node.Get("type"); value != nil && value.Kind == schema.Array && p.Node.Has("items") {
			ofType(p, "array", func() { reportInf(p, "array schema missing items.") })
		}
	}),
}

// ofType calls report if the type has the name, alone or in a list. The validator treats each entry
// of a list as a schema of its own, so that the context then leads to the entry.
func ofType(p *provider.Pass, name string, report func()) {
	value := p.Node.Get("type")
	if value.Is(name) {
		report()
		return
	}
	if value == nil || value.Kind != schema.Array {
		return
	}
	if i := slices.IndexFunc(value.Elements, func(entry *schema.Node) bool { return entry.Is(name) }); i >= 0 {
		s := placeOf(p)
		s.context = append(s.context, "type", strconv.Itoa(i))
		report()
		s.context = s.context[:len(s.context)-2]
	}
}

// entering makes a check that judges a schema before its subschemas.
func entering(check func(*provider.Pass)) func(*provider.Pass) { return inTurn(false, check) }

// leaving makes a check that judges a schema after its subschemas.
func leaving(check func(*provider.Pass)) func(*provider.Pass) { return inTurn(true, check) }

func inTurn(isLeaving bool, check func(*provider.Pass)) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if placeOf(p).isLeaving == isLeaving {
			check(p)
		}
	}
}

// unsupportedKeywords reports not, with the other unsupported keywords beside it.
var unsupportedKeywords = &provider.Rule{
	Name:   "unsupported_keywords",
	Effect: provider.Rejects,
	About:  provider.OtherKeywords,
	Stage:  keywords,
	Doc: `not is not supported

Its message also names the other unsupported keywords beside it.`,
	Evidence: []string{
		"openai/text_format/66674d92137a",
		"openai/text_format/fee8b07a72c2",
		// Near misses.
		"openai/text_format/aa31dcd334b4",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Has("not") {
			return
		}
		var present []string
		for _, keyword := range []string{"allOf", "not", "dependentRequired", "dependentSchemas", "if", "then", "else"} {
			if p.Node.Has(keyword) {
				present = append(present, keyword)
			}
		}
		s := placeOf(p)
		reportf(p, "context=%s, Unsupported keywords %s.", s.in(), (&place{context: present}).in())
	},
}

// remoteReference reports a reference that leaves the document.
var remoteReference = &provider.Rule{
	Name:   "remote_reference",
	Effect: provider.Rejects,
	Stage:  keywords,
	Doc:    `a reference stays within the schema`,
	Evidence: []string{
		"openai/response_format/b5e971832b8a",
		"openai/text_format/38d909e8dca3",
		"openai/text_format/47c223364390",
		// Near misses.
		"openai/text_format/b2b820bdb362",
		"openai/response_format/94f7351c747e",
	},
	Check: func(p *provider.Pass) {
		if reference := p.Node.Get("$ref"); reference != nil && !strings.HasPrefix(reference.Text, "#") {
			reportInf(p, "remote references are not permitted.")
		}
	},
}

// referenceKeywords reports keywords beside a reference.
var referenceKeywords = &provider.Rule{
	Name:   "reference_keywords",
	Effect: provider.Rejects,
	Stage:  keywords,
	Doc:    `a reference stands alone, even without a description`,
	Evidence: []string{
		"openai/response_format/0b2ab4ba1d39",
		"azure/chat-strict/3a73787627a3",
		"azure/response_format/2f8d2a5ca1a4",
		// Near misses.
		"openai/response_format/c54e938fa7e4",
	},
	Check: func(p *provider.Pass) {
		if !p.Node.Has("$ref") || len(p.Node.Members) == 1 {
			return
		}
		var beside []string
		for _, member := range p.Node.Members {
			if member.Key != "$ref" {
				beside = append(beside, python.String(member.Key))
			}
		}
		slices.Sort(beside)
		s := placeOf(p)
		reportf(p, "context=%s, $ref cannot have keywords {%s}.", s.in(), strings.Join(beside, ", "))
	},
}

// referenceTarget reports a reference to anything but a definition of the root.
var referenceTarget = &provider.Rule{
	Name:   "reference_target",
	Effect: provider.Rejects,
	Stage:  keywords,
	Doc:    `a reference leads to the root or to a definition of the root`,
	Evidence: []string{
		"openai/response_format/26b0d569071f",
		// Near misses.
		"openai/response_format/94f7351c747e",
		"openai/text_format/93f5180f3226",
	},
	Check: func(p *provider.Pass) {
		reference := p.Node.Get("$ref")
		if reference == nil || reference.Text == "#" {
			return
		}
		s := placeOf(p)
		pointer := schema.Pointer(fragment(reference.Text))
		tokens := pointer.Tokens()
		if !strings.HasPrefix(string(pointer), "/") || len(tokens) != 2 || !s.defines(tokens[0], tokens[1]) {
			reportInf(p, "reference can only point to definitions defined at the top level of the schema.")
		}
	},
}

// fragment returns the part of a reference after # with its percent-encoding decoded.
func fragment(reference string) string {
	text := strings.TrimPrefix(reference, "#")
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	return text
}

// notPermitted reports a keyword outside the subset of strict schemas.
var notPermitted = &provider.Rule{
	Name:   "not_permitted",
	Effect: provider.Rejects,
	About:  provider.OtherKeywords,
	Stage:  keywords,
	Doc: `a keyword that strict schemas may not have fails the request

The rule has the keywords that were refused in answers. For patternProperties see keyword_unknown;
prefixItems is not among them.`,
	Evidence: []string{
		"openai/chat-strict/886a2993d9d4",
		"openai/chat-strict/aff3cee1695c",
		"openai/response_format/10d5a47941d9",
		"openai/response_format/14b93f227563",
		"openai/response_format/2043e5a34c90",
		"openai/response_format/36475213f52b",
		"openai/response_format/49e82fb51cb2",
		"openai/response_format/619b6c23bad1",
		"openai/response_format/62a748fbccc1",
		"openai/response_format/6679777f1781",
		"openai/response_format/670371f10420",
		"openai/response_format/9700c7859ce5",
		"openai/response_format/97f70630be43",
		"openai/response_format/9db0e4e981c8",
		"openai/response_format/dbc7f770b836",
		"openai/text_format/2d442d3a063f",
		"openai/text_format/4738be4d612f",
		"openai/text_format/5a6d98e4ed60",
		"openai/text_format/5e3391464810",
		"openai/text_format/624d2316853c",
		"openai/text_format/62866f4cc68c",
		"openai/text_format/6ce4a1879bf3",
		"openai/text_format/863f85f39de9",
		"openai/text_format/916cab3672ed",
		"openai/text_format/be19930abd2b",
		"openai/text_format/e4f82b403c25",
		"openai/text_format/e9ac76fad9ed",
		"openai/text_format/f4db0fd0f0a4",
		// Near misses.
		"openai/response_format/89311d5ae292",
		"openai/response_format/6f4dbc9ffec5",
		"openai/response_format/a83a11e25937",
		"openai/text_format/a42c6d18249f",
		"openai/text_format/b21b4878f129",
		"openai/text_format/f1c07f22ce48",
	},
	Check: refuse("oneOf", "allOf", "uniqueItems", "contains", "minContains", "maxContains", "propertyNames", "minProperties", "maxProperties",
		"if", "then", "else", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems"),
}

// keywordUnknown reports patternProperties.
var keywordUnknown = &provider.Rule{
	Name:   "keyword_unknown",
	Effect: provider.Unknown,
	Stage:  keywords,
	Doc: `whether patternProperties is refused is not known

The subset lacks it, as it lacks the keywords of not_permitted. No public answer of a strict schema is
about it.`,
	Source: "OpenAI's guide to structured outputs, as transcribed in 2026-02: docs/providers.md#openai-strict-subset",
	Check: func(p *provider.Pass) {
		if p.Node.Has("patternProperties") {
			p.Report(provider.Finding{Message: "it is unknown whether " + p.Dialect().Name + " refuses 'patternProperties'"})
		}
	},
}

// notPermittedBefore reports the keywords that became permitted in 2025.
var notPermittedBefore = &provider.Rule{
	Name:   "not_permitted_before",
	Effect: provider.Rejects,
	Stage:  keywords,
	Until:  "2025-06-01",
	Doc: `a strict schema had no default, format, pattern, bounds and sizes

Refused in 2024 and until the spring of 2025, supported since the middle of 2025.`,
	Evidence: []string{
		"openai/response_format/184573eef201",
		"openai/response_format/b9eee23f541a",
		"openai/chat-strict/6c5f207e86dd",
		// Near misses.
		"openai/response_format/6f4dbc9ffec5",
	},
	Check: refuse("default", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
		"minLength", "maxLength"),
}

// lengthNotPermitted reports the lengths of a string in a strict function.
var lengthNotPermitted = &provider.Rule{
	Name:   "length_not_permitted",
	Effect: provider.Rejects,
	About:  provider.OtherKeywords,
	Stage:  keywords,
	Since:  "2025-06-01",
	Doc: `minLength or maxLength in a strict function fails the request

Reported for functions at the end of 2025 and in 2026. In response formats recordings
have both accepted since 2025-08.`,
	Evidence: []string{
		"openai/chat-strict/2f8729d32b41",
		// Near misses.
		"openai/chat-strict/36a05d23dc7c",
	},
	Check: refuse("minLength", "maxLength"),
}

// refuse makes a check that reports the first of the keywords that a schema has.
func refuse(keywords ...string) func(*provider.Pass) {
	return func(p *provider.Pass) {
		for _, member := range p.Node.Members {
			if slices.Contains(keywords, member.Key) {
				reportInf(p, "'%s' is not permitted.", member.Key)
				return
			}
		}
	}
}

// typeKey reports a subschema without a type.
var typeKey = &provider.Rule{
	Name:   "type_key",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Doc: `a strict subschema without type, $ref and anyOf fails the request

A const without a type fails, and so does an empty schema, which zod makes of unknown and any.
At the root an empty schema counts as an object.`,
	Evidence: []string{
		"openai/responses-strict/186749dffd2d",
		"openai/chat-strict/f3e8b24e56e9",
		"openai/response_format/8068f6c06f09",
		"openai/text_format/0bb4bfffa7cf",
		"openai/text_format/c4b11ce9e834",
		// Near misses.
		"openai/response_format/f76c8fe6389c",
		"openai/text_format/ebc819cf93b7",
		"openai/chat-strict/ba9e9701434a",
	},
	Check: entering(func(p *provider.Pass) {
		if !hasAny(p.Node, "type", "$ref", "anyOf") && !isEmptyRoot(p) {
			reportInf(p, "schema must have a 'type' key.")
		}
	}),
}

// enumOfType reports a value of an enum that is not of the type beside it.
var enumOfType = &provider.Rule{
	Name:   "enum_of_type",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Since:  "2026-05-20",
	Doc: `a value of an enum is of the type beside it

Two reports of June 2026 show it for functions of Responses, one for a branch of type null that
repeats the enum of its neighbour, and one for type array. Nothing is known of lists of types,
of Chat Completions and of formats.`,
	Evidence: []string{
		"openai/responses-strict/6ea805978bc0",
		// Near misses.
		"openai/responses-strict/14a87a6d3497",
	},
	Check: entering(func(p *provider.Pass) {
		name := p.Node.Get("type")
		if name == nil || name.Kind != schema.String {
			return
		}
		for _, value := range elements(p.Node.Get("enum")) {
			if !value.IsOf(name.Text) {
				reportf(p, "context=%s, enum value %s does not validate against {'type': %s}.",
					p.Subject.(*place).in(), python.Text(value), python.String(name.Text)) //nolint:forcetypeassert // the package's own type
				return
			}
		}
	}),
}

// formats are the formats of a string in a strict schema. Source: OpenAI's guide
// to structured outputs, as transcribed in 2026-02: docs/providers.md#openai-strict-subset.
var formats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// format reports a format of a string outside the list.
var format = &provider.Rule{
	Name:   "format",
	Effect: provider.Rejects,
	About:  "format",
	Stage:  subschemas,
	Since:  "2025-06-01",
	Doc: `a format of a string is one of nine

Formats of numbers are not checked: int64, uint8 and double were accepted.`,
	Evidence: []string{
		"openai/response_format/29f24c1ddcb9",
		"openai/response_format/375e040bdd03",
		"openai/text_format/5765c31351c4",
		// Near misses.
		"openai/response_format/81c5228a2d54",
		"openai/text_format/aa31dcd334b4",
	},
	Check: entering(func(p *provider.Pass) {
		if p.Node.Get("type").Is("string") {
			checkFormat(p)
		}
	}),
}

// formatOfTypes is format for functions, where the entries of lists of types are judged.
var formatOfTypes = &provider.Rule{
	Name:   format.Name,
	Effect: provider.Rejects,
	About:  "format",
	Stage:  subschemas,
	Since:  format.Since,
	Doc: format.Doc + `
In a list of types the place names the entry string.`,
	Evidence: []string{
		"openai/responses-strict/f7eaacff45fc",
		// Near misses.
		"openai/responses-strict/7b21f6a8b106",
	},
	Check: entering(func(p *provider.Pass) {
		ofType(p, "string", func() { checkFormat(p) })
	}),
}

func checkFormat(p *provider.Pass) {
	if format := p.Node.Get("format"); format != nil && !slices.Contains(formats, format.Text) {
		reportInf(p, "'%s' is not a valid format.", format.Text)
	}
}

// isOf reports whether the type has the name, alone or in a list.
func isOf(node *schema.Node, name string) bool {
	value := node.Get("type")
	return value.Is(name) || slices.Contains(value.Strings(), name)
}

// additionalProperties reports an open object.
var additionalProperties = &provider.Rule{
	Name:   "additional_properties",
	Effect: provider.Rejects,
	About:  "additionalProperties",
	Stage:  subschemas,
	Doc: `a strict object without additionalProperties false fails the request

An empty root counts as an object without it. An object that has only a schema for additional
properties is not reported by this rule: the provider drops it, and then reports that the parent
requires a property which it does not declare. Of several open objects the outermost is
reported, because the provider checks a schema before its subschemas, except for required.`,
	Evidence: []string{
		"openai/chat-strict/204503dfc637",
		"openai/response_format/33744b468a3c",
		"openai/response_format/82b9cfc62af2",
		"openai/response_format/bd3e07898479",
		"openai/response_format/c2ae9f77e9e9",
		"openai/response_format/ff12ab5653b3",
		"openai/text_format/4810cb1f6b38",
		"openai/text_format/54ca17385a07",
		"openai/text_format/8e65aa9749d5",
		"openai/text_format/d5c88fad7856",
		"openai/responses-strict/bb31df20b48e",
		"azure/response_format/c0b75cea7167",
		"azure/response_format/41912c17deee",
		// Near misses.
		"openai/chat-strict/2dbc8ab1b7e3",
		"openai/chat-strict/1b2bcdd3e2a1",
		"openai/response_format/a2604c6d57c9",
		"openai/responses/2b5ed541f0f3",
		"openai/responses/d4387221a5c7",
		"openai/responses/c67df8b1b157",
		"openai/responses-strict/25828941e9cd",
		"openai/responses-strict/14a87a6d3497",
	},
	Check: entering(func(p *provider.Pass) {
		if p.Node.Get("type").Is("object") || isEmptyRoot(p) {
			checkClosed(p)
		}
	}),
}

// additionalPropertiesOfTypes is additionalProperties for functions, where the entries of lists of
// types are judged.
var additionalPropertiesOfTypes = &provider.Rule{
	Name:   additionalProperties.Name,
	Effect: provider.Rejects,
	About:  "additionalProperties",
	Stage:  subschemas,
	Doc: additionalProperties.Doc + `
In a list of types the place names the entry object. A list beside a schema for additional
properties was accepted in the response_format of gpt-4o-mini on 2025-12-11.`,
	Evidence: []string{
		"openai/chat-strict/204503dfc637",
		"openai/chat-strict/7b5681bacf91",
		"openai/responses-strict/bb31df20b48e",
		// Near misses.
		"openai/chat-strict/2dbc8ab1b7e3",
		"openai/chat-strict/1b2bcdd3e2a1",
		"openai/responses-strict/25828941e9cd",
		"openai/responses-strict/14a87a6d3497",
	},
	Check: entering(func(p *provider.Pass) {
		if isEmptyRoot(p) {
			checkClosed(p)
			return
		}
		ofType(p, "object", func() { checkClosed(p) })
	}),
}

// isEmptyRoot reports whether the root is an empty schema, which the validator treats as
// an object.
func isEmptyRoot(p *provider.Pass) bool {
	return placeOf(p).isRoot && p.Node.Kind == schema.Object && len(p.Node.Members) == 0
}

// checkClosed reports an open object.
func checkClosed(p *provider.Pass) {
	isRoot := placeOf(p).isRoot
	if !p.Node.Get("additionalProperties").IsFalse() && (isRoot || !isOfUnknownNames(p.Node)) {
		reportInf(p, "%s", openObject)
	}
}

// openObject is the validator's message about an open object.
const openObject = "'additionalProperties' is required to be supplied and to be false."

// isDictionary reports whether a schema is an object with a schema for additional
// properties and no properties.
func isDictionary(node *schema.Node) bool {
	return node.Get("type").Is("object") && isOfUnknownNames(node)
}

// isOfUnknownNames reports whether a schema has a schema for additional properties and no
// properties.
func isOfUnknownNames(node *schema.Node) bool {
	additional := node.Get("additionalProperties")
	return !node.Has("properties") && additional != nil && additional.Kind == schema.Object
}

// objectProperties reports an object without properties.
var objectProperties = &provider.Rule{
	Name:   "object_properties",
	Effect: provider.Rejects,
	About:  "properties",
	Stage:  subschemas,
	Doc:    `a strict object without properties, if only an empty object of them, fails the request`,
	Evidence: []string{
		"openai/response_format/5ca165f01bee",
		"openai/text_format/71541be64ec8",
		// Near misses.
		"openai/chat-strict/2dbc8ab1b7e3",
	},
	Check: entering(func(p *provider.Pass) {
		if p.Node.Get("type").Is("object") && !p.Node.Has("properties") && !isDictionary(p.Node) {
			reportInf(p, "object schema missing properties.")
		}
	}),
}

// requiredMissing reports an optional property.
var requiredMissing = &provider.Rule{
	Name:   "required_missing",
	Effect: provider.Rejects,
	About:  "required",
	Stage:  subschemas,
	Doc: `a strict object that does not require each of its properties fails the request

The message names the first that it does not require.`,
	Evidence: []string{
		"openai/chat-strict/7baacdef789b",
		"azure/chat-strict/c233f8ffb6d9",
		"openai/response_format/07acbe8cfe66",
		"openai/response_format/6ee49bcfc64f",
		"openai/response_format/70e312f31d5b",
		"openai/response_format/a9ff6deba360",
		"openai/response_format/af1256f8d00e",
		"openai/response_format/bcf0b98150e7",
		"openai/response_format/c934e0762e90",
		"openai/response_format/cb6eb0918381",
		"openai/response_format/e497819f6fa4",
		"openai/response_format/f04dc8153257",
		"openai/response_format/f89e6d4445b5",
		"openai/text_format/22713e67caff",
		"openai/text_format/6737e5810559",
		"openai/text_format/9a7301a3b742",
		"openai/text_format/b8db81fca80d",
		"openai/text_format/d77c74bece65",
		"openai/text_format/edd6fe3dfb61",
		"openai/text_format/f30c34b3e397",
		"openai/text_format/fee495b268b8",
		"openai/responses-strict/ce0f0f2933f2",
		// Near misses.
		"openai/response_format/3ad86eb23863",
		"openai/text_format/a73e299cea60",
		"openai/responses/835662ff4df3",
		"openai/responses/8b8d852f7b46",
	},
	Check: leaving(func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") {
			return
		}
		isRequired := schema.Among(p.Node.Get("required").Strings())
		for _, property := range members(p.Node.Get("properties")) {
			if !isRequired(property.Key) && !isDictionary(property.Value) {
				reportInf(p, "'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", property.Key)
				return
			}
		}
	}),
}

// requiredExtra reports a required name without a property.
var requiredExtra = &provider.Rule{
	Name:   "required_extra",
	Effect: provider.Rejects,
	About:  "required",
	Stage:  subschemas,
	Doc: `a strict object requires nothing that it does not declare

A property that is an object with only a schema for additional properties does not count
as declared.`,
	Evidence: []string{
		"openai/chat-strict/bb7eeb20d0c5",
		"openai/response_format/81c365a4ed32",
		"openai/response_format/da90b9c3314b",
		// Near misses.
		"openai/response_format/a2604c6d57c9",
	},
	Check: leaving(func(p *provider.Pass) {
		if !p.Node.Get("type").Is("object") {
			return
		}
		var declared []string
		for _, property := range members(p.Node.Get("properties")) {
			if !isDictionary(property.Value) {
				declared = append(declared, property.Key)
			}
		}
		isDeclared := schema.Among(declared)
		for _, name := range p.Node.Get("required").Strings() {
			if !isDeclared(name) {
				reportInf(p, "'required' is required to be supplied and to be an array including every key in properties. Extra required key '%s' supplied.", name)
				return
			}
		}
	}),
}

// sharedFirstKey reports objects of a union that begin with the same property.
var sharedFirstKey = &provider.Rule{
	Name:   "shared_first_key",
	Effect: provider.Rejects,
	Stage:  subschemas,
	Until:  "2025-06-01",
	Doc: `the objects of a union began with different properties

Reported for a response_format in 2024 and 2025. Nothing is known of other surfaces.`,
	Evidence: []string{
		"openai/response_format/27219bf09dc7",
		// Near misses.
		"openai/chat-strict/36a05d23dc7c",
	},
	Check: leaving(func(p *provider.Pass) {
		first := map[string]bool{}
		for _, branch := range elements(p.Node.Get("anyOf")) {
			properties := members(branch.Get("properties"))
			if len(properties) == 0 {
				continue
			}
			if first[properties[0].Key] {
				reportInf(p, "Objects provided via 'anyOf' must not share identical first keys. Consider adding a discriminator key or "+
					"rearranging the properties to ensure the first key is unique.")
				return
			}
			first[properties[0].Key] = true
		}
	}),
}

func members(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}

func elements(node *schema.Node) []*schema.Node {
	if node == nil {
		return nil
	}
	return node.Elements
}

// limitRules limit the size of a strict schema as a whole.
var limitRules = []*provider.Rule{depthBefore, depth, propertyCountBefore, propertyCount, enumCountBefore, enumCount}

// wholeSchema is the stage that measures a strict schema. The Subject is a *place.
var wholeSchema = &provider.Stage{
	Name:           "limits",
	Shared:         "one guide to structured outputs lists the limits for functions and formats. Azure's guide has the same list, with lower numbers",
	PerDeclaration: true,
	Walk:           root.Walk,
}

// depthBefore is depth with the former limit.
var depthBefore = &provider.Rule{
	Name:   "depth_before",
	Effect: provider.Rejects,
	Stage:  wholeSchema,
	Until:  "2025-07-18",
	Doc: `the objects of a strict schema nested 5 levels at most

Last quoted on 2025-07-17; when it was raised is not known.`,
	Source: "https://github.com/tidyverse/ellmer/issues/671",
	Check:  limitDepth(5),
}

// depth reports objects that are nested too deep.
var depth = &provider.Rule{
	Name:   "depth",
	Effect: provider.Rejects,
	Stage:  wholeSchema,
	Doc: `the objects of a strict schema nest 10 levels at most

Combinators do not count. Measured on 2026-06-16: 10 accepted, 11 refused.`,
	Evidence: []string{
		"openai/text_format/f01efd66f2ba",
		// Near misses.
		"openai/text_format/9b57a9f4de9d",
	},
	Check: limitDepth(10),
}

func limitDepth(most int) func(*provider.Pass) {
	return func(p *provider.Pass) {
		if depth := objectDepth(p, p.Node); depth > most {
			reportf(p, "%d levels of nesting exceeds limit of %d.", depth, most)
		}
	}
}

func objectDepth(p *provider.Pass, node *schema.Node) int {
	p.Charge(1 + len(node.Members))
	deepest := 0
	for below := range node.Subschemas() {
		if isLookedInto(below.Keyword) && !below.Node().IsPlain() {
			deepest = max(deepest, objectDepth(p, below.Node()))
		}
	}
	if node.Get("type").Is("object") {
		deepest++
	}
	return deepest
}

// propertyCountBefore is propertyCount with the former limit.
var propertyCountBefore = &provider.Rule{
	Name:   "property_count_before",
	Effect: provider.Rejects,
	Stage:  wholeSchema,
	Until:  "2024-11-07",
	Doc: `a strict schema had 100 properties at most

Last quoted on 2024-11-06; when it was raised is not known.`,
	Source: "https://github.com/openai/openai-node/issues/1176 (144 properties)",
	Check:  limitProperties(100),
}

// propertyCount reports too many properties.
var propertyCount = &provider.Rule{
	Name:   "property_count",
	Effect: provider.Rejects,
	Stage:  wholeSchema,
	Doc:    `a strict schema has 5,000 properties at most`,
	Source: "measured in 2026, without a stable address; OpenAI's guide to structured outputs; docs/providers.md#openai-limits",
	Check:  limitProperties(5000),
}

func limitProperties(most int) func(*provider.Pass) {
	return func(p *provider.Pass) {
		count := 0
		p.Each(p.Node, func(subschema *schema.Node) bool {
			count += len(members(subschema.Get("properties")))
			return true
		})
		if count > most {
			reportf(p, "%d parameters exceeds limit of %d.", count, most)
		}
	}
}

// enumCountBefore is enumCount with the former limit.
var enumCountBefore = &provider.Rule{
	Name:   "enum_count_before",
	Effect: provider.Rejects,
	Stage:  wholeSchema,
	Until:  "2025-06-20",
	Doc: `the enums of a strict schema had 500 values together at most

Quoted from an answer of October 2024, and as the documented limit on 2025-06-19
(https://github.com/googleapis/python-genai/issues/950). When it was raised is not known.`,
	Evidence: []string{
		"openai/response_format/547a5a11b79f",
		// Near misses.
		"openai/response_format/f76c8fe6389c",
	},
	Check: limitEnums(500),
}

// enumCount reports too many values in enums.
var enumCount = &provider.Rule{
	Name:   "enum_count",
	Effect: provider.Rejects,
	Stage:  wholeSchema,
	Doc: `the enums of a strict schema have 1,000 values together at most

No refusal beyond the limit is known; the words are those of the former limit. The guide
documents two more limits: names and values have 120,000 characters together, and an enum of
more than 250 values has 15,000. There is no rule for them, because openai/text_format
accepted more on 2026-06-16: 300 values with 18,000 characters, and 400 values with 128,000.`,
	Source: "OpenAI's guide to structured outputs, as transcribed in 2026-02; docs/providers.md#openai-limits",
	Check:  limitEnums(1000),
}

func limitEnums(most int) func(*provider.Pass) {
	return func(p *provider.Pass) {
		count := 0
		p.Node.Each(func(subschema *schema.Node) bool {
			count += len(elements(subschema.Get("enum")))
			return true
		})
		if count > most {
			reportf(p, "Expected at most %d enum values in total within a single schema when using structured outputs, but received %d. "+
				"Consider reducing the number of enums, or use 'strict: false' to opt out of structured outputs.", most, count)
		}
	}
}
