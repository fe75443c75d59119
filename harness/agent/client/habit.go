package client

import "toolproof/schema"

// Habit is a change that a client makes to every tool.
type Habit struct {
	// Doc says what the client does: a predicate whose subject is the client.
	Doc string
	// Undo returns the tool got as it was sent, without the change to the tool given, and
	// whether the change was there.
	Undo func(given, got schema.Tool) (schema.Tool, bool)
}

// adds is the habit of declaring one more property, which the client removes from each call.
func adds(name string) Habit {
	return Habit{
		Doc: "adds the property " + name + " to every tool, and takes it out of each call",
		Undo: func(given, got schema.Tool) (schema.Tool, bool) {
			if !got.Parameters.Get("properties").Has(name) || given.Parameters.Get("properties").Has(name) {
				return got, false
			}
			got.Parameters = got.Parameters.Clone()
			properties := got.Parameters.Get("properties")
			properties.Delete(name)
			if len(properties.Members) == 0 && !given.Parameters.Has("properties") {
				got.Parameters.Delete("properties")
			}
			return got, true
		},
	}
}

// closes is the habit of forbidding other arguments than the declared ones, for a tool that
// declares properties and does not say whether it takes others.
var closes = Habit{
	Doc: "adds additionalProperties false to the arguments of every tool",
	Undo: func(given, got schema.Tool) (schema.Tool, bool) {
		saysNothing := given.Parameters.Has("properties") && !given.Parameters.Has("additionalProperties") && !given.Parameters.Has("patternProperties")
		if !saysNothing || !got.Parameters.Get("additionalProperties").IsFalse() {
			return got, false
		}
		got.Parameters = got.Parameters.Clone()
		got.Parameters.Delete("additionalProperties")
		return got, true
	},
}
