package minimize

import (
	"strconv"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Shape returns the parameters of a tool with the author's words, which are names of properties
// and strings in values and texts, replaced by w1, w2 and so on, in order. Two tools of the
// same shape demonstrate the same. Strings that may mean something to a provider stay:
// keywords, types, and strings that are not plain words.
func Shape(parameters *schema.Node) *schema.Node {
	shape := parameters.Clone()
	words := shaper{}
	shape.Each(func(subschema *schema.Node) bool {
		words.replace(subschema)
		return true
	})
	return shape
}

type shaper map[string]string

var plainWord = lazy.Compile(`^[A-Za-z0-9_-]+$`)

func (s shaper) word(word string) string {
	if !plainWord.MatchString(word) || schema.ClassOf(word) != schema.Unknown {
		return word
	}
	if s[word] == "" {
		s[word] = "w" + strconv.Itoa(len(s)+1)
	}
	return s[word]
}

// replace replaces the words of one schema, but not of its subschemas.
func (s shaper) replace(node *schema.Node) {
	for i := range node.Members {
		member := &node.Members[i]
		switch member.Key {
		case "properties":
			for j := range member.Value.Members {
				member.Value.Members[j].Key = s.word(member.Value.Members[j].Key)
			}
		case "title", "description":
			if member.Value.Kind == schema.String && member.Value.Text != "" {
				member.Value.Text = "text"
			}
		case "required", "propertyOrdering", "enum", "const", "default", "examples", "example":
			s.values(member.Value)
		}
	}
}

func (s shaper) values(node *schema.Node) {
	if node.Kind == schema.String {
		node.Text = s.word(node.Text)
	}
	for _, member := range node.Members {
		s.values(member.Value)
	}
	for _, element := range node.Elements {
		s.values(element)
	}
}
