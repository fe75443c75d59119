package evidence

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	"toolproof/harness/construct"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// Construct is a keyword as authors use it, or one form of a keyword or of a whole schema, and what is
// known of it on a surface.
type Construct struct {
	// Name is the keyword, or names the form, such as "enum of integers".
	Name string
	// Keyword is the keyword of a form; "" for a form of a whole schema.
	Keyword string
	// Statements are what the surface does, the newest first. Two neighbours never say the same.
	Statements []Statement
	// Tool is the tool with the construct that is judged today.
	Tool schema.Tool
}

// Statement is what a surface does with a construct for some time.
type Statement struct {
	State  State
	Remark string
	// Since is the first day, and Until the first day after it; empty if unknown.
	Since, Until provider.Date
	// Rule is the rule that refuses, ignores or knows nothing, or nil.
	Rule *provider.Rule
	// Words are those with which the model of the surface refuses the tool.
	Words string
	// Answers are the newest recorded answers that show the state.
	Answers []*recording.Recording
}

// form is a construct besides the keywords of samples. Without is the same schema without the form.
type form struct {
	name, keyword   string
	schema, without string
	isRoot          bool // whether the schemas are the parameters, and not those of a property
	// is reports whether a construct of a recorded declaration is of the form; nil if constructs do not
	// show it.
	is func(construct.Construct) bool
}

