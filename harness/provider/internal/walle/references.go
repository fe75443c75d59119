package walle

import (
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// references is the stage that follows references after all subschemas have been found valid. It
// visits every object below any keyword except $defs, and the branches of unions. The validator
// visits members in no particular order and may report any of several violations, so that the
// stage reports all of them.
var references = &provider.Stage{
	Name:           "references",
	Shared:         shared,
	All:            true,
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		root := rootOf(request, declaration, visitor)
		if root == nil || len(root.Members) == 0 {
			return
		}
		walk := &referenceWalk{request: request, declaration: declaration, visitor: visitor, root: root}
		if walk.dangling() || !walk.hasReference(root) {
			return
		}
		walk.graph = newGraph(root, visitor)
		walk.schema(root, "/parameters", &place{root: root, indices: schema.Indices{}, graph: walk.graph}, !walk.graph.ends[root])
	},
}

// referenceWalk visits the references of a declaration.
type referenceWalk struct {
	request     provider.Request
	declaration int
	visitor     *provider.Visitor
	root        *schema.Node
	graph       *graph
}

func (w *referenceWalk) visit(node *schema.Node, at schema.Pointer, where *place) bool {
	return w.visitor.Visit(&provider.Pass{Request: w.request, Declaration: w.declaration, Node: node, At: []byte(at), Subject: where})
}

// dangling visits the references in subschemas that lead nowhere.
func (w *referenceWalk) dangling() bool {
	found, indices := false, schema.Indices{}
	var each func(node *schema.Node, at schema.Pointer)
	each = func(node *schema.Node, at schema.Pointer) {
		w.visitor.Charge(1 + len(node.Members))
		if reference := node.Get("$ref"); reference != nil && reference.Kind == schema.String && resolve(w.root, reference.Text, indices) == nil {
			found = w.visit(node, at, &place{root: w.root, indices: indices, isDangling: true}) || found
		}
		for _, keyword := range []string{"$defs", "properties"} {
			for _, member := range objectOf(node, keyword) {
				if member.Value.IsPlain() {
					continue
				}
				each(member.Value, at.Child(keyword).Child(member.Key))
			}
		}
		for _, keyword := range []string{"items", "additionalProperties"} {
			if below := node.Get(keyword); below != nil {
				each(below, at.Child(keyword))
			}
		}
		if union := node.Get("anyOf"); union != nil {
			for i, branch := range union.Elements {
				each(branch, at.Child("anyOf").Element(i))
			}
		}
	}
	each(w.root, "/parameters")
	return found
}

// hasReference reports whether an object has a reference, or any object or branch in it does.
func (w *referenceWalk) hasReference(node *schema.Node) bool {
	w.visitor.Charge(1 + len(node.Members))
	if node.Has("$ref") {
		return true
	}
	for _, member := range node.Members {
		if member.Key != "$defs" && member.Value.Kind == schema.Object && w.hasReference(member.Value) {
			return true
		}
		if member.Key == "anyOf" && slices.ContainsFunc(member.Value.Elements, w.hasReference) {
			return true
		}
	}
	return false
}

// schema visits an object and those below it. mustEnd says that the targets of their references have to
// end. It reports whether it found a violation.
func (w *referenceWalk) schema(node *schema.Node, at schema.Pointer, where *place, mustEnd bool) bool {
	w.visitor.ChargeText(len(at))
	w.visitor.Charge(1 + len(node.Members))
	where.mustEnd = mustEnd
	if node.Has("$ref") && w.visit(node, at, where) {
		return true
	}
	if isOptional(node) {
		// An object that requires no properties ends, whatever its properties are. The
		// validator then assumes the same of all objects that it reads afterwards, in no
		// particular order.
		mustEnd = false
	}
	found := false
	for _, member := range node.Members {
		switch {
		case member.Key == "$defs":
		case member.Value.Kind == schema.Object:
			found = w.schema(member.Value, at.Child(member.Key), where.below(member.Key), mustEnd) || found
		case member.Key == "anyOf":
			for i, branch := range member.Value.Elements {
				if branch.Kind == schema.Object && w.schema(branch, at.Child("anyOf").Element(i), where.below(branchPart(i)), mustEnd) {
					found = true
					break
				}
			}
		}
	}
	return found
}

// isOptional reports whether an object requires no properties.
func isOptional(node *schema.Node) bool {
	if additional := node.Get("additionalProperties"); additional != nil && additional.Kind == schema.Object {
		return true
	}
	required := node.Get("required")
	properties := node.Get("properties")
	return required != nil && required.Kind == schema.Array && len(required.Elements) == 0 && properties != nil && properties.Kind == schema.Object
}

