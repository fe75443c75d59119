package main

import (
	"encoding/json"
	"math/rand/v2"
	"slices"

	"toolproof/schema"
)

// whole are results of each method that every client takes, with all members.
var whole = map[string]string{
	"tools/call": `{"content":[{"type":"text","text":"a","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{}},` +
		`{"type":"image","data":"AA==","mimeType":"image/png"},{"type":"audio","data":"AAA=","mimeType":"audio/wav"},` +
		`{"type":"resource_link","uri":"a:b","name":"n","title":"t","description":"d","mimeType":"text/plain","size":1,` +
		`"icons":[{"src":"a:i","sizes":["1x1"],"mimeType":"image/png","theme":"dark"}]},` +
		`{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"t","_meta":{}}},` +
		`{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}}],"isError":false,"_meta":{"a":1}}`,
	"prompts/list": `{"prompts":[{"name":"a","title":"t","description":"d",` +
		`"arguments":[{"name":"b","description":"d","required":true}],"icons":[{"src":"a:i"}],"_meta":{}}],"_meta":{}}`,
	"prompts/get": `{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"a"}},` +
		`{"role":"assistant","content":{"type":"image","data":"AA==","mimeType":"image/png"}},` +
		`{"role":"user","content":{"type":"resource","resource":{"uri":"a:b","text":"t"}}},{"role":"user","content":{"type":"resource_link","uri":"a:b","name":"n"}}],"_meta":{}}`,
	"resources/list": `{"resources":[{"uri":"a:b","name":"n","title":"t","description":"d","mimeType":"text/plain","size":3,` +
		`"annotations":{"audience":["assistant"],"priority":1},"icons":[{"src":"a:i","theme":"light"}],"_meta":{}}]}`,
	"resources/templates/list": `{"resourceTemplates":[{"uriTemplate":"a:{b}","name":"n","title":"t","description":"d","mimeType":"text/plain",` +
		`"annotations":{"priority":0},"_meta":{}}]}`,
	"resources/read":      `{"contents":[{"uri":"a:b","mimeType":"text/plain","text":"t","_meta":{}},{"uri":"a:c","blob":"AAAA"}]}`,
	"completion/complete": `{"completion":{"values":["a","b"],"total":2,"hasMore":false},"_meta":{}}`,
}

// methods are those of whole, in an order that does not change.
var methods = []string{"tools/call", "prompts/list", "prompts/get", "resources/list", "resources/templates/list", "resources/read", "completion/complete"}

// others take the place of a value.
var others = []string{
	`null`, `1`, `-1`, `1.5`, `true`, `""`, `"text"`, `"AA="`, `"%"`, `[]`, `{}`,
	`["a"]`, `[null]`, `{"a":1}`, `"user"`, `"system"`, `"2026-01-02"`, `"2026-01-02T03:04:05+02:00"`,
}

// made returns results with one to three random faults, or none: a member is left out, a value is replaced, a
// list is doubled.
func made(seed uint64, number int) []question {
	random := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // no secret
	questions := make([]question, number)
	for i := range questions {
		method := methods[random.IntN(len(methods))]
		result := parsed(whole[method])
		for range random.IntN(4) {
			spoil(result, others, random)
		}
		questions[i] = question{ID: i, Method: method, Result: json.RawMessage(result.JSON())}
	}
	return questions
}

// spoil changes one place of a value to one of some values.
func spoil(node *schema.Node, values []string, random *rand.Rand) {
	for {
		children := node.Elements
		for _, member := range node.Members {
			children = append(slices.Clip(children), member.Value)
		}
		if len(children) == 0 {
			break
		}
		i := random.IntN(len(children))
		if random.IntN(4) > 0 && len(children[i].Elements)+len(children[i].Members) > 0 {
			node = children[i]
			continue
		}
		if node.Kind == schema.Object && random.IntN(3) == 0 {
			node.Delete(node.Members[i].Key)
			return
		}
		if node.Kind == schema.Array && random.IntN(6) == 0 {
			for len(node.Elements) < 102 {
				node.Elements = append(node.Elements, node.Elements[i])
			}
			return
		}
		*children[i] = *parsed(values[random.IntN(len(values))])
		return
	}
}