// forms are further constructs on which surfaces differ.
var forms = []form{
	{"list of types", "type", `{"type":["string","integer"]}`, `{"type":"string"}`, false, func(c construct.Construct) bool {
		return c.Keyword == "type" && c.Form == "a list" && c.Types == construct.TypesNamed("string or integer")
	}},
	{"list of a type and null", "type", `{"type":["string","null"]}`, `{"type":"string"}`, false, func(c construct.Construct) bool {
		return c.Keyword == "type" && c.Form == "a list" && c.Types == construct.TypesNamed("string or null")
	}},
	{"type null", "type", `{"type":"null"}`, `{"type":"string"}`, false, func(c construct.Construct) bool {
		return c.Keyword == "type" && c.Form == "" && c.Types == construct.TypesNamed("null")
	}},
	{"type in capitals", "type", `{"type":"STRING"}`, `{"type":"string"}`, false, ofForm("type", "in capitals")},
	{"schema without a type", "", `{"description":"b"}`, `{"type":"string","description":"b"}`, false, func(c construct.Construct) bool {
		return c.Keyword == "description" && c.Types == 0 && c.Position == "properties"
	}},
	{"empty schema", "", `{}`, `{"type":"string"}`, false, ofForm(construct.Whole, "empty")},
	{"schema true", "", `true`, `{"type":"string"}`, false, ofForm(construct.Whole, "true")},
	{"enum of integers", "enum", `{"type":"integer","enum":[1,2]}`, `{"type":"integer"}`, false, func(c construct.Construct) bool {
		return c.Keyword == "enum" && c.Types == construct.TypesNamed("integer") && c.Form == ""
	}},
	{"enum with null", "enum", `{"type":["string","null"],"enum":["b",null]}`, `{"type":["string","null"]}`, false, func(c construct.Construct) bool {
		return c.Keyword == "enum" && c.Form == "of several kinds" && c.Types == construct.TypesNamed("string")
	}},
	{"enum with an empty string", "enum", `{"type":"string","enum":["","b"]}`, `{"type":"string"}`, false, ofForm("enum", "an empty string")},
	{"empty enum", "enum", `{"type":"string","enum":[]}`, `{"type":"string"}`, false, ofForm("enum", "empty")},
	{"items that are a list", "items", `{"type":"array","items":[{"type":"string"}]}`, `{"type":"array","items":{"type":"string"}}`, false, ofForm("items", "a list")},
	{"array without items", "items", `{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`, false, nil},
	{
		"additionalProperties with a schema", "additionalProperties", `{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"string"}`, false,
		ofForm("additionalProperties", "a schema"),
	},
	{"additionalProperties true", "additionalProperties", `{"type":"object","additionalProperties":true}`, `{"type":"string"}`, false, ofForm("additionalProperties", "true")},
	{"object without properties", "properties", `{"type":"object","additionalProperties":false}`, `{"type":"string"}`, false, nil},
	{"anyOf with null", "anyOf", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"type":"string"}`, false, func(c construct.Construct) bool {
		return c.Keyword == "type" && c.Position == "anyOf" && c.Types == construct.TypesNamed("null")
	}},
	{
		"anyOf beside type", "anyOf", `{"type":"string","anyOf":[{"type":"string","description":"b"},{"type":"string","description":"c"}]}`, `{"type":"string"}`, false,
		func(c construct.Construct) bool { return c.Keyword == "anyOf" && c.Types != 0 },
	},
	{"pattern that looks ahead", "pattern", `{"type":"string","pattern":"^(?!b)"}`, `{"type":"string"}`, false, ofForm("pattern", "looks around")},
	{"format uuid", "format", `{"type":"string","format":"uuid"}`, `{"type":"string"}`, false, ofForm("format", "uuid")},
	{"format uri", "format", `{"type":"string","format":"uri"}`, `{"type":"string"}`, false, ofForm("format", "uri")},
	{"format email", "format", `{"type":"string","format":"email"}`, `{"type":"string"}`, false, ofForm("format", "email")},
	{"format date", "format", `{"type":"string","format":"date"}`, `{"type":"string"}`, false, ofForm("format", "date")},
	{"format int64", "format", `{"type":"integer","format":"int64"}`, `{"type":"integer"}`, false, ofForm("format", "int64")},
	{"format of an unknown name", "format", `{"type":"string","format":"colour"}`, `{"type":"string"}`, false, ofForm("format", "another name")},
	{"default null", "default", `{"type":"string","default":null}`, `{"type":"string"}`, false, ofForm("default", "null")},
	{"name that is no keyword", "", `{"type":"string","x-own":"b"}`, `{"type":"string"}`, false, func(c construct.Construct) bool { return c.Keyword == construct.Other }},
	{
		"$ref to the root", "$ref",
		`{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[{"$ref":"#"},{"type":"null"}]}},"required":["a","b"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, true, ofForm("$ref", "to the root"),
	},
	{
		"$ref to a property", "$ref", `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}},"required":["a","b"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, true, ofForm("$ref", "to another place"),
	},
	{
		"$ref at the root", "$ref", `{"$ref":"#/$defs/d","$defs":{"d":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}`,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, true, atRoot("$ref"),
	},
	{"anyOf at the root", "anyOf", unionAtRoot("anyOf"), branchAtRoot, true, atRoot("anyOf")},
	{"oneOf at the root", "oneOf", unionAtRoot("oneOf"), branchAtRoot, true, atRoot("oneOf")},
	{"allOf at the root", "allOf", unionAtRoot("allOf"), branchAtRoot, true, atRoot("allOf")},
	{"array at the root", "type", `{"type":"array","items":{"type":"string"}}`, branchAtRoot, true, func(c construct.Construct) bool {
		return c.Keyword == "items" && c.Position == construct.Root
	}},
	{"parameters without properties", "properties", `{"type":"object","additionalProperties":false}`, branchAtRoot, true, nil},
	{"optional property", "required", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`, branchAtRoot, true, nil},
	{
		"required name that is not declared", "required", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"],"additionalProperties":false}`,
		branchAtRoot, true, nil,
	},
	{"more than 5 levels", "", levels(6), branchAtRoot, true, ofForm(construct.Depth, "more than 5 levels")},
	{"more than 10 levels", "", levels(11), branchAtRoot, true, ofForm(construct.Depth, "more than 10 levels")},
}

