package arrival

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// usualProbes are values of which typical constraints accept some and refuse others.
var usualProbes = func() []*schema.Node {
	var values []*schema.Node
	for _, text := range []string{
		`0.3`, `-7`, `1000003`, `1`, `""`, `"a"`, `"Zz 9~"`, `null`, `true`, `[]`, `[1]`, `["a","a"]`, `[1,2,3,4,5]`, `[{"a":1},"b"]`, `{}`, `{"zz":1}`, `{"A b":"c"}`,
	} {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			panic(err)
		}
		values = append(values, node)
	}
	return values
}()

// probes returns arguments of a tool that show what changes lose: instances drawn at random may all
// satisfy a constraint that a change has removed. Some are made from the members that differ, such as
// a text one letter longer than a bound, and some have unusual values in the places of the changes.
func probes(parameters *schema.Node, changes []Change) []*schema.Node {
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // the values are to be the same each time
	base := sample.Object(parameters, random)
	if base == nil {
		base = schema.NewObject()
	}
	var all []*schema.Node
	for _, change := range changes[:min(len(changes), mostWeighed)] {
		tokens := change.At.Tokens()
		if len(tokens) == 0 || tokens[0] != "parameters" {
			continue
		}
		all = append(all, opposer{random}.against(parameters, change)...)
		place, isThere := placeOf(tokens[1:])
		if !isThere {
			continue
		}
		for _, value := range usualProbes {
			all = append(all, putAt(base, place, value))
		}
	}
	return all
}

// placeOf returns the place in an instance that a place in its schema is about, and false if
// it is about none.
func placeOf(tokens []string) (place []string, isThere bool) {
	for i := 0; i < len(tokens); i++ {
		switch tokens[i] {
		case "properties":
			if i+1 < len(tokens) {
				place = append(place, tokens[i+1])
			}
			i++
		case "items", "contains":
			if i+1 < len(tokens) && isNumber(tokens[i+1]) { // a list, as older drafts have it
				i++
			}
			place = append(place, "0")
		case "prefixItems":
			if i+1 < len(tokens) {
				place = append(place, tokens[i+1])
			}
			i++
		case "additionalProperties":
			place = append(place, unlisted)
		case "anyOf", "oneOf", "allOf":
			i++ // a branch is about the same value
		case "not", "if", "then", "else":
		default:
			return nil, false
		}
	}
	return place, true
}

func isNumber(token string) bool {
	_, err := strconv.Atoi(token)
	return err == nil
}

// putAt returns a copy of base with value at a place. It makes the objects and lists that lead
// there.
func putAt(base *schema.Node, place []string, value *schema.Node) *schema.Node {
	if len(place) == 0 {
		return value
	}
	copied := schema.NewObject()
	if base != nil {
		copied = base.Clone()
	}
	if copied.Kind == schema.Array || base == nil && isNumber(place[0]) {
		if at, err := strconv.Atoi(place[0]); err == nil && at <= len(copied.Elements) && at >= 0 {
			elements := slices.Clone(copied.Elements)
			if at == len(elements) {
				elements = append(elements, nil)
			}
			elements[at] = putAt(elements[at], place[1:], value)
			return schema.NewArray(elements...)
		}
		return copied
	}
	if copied.Kind != schema.Object {
		copied = schema.NewObject()
	}
	copied.Set(place[0], putAt(copied.Get(place[0]), place[1:], value))
	return copied
}