// resolve returns what a reference leads to, or nil. It does not unescape the tokens, and
// follows members of objects only.
func resolve(root *schema.Node, reference string, indices schema.Indices) *schema.Node {
	if reference == "#" {
		return root
	}
	path, ok := strings.CutPrefix(reference, "#/$defs/")
	if !ok {
		return nil
	}
	node := root.Get("$defs")
	for token := range strings.SplitSeq(path, "/") {
		if node == nil || node.Kind != schema.Object {
			return nil
		}
		node = indices.Get(node, token)
	}
	if node == nil || node.Kind != schema.Object {
		return nil
	}
	return node
}

// graph says which objects of a schema end, which means that a finite value satisfies them. As the
// validator computes it, an object ends if any one of its parts does.
type graph struct {
	ends map[*schema.Node]bool
}

// newGraph finds the objects that end by themselves, and then the objects that have these as parts.
func newGraph(root *schema.Node, visitor *provider.Visitor) *graph {
	found, indices := &graph{ends: map[*schema.Node]bool{}}, schema.Indices{}
	leadsTo := map[*schema.Node][]*schema.Node{} // the objects that lead to a node
	var ended []*schema.Node
	var each func(node *schema.Node)
	each = func(node *schema.Node) {
		visitor.Charge(1 + len(node.Members) + len(node.Elements))
		if node.Kind == schema.Object {
			parts, isEnd := partsOf(root, node, indices)
			if isEnd {
				found.ends[node] = true
				ended = append(ended, node)
			}
			for _, part := range parts {
				leadsTo[part] = append(leadsTo[part], node)
			}
			visitor.Charge(len(parts))
		}
		for _, member := range node.Members {
			each(member.Value)
		}
		for _, element := range node.Elements {
			each(element)
		}
	}
	each(root)
	for len(ended) > 0 {
		last := ended[len(ended)-1]
		ended = ended[:len(ended)-1]
		for _, node := range leadsTo[last] {
			if !found.ends[node] {
				found.ends[node] = true
				ended = append(ended, node)
			}
		}
	}
	return found
}

// partsOf returns the parts that can make an object end: the items of an array, the
// required properties of an object, the branches of a union, the target of a reference.
// isEnd says that the object ends by itself.
func partsOf(root, node *schema.Node, indices schema.Indices) (parts []*schema.Node, isEnd bool) {
	if len(node.Members) == 0 {
		return nil, true
	}
	kind := ""
	for _, name := range node.Types() {
		if name != "object" && name != "array" {
			return nil, true
		}
		kind = name
	}
	switch kind {
	case "array":
		items := node.Get("items")
		if items == nil || items.Kind == schema.Null {
			return nil, true
		}
		parts = append(parts, items)
	case "object":
		names, declared := node.Get("required"), objectOf(node, "properties")
		if names == nil || len(names.Elements) == 0 || len(declared) == 0 {
			return nil, true
		}
		isRequired := schema.Among(names.Strings())
		for _, member := range declared {
			if isRequired(member.Key) {
				parts = append(parts, member.Value)
			}
		}
	}
	if union := node.Get("anyOf"); union != nil && union.Kind == schema.Array {
		if len(union.Elements) == 0 {
			return nil, true
		}
		parts = append(parts, union.Elements...)
	}
	if target := resolve(root, node.GetString("$ref"), indices); target != nil {
		parts = append(parts, target)
	}
	return parts, false
}

var referenceRules = []*provider.Rule{
	referenceDangling, referenceElsewhere, referenceConflict, referenceToUnion, referencePlace, endlessReference,
}

// referenceDangling reports a reference to a definition that is not there.
var referenceDangling = &provider.Rule{
	Name:   "reference_dangling",
	Effect: provider.Rejects,
	Stage:  references,
	Doc:    `a reference leads to a definition that is there; escapes in it are not undone`,
	Evidence: []string{
		"moonshot/response_format/be283051102d",
		// Near misses.
		"moonshot/response_format/9afad17e4967",
	},
	Check: func(p *provider.Pass) {
		where, reference := in(p), p.Node.GetString("$ref")
		isDefinition := reference == "#" || strings.HasPrefix(reference, "#/$defs/")
		if where.isDangling || isDefinition && resolve(where.root, reference, where.indices) == nil {
			reportWhole(p, "root", "At path 'root': invalid $ref path: "+reference)
		}
	},
}

// referenceElsewhere reports a reference to anything but a definition, outside of
// subschemas.
var referenceElsewhere = &provider.Rule{
	Name:   "reference_elsewhere",
	Effect: provider.Rejects,
	Stage:  references,
	Doc: `a reference leads to the root or to a definition, also in a keyword that the validator does not know

The message does not say where the reference is.`,
	Evidence: []string{
		"moonshot/response_format/6b38127ce9fc",
		// Near misses.
		"moonshot/response_format/9afad17e4967",
	},
	Check: func(p *provider.Pass) {
		reference := p.Node.Get("$ref")
		switch {
		case reference.Kind == schema.Null: // the validator treats it as absent
		case reference.Kind != schema.String:
			report(p, "$ref must be a string", "$ref")
		case !reference.Is("#") && !strings.HasPrefix(reference.Text, "#/$defs/"):
			reportWhole(p, "$ref", "At path '$ref': only local references are supported")
		}
	},
}

