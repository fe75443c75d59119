package cassette_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness"
	"toolproof/internal/bounded"
	"toolproof/lab/cassette"
)

const (
	chat   = `{"messages":[{"content":"secret prompt"}],"model":"gpt-4o","user":"secret","tools":[{"type":"function","function":{"name":"f","parameters":{"z":1,"a":2.0}}}]}`
	google = `{"contents":[{"parts":[{"text":"secret prompt"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]},{"googleMaps":{"apiKey":"secret"}}],` +
		`"generationConfig":{"temperature":1,"responseSchema":{"type":"OBJECT"}}}`
	refusal = `{"error":{"message":"Incorrect API key provided: sk-secret1234. No.","type":"invalid_request_error","param":null,"code":"x","internal":"secret"}}`
)

func quote(text string) string { return string(must(json.Marshal(text))) }

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

func zipped(text string) []byte {
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	_, err := writer.Write([]byte(text))
	if err := errors.Join(err, writer.Close()); err != nil {
		panic(err)
	}
	return out.Bytes()
}

func httprr(pairs ...string) string {
	var text strings.Builder
	text.WriteString("httprr trace v1\n")
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&text, "%d %d\n%s%s", len(pairs[i]), len(pairs[i+1]), pairs[i], pairs[i+1])
	}
	return text.String()
}

