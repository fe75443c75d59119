package traffic

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"toolproof/schema"
)

// maxNodes and maxDepth bound the tree of a YAML file, whose aliases can multiply and recur.
const (
	maxNodes = 1_000_000
	maxDepth = 1_000
)

var errTooLarge = errors.New("reading YAML: its aliases make it too large")

// fromYAML returns the tree of a node, with the positions of the file.
func fromYAML(node *yaml.Node, depth int, nodes *int) (*schema.Node, error) {
	if *nodes++; *nodes > maxNodes || depth > maxDepth {
		return nil, errTooLarge
	}
	depth++
	at := schema.Position{Line: int32(node.Line), Column: int32(node.Column)} //nolint:gosec // of a file of at most 256 MB
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
		list.Position = at
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
		object.Position = at
		for i := 0; i+1 < len(node.Content); i += 2 {
			value, err := fromYAML(node.Content[i+1], depth, nodes)
			if err != nil {
				return nil, err
			}
			object.Members = append(object.Members, schema.Member{Key: node.Content[i].Value, Value: value})
		}
		return object, nil
	default:
		value := scalar(node)
		value.Position = at
		return value, nil
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
