package rules

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// referenceFilter reports whether a rule applies to the reference of node, which leads to target.
type referenceFilter func(node, target *schema.Node) bool

// defineTargets makes the targets of references definitions of the root with plain names, and makes
// the references lead there. It begins anew until there are no such references, because a definition
// may have some too; filter is called each time and selects the references.
func defineTargets(p *engine.Pass, filter func() referenceFilter) {
	if !p.HasAnywhere("$ref") {
		return
	}
	defined := map[*schema.Node]schema.Pointer{} // the pointers to the definitions that targets have become
	for range maxChain {
		var referring []*schema.Node
		targets := map[*schema.Node]*schema.Node{} // before one of them moves
		isSelected, isSchema := filter(), subschemasOf(p)
		p.Root().Each(func(node *schema.Node) bool {
			p.Charge(1)
			if target := p.Resolve(node); target != nil && node.GetString("$ref") != "" && isSelected(node, target) {
				referring, targets[node] = append(referring, node), target
			}
			return true
		})
		if len(referring) == 0 {
			return
		}
		for _, node := range referring {
			target := targets[node]
			if _, isDefined := defined[target]; !isDefined {
				if target == p.Root() {
					defined[target] = copyRoot(p)
				} else {
					defined[target] = hoistTarget(p, target, plainName(definitionNameOf(node.Reference())), isSchema)
				}
			}
			p.Below(node, "").Set("$ref", schema.NewString(defined[target].Fragment()), rewrite.Exact)
		}
	}
}

// copyRoot adds a copy of the root without its definitions to the definitions, and returns the
// pointer to the copy.
func copyRoot(p *engine.Pass) schema.Pointer {
	content := p.Clone(p.Root())
	content.Delete("$defs")
	content.Delete("$schema")
	pointer := define(p, "root", content)
	deleteNames(content)
	content.Each(func(node *schema.Node) bool {
		if node.GetString("$ref") == "#" {
			node.Set("$ref", schema.NewString(pointer.Fragment()))
		}
		return true
	})
	return pointer
}

// hoistTarget makes the target of a reference a definition of the root, leaves a reference in its
// place, and returns the pointer to the definition. The name gets a suffix if it is taken. A target
// that is not a subschema, as isSchema reports, belongs to the input and stays in its place, and a
// copy of it becomes the definition.
func hoistTarget(p *engine.Pass, target *schema.Node, name string, isSchema func(*schema.Node) bool) schema.Pointer {
	if !isSchema(target) {
		return define(p, name, p.Copy(target))
	}
	content := *target
	p.MoveSpills(target, &content)
	pointer := define(p, name, &content)
	p.Below(target, "").Become(p.New(schema.Member{Key: "$ref", Value: schema.NewString(pointer.Fragment())}), rewrite.Exact)
	return pointer
}

// define makes a schema a definition of the root and returns the pointer to it. The name gets a
// suffix if it is taken.
func define(p *engine.Pass, name string, content *schema.Node) schema.Pointer {
	definitions := p.Root().Get("$defs")
	for definitions.Has(name) {
		p.Charge(len(definitions.Members))
		name += "_"
	}
	if definitions == nil {
		definitions = schema.NewObject()
	}
	p.Edit(rewrite.Exact, func() {
		definitions.Set(name, content)
		p.Root().Set("$defs", definitions)
	}, "$defs")
	return schema.Pointer("/$defs").Child(name)
}

// subschemasOf returns a function that reports whether a node was a subschema of the tool when the
// function was first called.
func subschemasOf(p *engine.Pass) func(*schema.Node) bool {
	var known map[*schema.Node]bool
	return func(node *schema.Node) bool {
		if known == nil {
			known = map[*schema.Node]bool{}
			p.Root().Each(func(subschema *schema.Node) bool {
				p.Charge(1)
				known[subschema] = true
				return true
			})
		}
		return known[node]
	}
}

// definitionNameOf returns the last token of a pointer that is neither a keyword nor a number, or
// shape.
func definitionNameOf(reference string) string {
	for _, token := range slices.Backward(schema.Pointer(strings.TrimPrefix(reference, "#")).Tokens()) {
		if _, err := strconv.Atoi(token); err != nil && schema.ClassOf(token) == schema.Unknown {
			return token
		}
	}
	return "shape"
}

// nameDefinitions renames the definitions of a schema that isMeant selects.
func nameDefinitions(p *engine.Pass, keyword string, isMeant func(definition schema.Member) bool) {
	definitions := p.Schema.Get(keyword)
	p.Charge(1 + len(membersOf(definitions)))
	if !slices.ContainsFunc(membersOf(definitions), isMeant) {
		return
	}
	taken := map[string]bool{}
	for _, definition := range definitions.Members {
		taken[definition.Key] = true
	}
	for i := range definitions.Members {
		definition := &definitions.Members[i]
		if !isMeant(*definition) {
			continue
		}
		name := freeName(definitionName(definition.Key), definition.Key, engine.NameGrammar{}, taken)
		taken[name] = true
		p.Below(definitions, keyword).Rename(definition, name, rewrite.Exact)
	}
}

// definitionName returns the plain form of a name, which is never empty.
func definitionName(name string) string { return cmp.Or(plainName(name), "shape") }

// plainName returns a name with _ for all characters but letters, digits, - and _.
func plainName(name string) string {
	if decoded, err := url.PathUnescape(name); err == nil {
		name = decoded
	}
	return strings.Map(func(r rune) rune {
		if r < 128 && (r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '_'
	}, name)
}
