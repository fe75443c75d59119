package anthropic

import (
	"strconv"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/claude"
	"toolproof/schema"
)

// strictTools is the stage that counts the strict tools.
var strictTools = &provider.Stage{Name: "strict tools", Walk: visitRequest}

// limits is the stage that counts the parameters in all schemas of a request.
var limits = &provider.Stage{
	Name: "limits", Walk: visitRequest,
	Shared: "one compiler makes grammars of strict tools and of output formats",
}

func visitRequest(request provider.Request, _ int, visitor *provider.Visitor) {
	visitor.Visit(&provider.Pass{Request: request, Declaration: -1, Location: []byte("tools")})
}

const (
	maxStrictTools = 20
	maxOptional    = 24
	maxUnions      = 16
)

// limitRules limit all schemas of a request together.
var limitRules = []*provider.Rule{tooManyOptional, tooManyUnions}

// tooManyStrictTools reports more strict tools than one request may have.
var tooManyStrictTools = &provider.Rule{
	Name:   "too_many_strict_tools",
	Effect: provider.Rejects,
	Stage:  strictTools,
	Doc:    `a request has at most 20 strict tools`,
	Evidence: []string{
		"anthropic/tools-strict/3b9d4cc76826",
		// Near misses.
		"anthropic/tools-strict/c36c58ed8ba8",
	},
	Check: func(p *provider.Pass) {
		if n := len(p.Request.Declarations); n > maxStrictTools {
			p.Report(provider.Finding{Message: "Too many strict tools (" + strconv.Itoa(n) + "). The maximum number of strict tools supported is " +
				strconv.Itoa(maxStrictTools) + ". Try reducing the number of tools marked as strict."})
		}
	},
}

// tooManyOptional reports more optional parameters than the request may have.
var tooManyOptional = &provider.Rule{
	Name:   "too_many_optional_parameters",
	Effect: provider.Rejects,
	Stage:  limits,
	Doc:    `the schemas of a request have at most 24 optional parameters together`,
	Evidence: []string{
		"anthropic/tools-strict/c6710d731b98",
		// Near misses.
		"anthropic/tools-strict/58ae3db3eb9a",
	},
	Check: func(p *provider.Pass) {
		if sum := count(p, p.Request.Declarations...); sum.optional > maxOptional {
			p.Report(provider.Finding{Message: "Schemas contains too many optional parameters (" + strconv.Itoa(sum.optional) +
				"), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: " +
				strconv.Itoa(maxOptional) + ")."})
		}
	},
}

// tooManyUnions reports more union-typed parameters than the request may have.
var tooManyUnions = &provider.Rule{
	Name:   "too_many_union_parameters",
	Effect: provider.Rejects,
	Stage:  limits,
	Doc:    `the schemas of a request have at most 16 parameters with a list of types or anyOf together`,
	Evidence: []string{
		"anthropic/tools-strict/b0cdc914c0e3",
		// Near misses.
		"anthropic/tools-strict/88de6552b731",
	},
	Check: func(p *provider.Pass) {
		if sum := count(p, p.Request.Declarations...); sum.unions > maxUnions {
			p.Report(provider.Finding{Message: "Schemas contains too many parameters with union types (" + strconv.Itoa(sum.unions) +
				" parameters with type arrays or anyOf). This causes exponential compilation cost. " +
				"Reduce the number of nullable or union-typed parameters (limit: " + strconv.Itoa(maxUnions) + " parameters with unions)."})
		}
	},
}

// tooComplex reports a schema that reaches a limit of the request on its own.
var tooComplex = &provider.Rule{
	Name:   "too_complex",
	Effect: provider.Rejects,
	Stage:  limits,
	Models: []string{"!*haiku-4-5*"},
	Doc: `one schema with 24 optional or 16 union-typed parameters is too complex

The same number in two tools is accepted. This was measured of Sonnet 4.6. Haiku 4.5 takes an
output format with 16 union-typed parameters, and then does not answer for a minute, so that
nothing is said of it. What else makes a grammar too large is not known: it differs between
models, as 13 strict tools do that Sonnet 4.6 refuses and Sonnet 5 takes.`,
	Evidence: []string{
		"anthropic/tools-strict/9b773cce1fd7",
		"anthropic/tools-strict/7e8fcc5a67c5",
		// Near misses.
		"anthropic/tools-strict/58ae3db3eb9a",
		"anthropic/tools-strict/88de6552b731",
	},
	Check: func(p *provider.Pass) {
		for i, declaration := range p.Request.Declarations {
			if sum := count(p, declaration); sum.optional >= maxOptional || sum.unions >= maxUnions {
				p.Declaration, p.Node, p.At = i, claude.RootOf(p.Dialect(), declaration), []byte("/parameters")
				p.Report(provider.Finding{Message: "Schema is too complex for compilation. Try reducing the number of tools or simplifying tool schemas."})
				return
			}
		}
	},
}

// counts are the numbers of parameters that the limits are about.
type counts struct{ optional, unions int }

// count counts the parameters in the schemas of declarations, at every depth.
func count(p *provider.Pass, declarations ...*schema.Node) counts {
	var sum counts
	for _, declaration := range declarations {
		p.Each(claude.RootOf(p.Dialect(), declaration), func(node *schema.Node) bool {
			properties := node.Get("properties")
			if properties == nil {
				return true
			}
			isRequired := schema.Among(node.Get("required").Strings())
			p.Charge(len(properties.Members))
			for _, property := range properties.Members {
				if !isRequired(property.Key) {
					sum.optional++
				}
				if value := property.Value.Get("type"); property.Value.Has("anyOf") || value != nil && value.Kind == schema.Array {
					sum.unions++
				}
			}
			return true
		})
	}
	return sum
}