const branchAtRoot = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`

func unionAtRoot(keyword string) string {
	const other = `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`
	return `{"type":"object","` + keyword + `":[` + branchAtRoot + `,` + other + `],"additionalProperties":false}`
}

// levels returns parameters with that many levels of objects.
func levels(count int) string {
	text := `{"type":"string"}`
	for range count {
		text = `{"type":"object","properties":{"a":` + text + `},"required":["a"],"additionalProperties":false}`
	}
	return text
}

// ofForm returns a test for constructs of a keyword in a form.
func ofForm(keyword, form string) func(construct.Construct) bool {
	return func(c construct.Construct) bool { return c.Keyword == keyword && c.Form == form }
}

// atRoot returns a test for constructs of a keyword at the root.
func atRoot(keyword string) func(construct.Construct) bool {
	return func(c construct.Construct) bool { return c.Keyword == keyword && c.Position == construct.Root }
}

// trial is a construct with the tools by which a model is asked about it: with open and with closed
// objects, because some surfaces want one and some the other.
type trial struct {
	name, keyword string
	isForm        bool
	with, without [2]schema.Tool
	isIn          func(declared) bool
}

// trials are all constructs: the keywords, and then the forms.
var trials = func() []trial {
	var all []trial
	for _, sample := range samples {
		one := trial{name: sample.keyword, keyword: sample.keyword, isIn: func(d declared) bool { return d.keywords[sample.keyword] }}
		for i, isClosed := range []bool{false, true} {
			parameters := around(sample.keyword, sample.schema, isClosed)
			without := parameters.Clone()
			without.Get("properties").Get("a").Delete(sample.keyword)
			one.with[i], one.without[i] = schema.Tool{Name: "f", Parameters: parameters}, schema.Tool{Name: "f", Parameters: without}
		}
		all = append(all, one)
	}
	for _, form := range forms {
		one := trial{name: form.name, keyword: form.keyword, isForm: true, isIn: func(d declared) bool { return form.is != nil && slices.ContainsFunc(d.constructs, form.is) }}
		for i, isClosed := range []bool{false, true} {
			one.with[i], one.without[i] = form.tool(form.schema, isClosed), form.tool(form.without, isClosed)
		}
		all = append(all, one)
	}
	return all
}()

// Trials returns all constructs with the tool of which most surfaces are asked, and no statements.
func Trials() []Construct {
	all := make([]Construct, len(trials))
	for i, one := range trials {
		all[i] = Construct{Name: one.name, Keyword: one.keyword, Tool: one.with[0]}
	}
	return all
}

// tool returns a tool with a schema of the form.
func (f form) tool(text string, isClosed bool) schema.Tool {
	if !f.isRoot {
		return schema.Tool{Name: "f", Parameters: around(f.keyword, text, isClosed)}
	}
	node, err := schema.Parse([]byte(text))
	if err != nil {
		panic("the schema of " + f.name + " is not JSON: " + err.Error())
	}
	if !isClosed {
		node.Each(func(subschema *schema.Node) bool {
			subschema.Delete("additionalProperties")
			return true
		})
	}
	return schema.Tool{Name: "f", Parameters: node}
}

// declared is a recording with what its declarations are made of, and what the model of its day answers.
type declared struct {
	*recording.Recording

	keywords   map[string]bool
	constructs []construct.Construct
	answer     func() provider.Response
}

// declaredOn returns the recordings of a surface, the newest first.
func declaredOn(ctx context.Context, dialect *provider.Dialect, store *recording.Store) []declared {
	var all []declared
	for _, recorded := range store.All {
		if recorded.Dialect != dialect.Name {
			continue
		}
		one := declared{Recording: recorded, keywords: map[string]bool{}}
		var roots []*schema.Node
		for _, declaration := range recorded.Request.Declarations {
			root := dialect.SchemaOf(declaration)
			roots = append(roots, root)
			maps.Copy(one.keywords, keywordsOf(root))
		}
		one.constructs = construct.Of(roots...)
		one.answer = sync.OnceValue(func() provider.Response {
			model := recorded.Asked(dialect)
			answer, _ := model.Send(ctx, dialect.Request(recorded.Request.Declarations)) // the zero Response names no rule
			return answer
		})
		all = append(all, one)
	}
	slices.SortStableFunc(all, func(a, b declared) int { return cmp.Compare(b.Date, a.Date) })
	return all
}

// shows reports whether the answer, to a declaration with the construct, shows what a statement says.
func (d declared) shows(said *Statement) bool {
	isOfRule := func(finding provider.Finding) bool { return finding.Rule == said.Rule }
	switch said.State {
	case Predicted, Accepted:
		return d.Accepted()
	case Refused:
		return !d.Accepted() && slices.ContainsFunc(d.answer().Findings, isOfRule)
	case Ignored:
		return d.Accepted() && slices.ContainsFunc(d.answer().Ignored, isOfRule)
	default:
		return false
	}
}

// Constructs returns what is known of all constructs on a surface. What it says of a keyword today is what Keywords
// says.
//
// A statement ends when the model begins to answer otherwise. That a hosted service once accepted something is known
// only where a recorded answer shows it, because the first day of a rule is the first on which it is known to hold.
func Constructs(ctx context.Context, dialect *provider.Dialect, store *recording.Store) ([]Construct, error) {
	if dialect.Subject == provider.Annotations {
		return nil, nil
	}
	recorded, turns := declaredOn(ctx, dialect, store), turns(dialect)
	keywords := Keywords(ctx, dialect, store)
	constructs := make([]Construct, len(trials))
	for i, one := range trials {
		found := Construct{Name: one.name, Keyword: one.keyword}
		for j, turn := range turns {
			said, tool, err := one.on(ctx, provider.Model{Dialect: dialect, AsOf: turn.asked})
			if err != nil {
				return nil, err
			}
			found.Tool, said.Since = tool, turn.since
			if last := len(found.Statements) - 1; last >= 0 && dialect.Echo != nil && !found.Statements[last].saysAs(said) {
				if said.Since, err = one.first(ctx, dialect, said, turns[j-1].asked, turn.asked); err != nil {
					return nil, err
				}
			}
			found.add(said)
		}
		for j := range found.Statements {
			said := &found.Statements[j]
			said.look(one, recorded)
			switch isToday := j == len(found.Statements)-1; {
			case isToday && !one.isForm:
				said.say(&keywords[i])
			case !isToday && said.State == Predicted && len(dialect.Versions) == 0:
				said.State = Unknown
			}
		}
		slices.Reverse(found.Statements)
		constructs[i] = found
	}
	return constructs, nil
}

// turn is a day on which rules began or ceased to hold. Since is empty for the time before the first one.
type turn struct{ since, asked provider.Date }

// turns returns the days until today on which the answers of a surface may have changed. A surface with releases
// begins with the first of them.
func turns(dialect *provider.Dialect) []turn {
	today, first := provider.Today(), provider.Date("")
	if len(dialect.Versions) > 0 {
		first = dialect.Versions[0].Date
	}
	var days []provider.Date
	for _, rule := range dialect.Rules {
		for _, day := range []provider.Date{rule.Since, rule.Until} {
			if day > first && day <= today {
				days = append(days, day)
			}
		}
	}
	for _, version := range dialect.Versions {
		if version.Date > first && version.Date <= today {
			days = append(days, version.Date)
		}
	}
	slices.Sort(days)
	found := []turn{{first, cmp.Or(first, "2000-01-01")}}
	if dialect.Echo != nil {
		days = append(days, today)
	}
	for _, day := range slices.Compact(days) {
		found = append(found, turn{day, day})
	}
	return found
}

// saysAs reports whether two statements say the same of different times.
func (s *Statement) saysAs(other Statement) bool {
	return s.State == other.State && s.Rule == other.Rule
}

// first returns the first day after one day and until another on which the surface does what it does on the latter. Between
// the days on which rules turn, what a surface passes on may change.
func (t trial) first(ctx context.Context, dialect *provider.Dialect, said Statement, after, until provider.Date) (provider.Date, error) {
	from, err := time.Parse(time.DateOnly, string(after))
	if err != nil {
		return "", fmt.Errorf("a day of %s: %w", dialect.Name, err)
	}
	to, err := time.Parse(time.DateOnly, string(until))
	if err != nil {
		return "", fmt.Errorf("a day of %s: %w", dialect.Name, err)
	}
	const day = 24 * time.Hour
	var failed error
	days := 1 + sort.Search(int(to.Sub(from)/day)-1, func(i int) bool {
		then, _, err := t.on(ctx, provider.Model{Dialect: dialect, AsOf: provider.Date(from.Add(time.Duration(i+1) * day).Format(time.DateOnly))})
		if err != nil {
			failed = err
		}
		return then.saysAs(said)
	})
	return provider.Date(from.AddDate(0, 0, days).Format(time.DateOnly)), failed
}

// add adds a statement after the others, or makes the last one longer.
func (c *Construct) add(next Statement) {
	if at := len(c.Statements) - 1; at >= 0 {
		if last := c.Statements[at]; last.saysAs(next) {
			next.Since, c.Statements = last.Since, c.Statements[:at]
		} else {
			c.Statements[at].Until = next.Since
		}
	}
	c.Statements = append(c.Statements, next)
}

// on returns what a model does with the construct, and the tool of which it says so.
func (t trial) on(ctx context.Context, model provider.Model) (said Statement, tool schema.Tool, err error) {
	var answer provider.Response
	for i := range t.with {
		tool = t.with[i]
		request := model.Dialect.Encode([]schema.Tool{tool})
		if answer, err = model.Send(ctx, request); err != nil {
			return Statement{}, tool, err
		}
		if answer.Verdict == provider.Accepted {
			break
		}
		if !t.isForm {
			said.Rule = blamed(ctx, model, request)[t.keyword]
		}
		if said.Rule == nil {
			without, err := model.Send(ctx, model.Dialect.Encode([]schema.Tool{t.without[i]}))
			if err != nil {
				return Statement{}, tool, err
			}
			if without.Verdict == provider.Accepted {
				said.Rule = answer.Findings[0].Rule
			}
		}
		if said.Rule != nil {
			said.State, said.Words = Refused, answer.Message
			return said, tool, nil
		}
	}
	isHere := func(finding provider.Finding) bool {
		tokens := finding.At.Tokens()
		return len(tokens) > 0 && tokens[len(tokens)-1] == t.keyword || t.keyword == "" && len(tokens) > 1
	}
	if answer.Verdict != provider.Accepted {
		said.State = Unknown
	} else if at := slices.IndexFunc(answer.Ignored, isHere); at >= 0 {
		said.State, said.Rule = Ignored, answer.Ignored[at].Rule
	} else if at := slices.IndexFunc(answer.Unknown, isHere); at >= 0 {
		said.State, said.Rule = Unknown, answer.Unknown[at].Rule
	} else if t.isRewritten(model, tool) {
		said.State = Rewritten
	} else {
		said.State = Predicted
	}
	return said, tool, nil
}

// isRewritten reports whether the surface passes another value of the keyword on to the model.
func (t trial) isRewritten(model provider.Model, tool schema.Tool) bool {
	if model.Dialect.Echo == nil {
		return false
	}
	declaration := model.Dialect.Declaration(tool)
	given, made := model.Dialect.SchemaOf(declaration), model.Dialect.SchemaOf(model.Dialect.Echo(declaration, model.AsOf))
	if made == nil {
		return true
	}
	if property := given.Get("properties").Get("a"); property.Has(t.keyword) {
		given, made = property, made.Get("properties").Get("a")
	}
	return t.keyword != "" && !schema.Identical(given.Get(t.keyword), made.Get(t.keyword))
}

// mostAnswers is the number of answers of a statement.
const mostAnswers = 3

// look finds the recorded answers that show what the model says of the construct in that time.
func (s *Statement) look(of trial, recorded []declared) {
	for _, one := range recorded {
		if len(s.Answers) < mostAnswers && one.Date >= s.Since && (s.Until == "" || one.Date < s.Until) && of.isIn(one) && one.shows(s) {
			s.Answers = append(s.Answers, one.Recording)
		}
	}
	switch {
	case len(s.Answers) > 0 && s.State == Predicted:
		s.State = Accepted
	case len(s.Answers) == 0 && (s.State == Refused || s.State == Ignored):
		s.Remark = aRuleSays
	}
}

// say sets what Keywords says of a keyword today.
func (s *Statement) say(keyword *Keyword) {
	s.Remark = keyword.Remark
	if s.State == Rewritten && (keyword.State == Accepted || keyword.State == Predicted) {
		return
	}
	s.State = keyword.State
	var shown *recording.Recording
	switch s.State {
	case Refused:
		s.Rule, shown = keyword.Rule, keyword.Refused
	case Ignored:
		s.Rule = keyword.Rule
	case Accepted:
		s.Rule, shown = nil, keyword.Accepted
	case Predicted, Unknown, Rewritten:
		s.Answers = nil
	}
	if shown != nil && !slices.Contains(s.Answers, shown) {
		s.Answers = slices.Insert(s.Answers, 0, shown)
	}
	s.Answers = s.Answers[:min(len(s.Answers), mostAnswers)]
}
