package normalizers

import (
	"slices"

	"toolproof/internal/steps"
	"toolproof/normalizers/internal/rules"
	"toolproof/schema"
)

// Express is the inverse of Restore: it converts arguments of the given tool to those of the normalized
// tool, which the model knows. Arguments for which there is no such form, of which Restore makes the
// given ones again, stay as they are. It does not change its argument, and the result shares parts of it.
func (r Result) Express(arguments *schema.Node) *schema.Node {
	if arguments == nil || r.Tool.Parameters == nil {
		return arguments
	}
	wrapped := arguments
	if r.restored(rules.WrapRoot) != nil {
		wrapped = schema.NewObject(schema.Member{Key: "value", Value: arguments})
	}
	restorer := r.restorer()
	if restorer == nil {
		return wrapped
	}
	for _, expressed := range []*schema.Node{restorer.startExpressing(wrapped), wrapped} {
		if schema.Identical(r.Restore(expressed), arguments) {
			return expressed
		}
	}
	return arguments
}

// maxExpressing bounds the steps of expressing arguments, where each union tries its branches.
const maxExpressing = 1_000_000

// startExpressing expresses the arguments, or returns them as they are if that takes more than
// maxExpressing steps.
func (r *restorer) startExpressing(arguments *schema.Node) (expressed *schema.Node) {
	var err error
	defer func() {
		if err != nil {
			expressed = arguments
		}
	}()
	defer steps.Recover(&err)
	r.Bound(maxExpressing, errTooComplex)
	return r.express(arguments, r.root, 0)
}

// mostApplied is how many references and unions are followed for one value.
const mostApplied = 100

// express returns the value for a normalized schema. depth counts the schemas before it for the same
// value.
func (r *restorer) express(value, node *schema.Node, depth int) *schema.Node {
	if node == nil || node.Kind != schema.Object || depth > mostApplied {
		return value
	}
	r.Charge(stepsPerFit + len(node.Members) + len(value.Members) + len(value.Elements))
	if name, stands := r.explicit[node]; stands && value.Kind == schema.Null {
		return schema.NewObject(schema.Member{Key: name, Value: value})
	}
	if kind, isText := r.texts[node]; isText && value.Kind == kind {
		return schema.NewString(value.String())
	}
	if node.Reference() != "" {
		value = r.express(value, r.target(node), depth+1)
	}
	for _, keyword := range unions {
		for _, branch := range elementsOf(node.Get(keyword)) {
			if expressed := r.express(value, branch, depth+1); r.fits(fit{branch, expressed, false}) {
				value = expressed
				break
			}
		}
	}
	for _, part := range elementsOf(node.Get("allOf")) {
		value = r.express(value, part, depth+1)
	}
	switch value.Kind {
	case schema.Object:
		return r.expressObject(value, node)
	case schema.Array:
		elements := make([]*schema.Node, len(value.Elements))
		for i, element := range value.Elements {
			elements[i] = r.express(element, itemAt(node, i), 0)
		}
		return schema.NewArray(elements...)
	default:
		return value
	}
}

// expressObject gives members the names of the normalized tool, removes a null that absence stands for,
// and adds a null that stands for absence, after the property that the schema has before it.
func (r *restorer) expressObject(value, node *schema.Node) *schema.Node {
	expressed := schema.NewObject()
	var declared []schema.Member
	if properties := node.Get("properties"); properties != nil {
		declared = properties.Members
	}
	r.Charge(len(declared) * (1 + len(value.Members)))
	for _, member := range value.Members {
		if member.Value.Kind == schema.Null && slices.Contains(r.absent[node], member.Key) {
			continue
		}
		property := r.property(node, member.Key)
		for i := range declared {
			if r.renamed[declared[i].Value] == member.Key {
				member.Key, property = declared[i].Key, declared[i].Value
			}
		}
		member.Value = r.express(member.Value, property, 0)
		expressed.Members = append(expressed.Members, member)
	}
	next := 0
	for i := range declared {
		if at := expressed.Index(declared[i].Key); at >= 0 {
			next = at + 1
		} else if r.isAbsentAsNull(declared[i].Value) {
			expressed.Members = slices.Insert(expressed.Members, next, schema.Member{Key: declared[i].Key, Value: &schema.Node{}})
			next++
		}
	}
	return expressed
}
