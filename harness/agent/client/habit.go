package client

import "toolproof/schema"

// Habit is a change that a client makes to every tool.
type Habit struct {
	// Doc says what the client does: a predicate whose subject is the client.
	Doc string
	// Do returns a tool with the change.
	Do func(schema.Tool) schema.Tool
	// Undo returns the tool as it was sent without the change, and whether the change was there.
	Undo func(original, sent schema.Tool) (schema.Tool, bool)
}

// adds is the habit of declaring one more property, true or false, which the client removes from each call.
func adds(name, description string) Habit {
	return Habit{
		Doc: "adds the property " + name + " to every tool, and takes it out of each call",
		Do: func(tool schema.Tool) schema.Tool {
			properties := tool.Parameters.Get("properties")
			if properties.Has(name) {
				return tool
			}
			tool.Parameters = tool.Parameters.Clone()
			if properties = tool.Parameters.Get("properties"); properties == nil {
				properties = schema.NewObject()
				tool.Parameters.Set("properties", properties)
			}
			properties.Set(name, schema.NewObject(
				schema.Member{Key: "type", Value: schema.NewString("boolean")}, schema.Member{Key: "description", Value: schema.NewString(description)},
			))
			return tool
		},
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
	Do: func(tool schema.Tool) schema.Tool {
		if saysNothing(tool) {
			tool.Parameters = tool.Parameters.Clone()
			tool.Parameters.Set("additionalProperties", schema.NewBool(false))
		}
		return tool
	},
	Undo: func(original, sent schema.Tool) (schema.Tool, bool) {
		if !saysNothing(original) || !sent.Parameters.Get("additionalProperties").IsFalse() {
			return sent, false
		}
		sent.Parameters = sent.Parameters.Clone()
		sent.Parameters.Delete("additionalProperties")
		return sent, true
	},
}

// saysNothing reports whether a tool declares properties and does not say whether it takes others.
func saysNothing(tool schema.Tool) bool {
	return tool.Parameters.Has("properties") && !tool.Parameters.Has("additionalProperties") && !tool.Parameters.Has("patternProperties")
}