// forms has one cassette of each format; all record the same refusal.
var forms = map[string]string{
	"vcrpy": `
interactions:
- request:
    body: '` + chat + `'
    headers:
      authorization: [Bearer secret]
    method: POST
    uri: https://api.openai.com/v1/chat/completions?key=secret
  response:
    body:
      string: '` + refusal + `'
    headers:
      Date: ['Sun, 20 Apr 2025 10:00:00 GMT']
    status: {code: 400, message: Bad Request}
version: 1
`,
	"vcrpy, compressed": `
interactions:
- request:
    body: !!binary |
      ` + base64.StdEncoding.EncodeToString([]byte(chat)) + `
    uri: https://api.openai.com/v1/chat/completions
  response:
    body:
      string: !!binary |
        ` + base64.StdEncoding.EncodeToString(zipped(refusal)) + `
    headers: {date: ['Sun, 20 Apr 2025 10:00:00 GMT']}
    status: {code: 400}
version: 1
`,
	"vcrpy, parsed": `
interactions:
- request:
    parsed_body: ` + chat + `
    uri: https://api.openai.com/v1/chat/completions
  response:
    headers: {date: ['Sun, 20 Apr 2025 10:00:00 GMT']}
    parsed_body: ` + refusal + `
    status: {code: 400}
version: 1
`,
	"vcrpy, JSON": `{"version":1,"interactions":[{"request":{"body":` + quote(chat) + `,"uri":"https://api.openai.com/v1/chat/completions"},` +
		`"response":{"status_code":400,"headers":{"date":"Sun, 20 Apr 2025 10:00:00 GMT"},"content":` + quote(refusal) + `}}]}`,
	"Ruby VCR": `---
http_interactions:
- request:
    method: post
    uri: https://api.openai.com/v1/chat/completions
    body:
      encoding: UTF-8
      string: '` + chat + `'
  response:
    status:
      code: 400
      message: Bad Request
    body:
      encoding: ASCII-8BIT
      base64_string: ` + base64.StdEncoding.EncodeToString([]byte(refusal)) + `
    http_version:
  recorded_at: Sun, 20 Apr 2025 10:00:00 GMT
recorded_with: VCR 6.2.0
`,
	"Ruby VCR, binary": `---
http_interactions:
- request:
    method: post
    uri: https://api.openai.com/v1/chat/completions
    body:
      encoding: US-ASCII
      string: '` + chat + `'
  response:
    status: {code: 400}
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        ` + base64.StdEncoding.EncodeToString([]byte(refusal)) + `
  recorded_at: Sun, 20 Apr 2025 10:00:00 GMT
`,
	"go-vcr 2": `---
version: 1
interactions:
- request:
    body: '` + chat + `'
    form: {}
    headers: {}
    url: https://api.openai.com/v1/chat/completions
    method: POST
  response:
    body: '` + refusal + `'
    headers:
      Date:
      - Sun, 20 Apr 2025 10:00:00 GMT
    status: 400 Bad Request
    code: 400
    duration: ""
`,
	"go-vcr 4": `---
version: 2
interactions:
    - id: 0
      request:
        proto: HTTP/1.1
        proto_major: 1
        content_length: 100
        host: api.openai.com
        body: '` + chat + `'
        url: https://api.openai.com/v1/chat/completions
        method: POST
      response:
        proto: HTTP/2.0
        body: '` + refusal + `'
        headers:
            Date:
                - Sun, 20 Apr 2025 10:00:00 GMT
        status: 400 Bad Request
        code: 400
        duration: 1.5s
`,
	"httprr": httprr(
		"POST https://api.openai.com/v1/chat/completions HTTP/1.1\r\nHost: api.openai.com\r\nAuthorization: Bearer secret\r\nContent-Length: 5\r\n\r\n"+chat,
		"HTTP/1.1 400 Bad Request\r\nDate: Sun, 20 Apr 2025 10:00:00 GMT\r\nTransfer-Encoding: chunked\r\n\r\n"+fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(refusal), refusal),
	),
	// The sizes are those of lines that end with CRLF.
	"httprr, changed by version control": "httprr trace v1\n999 999\nPOST https://api.openai.com/v1/chat/completions HTTP/1.1\nHost: api.openai.com\nContent-Length: 552\n\n" + chat +
		"HTTP/2.0 400 Bad Request\nContent-Length: 1082\nDate: Sun, 20 Apr 2025 10:00:00 GMT\n\n" + refusal + "\n",
	"HAR": `{"log":{"_recordingName":"x","version":"1.2","entries":[{"startedDateTime":"2025-04-20T10:00:00.000Z","request":{"method":"POST",` +
		`"url":"https://api.openai.com/v1/chat/completions","headers":[{"name":"authorization","value":"secret"}],"postData":{"mimeType":"application/json","text":` + quote(chat) + `}},` +
		`"response":{"status":400,"content":{"mimeType":"application/json","text":"` + base64.StdEncoding.EncodeToString([]byte(refusal)) + `","encoding":"base64"}}}]}}`,
	"nock": `[{"scope":"https://api.openai.com:443","method":"POST","path":"/v1/chat/completions","body":` + chat + `,"status":400,"response":` + refusal + `,` +
		`"rawHeaders":["Content-Type","application/json","Date","Sun, 20 Apr 2025 10:00:00 GMT"],"responseIsBinary":false}]`,
	"nock, compressed": `[{"scope":"https://api.openai.com:443","method":"POST","path":"/v1/chat/completions","body":` + quote(chat) + `,"status":400,"response":["` +
		hex.EncodeToString(zipped(refusal)) + `"],"rawHeaders":{"date":"Sun, 20 Apr 2025 10:00:00 GMT"}}]`,
}

