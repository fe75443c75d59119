package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/harness/provider/mcp"
	"toolproof/harness/provider/wire"
	"toolproof/schema"
)

// request is what a server asks of a client.
type request struct {
	ID     int             `json:"id"`
	Method provider.API    `json:"method"`
	Params json.RawMessage `json:"params"`
}

// said is what the clients answer, and the server of the SDK 1.x before it asks; empty if they take it.
type said struct {
	ID     int             `json:"id"`
	V1     string          `json:"v1"`
	V2     string          `json:"v2"`
	Server string          `json:"server"`
	Seen   json.RawMessage `json:"seen"` // the form that the client 1.x hands on
}

// wholeForm is a form that every client shows, and wholeAsk what every client samples, with all members.
const (
	wholeForm = `{"message":"m","mode":"form","requestedSchema":{"type":"object","properties":{` +
		`"s":{"type":"string","title":"t","description":"d","minLength":1,"maxLength":9,"format":"email","default":"a"},` +
		`"n":{"type":"number","minimum":1,"maximum":9.5,"default":2},"i":{"type":"integer","default":2},"b":{"type":"boolean","default":true},` +
		`"e":{"type":"string","enum":["a","b"],"enumNames":["A","B"],"default":"a"},"o":{"type":"string","oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]},` +
		`"l":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","enum":["a","b"]},"default":["a"]},` +
		`"m":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}},"required":["s"]}}`
	wholeURL = `{"message":"m","mode":"url","url":"https://example.com/in","elicitationId":"1"}`
	wholeAsk = `{"messages":[{"role":"user","content":{"type":"text","text":"a"}},` +
		`{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"tool_use","id":"c","name":"f","input":{"a":1}},{"type":"tool_use","id":"d","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","toolUseId":"c","content":[{"type":"text","text":"a"}],"isError":false},` +
		`{"type":"tool_result","toolUseId":"d","content":[]}]}],` +
		`"tools":[{"name":"f","title":"t","description":"d","inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}],"toolChoice":{"mode":"auto"},` +
		`"modelPreferences":{"hints":[{"name":"a"}],"costPriority":0.5,"speedPriority":0,"intelligencePriority":1},"systemPrompt":"s","includeContext":"none","temperature":0.5,` +
		`"maxTokens":9,"stopSequences":["a"],"metadata":{"a":1}}`
)

// properties are put into forms, beside random faults.
var properties = []string{
	`{"type":"object"}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`, `{"type":["string","null"]}`,
	`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{"$ref":"#/$defs/a"}`, `{}`, `true`, `{"type":"null"}`, `{"type":"string","format":"uuid"}`, `{"type":"string","pattern":"^a"}`,
	`{"type":"string","enum":[1,2]}`, `{"type":"string","enum":["a"],"format":"uuid"}`, `{"type":"integer","enum":[1,2]}`, `{"enum":["a"]}`, `{"const":"a"}`,
	`{"type":"string","const":"a"}`, `{"type":"string","oneOf":[{"const":"a"}]}`, `{"type":"string","oneOf":[{"const":"","title":"A"}]}`,
	`{"type":"string","oneOf":[{"const":1,"title":"A"}]}`,
	`{"type":"string","oneOf":[{"const":"a","title":""}]}`, `{"type":"string","anyOf":[{"const":"a","title":"A"}]}`, `{"type":"string","enum":["a","b"],"enumNames":["A"]}`,
	`{"type":"string","enum":["a"],"enumNames":"A"}`, `{"type":"array","items":{"type":"string","anyOf":[{"const":"a","title":"A"}]}}`,
	`{"type":"array","items":{"type":"integer","anyOf":[{"const":"a","title":"A"}]}}`, `{"type":"array","items":{"anyOf":[]}}`,
	`{"type":"array","items":{"anyOf":[{"const":"a","title":""}]}}`,
	`{"type":"array","items":{"oneOf":[{"const":"a","title":"A"}]}}`, `{"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true}`,
	`{"type":"string","minLength":3,"maxLength":2}`, `{"type":"string","minLength":-1}`, `{"type":"string","minLength":1.5}`, `{"type":"string","maxLength":-2}`,
	`{"type":"number","minimum":3,"maximum":2}`, `{"type":"integer","default":1.5}`, `{"type":"number","exclusiveMinimum":0,"multipleOf":2}`,
	`{"type":"string","properties":{"a":{}}}`, `{"type":"string","pattern":1}`, `{"type":"boolean","default":"true"}`, `{"type":"string","default":null}`,
	`{"type":"array","items":{"type":"string","enum":["a"]},"default":"a"}`,
	`{"type":"string","enum":[]}`, `{"type":"string","enum":[],"minLength":-1}`, `{"type":"string","oneOf":[],"minLength":-1}`,
}

