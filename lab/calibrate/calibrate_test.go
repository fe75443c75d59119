package calibrate_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	"toolproof/lab/calibrate"
)

// rows reads lines of evidence.
func rows(t *testing.T, lines string) []*calibrate.Row {
	t.Helper()
	read, err := calibrate.Read(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestRead(t *testing.T) {
	t.Parallel()
	const lines = "{\"id\":\"a\",\"status\":400}\n\n{\"surface\":\"openai.strict\"}\n"
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	if _, err := writer.Write([]byte(lines)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	for form, data := range map[string]string{"plain": lines, "gzip": compressed.String()} {
		read := rows(t, data)
		if len(read) != 2 || read[0].Name() != "a" || read[0].Status != 400 || read[1].Name() != "line 3" {
			t.Errorf("%s: %+v", form, read)
		}
	}
	if read := rows(t, ""); len(read) != 0 {
		t.Errorf("an empty file has %d rows", len(read))
	}
	for text, want := range map[string]string{"{}\n{": "line 2", "[]": "line 1", compressed.String()[:20]: "unexpected EOF"} {
		if _, err := calibrate.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): %v, want %q in it", text, err, want)
		}
	}
}

// TestImpreciseDates: a row of a month or a year agrees if the model of any of its days does.
func TestImpreciseDates(t *testing.T) {
	t.Parallel()
	// The format of a string had to be enum or date-time until 2025-10-15.
	for date, isAgreed := range map[string]bool{"2025-05-01": true, "2025": true, "2024-2025": true, "2026": false, "2026-03": false, "2026-03-01": false} {
		read := rows(t, `{"path":"gemini.parameters","date":"`+date+`","message":"m","schema":{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}}`)
		report, err := calibrate.Measure(t.Context(), read, modelled(t))
		if err != nil {
			t.Fatal(err)
		}
		if _, agreed := report.Counts[0].Cases(); (agreed == 1) != isAgreed {
			t.Errorf("%s: %+v", date, report.Differences)
		}
	}
}

// modelled are the surfaces that the cases below assume, whatever others exist.
func modelled(t *testing.T) []*provider.Dialect {
	t.Helper()
	var dialects []*provider.Dialect
	for _, name := range []string{
		"gemini/parameters", "openai/chat", "openai/chat-strict", "openai/responses",
		"openai/responses-strict", "openai/response_format", "openai/text_format", "azure/responses", "azure/response_format",
		"vertex/responseSchema", "xai/chat", // providers with several surfaces
	} {
		dialect, err := harness.DialectNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		dialects = append(dialects, dialect)
	}
	return dialects
}

// summary is a case in a form that is short to compare.
type summary struct {
	Parts   string // "dialect: declarations" for each part
	Date    string
	Verdict string
	Message string
	Whole   bool
}

func summaries(t *testing.T, line string) ([]summary, string) {
	t.Helper()
	cases, aside := rows(t, line)[0].Cases(modelled(t))
	var all []summary
	for _, asked := range cases {
		var parts []string
		for _, part := range asked.Parts {
			texts := []string{part.Dialect + ":"}
			for _, declaration := range part.Declarations {
				texts = append(texts, declaration.String())
			}
			parts = append(parts, strings.Join(texts, " "))
		}
		all = append(all, summary{strings.Join(parts, "; "), string(asked.Date), string(asked.Verdict), asked.Message, asked.Whole})
	}
	return all, aside
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, line string
		want       []summary
		aside      string
	}{
		{
			"refusal with a schema", `{"path":"gemini.parameters","message":"m","message_completeness":"complete","date":"2025-04","schema":{"type":"x"}}`,
			[]summary{{`gemini/parameters: {"name":"f","parameters":{"type":"x"}}`, "2025-04-30", "rejected", "m", true}},
			"",
		},
		{
			"named as the message names it", `{"path":"openai.chat","message":"Invalid schema for function 'g': x","message_completeness":"partial","date":"2026","schema":{}}`,
			[]summary{{`openai/chat: {"name":"g","parameters":{}}`, "2026-12-31", "rejected", "Invalid schema for function 'g': x", false}},
			"",
		},
		{
			"at the index of the declaration", `{"path":"gemini.live.parameters","message":"at 'tools[0].function_declarations[1].parameters'","schema":{}}`,
			[]summary{{
				`gemini/parameters: {"name":"before0","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}} {"name":"f","parameters":{}}`,
				"", "rejected", "at 'tools[0].function_declarations[1].parameters'", false,
			}},
			"",
		},
		{
			"at the index of the param", `{"path":"openai.chat.strict","param":"tools[1].function.parameters","schema":{}}`,
			[]summary{{
				`openai/chat-strict: {"name":"before0","parameters":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},"strict":true}` +
					` {"name":"f","parameters":{},"strict":true}`,
				"", "rejected", "", false,
			}},
			"",
		},
		{"whole declaration", `{"path":"openai.tool_name","declaration":{"name":"a.b"}}`, []summary{{`openai/chat: {"name":"a.b"}`, "", "rejected", "", false}}, ""},
		{
			"acceptance of several", `{"path":"openai.tools","accepted":"two","date":"2025-2026","declarations":[{"name":"a"},{"name":"b"}]}`,
			[]summary{{`openai/chat: {"name":"a"} {"name":"b"}`, "2026-12-31", "accepted", "", false}},
			"",
		},
		{
			"live probe", `{"surface":"openai.responses.text_format.strict","verdict":"rejected","message":"m","evidence":"live-probed","date":"2026-06-15","schema":true}`,
			[]summary{{`openai/text_format: {"name":"f","schema":true,"strict":true}`, "2026-06-15", "rejected", "m", true}},
			"",
		},
		{
			"reported probe", `{"surface":"openai.format.strict","verdict":"accepted","message":null,"evidence":"reported","schema":{}}`,
			[]summary{{`openai/response_format: {"name":"f","schema":{},"strict":true}`, "", "accepted", "", false}},
			"",
		},
		{
			"probe of depth", `{"surface":"openai.responses.text_format.strict","verdict":"accepted","construct":"object nesting 2 levels"}`,
			[]summary{{
				`openai/text_format: {"name":"f","schema":{"type":"object","properties":{"a":{"type":"object","properties":{},"required":[],"additionalProperties":false}},` +
					`"required":["a"],"additionalProperties":false},"strict":true}`,
				"", "accepted", "", false,
			}},
			"",
		},
		{
			"probe of an enum", `{"surface":"openai.responses.text_format.strict","verdict":"accepted","construct":"one enum of 2 values x 3 chars = 6 chars"}`,
			[]summary{{
				`openai/text_format: {"name":"f","schema":{"type":"object","properties":{"a":{"type":"string","enum":["000","001"]}},"required":["a"],"additionalProperties":false},"strict":true}`,
				"", "accepted", "", false,
			}},
			"",
		},
		{"probe in other words", `{"surface":"openai.strict","verdict":"rejected","construct":"pattern with lookaround"}`, nil, calibrate.NoSchema},
		{"no schema", `{"path":"gemini.parameters","schema":null}`, nil, calibrate.NoSchema},
		{"surface without a model", `{"path":"vertex.parameters","schema":{}}`, nil, calibrate.NoModelOfSurface},
		{
			"Azure", `{"path":"openai.response_format","provider":"azure","schema":{}}`,
			[]summary{{`azure/response_format: {"name":"f","schema":{},"strict":true}`, "", "rejected", "", false}},
			"",
		},

		{
			"Gemini, each declaration to its own field",
			`{"provider":"gemini","status":200,"recorded_at":"Thu, 09 Apr 2026 00:57:32 GMT","committed_at":"2026-05-15T06:13:19+00:00","request":{"tools":[{"googleSearch":{}},` +
				`{"functionDeclarations":[{"name":"a","parameters":{}},{"name":"b","parametersJsonSchema":{}}]},{"function_declarations":[{"name":"c"}]}]}}`,
			[]summary{{`gemini/parameters: {"name":"a","parameters":{}} {"name":"c"}`, "2026-04-09", "accepted", "", false}},
			"",
		},
		{
			"Gemini, one tool without a list", `{"provider":"gemini","status":200,"committed_at":"2026-05-15T06:13:19+00:00","request":{"tools":{"functionDeclarations":[{"name":"a"}]}}}`,
			[]summary{{`gemini/parameters: {"name":"a"}`, "2026-05-15", "accepted", "", false}},
			"",
		},
		{
			"Gemini, countTokens", `{"provider":"gemini","status":200,"request":{"generateContentRequest":{"tools":[{"functionDeclarations":[{"name":"a"}]}]}}}`,
			[]summary{{`gemini/parameters: {"name":"a"}`, "", "accepted", "", false}},
			"",
		},
		{"Gemini, JSON Schema alone", `{"provider":"gemini","status":200,"request":{"tools":[{"functionDeclarations":[{"name":"b","parameters_json_schema":{}}]}]}}`, nil, calibrate.NoModelOfSurface},
		{"Gemini, response schema", `{"provider":"gemini","status":200,"request":{"generation_config":{"response_schema":{}}}}`, nil, calibrate.NoModelOfSurface},
		{"Vertex", `{"provider":"vertex","status":200,"request":{"tools":[{"functionDeclarations":[{"name":"a"}]}]}}`, nil, calibrate.NoModelOfSurface},
		{
			"Chat, one case for each surface",
			`{"provider":"openai-chat","status":200,"request":{"tools":[{"type":"function","function":{"name":"a","strict":true}},{"type":"function","function":{"name":"b"}},` +
				`{"type":"custom","custom":{}}],"response_format":{"type":"json_schema","json_schema":{"name":"r","strict":true}}}}`,
			[]summary{
				{`openai/chat-strict: {"name":"a","strict":true}`, "", "accepted", "", false},
				{`openai/chat: {"name":"b"}`, "", "accepted", "", false},
				{`openai/response_format: {"name":"r","strict":true}`, "", "accepted", "", false},
			},
			"",
		},
		{"Chat, format that is not strict", `{"provider":"openai-chat","status":200,"request":{"tools":null,"response_format":{"type":"json_schema","json_schema":{"name":"r"}}}}`, nil, calibrate.NoSchema},
		{
			"Chat, refusal with all its parts",
			`{"provider":"openai-chat","status":400,"response_error":{"message":"Invalid schema for function 'b': x"},"request":{"tools":[{"function":{"name":"a","strict":true}},{"function":{"name":"b"}}]}}`,
			[]summary{{`openai/chat-strict: {"name":"a","strict":true}; openai/chat: {"name":"b"}`, "", "rejected", "Invalid schema for function 'b': x", true}},
			"",
		},
		{
			"Chat, refusal for another reason", `{"provider":"openai-chat","status":400,"response_error":{"message":"no","param":"messages"},"request":{"tools":[{"function":{"name":"a"}}]}}`,
			nil, string(refusal.OtherFailure),
		},
		{"Chat, no key", `{"provider":"openai-chat","status":401,"response_error":null,"request":{"tools":[{"function":{"name":"a"}}]}}`, nil, string(refusal.Auth)},
		{
			"Responses", `{"provider":"openai-responses","status":200,"request":{"tools":[{"type":"web_search"},{"type":"function","name":"a","strict":true}],` +
				`"text":{"format":{"type":"json_schema","name":"r","strict":true,"schema":{}}}}}`,
			[]summary{
				{`openai/responses-strict: {"type":"function","name":"a","strict":true}`, "", "accepted", "", false},
				{`openai/text_format: {"name":"r","strict":true,"schema":{}}`, "", "accepted", "", false},
			},
			"",
		},
		{
			"Responses, refusal in which a surface has no model",
			`{"provider":"other","host":"api.x.ai","status":400,"response_error":{"message":"Invalid schema for function 'a': x"},"request":{"input":"","tools":[{"type":"function","name":"a"}]}}`,
			nil, calibrate.NoModelOfSurface,
		},
		{
			"Azure, by its host", `{"provider":"other","host":"a.openai.azure.com","status":200,"request":{"input":"","tools":[{"type":"function","name":"a"}]}}`,
			[]summary{{`azure/responses: {"type":"function","name":"a"}`, "", "accepted", "", false}},
			"",
		},
		{
			"tool with its echo", `{"name":"a","req_strict":"omitted","req_parameters":{},"echo_strict":true,"echo_parameters":{"type":"object"},"recorded_at":"2026-05-01"}`,
			[]summary{{`openai/responses: {"type":"function","name":"a","parameters":{}}`, "2026-05-01", "accepted", "", false}},
			"",
		},
		{"tool without an echo", `{"name":"a","req_strict":true,"req_parameters":{},"echo_strict":null,"echo_parameters":null}`, nil, calibrate.NoSchema},
		{"another provider", `{"provider":"other","status":200,"request":{"tools":[]}}`, nil, calibrate.NoModelOfProvider},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, aside := summaries(t, test.line)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("cases (-want +got):\n%s", diff)
			}
			if aside != test.aside {
				t.Errorf("set aside for %q, want %q", aside, test.aside)
			}
		})
	}
}

