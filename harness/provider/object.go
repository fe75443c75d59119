package provider

import (
	"encoding/json"

	"toolproof/schema"
)

// Object makes an object from alternating names and values, each a string and a
// *schema.Node.
func Object(members ...any) *schema.Node {
	node := &schema.Node{Kind: schema.Object, Members: make([]schema.Member, 0, len(members))} // callers add a few more members
	for i := 0; i < len(members); i += 2 {
		node.Members = append(node.Members, schema.Member{Key: members[i].(string), Value: members[i+1].(*schema.Node)}) //nolint:forcetypeassert // called with pairs
	}
	return node
}

// AnswerBody encodes the body of an answer as JSON. It panics if the body has values other than
// strings, numbers, booleans, lists, maps and structs of these.
func AnswerBody(body any) []byte {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return text
}
