package breaking

import (
	"fmt"
	"slices"
	"strings"

	"toolproof/schema"
)

// hard are the keywords for which a made instance may miss a difference.
var hard = []string{
	"pattern", "not", "if", "then", "else", "contains", "multipleOf", "oneOf", "patternProperties", "propertyNames", "dependentSchemas",
	"dependencies", "unevaluatedProperties", "unevaluatedItems", "$ref", "$dynamicRef", "$defs", "definitions",
}

// direction is how findings speak of instances: calls, or results.
type direction struct {
	refused, accepted, closed, added, gone What
	one                                    string
	base                                   schema.Pointer
	isReversed                             bool // older is the schema of the new tool
}

// root returns the schema of the new tool.
func (d direction) root(s *search) *schema.Node {
	if d.isReversed {
		return s.old.canonical
	}
	return s.new.canonical
}

var (
	ofCalls   = direction{CallRefused, CallAccepted, UndeclaredRefused, ParameterAdded, ParameterIgnored, "call", "/parameters", false}
	ofResults = direction{ResultRefused, ResultAccepted, UndeclaredResult, ResultGone, ResultAdded, "result", "/outputSchema", true}
)

// schemas compares two versions of a schema. Every instance of older has to be one of newer; for results
// older is the schema of the new tool.
func (c *comparison) schemas(d direction, older, newer *schema.Node) {
	olderExpanded, newerExpanded := expanded(older), expanded(newer)
	before, err := versionOf(d, olderExpanded, older)
	after, errToo := versionOf(d, newerExpanded, newer)
	if err == nil {
		err = errToo
	}
	places := differences(before.canonical, after.canonical, "")
	if len(places) == 0 && err == nil {
		return
	}
	if err != nil {
		if !schema.Equal(older, newer) {
			c.add(Finding{Level: Inconclusive, What: Unknown, At: d.base, Message: "nothing is known of the " + d.one + "s that are valid: " + err.Error()}, nil)
		}
		return
	}
	s := searched(d, before, after, places)
	found := len(c.findings)
	for _, place := range places {
		c.place(d, s, place)
	}
	if elsewhere := s.best(s.narrower, true, func(refusals []schema.Pointer) bool { return !touchesAny(places, refusals) }); elsewhere != nil && elsewhere.declared {
		c.refusal(d, s, place{at: firstOf(elsewhere.refusals), keywords: []string{""}}, *elsewhere)
	}
	switch {
	case len(places) > mostPlaces:
		message := fmt.Sprintf("the schemas differ at %d places, and instances were made for %d of them", len(places), mostPlaces)
		c.add(Finding{Level: Inconclusive, What: Unknown, At: d.base, Message: message}, nil)
	case s.failed != nil && !slices.ContainsFunc(c.findings[found:], func(finding Finding) bool { return finding.Level == Breaking }):
		c.add(Finding{Level: Inconclusive, What: Unknown, At: d.base, Message: s.failed.Error()}, nil)
	}
}

func touchesAny(places []place, refusals []schema.Pointer) bool {
	return slices.ContainsFunc(places, func(place place) bool { return place.isTouched(refusals) })
}

func firstOf(refusals []schema.Pointer) schema.Pointer {
	if len(refusals) == 0 {
		return ""
	}
	return refusals[0]
}

// place adds what the instances say of one place.
func (c *comparison) place(d direction, s *search, p place) {
	narrower := s.best(s.narrower, true, p.isTouched)
	wider := s.best(s.wider, false, p.isTouched)
	isProperty := len(p.keywords) == 0 && (p.before == nil || p.after == nil)
	name := ""
	if tokens := p.at.Tokens(); isProperty {
		name = tokens[len(tokens)-1]
	}
	at := d.base + p.at
	isParameter := isProperty && parent(parent(p.at)) == ""
	switch {
	case narrower != nil && narrower.declared && (p.before != nil || !isParameter):
		c.refusal(d, s, p, *narrower)
	case isProperty && (listsBelow(s.old.canonical, p, name) && p.before == nil || listsBelow(s.new.canonical, p, name) && p.after == nil):
		return // it moved into a branch or out of one, and the keyword of the branch is another place
	case isProperty && p.before == nil:
		c.add(Finding{Level: levelOf(d.added), What: d.added, At: at, Name: name, Message: messageOf(d.added, name)}, d.root(s))
		return
	case isProperty:
		c.add(Finding{Level: levelOf(d.gone), What: d.gone, At: at, Name: name, Message: messageOf(d.gone, name)}, d.root(s))
		return
	case narrower != nil:
		message := "a " + d.one + " with a member that the schema does not list was valid, and is refused now"
		c.add(Finding{Level: Dangerous, What: d.closed, At: at, Instance: narrower.instance, Message: message}, d.root(s))
	}
	if wider != nil {
		c.add(Finding{Level: Safe, What: d.accepted, At: at, Instance: wider.instance, Message: "a " + d.one + " that was refused is valid now"}, d.root(s))
	}
	isDeclared := narrower != nil && narrower.declared
	isHard := !isDeclared && slices.ContainsFunc(p.keywords, func(keyword string) bool { return slices.Contains(hard, keyword) && p.after.Has(keyword) })
	if narrower == nil && wider == nil || isHard {
		what := "the schema"
		if len(p.keywords) > 0 {
			what = strings.Join(p.keywords, ", ")
		}
		message := fmt.Sprintf("%s changed, and none of %d %ss that were tried shows that one which was valid is refused", what, s.judged, d.one)
		c.add(Finding{Level: Inconclusive, What: Unknown, At: at, Message: message}, d.root(s))
	}
}

// listsBelow reports whether a schema lists a property in a branch of the object that the place of the property is in.
func listsBelow(root *schema.Node, p place, name string) bool {
	owner := root.Find(parent(parent(p.at)))
	if owner == nil || owner.Kind != schema.Object {
		return false
	}
	all, _ := applied([]*schema.Node{owner})
	return slices.ContainsFunc(all, func(node *schema.Node) bool { return node.Get("properties").Has(name) })
}

// refusal adds an instance that is no longer valid.
func (c *comparison) refusal(d direction, s *search, p place, found witness) {
	if slices.ContainsFunc(c.findings, func(known Finding) bool {
		return known.What == d.refused && known.Tool == c.tool.Name && schema.Equal(known.Instance, found.instance)
	}) {
		return // two changes that one call shows, such as a parameter that is gone where no other is allowed
	}
	at := p.at
	for _, refusal := range found.refusals {
		if p.isTouched([]schema.Pointer{refusal}) {
			at = refusal
			break
		}
	}
	message := "a " + d.one + " that was valid is refused"
	if d.one == "result" {
		message = "a result may come that was not valid before"
	}
	if problems, err := s.new.judge.Problems(found.instance); err == nil && len(problems) > 0 {
		reasons := make([]string, 0, len(problems))
		for _, problem := range problems {
			reason := problem.Message
			if problem.At != "" {
				reason = string(problem.At) + ": " + reason
			}
			reasons = append(reasons, reason)
		}
		message += ": " + strings.Join(reasons, "; ")
	}
	c.add(Finding{Level: Breaking, What: d.refused, At: d.base + at, Instance: found.instance, Message: message}, d.root(s))
}
