package provider

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"toolproof/schema"
)

// Behind returns what waits behind a refusal by the model: the violations that the surface would
// report on the model's day once those that it reported are mended. A provider stops at the first
// stage with a violation, and in most stages at the first violation.
//
// A violation waits if it is there both with the refused members and without them, so that none is
// an effect of what is refused or of its removal.
func (m *Model) Behind(ctx context.Context, request Request, refused []Finding) ([]Finding, error) {
	mended := mend{members: map[*schema.Node]bool{}}
	for _, finding := range refused {
		if finding.Key != "" && finding.Node != nil {
			mended.members[finding.Node] = true
			if finding.Key == "type" || bringsType(finding.Key) {
				mended.untyped = append(mended.untyped, schema.Pointer(strings.TrimSuffix(string(finding.At), "/"+finding.Key)))
			}
		}
	}
	all, err := m.every(ctx, request)
	if err != nil {
		return nil, err
	}
	var behind []Finding
	for _, finding := range all {
		if !slices.ContainsFunc(refused, finding.dependsOn) && !slices.ContainsFunc(behind, finding.dependsOn) {
			behind = append(behind, finding)
		}
	}
	if len(behind) == 0 || len(mended.members) == 0 {
		return behind, nil
	}
	request.Body = nil
	request.Declarations = slices.Clone(request.Declarations)
	for i, declaration := range request.Declarations {
		request.Declarations[i] = mended.without(declaration)
	}
	left, err := m.every(ctx, request)
	return slices.DeleteFunc(behind, func(finding Finding) bool {
		isOfType := finding.Rule.About == "type" || slices.ContainsFunc(refused, finding.isBesideType)
		return isOfType && slices.Contains(mended.untyped, finding.At) || !slices.ContainsFunc(left, finding.isSame)
	}), err
}

// dependsOn reports whether what mends an earlier violation may mend this one, too: it is the same, or
// it is about the same schema and not known to be about something else there.
func (f Finding) dependsOn(earlier Finding) bool {
	if f.Declaration != earlier.Declaration || f.At != earlier.At {
		return false
	}
	if f.Rule.Stage == earlier.Rule.Stage && f.Rule.Stage.All {
		return f.Rule == earlier.Rule && f.Message == earlier.Message // the stage reports both at once
	}
	return f.Rule == earlier.Rule || f.Rule.About == earlier.Rule.About || f.Rule.About == "" || earlier.Rule.About == ""
}

// isBesideType reports whether another finding refuses the type of the schema that this one is about.
func (f Finding) isBesideType(other Finding) bool {
	return other.Key == "type" && other.At == f.At.Child("type")
}

// bringsType reports whether what is written in place of a refused keyword may bring the type of the
// schema, as an enum in place of const does.
func bringsType(keyword string) bool {
	switch keyword {
	case "const", "$ref", "$dynamicRef", "oneOf", "allOf":
		return true
	default:
		return false
	}
}

// isSame reports whether two findings are about the same: one rule and one place.
func (f Finding) isSame(other Finding) bool {
	return f.Rule == other.Rule && f.Declaration == other.Declaration && f.At == other.At
}

// every returns what every rule of the model's day refuses anywhere.
func (m *Model) every(ctx context.Context, request Request) ([]Finding, error) {
	day := cmp.Or(m.AsOf, Today())
	visitor := &Visitor{Dialect: m.Dialect, Day: day, ModelName: m.ModelName, parameters: m.Parameters, counter: newCounter(ctx, request)}
	var all []Finding
	for _, run := range m.planOn(day).rejecting {
		visitor.every = !run[0].Stage.All
		found, err := m.inStage(visitor, run, request)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// mend is how the refused members of a request are taken out of it.
type mend struct {
	members map[*schema.Node]bool // the values of the members
	untyped []schema.Pointer      // the schemas whose type a mend of the members decides
}

// without returns a value without the members. It shares what has none of them.
func (m *mend) without(node *schema.Node) *schema.Node {
	clone := *node
	clone.Members, clone.Elements = nil, nil
	isChanged := false
	for _, member := range node.Members {
		if m.members[member.Value] {
			isChanged = true
			continue
		}
		below := m.without(member.Value)
		isChanged = isChanged || below != member.Value
		member.Value = below
		clone.Members = append(clone.Members, member)
	}
	for _, element := range node.Elements {
		below := m.without(element)
		isChanged = isChanged || below != element
		clone.Elements = append(clone.Elements, below)
	}
	if !isChanged {
		return node
	}
	return &clone
}
