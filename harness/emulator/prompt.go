package emulator

import (
	"strings"

	"toolproof/schema"
)

// mostPrompt bounds the bytes that are read in search of schemas in the prompts of a request.
const mostPrompt = 1 << 20

// schemaInPrompt returns the last schema in the texts of a request, or nil. Clients of
// providers without response formats write the schema of the answer into the prompt.
func schemaInPrompt(body *schema.Node) *schema.Node {
	var found *schema.Node
	left := mostPrompt
	var look func(node *schema.Node)
	look = func(node *schema.Node) {
		if node.Kind == schema.String {
			if within := schemaIn(node.Text, &left); within != nil {
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

// schemaIn returns the first JSON object in a text that has the shape of a schema, or nil. It
// subtracts the bytes that it reads from left.
func schemaIn(text string, left *int) *schema.Node {
	for start := strings.IndexByte(text, '{'); start >= 0; {
		readable := min(len(text)-start, *left)
		end := endOfObject(text[start : start+readable])
		if end < 0 {
			*left -= readable
			return nil
		}
		*left -= end
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

// endOfObject returns the end of the JSON object with which a text begins, or -1.
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

// isObjectSchema reports whether a JSON object is a schema of objects such as prompts have.
func isObjectSchema(node *schema.Node) bool {
	properties := node.Get("properties")
	return properties != nil && properties.Kind == schema.Object && (node.Get("type").Is("object") || node.Has("$schema") || node.Has("$defs") || node.Has("required"))
}