// TestMeasure counts agreements and differences, as of the day of each row.
func TestMeasure(t *testing.T) {
	t.Parallel()
	read := rows(t, strings.Join([]string{
		`{"id":"right","path":"gemini.parameters","date":"2026-05-01","message_completeness":"complete","schema":{"type":"array"},` +
			`"message":"* GenerateContentRequest.tools[0].function_declarations[0].parameters.items: missing field."}`,
		`{"id":"in other words","path":"gemini.parameters","date":"2026-05-01","message_completeness":"complete","message":"items!","schema":{"type":"array"}}`,
		`{"id":"false acceptance","path":"gemini.parameters","date":"2026-05-01","message":"no","schema":{"type":"object"}}`,
		`{"id":"refused at its time","path":"gemini.parameters","date":"2024-05-01","message":"no","schema":{"type":"object"}}`,
		`{"id":"false refusal","path":"openai.chat","accepted":"a string","date":"2026-05-01","schema":{"type":"string"}}`,
		`{"id":"accepted","path":"openai.chat","accepted":"an object","date":"2026-05-01","schema":{"type":"object","properties":{}}}`,
		`{"id":"param","path":"openai.chat","date":"2026-05-01","param":"tools[0].parameters","schema":{"type":"string"}}`,
		`{"id":"aside","path":"vertex.parameters","schema":{}}`,
		`{"id":"second part","provider":"openai-chat","status":400,"response_error":{"message":"Invalid schema for function 'b': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"string\"'."},` +
			`"request":{"tools":[{"function":{"name":"a","strict":true,"parameters":{"type":"object","properties":{},"additionalProperties":false}}},{"function":{"name":"b","parameters":{"type":"string"}}}]}}`,
		`{"id":"echo","name":"a","req_strict":"omitted","req_parameters":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}},"echo_strict":true,"recorded_at":"2026-05-01",` +
			`"echo_parameters":{"additionalProperties":false,"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}}`,
		`{"id":"other echo","name":"a","req_strict":"omitted","req_parameters":{"type":"object","properties":{}},"echo_strict":false,"echo_parameters":{"type":"object","properties":{}}}`,
	}, "\n"))
	report, err := calibrate.Measure(t.Context(), read, modelled(t)[:4])
	if err != nil {
		t.Fatal(err)
	}
	want := []calibrate.Count{
		{Dialect: "gemini/parameters", Refused: 4, FalseAcceptances: 1, Messages: 2, MessagesOtherwise: 1},
		{Dialect: "openai/chat", Accepted: 2, FalseRefusals: 1, Refused: 2, Messages: 1, Params: 1, ParamsOtherwise: 1},
		{Dialect: "openai/chat-strict"},
		{Dialect: "openai/responses", Accepted: 2, EchoesOtherwise: 1},
	}
	if diff := cmp.Diff(want, report.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	var differences []string
	for _, difference := range report.Differences {
		differences = append(differences, difference.Name+": "+difference.Kind)
	}
	if diff := cmp.Diff([]string{"in other words: message", "false acceptance: verdict", "false refusal: verdict", "param: param", "other echo a: echo"}, differences); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{calibrate.NoModelOfSurface: 1}, report.Aside); diff != "" {
		t.Errorf("set aside (-want +got):\n%s", diff)
	}
	if asked, agreed := report.Counts[0].Cases(); asked != 4 || agreed != 3 {
		t.Errorf("Cases() = %d, %d", asked, agreed)
	}
}
