package meaning

import (
	"slices"

	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// locator is a Validator that tells where it refuses an instance.
type locator interface {
	Refusals(instance *schema.Node) []schema.Pointer
}

// places are paths to the values that changes lose something of: the names of members on the
// way, and anything for steps without a name, such as elements.
type places struct {
	list [][]string
	// isEverywhere is set if references make it possible that a change concerns any value.
	isEverywhere bool
}

const anything = "*"

// placesOf returns the paths of the changes that have all of a loss. The function at returns the place
// of a change in the original or in the normalized tool. refers says that the original has
// references.
func placesOf(changes []rewrite.Change, loss rewrite.Loss, refers bool, at func(*rewrite.Change) schema.Pointer) places {
	found := places{isEverywhere: refers}
	for i := range changes {
		if changes[i].Lost()&loss != loss {
			continue
		}
		found.list = append(found.list, pathTo(at(&changes[i])))
	}
	return found
}

// pathTo returns the path through an instance to the values that the schema at a pointer
// applies to.
func pathTo(pointer schema.Pointer) []string {
	tokens := pointer.Tokens()
	if len(tokens) == 0 {
		return nil
	}
	var path []string
	for tokens = tokens[1:]; len(tokens) > 0; { // the first token is parameters
		keyword := tokens[0]
		tokens = tokens[1:]
		class := schema.ClassOf(keyword)
		isNamed := class == schema.SchemaMap || class == schema.SchemaOrNamesMap
		isListed := class == schema.SchemaList || class == schema.SchemaOrList && len(tokens) > 0 && isIndex(tokens[0])
		switch {
		case class == schema.Unknown || class == schema.Data:
			return path
		case (isNamed || isListed) && len(tokens) == 0:
			return path
		case keyword == "properties":
			path = append(path, tokens[0])
		case keyword == "patternProperties" || keyword == "prefixItems":
			path = append(path, anything)
		case class == schema.OneSchema || class == schema.SchemaOrList:
			if !slices.Contains([]string{"not", "if", "then", "else", "propertyNames"}, keyword) {
				path = append(path, anything)
			}
		}
		if isNamed || isListed {
			tokens = tokens[1:]
		}
	}
	return path
}

func isIndex(token string) bool { return token != "" && token[0] >= '0' && token[0] <= '9' }

// cover reports whether something is lost at, above or below the place of each problem.
func (p places) cover(problems []schema.Pointer) bool {
	if p.isEverywhere {
		return true
	}
	return !slices.ContainsFunc(problems, func(problem schema.Pointer) bool {
		at := problem.Tokens()
		return !slices.ContainsFunc(p.list, func(path []string) bool { return isOnPath(path, at) })
	})
}

// isOnPath reports whether one of the two paths is the beginning of the other.
func isOnPath(path, at []string) bool {
	for i := range min(len(path), len(at)) {
		if path[i] != at[i] && path[i] != anything {
			return false
		}
	}
	return true
}

// refers reports whether a schema has a reference, so that a change at one place may concern
// values at another.
func refers(node *schema.Node) bool {
	found := false
	node.Each(func(subschema *schema.Node) bool {
		found = found || subschema.Reference() != ""
		return !found
	})
	return found
}

// difference returns the first place where two values differ.
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
