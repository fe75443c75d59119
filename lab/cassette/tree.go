package cassette

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"toolproof/schema"
)

// maxNodes and maxDepth bound the tree of a YAML file, whose aliases can multiply and recur.
const (
	maxNodes = 1_000_000
	maxDepth = 1_000
)

var errTooLarge = errors.New("reading YAML: its aliases make it too large")

// parseTree parses JSON or YAML and keeps the order of members.
func parseTree(data []byte) (*schema.Node, error) {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return nil, errors.New("the file is empty")
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		if node, err := schema.ParseWire(trimmed); err == nil {
			return node, nil
		}
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading YAML: %w", err)
	}
	nodes := 0
	return fromYAML(&document, 0, &nodes)
}

func fromYAML(node *yaml.Node, depth int, nodes *int) (*schema.Node, error) {
	if *nodes++; *nodes > maxNodes || depth > maxDepth {
		return nil, errTooLarge
	}
	depth++
	switch node.Kind {
	case yaml.DocumentNode:
		if len(node.Content) == 0 {
			return schema.NewObject(), nil
		}
		return fromYAML(node.Content[0], depth, nodes)
	case yaml.AliasNode:
		return fromYAML(node.Alias, depth, nodes)
	case yaml.SequenceNode:
		list := schema.NewArray()
		for _, element := range node.Content {
			value, err := fromYAML(element, depth, nodes)
			if err != nil {
				return nil, err
			}
			list.Elements = append(list.Elements, value)
		}
		return list, nil
	case yaml.MappingNode:
		object := schema.NewObject()
		for i := 0; i+1 < len(node.Content); i += 2 {
			value, err := fromYAML(node.Content[i+1], depth, nodes)
			if err != nil {
				return nil, err
			}
			object.Members = append(object.Members, schema.Member{Key: node.Content[i].Value, Value: value})
		}
		return object, nil
	default:
		return scalar(node), nil
	}
}

func scalar(node *yaml.Node) *schema.Node {
	switch node.ShortTag() {
	case "!!null":
		return &schema.Node{Kind: schema.Null}
	case "!!bool":
		var value bool
		if node.Decode(&value) == nil {
			return schema.NewBool(value)
		}
	case "!!int", "!!float":
		// A number that JSON spells the same way stays a number.
		if number, err := schema.ParseWire([]byte(node.Value)); err == nil && number.Kind == schema.Number {
			return number
		}
	case "!!binary", "!binary": // Ruby writes the second
		return schema.NewString(string(fromBase64(node.Value)))
	}
	return schema.NewString(node.Value)
}
