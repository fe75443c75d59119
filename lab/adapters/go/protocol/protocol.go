// Package protocol implements the protocol of verify test --exec, described in
// docs/normalizers.md, for the adapters of this module.
package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"time"
)

// Tool is a tool before conversion or as the package would send it.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parameters  any    `json:"parameters,omitempty"`
	Strict      bool   `json:"-"`
}

// Schema returns the parameters as a map, the form that clients take. It returns an error if
// they are not an object.
func (t Tool) Schema() (map[string]any, error) {
	parameters, isObject := t.Parameters.(map[string]any)
	if !isObject {
		return nil, errors.New("the parameters are not an object, which the client requires")
	}
	return parameters, nil
}

// Adapter is a package's conversion of tools for each surface.
type Adapter struct {
	Name   string
	Module string // module whose version the row has
	Note   string
	// Checks means that with --check the program returns a tool unchanged or refuses it.
	Checks   bool
	Surfaces map[string]func(Tool) (Tool, error)
}

// errLeftOut is the error of a request from which the client left out the tool.
var errLeftOut = errors.New("the request has no tool, and nothing says so")

// Serve answers the questions on standard input. With --describe it prints the row instead. An
// error of a converter means that it refuses the tool, a panic that it crashed.
func Serve(adapter Adapter) {
	out := os.Stdout
	os.Stdout = os.Stderr // standard output is for answers only
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if len(os.Args) > 1 && os.Args[1] == "--describe" {
		row := map[string]any{"name": adapter.Name, "version": version(adapter.Module), "language": "Go", "surfaces": names(adapter)}
		if adapter.Note != "" {
			row["note"] = adapter.Note
		}
		if adapter.Checks {
			row["checks"] = true
		}
		_ = encoder.Encode(row)
		return
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var question struct {
			ID      int    `json:"id"`
			Surface string `json:"surface"`
			Tool    Tool   `json:"tool"`
		}
		if err := json.Unmarshal(line, &question); err != nil {
			_ = encoder.Encode(map[string]any{"id": question.ID, "unsupported": err.Error()})
			continue
		}
		answer := answer(adapter.Surfaces[question.Surface], question.Tool)
		answer["id"] = question.ID
		_ = encoder.Encode(answer)
	}
}

func answer(convert func(Tool) (Tool, error), tool Tool) (answer map[string]any) {
	if convert == nil {
		return map[string]any{"unsupported": "no converter for the surface"}
	}
	defer func() {
		if caught := recover(); caught != nil {
			answer = map[string]any{"error": fmt.Sprintf("panic: %v", caught)}
		}
	}()
	ended = time.Time{}
	started := time.Now()
	converted, err := convert(tool)
	if ended.IsZero() {
		ended = time.Now()
	}
	switch {
	case errors.Is(err, errLeftOut):
		return map[string]any{"error": err.Error()}
	case err != nil:
		return map[string]any{"unsupported": err.Error()}
	}
	return map[string]any{"tool": converted, "strict": converted.Strict, "microseconds": float64(ended.Sub(started).Nanoseconds()) / 1000}
}

func names(adapter Adapter) []string {
	var names []string
	for name := range adapter.Surfaces {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// version returns the version of a module linked into this program.
func version(module string) string {
	if info, isKnown := debug.ReadBuildInfo(); isKnown {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return "unknown"
}

var ended time.Time // when the client made the request

// Reader is an HTTP transport that keeps the body of a request instead of sending it.
type Reader struct{ body []byte }

// RoundTrip keeps the first body and answers with status 400.
func (r *Reader) RoundTrip(request *http.Request) (*http.Response, error) {
	if ended.IsZero() {
		ended = time.Now()
	}
	if request.Body != nil && r.body == nil {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		r.body = body
	}
	return &http.Response{
		StatusCode: http.StatusBadRequest, Status: "400 Bad Request", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Request: request,
		Body: io.NopCloser(bytes.NewReader([]byte(`{"error":{"code":400,"message":"read, and not sent","status":"INVALID_ARGUMENT"}}`))),
	}, nil
}

// Sent calls send and returns the body of the request that it makes. If it makes none, the
// error is that of send.
func (r *Reader) Sent(send func() error) (Body, error) {
	r.body = nil
	err := send()
	if r.body == nil {
		if err == nil {
			err = errors.New("the client sent no request")
		}
		return nil, err
	}
	var body Body
	if err := json.Unmarshal(r.body, &body); err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	return body, nil
}

// Body is the body of a request.
type Body map[string]any

// Gemini returns the first function declaration of a request. Its schema is in the named
// member.
func (b Body) Gemini(member string) (Tool, error) {
	tools, _ := b["tools"].([]any)
	if len(tools) == 0 {
		return Tool{}, errLeftOut
	}
	first, _ := tools[0].(map[string]any)
	declarations, _ := first["functionDeclarations"].([]any)
	if len(declarations) == 0 {
		return Tool{}, errLeftOut
	}
	return toolOf(declarations[0], member), nil
}

// Chat returns the first function of a Chat Completions request.
func (b Body) Chat() (Tool, error) {
	tools, _ := b["tools"].([]any)
	if len(tools) == 0 {
		return Tool{}, errLeftOut
	}
	first, _ := tools[0].(map[string]any)
	return toolOf(first["function"], "parameters"), nil
}

// Anthropic returns the first tool of a Messages request.
func (b Body) Anthropic() (Tool, error) {
	tools, _ := b["tools"].([]any)
	if len(tools) == 0 {
		return Tool{}, errLeftOut
	}
	return toolOf(tools[0], "input_schema"), nil
}

func toolOf(given any, member string) Tool {
	declaration, _ := given.(map[string]any)
	name, _ := declaration["name"].(string)
	description, _ := declaration["description"].(string)
	strict, _ := declaration["strict"].(bool)
	return Tool{Name: name, Description: description, Parameters: declaration[member], Strict: strict}
}
