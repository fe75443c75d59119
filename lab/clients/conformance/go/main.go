// Command goclients has the clients in Go for verify conformance: each runs its own loop of calls, as the clients in
// JavaScript beside it do. Its argument is the name of a client.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// question is what verify conformance asks.
type question struct {
	API      string         `json:"api"`
	Model    string         `json:"model"`
	IsStream bool           `json:"stream"`
	Prompt   string         `json:"prompt"`
	Tools    []tool         `json:"tools"` // of which the first is called
	Format   map[string]any `json:"format"`
	Thinks   bool           `json:"thinking"`
	Retries  int            `json:"retries"`
	Cancels  bool           `json:"cancel"`
}

type tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
	Result      string         `json:"result"`
	IsError     bool           `json:"error"`
	Image       *struct {
		Type string `json:"type"`
		Data []byte `json:"data"`
	} `json:"image"`
}

// session is a question with its emulator.
type session struct {
	question

	url    string
	cancel context.CancelFunc // is what the user does
}

// called prints a call and returns the result.
func (s *session) called(name string, arguments any) tool {
	say(map[string]any{"call": map[string]any{"name": name, "arguments": arguments}})
	if s.Cancels {
		s.cancel()
	}
	return s.Tools[0]
}

// calledText is called with the JSON text of arguments, which may be empty.
func (s *session) calledText(name, arguments string) (tool, error) {
	var value any
	if err := json.Unmarshal([]byte(arguments), &value); err != nil {
		return tool{}, fmt.Errorf("the arguments of %s: %w", name, err)
	}
	return s.called(name, value), nil
}

// unsupported is an error that says what a client cannot do.
type unsupported string

func (u unsupported) Error() string { return string(u) }

// clients return the last text.
var clients = map[string]func(context.Context, *session) (string, error){
	"openai-go": askOpenAI, "anthropic-sdk-go": askAnthropic, "genai": askGoogle,
}

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &session{url: os.Getenv("EMULATOR_URL"), cancel: cancel}
	client := clients[os.Args[len(os.Args)-1]]
	if err := json.NewDecoder(os.Stdin).Decode(&s.question); err != nil || client == nil {
		fmt.Fprintln(os.Stderr, "goclients: no such client, or no scenario:", err)
		os.Exit(1) //nolint:gocritic // cancel has nothing to end
	}
	text, err := client(ctx, s)
	lacks, isLack := errors.AsType[unsupported](err)
	switch {
	case isLack:
		say(map[string]any{"unsupported": lacks})
	case err != nil:
		say(map[string]any{"error": err.Error()})
	default:
		say(map[string]any{"text": text})
	}
}

func say(line any) {
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		panic(err) // standard output is closed
	}
}
