package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/internal/merge"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// SayConstraints serves targets whose tools pass through other programs.
var SayConstraints = &engine.Rule{
	Name: "say_constraints",
	Doc: `the description repeats a constraint that some client removes

The keyword stays for those who read it. The description ends in {minLength: 1}, as it does
for a keyword that a target refuses. A description that names the keyword already stays as
it is; all of them do if the schema would grow too large. portable repeats what some known
client removes, and the option SayConstraints repeats all constraints, for any target.
Source: docs/clients.json.`,
	Before: `{"name": "f", "description": "Finds.", "parameters": {"type": "object", "minProperties": 1, ` +
		`"properties": {"code": {"type": "string", "description": "Code", "pattern": "^[A-Z]+$", "minLength": 1}}}}`,
	After: `{"name": "f", "description": "Finds.\n\n{minProperties: 1}", "parameters": {"type": "object", "minProperties": 1, ` +
		`"properties": {"code": {"type": "string", "description": "Code\n\n{pattern: \"^[A-Z]+$\", minLength: 1}", "pattern": "^[A-Z]+$", "minLength": 1}}}}`,
	Loss: rewrite.Exact,
	Tool: func(p *engine.Pass) {
		root := p.Root()
		if root == nil || root.Kind != schema.Object || !p.HasAnywhere(engine.LimitsOf[Repeated](p.Target)...) {
			return
		}
		p.WriteSpills() // which may name a keyword
		unsaid, more := unsaidBelow(p, p.Below(root, "parameters"), nil, 0)
		if most := engine.LimitsOf[SizeLimits](p.Target).Bytes; most > 0 && exceeds(p, root, most-more) > 0 {
			return
		}
		for _, place := range unsaid {
			place.Set("description", schema.NewString(merge.Descriptions(place.Schema.GetString("description"), place.block)), rewrite.Exact)
		}
		limitDescription(p)
	},
}

// Repeated are the keywords that stay in the schema and that the description repeats, because some
// program between the author and the provider removes them.
type Repeated []string

// constrained is the pass of a schema, or that of the tool instead of its parameters, with the block
// for the description.
type constrained struct {
	*engine.Pass

	block string
}

// unsaidBelow appends to unsaid the schemas from p downwards whose descriptions do not name all of
// their constraints, and adds to more an upper bound of the bytes that their descriptions will grow by.
func unsaidBelow(tool, p *engine.Pass, unsaid []constrained, more int) ([]constrained, int) {
	described := p
	if p.IsRoot() && (p.Target.RootUnread || p.Refuses("description")) {
		described = tool
	}
	if block := constraintsOf(p, described.Schema.GetString("description")); block != "" {
		const around = len(`,"description":""\n\n`)
		unsaid = append(unsaid, constrained{described, block})
		more += around + bytesOf(p, schema.NewString(block))
		if described != p {
			more += int(engine.LimitsOf[MaxDescription](p.Target)) // a part of the tool's description may move to the parameters
		}
	}
	for place := range p.Schema.Subschemas() {
		switch place.Keyword {
		case "properties", "patternProperties", "additionalProperties", "items", "prefixItems", "anyOf", "oneOf", "allOf", "$defs", "definitions":
			unsaid, more = unsaidBelow(tool, p.Below(place.Node(), place.Keyword), unsaid, more)
		}
	}
	return unsaid, more
}

// constraintsOf returns the constraints of a schema that a description does not name, such as
// {pattern: "^a$", minLength: 1}, or "" if it names all.
func constraintsOf(p *engine.Pass, description string) string {
	repeated := engine.LimitsOf[Repeated](p.Target)
	var block strings.Builder
	for _, member := range p.Schema.Members {
		if !slices.Contains(repeated, member.Key) || says(p, description, member.Key) {
			continue
		}
		if block.Len() == 0 {
			block.WriteByte('{')
		} else {
			block.WriteString(", ")
		}
		text := member.Value.JSON()
		p.ChargeText(len(text))
		block.WriteString(member.Key + ": ")
		block.Write(text)
	}
	if block.Len() == 0 {
		return ""
	}
	return block.String() + "}"
}

// says reports whether a description names a keyword with a value.
func says(p *engine.Pass, description, keyword string) bool {
	p.ChargeText(len(description))
	return slices.ContainsFunc([]string{"{", ", ", "("}, func(before string) bool { return strings.Contains(description, before+keyword+": ") })
}
