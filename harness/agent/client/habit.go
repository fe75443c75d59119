package client

import "toolproof/schema"

// Habit is a change that a client makes to every tool.
type Habit struct {
	// Doc says what the client does: a predicate whose subject is the client.
	Doc string
	// Undo returns the tool as it was sent without the change, and whether the change was there.
	Undo func(original, sent schema.Tool) (schema.Tool, bool)
}

// adds is the habit of declaring one more property, which the client removes from each call.
func adds(name string) Habit {
	return Habit{
		Doc: "adds the property " + name + " to every tool, and takes it out of each call",
		Undo: func(original, sent schema.Tool) (schema.Tool, bool) {
			if !sent.Parameters.Get("properties").Has(name) || original.Parameters.Get("properties").Has(name) {
				return sent, false
			}
			sent.Parameters = sent.Parameters.Clone()
			properties := sent.Parameters.Get("properties")
			properties.Delete(name)
			if len(properties.Members) == 0 && !original.Parameters.Has("properties") {
				sent.Parameters.Delete("properties")
			}
			return sent, true
		},
	}
}

// closes is the habit of forbidding other arguments than the declared ones, for a tool that
// declares properties and does not say whether it takes others.
var closes = Habit{
	Doc: "adds additionalProperties false to the arguments of every tool",
	Undo: func(original, sent schema.Tool) (schema.Tool, bool) {
		saysNothing := original.Parameters.Has("properties") && !original.Parameters.Has("additionalProperties") && !original.Parameters.Has("patternProperties")
		if !saysNothing || !sent.Parameters.Get("additionalProperties").IsFalse() {
			return sent, false
		}
		sent.Parameters = sent.Parameters.Clone()
		sent.Parameters.Delete("additionalProperties")
		return sent, true
	},
}
