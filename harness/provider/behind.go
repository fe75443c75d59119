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
	mended := mend{members: map[*schema.Node]bool{}, untyped: map[schema.Pointer]bool{}}
	types := map[schema.Pointer]bool{} // that are refused
	earlier := violations{}
	for _, finding := range refused {
		earlier.add(finding)
		if finding.Key == "type" {
			types[finding.At] = true
		}
		if finding.Key != "" && finding.Node != nil {
			mended.members[finding.Node] = true
			if finding.Key == "type" || bringsType(finding.Key) {
				mended.untyped[schema.Pointer(strings.TrimSuffix(string(finding.At), "/"+finding.Key))] = true
			}
		}
	}
	all, err := m.every(ctx, request)
	if err != nil {
		return nil, err
	}
	var behind []Finding
	for _, finding := range all {
		if !earlier.settle(finding) {
			earlier.add(finding)
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
	isLeft := map[violation]bool{}
	for _, finding := range left {
		isLeft[violation{finding.Rule, place{finding.Declaration, finding.At}}] = true
	}
	return slices.DeleteFunc(behind, func(finding Finding) bool {
		isOfType := finding.Rule.About == "type" || types[finding.At.Child("type")]
		return isOfType && mended.untyped[finding.At] || !isLeft[violation{finding.Rule, place{finding.Declaration, finding.At}}]
	}), err
}

// place is where a request violates rules.
type place struct {
	declaration int
	at          schema.Pointer
}

// violation is what one rule refuses at a place.
type violation struct {
	rule *Rule
	at   place
}

// violations are known violations by their places.
type violations map[place]*violated

// violated are the rules that are violated at a place, and what each says there.
type violated struct {
	rules []*Rule
	words map[*Rule]map[string]bool
}

func (v violations) add(finding Finding) {
	at := place{finding.Declaration, finding.At}
	here := v[at]
	if here == nil {
		here = &violated{words: map[*Rule]map[string]bool{}}
		v[at] = here
	}
	if here.words[finding.Rule] == nil {
		here.rules = append(here.rules, finding.Rule)
		here.words[finding.Rule] = map[string]bool{}
	}
	here.words[finding.Rule][finding.Message] = true
}

// settle reports whether what mends a known violation may mend a later one, too: it is the same, or
// it is about the same schema and not known to be about something else there.
func (v violations) settle(later Finding) bool {
	here := v[place{later.Declaration, later.At}]
	if here == nil {
		return false
	}
	return slices.ContainsFunc(here.rules, func(rule *Rule) bool {
		if later.Rule.Stage == rule.Stage && rule.Stage.All { // the stage reports both at once
			return later.Rule == rule && here.words[rule][later.Message]
		}
		return later.Rule == rule || later.Rule.About == rule.About || later.Rule.About == "" || rule.About == ""
	})
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
	members map[*schema.Node]bool   // the values of the members
	untyped map[schema.Pointer]bool // the schemas whose type a mend of the members decides
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
