package compatible

import (
	"slices"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// rootNotObject reports a root that can be anything but an object.
var rootNotObject = &provider.Rule{
	Name:   "root_not_object",
	Effect: provider.Rejects,
	Stage:  root,
	Doc: `the root is of type object, and no union or reference

Type object beside anyOf, oneOf or $ref does not help, but a union is accepted if each branch
has type object. First seen on 2026-08-09.`,
	Evidence: []string{
		"xai/chat/b6d61f035e93",
		"xai/chat/ff49c04dd817",
		// Near misses.
		"xai/chat/1e177947905b",
	},
	Check: func(p *provider.Pass) {
		const words = "tool parameter root must be an object type"
		isNoObject := func(branch *schema.Node) bool { return !branch.Get("type").Is("object") && !branch.Has("$ref") }
		union := p.Node.First("anyOf", "oneOf")
		switch {
		case len(p.Node.Members) == 0: // see emptyUnknown
		case p.Node.Has("$ref"):
			p.Reportf("%s: "+words+" (root schema is a $ref)", in(p).name)
		case union != nil && slices.ContainsFunc(union.Elements, isNoObject):
			p.Reportf("%s: "+words+" (root schema is an anyOf/oneOf union with a non-object branch)", in(p).name)
		case union == nil && !p.Node.Get("type").Is("object"):
			p.Reportf("%s: "+words, in(p).name)
		}
	},
}

// emptyUnknown reports a function with an empty schema.
var emptyUnknown = &provider.Rule{
	Name:   "empty_schema_unknown",
	Effect: provider.Unknown,
	Stage:  root,
	Doc: `whether a function with an empty schema is refused is not known

No public answer of xAI or Moonshot is about one. OpenAI takes it as an object, and DeepSeek refuses it.`,
	Source: "no answer in 17 accepted and 4 refused functions of xAI, and in 1 and 17 of Moonshot, as of 2026-11-23",
	Check: func(p *provider.Pass) {
		if p.Node.Kind == schema.Object && len(p.Node.Members) == 0 {
			p.Reportf("it is unknown whether %s refuses an empty schema", p.Dialect().Name)
		}
	},
}