// expand returns the schema that a reference leads to, past definitions that are
// references themselves, or nil.
func expand(p *provider.Pass) *schema.Node {
	root, indices := in(p).root, in(p).indices
	seen := map[*schema.Node]bool{}
	target := resolve(root, p.Node.GetString("$ref"), indices)
	for target != nil && target.Has("$ref") && !seen[target] && isReferenceAlone(target) {
		p.Charge(1 + len(target.Members))
		seen[target] = true
		reference := target.GetString("$ref")
		p.ChargeText(len(reference))
		next := resolve(root, reference, indices)
		if next == nil || next == target {
			break
		}
		target = next
	}
	return target
}

// isReferenceAlone reports whether a schema has a reference, and otherwise only
// annotations.
func isReferenceAlone(node *schema.Node) bool {
	return !slices.ContainsFunc(node.Members, func(member schema.Member) bool { return member.Key != "$ref" && !isAnnotation(member.Key) })
}

// referenceConflict reports a keyword both beside a reference and in its target.
var referenceConflict = &provider.Rule{
	Name:   "reference_conflict",
	Effect: provider.Rejects,
	Stage:  references,
	Doc:    `a keyword is not both beside a reference and in its definition, except for title and description`,
	Evidence: []string{
		"moonshot/response_format/e99ac503e0e1",
		// Near misses.
		"moonshot/response_format/fcad0731fa1d",
	},
	Check: func(p *provider.Pass) {
		target := expand(p)
		if target == nil {
			return
		}
		p.Charge(len(target.Members) + len(p.Node.Members))
		if both := conflicts(target, schema.Among(p.Node.Keys()), "$ref"); len(both) > 0 {
			report(p, "conflicting keywords found after $ref expansion: keywords ("+strings.Join(both, ", ")+
				`) are defined both alongside "$ref" and in the referenced schema; remove the duplicates`)
		}
	},
}

// referenceToUnion reports a union that conflicts with keywords beside a reference.
var referenceToUnion = &provider.Rule{
	Name:   "reference_to_union",
	Effect: provider.Rejects,
	Stage:  references,
	Doc: `a definition with branches goes with what is beside the reference

If one of them has anyOf the other has no type, and no branch has a keyword that is beside the
reference. The words about a branch are those of an earlier state of the validator, and not
known of this one.`,
	Source: source,
	Check: func(p *provider.Pass) {
		target := expand(p)
		switch {
		case target == nil:
		case p.Node.Has("type") && target.Has("anyOf") || p.Node.Has("anyOf") && target.Has("type"):
			report(p, "invalid schema after $ref expansion: (when using anyOf, type should be defined in anyOf items instead of the parent schema)")
		case target.Has("anyOf"):
			isBeside := schema.Among(p.Node.Keys())
			for _, branch := range target.Get("anyOf").Elements {
				p.Charge(1 + len(branch.Members))
				if both := conflicts(branch, isBeside, "$ref"); len(both) > 0 {
					report(p, "conflicting keywords found in anyOf after ref expansion: "+strings.Join(both, ", "))
					return
				}
			}
		}
	},
}

// referencePlace reports a reference at a place where the validator does not allow one.
var referencePlace = &provider.Rule{
	Name:   "reference_place",
	Effect: provider.Rejects,
	Stage:  references,
	Doc:    `a reference is that of a property, items, additionalProperties, a branch of anyOf or a keyword of the root`,
	Source: source,
	Check: func(p *provider.Pass) {
		parts := in(p).parts
		if len(parts) < 2 {
			return
		}
		last, before := parts[len(parts)-1], parts[len(parts)-2]
		if last != "items" && last != "additionalProperties" && !strings.HasPrefix(last, "anyOf") && before != "properties" {
			report(p, "$ref is not allowed in this schema.")
		}
	},
}

// endlessReference reports a reference to a schema that no finite value satisfies.
var endlessReference = &provider.Rule{
	Name:   "endless_reference",
	Effect: provider.Rejects,
	Stage:  references,
	Doc: `if the root does not end, each reference leads to a schema that does

A schema ends if a finite value satisfies it: a type other than object and array, an array
without items, an object that requires nothing, and a schema with a required property, items,
a branch or a reference that ends. A schema without type, anyOf and $ref does not end.`,
	Evidence: []string{
		"moonshot/response_format/b5a233a68d56",
		// Near misses.
		"moonshot/response_format/9afad17e4967",
	},
	Check: func(p *provider.Pass) {
		where := in(p)
		if target := expand(p); where.mustEnd && target != nil && !where.graph.ends[target] {
			report(p, "detected infinite recursion without termination condition")
		}
	},
}
