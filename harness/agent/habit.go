package agent

import "toolproof/schema"

// Habit is what a client does to every tool.
type Habit struct {
	// Doc says it, in a sentence without a subject.
	Doc string
	// Undo returns what was sent of a tool without it, and whether it was there.
	Undo func(given, got schema.Tool) (schema.Tool, bool)
}

// adds is the habit of adding a property, which the client takes out of each call again.
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

// closes is the habit of closing the arguments: a tool whose properties are declared, and
// that says nothing of others, takes no others.
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
