// Package evidence tells what the recordings show about keywords on surfaces and about the
// rules of models. It also finds recordings that are unused or that a model contradicts.
package evidence

import (
	"context"
	"slices"
	"strings"

	"toolproof/harness/construct"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Keyword says what is known about one keyword on one surface. Its verdict on a schema that uses the
// keyword as intended is that of a check.
type Keyword struct {
	Name string
	// State is the verdict, and Remark a limitation of it, or "".
	State  State
	Remark string
	// Accepted is the newest answer that accepted a schema with the keyword, and Refused the
	// newest that refused one because of it; nil if there is none.
	Accepted, Refused *recording.Recording
	// Rule is the rule that refuses the keyword, now or on the day of Refused, or ignores it.
	Rule *provider.Rule
	// Tool is the tool with the keyword that was judged.
	Tool schema.Tool
}

// State is what a surface does with a keyword.
type State string

// The states. A keyword that is accepted may still be refused in other forms.
const (
	Refused   State = "refused"
	Ignored   State = "ignored"   // accepted, and neither enforced nor passed on
	Accepted  State = "accepted"  // and recorded answers show it
	Predicted State = "predicted" // accepted by the model of the surface, which no recorded answer contradicts
	Unknown   State = "unknown"
	// Rewritten constructs are accepted, and passed on to the model as something else. Keywords calls
	// them Accepted.
	Rewritten State = "rewritten"
)

// The remarks.
const (
	notAlways = "not always"
	elsewhere = "seen in another form" // of values of other types, or at another place in a schema
	aRuleSays = "as a rule says"       // of a source, without a recorded answer
)

// String returns the state and the remark, such as "refused, not always".
func (k *Keyword) String() string {
	text := string(k.State)
	if k.State == Predicted {
		text = "predicted to be accepted"
	}
	if k.Remark != "" {
		text += ", " + k.Remark
	}
	return text
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
	{"dependentSchemas", `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false,"dependentSchemas":{"b":` +
		`{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}}}`},
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
	if dialect.Subject == provider.Annotations {
		return nil // which no keyword is
	}
	taken, refused := map[string]*recording.Recording{}, map[string]*recording.Recording{}
	causes := map[string]*provider.Rule{}
	contradicted := map[string]bool{} // by an answer to a schema with the keyword
	for _, recorded := range store.All {
		if recorded.Dialect != dialect.Name {
			continue
		}
		request, model := dialect.Request(recorded.Request.Declarations), recorded.Asked(dialect)
		answer, err := model.Send(ctx, request)
		isSurprising := err == nil && answer.Verdict == provider.Accepted && !recorded.Accepted()
		for _, declaration := range request.Declarations {
			for keyword := range keywordsOf(dialect.SchemaOf(declaration)) {
				if recorded.Accepted() {
					taken[keyword] = newer(taken[keyword], recorded)
				} else if isSurprising {
					contradicted[keyword] = true
				}
			}
		}
		if recorded.Accepted() {
			continue
		}
		for keyword, rule := range blamed(ctx, model, request) {
			if refused[keyword] = newer(refused[keyword], recorded); refused[keyword] == recorded {
				causes[keyword] = rule
			}
		}
	}
	keywords := make([]Keyword, len(samples))
	judging := judge.Judge{Store: store, Coverage: &judge.Coverage{}, Raw: true}
	for i, sample := range samples {
		known := Keyword{Name: sample.keyword, Accepted: taken[sample.keyword], Refused: refused[sample.keyword], Rule: causes[sample.keyword]}
		known.judge(ctx, judging, dialect, sample.schema, contradicted[sample.keyword])
		keywords[i] = known
	}
	return keywords
}

// judge sets the state, the remark and the tool, and the rule if one refuses or ignores the keyword
// today. Some surfaces want objects to be closed, and others refuse that: the tool is the one of which
// the surface says something about the keyword.
func (k *Keyword) judge(ctx context.Context, judging judge.Judge, dialect *provider.Dialect, sample string, isContradicted bool) {
	today := provider.Model{Dialect: dialect}
	var answer *verdict.Answer
	var rule *provider.Rule
	for _, isClosed := range []bool{false, true} {
		k.Tool = schema.Tool{Name: "f", Parameters: around(k.Name, sample, isClosed)}
		answer = answerTo(ctx, judging, dialect, k.Tool)
		if rule = blamed(ctx, today, dialect.Encode([]schema.Tool{k.Tool}))[k.Name]; rule == nil && is(answer, provider.Rejected) {
			without := schema.Tool{Name: "f", Parameters: k.Tool.Parameters.Clone()}
			without.Parameters.Get("properties").Get("a").Delete(k.Name)
			if is(answerTo(ctx, judging, dialect, without), provider.Accepted) {
				rule = dialect.Rule(answer.Findings[0].Rule) // its words do not name the keyword
			}
		}
		if rule != nil || answer == nil || is(answer, provider.Accepted) {
			break
		}
	}
	isTaken, isStillRefused := k.stands(ctx, today)
	switch {
	case rule != nil:
		k.State, k.Rule = Refused, rule
		if isTaken {
			k.Remark = notAlways
		} else if k.Refused == nil {
			k.Remark = aRuleSays
		}
		return
	case is(answer, provider.Accepted) && k.ignored(dialect, answer):
		return
	case isTaken, is(answer, provider.Accepted) && k.isSeen(answer):
		k.State = Accepted
	case is(answer, provider.Accepted) && !isContradicted:
		k.State = Predicted
	default:
		k.State = Unknown
		return
	}
	switch {
	case isStillRefused || !is(answer, provider.Accepted):
		k.Remark = notAlways
	case k.State == Accepted && !k.isSeen(answer):
		k.Remark = elsewhere
	}
}

// answerTo returns what a check says of a tool as given; nil if it has no verdict.
func answerTo(ctx context.Context, judging judge.Judge, dialect *provider.Dialect, tool schema.Tool) *verdict.Answer {
	result := judging.Tool(ctx, judge.Subject{Tool: toolfile.Of(tool)}, judge.Target{Dialect: dialect})
	return result.Sides().Raw
}

func is(answer *verdict.Answer, of provider.Verdict) bool {
	return answer != nil && answer.Verdict == of
}

// stands reports whether the surface would still accept what it accepted with the keyword, and refuse
// what it refused because of it.
func (k *Keyword) stands(ctx context.Context, today provider.Model) (isTaken, isRefused bool) {
	if k.Accepted != nil {
		answer, err := today.Send(ctx, today.Dialect.Request(k.Accepted.Request.Declarations))
		isTaken = err == nil && answer.Verdict == provider.Accepted
	}
	if k.Refused != nil {
		isRefused = blamed(ctx, today, today.Dialect.Request(k.Refused.Request.Declarations))[k.Name] != nil
	}
	return isTaken, isRefused
}

// isSeen reports whether recorded answers show an accepted tool's constructs of the keyword.
func (k *Keyword) isSeen(answer *verdict.Answer) bool {
	isOfKeyword := func(found *construct.Known) bool { return found.Keyword == k.Name }
	return answer.Seen == nil || slices.ContainsFunc(answer.Seen.Found, isOfKeyword) && !slices.ContainsFunc(answer.Seen.Missing, isOfKeyword)
}

// ignored sets the state, the remark and the rule if the surface ignores the keyword in the tool, and
// reports whether it does.
func (k *Keyword) ignored(dialect *provider.Dialect, answer *verdict.Answer) bool {
	count := 0
	for _, finding := range answer.Ignored {
		if tokens := finding.At.Tokens(); tokens[len(tokens)-1] == k.Name {
			k.Rule, count = dialect.Rule(finding.Rule), count+1
		}
	}
	if count == 0 {
		return false
	}
	uses := 0
	k.Tool.Parameters.Each(func(subschema *schema.Node) bool {
		if subschema.Has(k.Name) {
			uses++
		}
		return true
	})
	k.State = Ignored
	switch {
	case count < uses:
		k.Remark = notAlways
	case k.Accepted == nil:
		k.Remark = aRuleSays
	}
	return true
}

func newer(a, b *recording.Recording) *recording.Recording {
	if a != nil && a.Date >= b.Date {
		return a
	}
	return b
}

// around returns parameters of a tool that contain the sample. Unless they are closed, they have no
// additionalProperties beside those of the sample of that keyword.
func around(keyword, sample string, isClosed bool) *schema.Node {
	text := `{"type":"object","properties":{"a":` + sample + `},"required":["a"],"additionalProperties":false`
	if keyword == "$ref" || keyword == "$defs" {
		text += `,"$defs":{"d":{"type":"string"}}`
	}
	node, err := schema.Parse([]byte(text + "}"))
	if err != nil {
		panic("the sample of " + keyword + " is not JSON: " + err.Error())
	}
	if !isClosed {
		node.Each(func(subschema *schema.Node) bool {
			if subschema == node || keyword != "additionalProperties" {
				subschema.Delete("additionalProperties")
			}
			return true
		})
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