// madeAsks returns what servers may ask, with random faults, or none.
func madeAsks(seed uint64, number int) []request {
	random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // no secret
	var asks []request
	add := func(method provider.API, params *schema.Node) {
		asks = append(asks, request{len(asks), method, params.JSON()})
	}
	for _, property := range properties {
		form := parsed(wholeForm)
		form.Get("requestedSchema").Set("properties", provider.Object("p", parsed(property)))
		add(provider.ElicitationCreate, form)
	}
	for range number {
		method, text := provider.ElicitationCreate, wholeForm
		switch random.IntN(5) { //nolint:mnd // of five questions two are about models, and half of one about an address
		case 0, 1:
			method, text = provider.SamplingCreateMessage, wholeAsk
		case 2: //nolint:mnd // likewise
			if random.IntN(2) == 0 {
				text = wholeURL
			}
		}
		params := parsed(text)
		for range random.IntN(3) {
			spoil(params, others, random)
		}
		if random.IntN(4) == 0 { //nolint:mnd // a part has such a property
			if fields := params.Get("requestedSchema").Get("properties"); fields != nil && fields.Kind == schema.Object {
				fields.Set("p", parsed(properties[random.IntN(len(properties))]))
			}
		}
		if params.Kind == schema.Object {
			add(method, params)
		}
	}
	return asks
}

// judgeAsks asks both sides and prints where they differ.
func judgeAsks(folder string, seed uint64, number int) (differ int, err error) {
	asks := madeAsks(seed, number)
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, made := range asks {
		if err := encoder.Encode(made); err != nil {
			return 0, fmt.Errorf("writing a request: %w", err)
		}
	}
	command := exec.Command("node", "asks.mjs") //nolint:noctx // it ends with its input
	command.Dir, command.Stdin, command.Stderr = folder, &in, os.Stderr
	out, err := command.Output()
	if err != nil {
		return 0, fmt.Errorf("asking the clients: %w", err)
	}
	goClient, err := connectGo()
	if err != nil {
		return 0, err
	}
	refused, decoder := 0, json.NewDecoder(bytes.NewReader(out))
	for _, made := range asks {
		var answer said
		if err := decoder.Decode(&answer); err != nil || answer.ID != made.ID {
			return 0, fmt.Errorf("reading answer %d: %w", made.ID, err)
		}
		goSaid := ""
		if made.Method == provider.ElicitationCreate {
			if goSaid, err = goClient(made); err != nil {
				return 0, err
			}
		}
		if answer.V1+answer.V2+goSaid != "" {
			refused++
		}
		for _, difference := range compareAsk(made, answer, goSaid) {
			differ++
			fmt.Printf("%s: %s: %s\n", made.Method, made.Params, difference)
		}
	}
	fmt.Printf("%d requests of servers of seed %d, %d refused by a client, %d differences\n", len(asks), seed, refused, differ)
	return differ, nil
}

