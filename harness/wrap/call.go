package wrap

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"toolproof/normalizers/calls"
	"toolproof/schema"
	"toolproof/schema/instance"
)

// call takes a tools/call. It returns the edits that give the tool the name and the arguments of the
// server or, if the tool refuses the arguments, the answer.
func (s *Session) call(ctx context.Context, text []byte, message envelope, parameters map[string]span) (changes []edit, answer []byte) {
	called := s.listed.byName[textOf(parameters["name"].of(text))]
	if called == nil {
		return nil, nil // the server answers that
	}
	s.counts.Calls++
	name := called.result.Tool.Name
	if name != called.name {
		changes = append(changes, edit{parameters["name"], schema.AppendQuoted(nil, called.name)})
	}
	tools, err := called.calls(ctx)
	if err != nil {
		return changes, nil // it passes unjudged
	}
	arguments := parameters["arguments"].of(text)
	if bytes.Equal(arguments, []byte("null")) {
		arguments = nil // as some clients write no arguments
	}
	restored, err := tools.Mend(name, string(arguments))
	var refused *calls.ArgumentsError
	switch {
	case errors.As(err, &refused) && message.id != "" && !s.isStale:
		s.counts.Refused++
		return nil, refusal(text, message, parameters, explained(tools, called, string(arguments), refused.Problems, restored.Arguments))
	case restored.Arguments == nil:
		return changes, nil // they cannot be read
	}
	if change, isMended := rewrittenArguments(parameters, arguments, restored.Arguments); isMended {
		s.counts.Mended++
		changes = append(changes, change)
	}
	return changes, nil
}

// rewrittenArguments returns the edit that replaces the arguments by those of the server, and whether
// they differ.
func rewrittenArguments(parameters map[string]span, arguments []byte, restored *schema.Node) (edit, bool) {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	came, err := schema.Parse(arguments)
	if err != nil || schema.Identical(came, restored) {
		return edit{}, false
	}
	if at := parameters["arguments"]; at.isThere() {
		return edit{at, restored.JSON()}, true
	}
	end := parameters["name"].end
	return edit{span{end, end}, restored.AppendJSON([]byte(`,"arguments":`))}, true
}

// explained returns a text with which a model can correct a call. The places are those of the arguments
// that the model wrote, if the tool that it knows refuses them too.
func explained(tools *calls.Tools, called *tool, arguments string, problems []instance.Problem, restored *schema.Node) string {
	const mostProblems = 10
	name := called.result.Tool.Name
	judged, declared := restored, called.result.Given.Parameters
	if came, err := schema.Parse([]byte(arguments)); err == nil && !schema.Equal(came, restored) {
		if misread := tools.Misread(name, arguments); len(misread) > 0 {
			problems, judged, declared = misread, came, called.result.Tool.Parameters
		}
	}
	var said strings.Builder
	fmt.Fprintf(&said, "The tool %s was not called, because its arguments are not valid:", name)
	for i, problem := range problems {
		if i == mostProblems {
			fmt.Fprintf(&said, "\n%d more", len(problems)-i)
			break
		}
		fmt.Fprintf(&said, "\n%s: %s", orWhole(problem.At), problem.Message)
		if strings.HasPrefix(problem.Message, "none of the ") {
			if union := expected(declared, problem.At.Tokens()); union != nil {
				said.WriteString(": " + shortened(union))
			}
		}
		if value := judged.Find(problem.At); value != nil && value.Kind != schema.Object && value.Kind != schema.Array {
			said.WriteString("; you wrote " + shortened(value))
		}
	}
	said.WriteString("\nCorrect the arguments and call the tool again.")
	return said.String()
}

// expected returns what a schema declares at a place in the arguments, or nil if it is found elsewhere.
func expected(declared *schema.Node, place []string) *schema.Node {
	for _, token := range place {
		property := declared.Get("properties").Get(token)
		if _, err := strconv.Atoi(token); property == nil && err == nil {
			property = declared.Get("items")
		}
		declared = property
	}
	return declared
}

// shortened returns the JSON text of a value, or the beginning of it.
func shortened(value *schema.Node) string {
	const longest = 200
	letters := []rune(value.String())
	if len(letters) > longest {
		letters = append(letters[:longest], []rune("...")...)
	}
	return string(letters)
}

func orWhole(at schema.Pointer) string {
	if at == "" {
		return "arguments"
	}
	return string(at)
}

// The codes of JSON-RPC errors with which a session answers.
const (
	invalidParameters = -32602
	busy              = -32000
)

// refusal returns the answer to a call whose arguments are not valid: an error of the tool, which a
// client shows to the model. A call that asks for a task gets an error of the protocol, because its
// answer has another form.
func refusal(text []byte, message envelope, parameters map[string]span, why string) []byte {
	id := message.rawID.of(text)
	if parameters["task"].isThere() {
		return failure(id, invalidParameters, why)
	}
	result := map[string]any{"content": []any{map[string]string{"type": "text", "text": why}}, "isError": true}
	if members(text, parameters["_meta"])["io.modelcontextprotocol/protocolVersion"].isThere() {
		result["resultType"] = "complete" // which every result says since 2026-07-28
	}
	return answering(id, "result", result)
}

// failure returns an error of the protocol as the answer to a request.
func failure(id []byte, code int, why string) []byte {
	return answering(id, "error", map[string]any{"code": code, "message": why})
}

// answering returns an answer with a member, in a line.
func answering(id []byte, member string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return nil // a value made of texts
	}
	return fmt.Appendf(nil, "{\"jsonrpc\":\"2.0\",\"id\":%s,%q:%s}\n", id, member, text)
}
