package meaning

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// locator is a validator that says where an instance does not fit.
type locator interface {
	Refusals(instance *schema.Node) []schema.Pointer
}

// places are those of the values that a tool loses something of: the names of members on
// the way there, and anything for what has no name, such as an element.
type places struct {
	list [][]string
	// isEverywhere is set where a change may concern any value, because references lead
	// to it.
	isEverywhere bool
}

const anything = "*"

// placesOf returns where changes have a loss: in the tool as given, or in the normalized
// one.
func placesOf(changes []rewrite.Change, loss rewrite.Loss, refers bool, at func(*rewrite.Change) schema.Pointer) places {
	found := places{isEverywhere: refers}
	for i := range changes {
		if changes[i].Lost()&loss == 0 {
			continue
		}
		found.list = append(found.list, wayTo(at(&changes[i])))
	}
	return found
}

// wayTo returns the way through an instance to the values that a schema speaks of.
func wayTo(pointer schema.Pointer) []string {
	tokens := pointer.Tokens()
	if len(tokens) == 0 {
		return nil
	}
	var way []string
	for tokens = tokens[1:]; len(tokens) > 0; { // parameters comes first
		keyword := tokens[0]
		tokens = tokens[1:]
		class := schema.ClassOf(keyword)
		isNamed := class == schema.SchemaMap || class == schema.SchemaOrNamesMap
		isListed := class == schema.SchemaList || class == schema.SchemaOrList && len(tokens) > 0 && isIndex(tokens[0])
		switch {
		case class == schema.Unknown || class == schema.Data:
			return way
		case (isNamed || isListed) && len(tokens) == 0:
			return way
		case keyword == "properties":
			way = append(way, tokens[0])
		case keyword == "patternProperties" || keyword == "prefixItems":
			way = append(way, anything)
		case class == schema.OneSchema || class == schema.SchemaOrList:
			if !slices.Contains([]string{"not", "if", "then", "else", "propertyNames"}, keyword) {
				way = append(way, anything)
			}
		}
		if isNamed || isListed {
			tokens = tokens[1:]
		}
	}
	return way
}

func isIndex(token string) bool { return token != "" && token[0] >= '0' && token[0] <= '9' }

// cover reports whether each place of a problem lies where something is lost, above it, or below it.
func (p places) cover(problems []schema.Pointer) bool {
	if p.isEverywhere {
		return true
	}
	return !slices.ContainsFunc(problems, func(problem schema.Pointer) bool {
		at := problem.Tokens()
		return !slices.ContainsFunc(p.list, func(way []string) bool { return isOnWay(way, at) })
	})
}

// isOnWay reports whether one of the two ways leads on from the other.
func isOnWay(way, at []string) bool {
	for i := range min(len(way), len(at)) {
		if way[i] != at[i] && way[i] != anything {
			return false
		}
	}
	return true
}

// refers reports whether a schema has a reference, so that a change at one place may
// concern values at another.
func refers(node *schema.Node) bool {
	found := false
	node.Each(func(subschema *schema.Node) bool {
		found = found || subschema.Reference() != ""
		return !found
	})
	return found
}

// difference returns where two values first differ.
func difference(a, b *schema.Node, at schema.Pointer) schema.Pointer {
	if a.Kind != b.Kind {
		return at
	}
	for _, member := range a.Members {
		if other := b.Get(member.Key); other != nil && !schema.Equal(member.Value, other) {
			return difference(member.Value, other, at.Child(member.Key))
		}
	}
	for i, element := range a.Elements {
		if i < len(b.Elements) && !schema.Equal(element, b.Elements[i]) {
			return difference(element, b.Elements[i], at.Element(i))
		}
	}
	return at
}
