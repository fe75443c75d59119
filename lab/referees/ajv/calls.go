package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"toolproof/harness/wrap"
	"toolproof/normalizers"
	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// wrappedFor are clients of verify wrap: one that is not known, and two for one provider each.
var wrappedFor = []string{"nobody", "claude-code", "gemini-cli-mcp-client"}

// checkCalls passes calls through a session of verify wrap that lists a tool: what models make of the
// tool as the client sees it, also with JSON text in place of values. ajv then judges what arrives.
func (r *referee) checkCalls(ctx context.Context, name string, tool schema.Tool, checked *recorder) error {
	const request, answer = `{"id":1,"method":"tools/list"}`, `{"id":1,"result":{"tools":[%s]}}`
	declared := schema.NewObject(schema.Member{Key: "name", Value: schema.NewString(tool.Name)}, schema.Member{Key: "inputSchema", Value: tool.Parameters})
	accepts, _ := checked.compile(tool.Parameters) // which a Checker has compiled
	if tool.Name == "" {
		return nil // it passes as it is
	}
	for _, client := range wrappedFor {
		session := &wrap.Session{Target: func(string) *normalizers.Pipeline { return wrap.TargetOf(client) }, Warn: func(string) {}}
		session.FromClient(ctx, []byte(request))
		listed, err := schema.Parse(session.FromServer(ctx, fmt.Appendf(nil, answer, declared)))
		if err != nil {
			return fmt.Errorf("%s, through verify wrap for %s: %w", name, client, err)
		}
		seen := listed.Get("result").Get("tools").Elements[0]
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the calls are the same in each run
			arguments := sample.Object(seen.Get("inputSchema"), random)
			if arguments == nil {
				continue
			}
			for _, written := range []*schema.Node{arguments, asTexts(arguments)} {
				call := schema.NewObject(schema.Member{Key: "name", Value: seen.Get("name")}, schema.Member{Key: "arguments", Value: written})
				toServer, _ := session.FromClient(ctx, fmt.Appendf(nil, `{"id":2,"method":"tools/call","params":%s}`, call))
				r.arrive(name, client, toServer, accepts.Accepts)
			}
		}
	}
	return ctx.Err()
}

// arrive counts a call, and checks what arrives of it at the server; it is empty if nothing does.
func (r *referee) arrive(name, client string, toServer []byte, accepts func(*schema.Node) bool) {
	r.counting.Lock()
	defer r.counting.Unlock()
	r.calls++
	if len(toServer) == 0 {
		return
	}
	r.arrived++
	message, err := schema.Parse(toServer)
	if err != nil || !accepts(message.Get("params").Get("arguments")) {
		r.disagreements++
		fmt.Fprintf(r.out, "%s, through verify wrap for %s: not valid: %s\n", name, client, toServer)
	}
}

// asTexts returns arguments with JSON text in place of each object and array in them.
func asTexts(arguments *schema.Node) *schema.Node {
	written := schema.NewObject()
	for _, member := range arguments.Members {
		if member.Value.Kind == schema.Object || member.Value.Kind == schema.Array {
			member.Value = schema.NewString(member.Value.String())
		}
		written.Members = append(written.Members, member)
	}
	return written
}
