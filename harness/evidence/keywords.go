// Package evidence tells what the recordings show about keywords on surfaces and about the
// rules of models. It also finds recordings that are unused or that a model contradicts.
package evidence

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// Keyword says what is known about one keyword on one surface. Nothing is guessed: a keyword is
// called accepted only if an answer shows it.
type Keyword struct {
	Name string
	// Verdict is accepted, refused, ignored or unknown, with a remark if it does not always
	// hold or only a rule predicts it. An ignored keyword is accepted, too.
	Verdict string
	// Accepted is the newest answer that accepted a schema with the keyword, and Refused the
	// newest that refused one because of it; nil if there is none.
	Accepted, Refused *recording.Recording
	// Rule is the rule that refuses the keyword, now or on the day of Refused, or ignores it.
	Rule *provider.Rule
}

// samples are schemas that use a keyword as intended. A definition they refer to is called d.
var samples = []struct{ keyword, schema string }{
	{"type", `{"type":"string"}`},
	{"properties", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`},
	{"required", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`},
	{"additionalProperties", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`},
	{"items", `{"type":"array","items":{"type":"string"}}`},
	{"prefixItems", `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"string"}}`},
	{"enum", `{"type":"string","enum":["b"]}`},
	{"const", `{"type":"string","const":"b"}`},
	{"title", `{"type":"string","title":"b"}`},
	{"description", `{"type":"string","description":"b"}`},
	{"default", `{"type":"string","default":"b"}`},
	{"example", `{"type":"string","example":"b"}`},
	{"examples", `{"type":"string","examples":["b"]}`},
	{"format", `{"type":"string","format":"date-time"}`},
	{"pattern", `{"type":"string","pattern":"^b$"}`},
	{"minLength", `{"type":"string","minLength":1}`},
	{"maxLength", `{"type":"string","maxLength":9}`},
	{"minimum", `{"type":"integer","minimum":1}`},
	{"maximum", `{"type":"integer","maximum":9}`},
	{"exclusiveMinimum", `{"type":"integer","exclusiveMinimum":1}`},
	{"exclusiveMaximum", `{"type":"integer","exclusiveMaximum":9}`},
	{"multipleOf", `{"type":"integer","multipleOf":2}`},
	{"minItems", `{"type":"array","items":{"type":"string"},"minItems":1}`},
	{"maxItems", `{"type":"array","items":{"type":"string"},"maxItems":9}`},
	{"uniqueItems", `{"type":"array","items":{"type":"string"},"uniqueItems":true}`},
	{"contains", `{"type":"array","items":{"type":"string"},"contains":{"type":"string"}}`},
	{"minProperties", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"minProperties":1}`},
	{"maxProperties", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"maxProperties":9}`},
	{"propertyNames", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"propertyNames":{"type":"string"}}`},
	{"patternProperties", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"patternProperties":{"^b":{"type":"string"}}}`},
	{"dependentRequired", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"dependentRequired":{"b":["b"]}}`},
	{"dependentSchemas", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"dependentSchemas":{"b":{"type":"object"}}}`},
	{"unevaluatedProperties", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"unevaluatedProperties":false}`},
	{"anyOf", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`},
	{"oneOf", `{"oneOf":[{"type":"string"},{"type":"integer"}]}`},
	{"allOf", `{"allOf":[{"type":"string"}]}`},
	{"not", `{"type":"string","not":{"type":"integer"}}`},
	{"if", `{"type":"string","if":{"type":"string"},"then":{"type":"string"}}`},
	{"$ref", `{"$ref":"#/$defs/d"}`},
	{"$defs", `{"$ref":"#/$defs/d"}`},
	{"definitions", `{"type":"string","definitions":{"b":{"type":"string"}}}`},
	{"$schema", `{"type":"string","$schema":"https://json-schema.org/draft/2020-12/schema"}`},
	{"$id", `{"type":"string","$id":"https://example.com/b"}`},
	{"$comment", `{"type":"string","$comment":"b"}`},
	{"nullable", `{"type":"string","nullable":true}`},
	{"discriminator", `{"anyOf":[{"type":"string"}],"discriminator":{"propertyName":"b"}}`},
	{"readOnly", `{"type":"string","readOnly":true}`},
	{"writeOnly", `{"type":"string","writeOnly":true}`},
	{"deprecated", `{"type":"string","deprecated":true}`},
}

// Knows reports whether Keywords returns a keyword.
func Knows(keyword string) bool {
	return slices.ContainsFunc(samples, func(sample struct{ keyword, schema string }) bool { return sample.keyword == keyword })
}

// Keywords returns what is known about the keywords of JSON Schema and OpenAPI on a surface.
func Keywords(ctx context.Context, dialect *provider.Dialect, store *recording.Store) []Keyword {
	taken, refused := map[string]*recording.Recording{}, map[string]*recording.Recording{}
	causes := map[string]*provider.Rule{}
	for _, recorded := range store.All {
		if recorded.Dialect != dialect.Name {
			continue
		}
		request := dialect.Request(recorded.Request.Declarations)
		if recorded.Accepted() {
			for _, declaration := range request.Declarations {
				for keyword := range keywordsOf(dialect.SchemaOf(declaration)) {
					taken[keyword] = newer(taken[keyword], recorded)
				}
			}
			continue
		}
		for keyword, rule := range blamed(ctx, recorded.Asked(dialect), request) {
			if refused[keyword] = newer(refused[keyword], recorded); refused[keyword] == recorded {
				causes[keyword] = rule
			}
		}
	}
	keywords := make([]Keyword, len(samples))
	today := provider.Model{Dialect: dialect}
	for i, sample := range samples {
		known := Keyword{Name: sample.keyword, Accepted: taken[sample.keyword], Refused: refused[sample.keyword], Rule: causes[sample.keyword]}
		parameters := around(sample.keyword, sample.schema)
		request := dialect.Encode([]schema.Tool{{Name: "f", Parameters: parameters}})
		rule := blamed(ctx, today, request)[sample.keyword]
		if rule != nil {
			known.Rule = rule
		}
		known.Verdict = known.verdict(ctx, today, rule != nil)
		known.ignored(ctx, today, request, parameters)
		keywords[i] = known
	}
	return keywords
}

// verdict returns the Verdict. isRefused tells whether today's rules refuse a schema that uses
// the keyword as intended.
func (k *Keyword) verdict(ctx context.Context, today provider.Model, isRefused bool) string {
	isTaken, isStillRefused := false, false
	if k.Accepted != nil {
		answer, err := today.Send(ctx, today.Dialect.Request(k.Accepted.Request.Declarations))
		isTaken = err == nil && answer.Verdict == provider.Accepted
	}
	if k.Refused != nil {
		isStillRefused = blamed(ctx, today, today.Dialect.Request(k.Refused.Request.Declarations))[k.Name] != nil
	}
	switch {
	case isTaken && (isRefused || isStillRefused):
		return "accepted, not always"
	case isTaken:
		return "accepted"
	case isRefused && k.Refused != nil:
		return "refused"
	case isRefused:
		return "refused, as a rule says"
	case isStillRefused:
		return "refused, not always"
	default:
		return "unknown"
	}
}

// ignored sets Verdict and Rule if today's model ignores the keyword in a request with the
// sample, whose parameters are given.
func (k *Keyword) ignored(ctx context.Context, today provider.Model, request provider.Request, parameters *schema.Node) {
	answer, err := today.Send(ctx, request)
	if err != nil {
		return
	}
	var rule *provider.Rule
	count := 0
	for _, finding := range answer.Ignored {
		if tokens := finding.At.Tokens(); tokens[len(tokens)-1] == k.Name {
			rule, count = finding.Rule, count+1
		}
	}
	if rule == nil {
		return
	}
	uses := 0
	parameters.Each(func(subschema *schema.Node) bool {
		if subschema.Has(k.Name) {
			uses++
		}
		return true
	})
	remark := ""
	switch {
	case count < uses:
		remark = ", not always"
	case k.Accepted == nil:
		remark = ", as a rule says"
	}
	k.Rule, k.Verdict = rule, "ignored"+remark
}

func newer(a, b *recording.Recording) *recording.Recording {
	if a != nil && a.Date >= b.Date {
		return a
	}
	return b
}

// around returns parameters of a tool that contain the sample.
func around(keyword, sample string) *schema.Node {
	text := `{"type":"object","properties":{"a":` + sample + `},"required":["a"],"additionalProperties":false`
	if keyword == "$ref" || keyword == "$defs" {
		text += `,"$defs":{"d":{"type":"string"}}`
	}
	node, err := schema.Parse([]byte(text + "}"))
	if err != nil {
		panic("the sample of " + keyword + " is not JSON: " + err.Error())
	}
	return node
}

// keywordsOf returns the keywords that a schema and its subschemas use.
func keywordsOf(root *schema.Node) map[string]bool {
	used := map[string]bool{}
	root.Each(func(subschema *schema.Node) bool {
		for _, member := range subschema.Members {
			used[member.Key] = true
		}
		return true
	})
	return used
}

// blamed returns the keywords because of which a model refuses a request, with the rules that
// refuse them.
func blamed(ctx context.Context, model provider.Model, request provider.Request) map[string]*provider.Rule {
	answer, err := model.Send(ctx, request)
	if err != nil || answer.Verdict == provider.Accepted {
		return nil
	}
	found := map[string]*provider.Rule{}
	for _, finding := range answer.Findings {
		if finding.Declaration < 0 || finding.Declaration >= len(request.Declarations) {
			continue
		}
		root := model.Dialect.SchemaOf(request.Declarations[finding.Declaration])
		root.Walk(func(at schema.Pointer, subschema *schema.Node) bool {
			place := "/parameters" + at
			for _, member := range subschema.Members {
				isNamed := finding.At == place && (strings.Contains(finding.Message, "'"+member.Key+"'") || strings.Contains(finding.Message, `"`+member.Key+`"`)) &&
					!strings.Contains(finding.Message, "is required")
				if finding.At == place.Child(member.Key) || isNamed {
					found[member.Key] = finding.Rule
				}
			}
			return true
		})
	}
	return found
}
