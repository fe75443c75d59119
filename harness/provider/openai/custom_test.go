package openai

import (
	"testing"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// TestCustom judges the custom tools of requests: their form, and the grammar that their text is to
// follow.
func TestCustom(t *testing.T) {
	t.Parallel()
	responses := func(grammar string) string {
		return `{"type":"custom","name":"f","format":{"type":"grammar",` + grammar + `}}`
	}
	chat := func(grammar string) string {
		return `{"type":"custom","custom":{"name":"f","format":{"type":"grammar","grammar":{` + grammar + `}}}}`
	}
	const (
		lark    = `"syntax":"lark","definition":"start: expr // (?=no pattern)\nexpr: \"/a??/\" NUMBER\nNUMBER: /[0-9]+/\n%import common.INT"`
		missing = "Missing required parameter: "
		ahead   = `"syntax":"lark","definition":"start: WORD\nWORD: /(?!a)[a-z]+/"`
	)
	for name, test := range map[string]struct {
		dialect       *provider.Dialect
		tool          string
		want, unknown string
	}{
		"any text":            {Responses, `{"type":"custom","name":"f"}`, "", ""},
		"text":                {Responses, `{"type":"custom","name":"f","format":{"type":"text"}}`, "", ""},
		"a search":            {Responses, `{"type":"web_search"}`, "", ""},
		"in the form of Chat": {Responses, `{"type":"custom","custom":{"name":"f"}}`, missing + "'tools[0].name'.", ""},
		"of Responses":        {Chat, `{"type":"custom","name":"f"}`, missing + "'tools[0].custom'.", ""},
		"lark":                {Responses, responses(lark), "", ""},
		"lark on Chat":        {Chat, chat(lark), "", ""},
		"regex":               {responsesStrict, responses(`"syntax":"regex","definition":"^(?P<month>[A-Z][a-z]+)\\s+(\\d{1,2})(?:st|nd)?[*+?]?$"`), "", ""},
		"no syntax":           {Responses, responses(`"definition":"a"`), missing + "'tools[0].format.syntax'.", ""},
		"no syntax on Chat":   {ChatStrict, chat(`"definition":"a"`), missing + "'tools[0].custom.format.grammar.syntax'.", ""},
		"no definition":       {Responses, responses(`"syntax":"regex"`), missing + "'tools[0].format.definition'.", ""},
		"another syntax":      {Responses, responses(`"syntax":"gbnf","definition":"a"`), "Invalid value: 'gbnf'. Supported values are: 'lark' and 'regex'.", ""},
		"look-ahead":          {Responses, responses(`"syntax":"regex","definition":"(?=a)a"`), "Invalid 'tools[0].format.definition': lookarounds are not supported.", ""},
		"look-ahead in lark":  {Chat, chat(ahead), "Invalid 'tools[0].custom.format.grammar.definition': lookarounds are not supported.", ""},
		"no look-ahead":       {Responses, responses(`"syntax":"regex","definition":"[(?=]a"`), "", ""},
		"on Azure":            {AzureChat, chat(ahead), "", "Invalid 'tools[0].custom.format.grammar.definition': lookarounds are not supported."},
		"lazy":                {Responses, responses(`"syntax":"regex","definition":"a+?"`), "", "a lazy quantifier"},
		"unbalanced":          {Responses, responses(`"syntax":"regex","definition":"(a"`), "", "a pattern that Rust's crate regex may not read"},
		"a reference":         {Responses, responses(`"syntax":"regex","definition":"(a)\\1"`), "", "a pattern that Rust's crate regex may not read"},
		"two lines":           {Responses, responses(`"syntax":"regex","definition":"a\nb"`), "", "a pattern on several lines"},
		"a priority":          {Responses, responses(`"syntax":"lark","definition":"start: A\nA.2: \"a\""`), "", "'A.2:'"},
		"a template":          {Responses, responses(`"syntax":"lark","definition":"start: list{A}\nlist{x}: x+\nA: \"a\""`), "", "'list{x}:'"},
		"declared":            {Responses, responses(`"syntax":"lark","definition":"start: A\n%declare A"`), "", "'%declare A'"},
		"imported":            {Responses, responses(`"syntax":"lark","definition":"start: A\n%import mine.A"`), "", "'%import mine.A'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := provider.Object("tools", schema.NewArray(read(t, test.tool)))
			model := &provider.Model{Dialect: test.dialect, AsOf: today}
			response, err := model.Send(t.Context(), provider.Request{Dialect: test.dialect.Name, Body: body})
			if err != nil || response.Message != test.want {
				t.Errorf("%s: %q, %v; want %q", test.tool, response.Message, err, test.want)
			}
			unknown := ""
			if err := response.Settled(); err != nil {
				unknown = err.Error()
			}
			if test.dialect == AzureChat {
				test.unknown = "it is unknown whether azure/chat refuses, as another surface does: " + test.unknown
			} else if test.unknown != "" {
				test.unknown = "it is unknown whether openai/responses takes " + test.unknown + " in tools[0].format.definition"
			}
			if unknown != test.unknown {
				t.Errorf("%s: %q, want %q", test.tool, unknown, test.unknown)
			}
		})
	}
}
