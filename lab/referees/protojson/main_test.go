package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// summary is the last line of a stream.
const summary = `{"version":1,"summary":{}}`

// lineOf returns a result line of a dialect.
func lineOf(target, dialect, side, findings, parameters string) string {
	return `{"version":1,"id":"x","target":"` + target + `","dialect":"` + dialect + `","` + side + `":{"verdict":"rejected","findings":[` + findings +
		`],"request":{"tools":[{"functionDeclarations":[{"name":"f","parameters":` + parameters + `}]}]}},"status":"pass"}` + "\n"
}

const refused = `{"message":"Invalid JSON payload received. Unknown name \"const\" at 'p': Cannot find field."}`

// TestDisagreements compares equal and different answers.
func TestDisagreements(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, line string
		want       int // disagreements
	}{
		{"both take", lineOf("gemini", "gemini/parameters", "normalized", "", `{"type":"OBJECT"}`), 0},
		{"both refuse", lineOf("gemini", "gemini/parameters", "raw", refused, `{"const":1}`), 0},
		{"a normalized tool is not spelled first", lineOf("gemini", "gemini/parameters", "normalized", "", `{"type":"object"}`), 1},
		{"a tool as given is", lineOf("gemini", "gemini/parameters", "raw", "", `{"type":"object"}`), 0},
		{"an alternate in lower case is", lineOf("gemini-strip", "gemini/parameters", "normalized", "", `{"type":"object"}`), 0},
		{"only protojson refuses", lineOf("gemini", "gemini/parameters", "raw", "", `{"const":1}`), 1},
		{"only the model refuses", lineOf("gemini", "gemini/parameters", "raw", refused, `{"type":"OBJECT"}`), 1},
		{"a later stage refuses what was read", lineOf("gemini", "gemini/parameters", "raw", `{"message":"* GenerateContentRequest.tools[0]: missing field."}`, `{"type":"ARRAY"}`), 0},
		{"references are fields of Vertex AI alone", lineOf("vertex", "vertex/parameters", "raw", "", `{"ref":"#/defs/a"}`) + lineOf("gemini", "gemini/parameters", "raw", "", `{"ref":"#/defs/a"}`), 1},
		{"a normalized tool has no type that Vertex AI does not publish", lineOf("vertex", "vertex/parameters", "normalized", "", `{"type":"NULL"}`), 1},
		{"in a tool as given that is known", lineOf("vertex", "vertex/parameters", "raw", "", `{"type":"null"}`), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			referee := newReferee(&out)
			if err := referee.judgeAll("lines", strings.NewReader(test.line+summary)); err != nil {
				t.Fatal(err)
			}
			if referee.disagreements != test.want {
				t.Errorf("%d disagreements, want %d\n%s", referee.disagreements, test.want, out.String())
			}
		})
	}
}

// TestSpelling decodes what the service accepts and protojson does not.
func TestSpelling(t *testing.T) {
	t.Parallel()
	for _, parameters := range []string{
		`{"type":"String"}`, `{"type":"1"}`, `{"type":99}`, `{"type":"OBJECT","required":"a"}`, `{"anyOf":{"type":"STRING"}}`, `{"anyOf":[null,[{"type":"STRING"}]]}`,
		`{"type":"STRING","nullable":"true"}`, `{"type":"STRING","type":"STRING"}`, `{"any_of":[{"type":"STRING"}],"anyOf":[{"type":"STRING"}]}`,
		`{"type":"OBJECT","properties":{"a":null}}`, `{"type":"ARRAY","items":null,"minItems":"1","maxItems":1e2}`, `{"type":"STRING","default":null,"example":{"a":[1]}}`,
	} {
		referee := newReferee(t.Output())
		if err := referee.judgeAll("lines", strings.NewReader(lineOf("gemini", "gemini/parameters", "raw", "", parameters)+summary)); err != nil || referee.disagreements > 0 {
			t.Errorf("%s is not taken: %v", parameters, err)
		}
	}
	for _, parameters := range []string{
		`{"type":"any"}`, `{"type":["STRING"]}`, `{"type":"INTEGER","enum":[1]}`, `{"type":"STRING","required":true}`, `{"type":"ARRAY","minItems":1.5}`,
		`{"type":"OBJECT","properties":{"a":{},"a":{}}}`, `{"type":"OBJECT","properties":[]}`, `{"type":"OBJECT","properties":{"a":[]}}`, `{"type":"ARRAY","items":true}`,
	} {
		referee := newReferee(t.Output())
		if err := referee.judgeAll("lines", strings.NewReader(lineOf("gemini", "gemini/parameters", "raw", refused, parameters)+summary)); err != nil || referee.disagreements > 0 {
			t.Errorf("%s is taken: %v", parameters, err)
		}
	}
}

// TestEnvelopes decodes tools in other envelopes.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	lines := `{"target":"gemini-openai","dialect":"gemini-openai/chat","normalized":{"findings":[],"request":{"model":"MODEL","tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}}}
{"target":"portable","dialect":"portable","normalized":{"findings":[],"request":{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"f","inputSchema":{"type":"object"}}]}}}}
{"target":"portable","dialect":"portable","normalized":{"findings":[],"request":{"result":{"tools":[{"name":"f","inputSchema":{"const":1}}]}}}}
`
	referee := newReferee(io.Discard)
	if err := referee.judgeAll("lines", strings.NewReader(lines+summary)); err != nil {
		t.Fatal(err)
	}
	if referee.disagreements != 2 { // the last one, once for each message
		t.Errorf("%d disagreements, want 2", referee.disagreements)
	}
}

// TestNotJudged checks that streams in which nothing was judged are errors.
func TestNotJudged(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string]string{
		"no line":    summary,
		"cut short":  lineOf("gemini", "gemini/parameters", "normalized", "", `{}`),
		"no request": `{"target":"gemini","dialect":"gemini/parameters","normalized":{"findings":[]}}` + summary,
		"no Google":  `{"target":"openai","dialect":"openai/chat","normalized":{"findings":[]}}` + summary,
		"no JSON":    `hello`,
	} {
		referee := newReferee(io.Discard)
		err := referee.judgeAll("lines", strings.NewReader(lines))
		if err == nil {
			err = referee.finish(false)
		}
		if err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
	referee := newReferee(io.Discard)
	err := referee.judgeAll("lines", strings.NewReader(lineOf("gemini", "gemini/parameters", "normalized", "", `{"type":"OBJECT"}`)+summary))
	if err != nil || referee.finish(true) == nil {
		t.Errorf("a known difference that is not met is no error: %v", err)
	}
}
