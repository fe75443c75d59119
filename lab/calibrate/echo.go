package calibrate

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// echoed returns the case of a tool sent to OpenAI's Responses, whose answer echoed it: the
// model has to predict how the provider rewrote it.
func (r *Row) echoed(dialects []*provider.Dialect) (cases []Case, aside string) {
	strict, echoStrict := parse(r.ReqStrict), parse(r.EchoStrict)
	if strict.Is("omitted") {
		strict = nil
	}
	if !isPresent(r.EchoParameters) {
		return nil, NoSchema
	}
	declare := func(strict *schema.Node, parameters []byte) *schema.Node {
		declaration := schema.NewObject(
			schema.Member{Key: "type", Value: schema.NewString("function")},
			schema.Member{Key: "name", Value: schema.NewString(r.Tool)},
		)
		if node := parse(parameters); node != nil {
			declaration.Set("parameters", node)
		}
		if strict != nil {
			declaration.Set("strict", strict)
		}
		return declaration
	}
	sent := declare(strict, r.ReqParameters)
	body := schema.NewObject(schema.Member{Key: "tools", Value: schema.NewArray(sent)})
	requests := wire.Read(provider.Responses, echoing(dialects), body)
	if requests[0].Dialect == "" {
		return nil, NoModelOfSurface
	}
	return []Case{{
		Name: r.Name() + " " + r.Tool, Date: known(r.RecordedAt), Model: r.Model, Verdict: provider.Accepted,
		Parts: partsOf(requests),
		Echo:  declare(echoStrict, r.EchoParameters),
	}}, ""
}

// echoing returns the surfaces of the service whose answers echo tools.
func echoing(dialects []*provider.Dialect) []*provider.Dialect {
	for _, dialect := range dialects {
		if dialect.Echo != nil {
			return provider.OfService(dialects, dialect.Service())
		}
	}
	return nil
}

// predictedEcho returns the model's rewrite of the declaration of a case, or nil if the case
// has no echo.
func predictedEcho(evidence Case, dialects []*provider.Dialect) *schema.Node {
	if evidence.Echo == nil {
		return nil
	}
	declaration := evidence.Parts[0].Declarations[0]
	dialect := dialectNamed(dialects, evidence.Parts[0].Dialect)
	if dialect.Echo == nil {
		return declaration
	}
	day := evidence.Date
	if day == "" {
		day = provider.Today()
	}
	return dialect.Echo(declaration, day)
}

// isSameTool reports whether two declarations are equal. The order of members does not matter,
// nor does that of required, which the provider takes from the properties, because some
// recordings have sorted members.
func isSameTool(a, b *schema.Node) bool {
	return schema.Equal(withSortedRequired(a), withSortedRequired(b))
}

func withSortedRequired(declaration *schema.Node) *schema.Node {
	sorted := declaration.Clone()
	sorted.Get("parameters").Each(func(subschema *schema.Node) bool {
		if required := subschema.Get("required"); required != nil {
			slices.SortFunc(required.Elements, func(a, b *schema.Node) int { return strings.Compare(a.Text, b.Text) })
		}
		return true
	})
	return sorted
}