func TestForms(t *testing.T) {
	t.Parallel()
	for name, text := range forms {
		for _, given := range []string{text, string(zipped(text))} {
			interactions, others, err := cassette.Read("x", strings.NewReader(given), harness.Dialects)
			if err != nil || len(interactions) != 1 || others != 0 {
				t.Errorf("%s: %d interactions, %d others, %v", name, len(interactions), others, err)
				continue
			}
			got := must(json.Marshal(interactions[0]))
			id := interactions[0].ID
			if !strings.HasPrefix(id, "openai-chat-") || !strings.HasSuffix(id, "-400") {
				t.Errorf("%s: the id is %s", name, id)
			}
			want := `{"id":"` + id + `","provider":"openai-chat","host":"api.openai.com","api_version":"v1","endpoint":"/v1/chat/completions","model":"gpt-4o","status":400,` +
				`"request":{"model":"gpt-4o","tools":[{"type":"function","function":{"name":"f","parameters":{"z":1,"a":2.0}}}]},` +
				`"response_error":{"message":"Incorrect API key provided: KEY. No.","type":"invalid_request_error","param":null,"code":"x"},"recorded_at":"2025-04-20","source":"x#1"}`
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func har(url, request string, status int, response string) string {
	return fmt.Sprintf(`{"log":{"entries":[{"request":{"url":%q,"postData":{"text":%s}},"response":{"status":%d,"content":{"text":%s}}}]}}`, url, quote(request), status, quote(response))
}

func TestInteraction(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, url, request, wantProvider, wantEndpoint, wantModel, wantRequest string }{
		{
			"Gemini", "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent?key=secret", google,
			"gemini", "/v1beta/models/gemini-2.5-flash:generateContent", "gemini-2.5-flash",
			`{"tools":[{"functionDeclarations":[{"name":"f"}]},{"googleMaps":{}}],"generationConfig":{"responseSchema":{"type":"OBJECT"}}}`,
		},
		{
			"Vertex", "https://us-east5-aiplatform.googleapis.com/v1/projects/secret/locations/us-east5/publishers/google/models/gemini-2.5-pro:generateContent", google,
			"vertex", "/v1/projects/PROJECT/locations/us-east5/publishers/google/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro",
			`{"tools":[{"functionDeclarations":[{"name":"f"}]},{"googleMaps":{}}],"generationConfig":{"responseSchema":{"type":"OBJECT"}}}`,
		},
		{
			"Code Assist", "https://cloudcode-pa.googleapis.com/v1internal:generateContent", `{"model":"gemini-2.5-pro","project":"secret","request":` + google + `}`,
			"codeassist", "/v1internal:generateContent", "gemini-2.5-pro",
			`{"model":"gemini-2.5-pro","request":{"tools":[{"functionDeclarations":[{"name":"f"}]},{"googleMaps":{}}],"generationConfig":{"responseSchema":{"type":"OBJECT"}}}}`,
		},
		{
			"Responses", "https://api.openai.com/v1/responses",
			`{"model":"m","input":"secret","tools":[{"type":"mcp","headers":{"a":"secret"}},{"type":"function","name":"f","strict":true}],"text":{"verbosity":"low","format":{"type":"json_schema"}}}`,
			"openai-responses", "/v1/responses", "m",
			`{"model":"m","tools":[{"type":"mcp"},{"type":"function","name":"f","strict":true}],"text":{"format":{"type":"json_schema"}}}`,
		},
		{
			"Anthropic", "https://api.anthropic.com/v1/messages",
			`{"model":"m","metadata":{"user_id":"secret"},"mcp_servers":[{"authorization_token":"secret"}],"tools":[{"name":"f","input_schema":{}},{"type":"bash_20250124","name":"bash"}]}`,
			"anthropic", "/v1/messages", "m", `{"model":"m","tools":[{"name":"f","input_schema":{}},{"type":"bash_20250124"}]}`,
		},
		{
			"another", "http://localhost:8080/v1/chat/completions", `{"model":"m","response_format":{"type":"json_object"}}`,
			"other", "/v1/chat/completions", "m", `{"model":"m","response_format":{"type":"json_object"}}`,
		},
		{
			"Bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-v3/converse", `{"system":[{"text":"secret"}],"toolConfig":{"tools":[{"toolSpec":{"name":"f"}}]}}`,
			"other", "/model/anthropic.claude-v3/converse", "anthropic.claude-v3", `{"toolConfig":{"tools":[{"toolSpec":{"name":"f"}}]}}`,
		},
		{"nothing declared", "https://api.openai.com/v1/chat/completions", `{"model":"m","messages":[]}`, "", "", "", ""},
		{"no JSON", "https://api.openai.com/v1/files", `--x`, "", "", "", ""},
	} {
		interactions, others, err := cassette.Read("x", strings.NewReader(har(test.url, test.request, 200, "{}")), harness.Dialects)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if len(interactions) == 0 {
			if test.wantProvider != "" || others != 1 {
				t.Errorf("%s: nothing was kept, %d others", test.name, others)
			}
			continue
		}
		got := interactions[0]
		if got.Provider != test.wantProvider || got.Endpoint != test.wantEndpoint || got.Model != test.wantModel || got.Request.String() != test.wantRequest {
			t.Errorf("%s: got %s %s %s\n%s", test.name, got.Provider, got.Endpoint, got.Model, got.Request)
		}
		if text := string(must(json.Marshal(got))); strings.Contains(text, "secret") {
			t.Errorf("%s: a secret is copied: %s", test.name, text)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[{"reason":"r"}]}}]`: `{"code":400,"message":"m","status":"INVALID_ARGUMENT","details":[{"reason":"r"}]}`,
		`{"type":"error","error":{"type":"t","message":"m"},"request_id":"secret"}`:                     `{"type":"t","message":"m"}`,
		`{"error":"m"}`:                `{"message":"m"}`,
		`{"message":"m","secret":"x"}`: `{"message":"m"}`,
		`<html>`:                       `null`,
	} {
		interactions, _, err := cassette.Read("x", strings.NewReader(har("https://api.openai.com/v1/chat/completions", chat, 400, body)), harness.Dialects)
		if err != nil || len(interactions) != 1 {
			t.Fatalf("%s: %v", body, err)
		}
		if got := string(must(json.Marshal(interactions[0].ResponseError))); got != want {
			t.Errorf("the error of %s is %s, want %s", body, got, want)
		}
	}
}

// TestCreated checks that the day comes from the answer if the cassette has none.
func TestCreated(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"id":"x","created":1759350267}`: "2025-10-01",
		"event: response.created\ndata: {\"response\":{\"created_at\":1759350267,\"x\":1}}\n": "2025-10-01",
		`{"candidates":[],"createTime": "2025-06-04T10:00:00.1Z"}`:                            "2025-06-04",
		`{"created":12,"text":"created"}`:                                                     "",
	} {
		interactions, _, err := cassette.Read("x", strings.NewReader(har("https://api.openai.com/v1/chat/completions", chat, 200, body)), harness.Dialects)
		if err != nil || len(interactions) != 1 || interactions[0].RecordedAt != want {
			t.Errorf("%s: %v, want the day %q", body, interactions, want)
		}
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "not a cassette",
		"{}":                              "not a cassette",
		"name: x":                         "not a cassette",
		"interactions: [":                 "reading YAML",
		"httprr trace v1\nx":              "entry 1 has no sizes",
		"httprr trace v1\n9999999 1\nabc": "entry 1 is cut short",
		httprr("x", "y"):                  "entry 1: reading the request",
		"interactions: &a [*a]":           "too large",
		"interactions:\na: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n" +
			"e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]": "too large",
	} {
		if _, _, err := cassette.Read("x", strings.NewReader(text), harness.Dialects); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: the error is %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"interactions: []\nversion: 1\n", "interactions:\nversion: 1\n", `{"interactions": []}`} {
		if interactions, others, err := cassette.Read("x", strings.NewReader(text), harness.Dialects); err != nil || len(interactions)+others != 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range forms {
		f.Add([]byte(text))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _, _ = cassette.Read("x", bytes.NewReader(data), harness.Dialects)
	})
}

// TestBodiesTogether reads compressed bodies that are small each and too large together.
func TestBodiesTogether(t *testing.T) {
	t.Parallel()
	const size, enough = 1 << 20, 60
	body := base64.StdEncoding.EncodeToString(zipped(strings.Repeat(" ", size)))
	cassetteOf := func(count int) string {
		one := `{"request":{"method":"POST","uri":"https://api.openai.com/v1/chat/completions","body":null},` +
			`"response":{"status":{"code":200},"body":{"base64_string":"` + body + `"}}}`
		return `{"interactions":[` + strings.Repeat(one+",", count-1) + one + `]}`
	}
	if _, others, err := cassette.Read("f", strings.NewReader(cassetteOf(enough)), harness.Dialects); err != nil || others != enough {
		t.Errorf("of %d interactions %d were read: %v", enough, others, err)
	}
	if _, _, err := cassette.Read("f", strings.NewReader(cassetteOf(enough+5)), harness.Dialects); !errors.Is(err, bounded.ErrTooLarge) {
		t.Errorf("the error is %v", err)
	}
}