// connectGo returns a function that asks the client of the Go SDK.
func connectGo() (func(request) (string, error), error) {
	ctx := context.Background()
	near, far := sdk.NewInMemoryTransports()
	server, err := far.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "referee", Version: "1"}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "decline"}, nil
		},
	})
	go func() {
		message, err := server.Read(ctx)
		if sent, ok := message.(*jsonrpc.Request); ok && err == nil {
			result := json.RawMessage(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"t","version":"1"}}`)
			_ = server.Write(ctx, &jsonrpc.Response{ID: sent.ID, Result: result})
			_, _ = server.Read(ctx) // notifications/initialized
		}
	}()
	if _, err := client.Connect(ctx, near, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}); err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	return func(made request) (string, error) {
		if endsGo(parsed(string(made.Params)).Get("requestedSchema")) {
			return "panic: runtime error: invalid memory address or nil pointer dereference", nil
		}
		id, err := jsonrpc.MakeID(float64(made.ID))
		if err == nil {
			err = server.Write(ctx, &jsonrpc.Request{ID: id, Method: string(made.Method), Params: made.Params})
		}
		if err != nil {
			return "", fmt.Errorf("asking the Go SDK: %w", err)
		}
		message, err := server.Read(ctx)
		if err != nil {
			return "", fmt.Errorf("asking the Go SDK: %w", err)
		}
		answer, ok := message.(*jsonrpc.Response)
		switch {
		case !ok:
			return "", errors.New("the client of the Go SDK sends another message")
		case answer.Error == nil:
			return "", nil
		}
		if wire, isWire := errors.AsType[*jsonrpc.Error](answer.Error); isWire {
			return wire.Message, nil
		}
		return answer.Error.Error(), nil
	}, nil
}

// endsGo reports whether a form ends the client of the Go SDK 1.8.0, and with it this program: a choice in it is null.
func endsGo(form *schema.Node) bool {
	isNull := func(entry *schema.Node) bool { return entry.Kind == schema.Null }
	if properties := form.Get("properties"); properties != nil {
		for _, property := range properties.Members {
			for _, choices := range []*schema.Node{property.Value.Get("oneOf"), property.Value.Get("items").Get("anyOf")} {
				if choices != nil && slices.ContainsFunc(choices.Elements, isNull) {
					return true
				}
			}
		}
	}
	return false
}

// predictedAsk is what the models say to a request: the words of the rules of the TypeScript SDK, of those of the Go SDK, of
// those of the server, and the keywords that a client removes from a form.
type predictedAsk struct {
	typescript, goSDK, server []string
	removed                   []string
}

// ofServer are the rules of which the words are the server's, or the specification's.
var ofServer = []string{"sampling_results_mixed", "sampling_result_without_call", "sampling_call_without_result"}

func predictAsk(made request) predictedAsk {
	var found predictedAsk
	body := provider.Object("jsonrpc", schema.NewString("2.0"), "id", schema.NewInt(1), "method", schema.NewString(string(made.Method)), "params", parsed(string(made.Params)))
	for _, dialect := range []*provider.Dialect{mcp.Elicitation, mcp.Sampling} {
		if dialect.API != made.Method {
			continue
		}
		for _, declared := range wire.Read(made.Method, []*provider.Dialect{dialect}, body) {
			response, err := (&provider.Model{Dialect: dialect}).Send(context.Background(), declared)
			if err != nil {
				panic(err)
			}
			for _, finding := range response.Findings {
				if strings.HasPrefix(finding.Rule.Name, "go_") {
					found.goSDK = append(found.goSDK, finding.Message)
				} else {
					found.typescript = append(found.typescript, finding.Message)
				}
			}
			for _, finding := range response.Ignored {
				found.removed = append(found.removed, string(finding.At))
			}
		}
	}
	for _, rule := range conversation.Rules {
		if rule.API != made.Method {
			continue
		}
		refusal := conversation.Judge(&conversation.Request{API: made.Method, Service: "mcp", Body: body, Day: provider.Today()}, []*conversation.Rule{rule})
		switch {
		case refusal == nil:
		case slices.Contains(ofServer, rule.Name):
			found.server = append(found.server, refusal.Message)
		case rule.Name == "elicitation_of_two_modes":
			found.goSDK = append(found.goSDK, refusal.Message)
		default:
			found.typescript = append(found.typescript, refusal.Message)
		}
	}
	return found
}

// compareAsk returns what the models predict otherwise than the clients say.
func compareAsk(made request, answer said, goSaid string) []string {
	found := predictAsk(made)
	var differences []string
	differ := func(who, said string, predicted []string) {
		differences = append(differences, fmt.Sprintf("%s says %.200q, predicted %q", who, said, predicted))
	}
	isRefused := answer.V1+answer.V2 != ""
	if isRefused != (len(found.typescript) > 0) {
		differ("the TypeScript SDK", answer.V1+answer.V2, found.typescript)
	}
	switch {
	case isRefused: // what the Go SDK says to it is not predicted
	case (goSaid != "") != (len(found.goSDK) > 0):
		differ("the Go SDK", goSaid, found.goSDK)
	case strings.HasPrefix(goSaid, "elicit schema") && !slices.Contains(found.goSDK, goSaid):
		differ("the Go SDK", goSaid, found.goSDK)
	}
	if !isRefused && answer.Seen != nil {
		if removed := removedFrom(parsed(string(made.Params)).Get("requestedSchema"), parsed(string(answer.Seen))); len(found.goSDK) == 0 && !slices.Equal(removed, found.removed) {
			differ("removed", strings.Join(removed, " "), found.removed)
		}
	}
	isOurs := slices.ContainsFunc([]string{"The last message must contain only", "tool_result blocks are not", "ids of tool_result blocks"}, func(words string) bool {
		return strings.HasPrefix(answer.Server, words)
	})
	if !isRefused && isOurs != (len(found.server) > 0) {
		differ("the server", answer.Server, found.server)
	}
	return differences
}

// removedFrom returns the keywords of the properties of a form that a client does not hand on, without those that
// constrain nothing.
func removedFrom(given, seen *schema.Node) []string {
	var removed []string
	for _, property := range given.Get("properties").Members {
		for _, keyword := range property.Value.Members {
			if !seen.Get("properties").Get(property.Key).Has(keyword.Key) && !schema.IsAnnotation(keyword.Key) && !schema.IsMeta(keyword.Key) {
				removed = append(removed, string(schema.Pointer("/parameters/properties").Child(property.Key).Child(keyword.Key)))
			}
		}
	}
	return removed
}
