package emulator

import (
	"strings"

	"toolproof/schema"
)

// The bounds of looking for a schema in a prompt.
const (
	mostTried  = 32      // places where one could begin
	mostPrompt = 1 << 20 // bytes of a text
)

// schemaInPrompt returns the schema that the texts of a request have, or nil: clients that
// know no other way write it into the prompt. The last one counts.
func schemaInPrompt(body *schema.Node) *schema.Node {
	var found *schema.Node
	tried := 0
	var look func(node *schema.Node)
	look = func(node *schema.Node) {
		if node.Kind == schema.String && len(node.Text) <= mostPrompt {
			if within := schemaIn(node.Text, &tried); within != nil {
				found = within
			}
		}
		for _, element := range node.Elements {
			look(element)
		}
		for _, member := range node.Members {
			look(member.Value)
		}
	}
	for _, name := range []string{"system", "systemInstruction", "system_instruction", "instructions", "messages", "contents", "input"} {
		if texts := body.First(name); texts != nil {
			look(texts)
		}
	}
	return found
}

// schemaIn returns the first JSON object in a text that has the shape of a schema.
func schemaIn(text string, tried *int) *schema.Node {
	for start := strings.IndexByte(text, '{'); start >= 0 && *tried < mostTried; *tried++ {
		end := endOfObject(text[start:])
		if end < 0 {
			return nil
		}
		if node, err := schema.ParseWire([]byte(text[start : start+end])); err == nil && isObjectSchema(node) {
			return node
		}
		next := strings.IndexByte(text[start+1:], '{')
		if next < 0 {
			return nil
		}
		start += 1 + next
	}
	return nil
}

// endOfObject returns where an object ends that begins a text, or -1.
func endOfObject(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// isObjectSchema reports whether an object is a schema of objects, as prompts have it.
func isObjectSchema(node *schema.Node) bool {
	properties := node.Get("properties")
	return properties != nil && properties.Kind == schema.Object && (node.Get("type").Is("object") || node.Has("$schema") || node.Has("$defs") || node.Has("required"))
}
