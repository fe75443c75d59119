package toolfile_test

import (
	"strings"
	"testing"

	"toolproof/harness/toolfile"
)

// TestForm: the form of a declaration says whom it is for, and a bare schema has its title as its name.
func TestForm(t *testing.T) {
	t.Parallel()
	const parameters = `{"type":"object","properties":{}}`
	for text, want := range map[string]struct {
		form toolfile.Form
		name string
	}{
		`{"tools":[{"name":"a","inputSchema":` + parameters + `}]}`:                                     {toolfile.OfMCP, "a"},
		`{"tools":[{"name":"a","input_schema":` + parameters + `}]}`:                                    {toolfile.OfAnthropic, "a"},
		`{"tools":[{"type":"function","function":{"name":"a","parameters":` + parameters + `}}]}`:       {toolfile.OfOpenAIChat, "a"},
		`{"tools":[{"type":"function","name":"a","parameters":` + parameters + `}]}`:                    {toolfile.OfOpenAIResponses, "a"},
		`{"tools":[{"functionDeclarations":[{"name":"a","parameters":` + parameters + `}]}]}`:           {toolfile.OfGemini, "a"},
		`{"tools":[{"functionDeclarations":[{"name":"a","parametersJsonSchema":` + parameters + `}]}]}`: {toolfile.OfGeminiJSON, "a"},
		`{"type":"object","title":"Add Numbers","properties":{}}`:                                       {"", "Add_Numbers"},
		`{"type":"object","title":"\u00e4\u00f6","properties":{}}`:                                      {"", toolfile.DefaultName},
		`{"type":"object","properties":{}}`:                                                             {"", toolfile.DefaultName},
	} {
		tools, err := toolfile.Read(strings.NewReader(text))
		if err != nil || len(tools) != 1 {
			t.Errorf("%s: %d tools, %v", text, len(tools), err)
			continue
		}
		if tools[0].Form != want.form || tools[0].Name != want.name {
			t.Errorf("%s: the form is %q and the name %q, want %q and %q", text, tools[0].Form, tools[0].Name, want.form, want.name)
		}
	}
}
