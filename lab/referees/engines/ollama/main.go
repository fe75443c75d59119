// Command ollama asks Ollama's own code about tools: it decodes each as the server does, alone in a
// request. It reads JSON Lines of {id, name, description, schema} and writes a line of {id, verdict,
// message, kept} for each, in which kept is the tool as the server keeps it.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/openai"
)

// function is a tool of the input, with the member names of a request.
type function struct {
	Name        string          `json:"name"`
	Description json.RawMessage `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// answer is a line of the output.
type answer struct {
	ID      string    `json:"id"`
	Verdict string    `json:"verdict"`
	Message string    `json:"message,omitempty"`
	Kept    *api.Tool `json:"kept,omitempty"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ollama:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	const longest = 64 << 20
	lines.Buffer(nil, longest)
	written := bufio.NewWriter(out)
	encoder := json.NewEncoder(written)
	for lines.Scan() {
		var line struct {
			ID          string          `json:"id"`
			Name        string          `json:"name"`
			Description json.RawMessage `json:"description"`
			Schema      json.RawMessage `json:"schema"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("reading a tool: %w", err)
		}
		given, err := ask(function{line.Name, line.Description, line.Schema})
		if err != nil {
			return fmt.Errorf("%s: %w", line.ID, err)
		}
		given.ID = line.ID
		if err := encoder.Encode(given); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
	return errors.Join(lines.Err(), written.Flush())
}

// ask decodes a request with the function as both interfaces of the server do, which must agree.
func ask(of function) (answer, error) {
	body, err := json.Marshal(map[string]any{
		"model": "m", "messages": []map[string]string{{"role": "user", "content": "hi"}},
		"tools": []map[string]any{{"type": "function", "function": of}},
	})
	if err != nil {
		return answer{}, fmt.Errorf("writing a request: %w", err)
	}
	var own api.ChatRequest
	var compatible openai.ChatCompletionRequest
	refused, also := json.Unmarshal(body, &own), json.Unmarshal(body, &compatible)
	switch {
	case fmt.Sprint(refused) != fmt.Sprint(also):
		return answer{}, fmt.Errorf("/api/chat says %v, /v1/chat/completions %v", refused, also)
	case refused != nil:
		return answer{Verdict: "rejected", Message: refused.Error()}, nil
	case own.Tools[0].String() != compatible.Tools[0].String():
		return answer{}, fmt.Errorf("/api/chat keeps %s, /v1/chat/completions %s", own.Tools[0], compatible.Tools[0])
	default:
		return answer{Verdict: "accepted", Kept: &own.Tools[0]}, nil
	}
}
