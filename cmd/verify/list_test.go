package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"toolproof/cmd/internal/cli"
	"toolproof/cmd/internal/clitest"
	"toolproof/harness"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
)

const listSchema = "../../docs/schema/list.schema.json#/$defs/"

// TestListsAsJSON checks that each list has the published form, and that people read nothing that JSON lacks.
func TestListsAsJSON(t *testing.T) {
	t.Parallel()
	for _, list := range lists {
		if list.name == "history" {
			continue // TestHistoryAsJSON
		}
		t.Run(list.name, func(t *testing.T) {
			t.Parallel()
			text, _ := clitest.Output(t, run, "", cli.CodeConforms, "list", list.name)
			found, err := list.find(t.Context(), wanted{isInForce: func(*provider.Rule) bool { return true }, isJSON: true})
			if err != nil {
				t.Fatal(err)
			}
			asJSON := encoded(t, found)
			clitest.Validate(t, clitest.CompileSchema(t, listSchema+list.name), []byte(asJSON), list.name)
			compare(t, list.name, printed(t, found, asJSON), text)
		})
	}
}

// encoded returns what --json prints of a value.
func encoded(t *testing.T, found known) string {
	t.Helper()
	var out bytes.Buffer
	s := &session{&cli.Session{Out: bufio.NewWriter(&out)}}
	if err := errors.Join(s.show(found, true), s.Out.Flush()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// printed returns what people read of a value like the one given, read from JSON.
func printed(t *testing.T, like known, asJSON string) string {
	t.Helper()
	value := reflect.New(reflect.TypeOf(like))
	if err := json.Unmarshal([]byte(asJSON), value.Interface()); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	read, _ := reflect.TypeAssert[known](value.Elem())
	read.print(&text)
	return text.String()
}

// compare compares two texts but for the white space, which differs in values that are JSON.
func compare(t *testing.T, name, fromJSON, text string) {
	t.Helper()
	const shown = 1000
	if strings.Join(strings.Fields(fromJSON), "") != strings.Join(strings.Fields(text), "") {
		t.Errorf("of its JSON, %s is printed otherwise:\n%s\nand not\n%s", name, fromJSON[:min(len(fromJSON), shown)], text[:min(len(text), shown)])
	}
}

// TestHistoryAsJSON checks the forms of the history that are not lines of docs/history.
func TestHistoryAsJSON(t *testing.T) {
	t.Parallel()
	for form, words := range map[string][]string{
		"spans":  {"zod", "prefix_items"},
		"steps":  {"@ai-sdk/openai", "2.0.67", "3.0.12"},
		"models": {"openai/chat-strict", "gpt-4o", "gpt-5"},
	} {
		command := append([]string{"list", "history"}, words...)
		text, _ := clitest.Output(t, run, "", cli.CodeConforms, command...)
		asJSON, _ := clitest.Output(t, run, "", cli.CodeConforms, append(command, "--json")...)
		clitest.Validate(t, clitest.CompileSchema(t, listSchema+form), []byte(asJSON), form)
		found, err := findHistory(t.Context(), wanted{words: words})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, form, printed(t, found, asJSON), text)
	}
	line := clitest.CompileSchema(t, "../../docs/schema/history.schema.json")
	for _, words := range [][]string{{"list", "history", "--json"}, {"list", "history", "zod", "--json"}, {"list", "history", "openai/chat-strict", "--json"}} {
		lines, _ := clitest.Output(t, run, "", cli.CodeConforms, words...)
		for record := range strings.Lines(lines) {
			clitest.Validate(t, line, []byte(record), strings.Join(words, " "))
		}
	}
}

// TestExplainAsJSON explains what has a name, of each kind, and checks its form.
func TestExplainAsJSON(t *testing.T) {
	t.Parallel()
	names := []string{
		"oneOf", "optional property", "unknown_name", "openai/chat-strict/property_count_before", "openai/conversation/chat_call_without_result", "gemini/conversation/unknown_name", "structured_wrong",
		"array schema missing items", "Rate limit exceeded", "No tool output found for function call call_77.", "context_length_exceeded", "Unknown name additionalProperties",
		"mcp-registry", "azure", "gemini/parameters", "mcp/inputSchema", "directory/chatgpt",
	}
	names = append(names, harness.TargetNames...)
	for _, rule := range facts.Beside() {
		names = append(names, rule.ID())
	}
	for _, rule := range facts.AllAdvice() {
		names = append(names, adviceID(rule))
	}
	for _, rule := range facts.Rewrites() {
		names = append(names, rule.Name)
	}
	for _, dialect := range harness.Dialects {
		if last := len(dialect.Rules) - 1; last >= 0 {
			names = append(names, dialect.Name+"/"+dialect.Rules[last].Name)
		}
	}
	explained := clitest.CompileSchema(t, listSchema+"explained")
	for _, name := range names {
		found, err := explain(t.Context(), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		asJSON := encoded(t, found)
		clitest.Validate(t, explained, []byte(asJSON), name)
		if _, isPage := found.(oneDialect); isPage {
			continue // of which people read a page
		}
		var text bytes.Buffer
		found.print(&text)
		compare(t, name, printed(t, found, asJSON), text.String())
	}
}
