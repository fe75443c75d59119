package record_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/klauspost/compress/zstd"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"google.golang.org/genai"

	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/record"
	"toolproof/harness/recording"
)

// session is a Recorder in front of a server, as verify record has one.
type session struct {
	*record.Recorder

	folder   string
	url      string
	appender *recording.Appender
}

// newSession records what a server answers that has the API of a service.
func newSession(t *testing.T, service string, upstream http.Handler) *session {
	t.Helper()
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	return newSessionAt(t, service, server.URL, nil)
}

func newSessionAt(t *testing.T, service, address string, transport http.RoundTripper) *session {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	made := &session{folder: folder, appender: recording.NewAppender(folder, nil)}
	made.Recorder = &record.Recorder{Dialects: harness.Dialects, Keep: made.appender.Add, Transport: transport}
	front := httptest.NewServer(made.Proxy(record.Base{Variable: "X", Service: service, URL: parsed}))
	t.Cleanup(front.Close)
	made.url = front.URL
	return made
}

// stored ends the session, and returns the summary and what the folder has.
func (s *session) stored(t *testing.T) (record.Summary, *recording.Store, string) {
	t.Helper()
	summary := s.End()
	if _, err := s.appender.Close(); err != nil {
		t.Fatal(err)
	}
	store, err := recording.LoadAny(os.DirFS(s.folder))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	files, err := filepath.Glob(s.folder + "/*/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(data)
	}
	return summary, store, text.String()
}

var (
	taken = map[string]any{
		"type": "object", "properties": map[string]any{"secretCity": map[string]any{"type": "string", "enum": []string{"secretGraz"}, "description": "secretText"}},
		"required": []string{"secretCity"},
	}
	withoutItems = map[string]any{"type": "object", "properties": map[string]any{"secretTags": map[string]any{"type": "array"}}}
)

const secretName = "secret_forecast"

// sdks are the official clients: each sends a declaration, alone or for a stream.
var sdks = []struct {
	name, service string
	surface       string
	ask           func(ctx context.Context, address string, parameters map[string]any, isStream bool) error
}{
	{"OpenAI, Chat Completions", "openai", "openai/chat", func(ctx context.Context, address string, parameters map[string]any, isStream bool) error {
		client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("sk-plantedplantedplantedplanted"), option.WithMaxRetries(0))
		params := openai.ChatCompletionNewParams{
			Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("secretPrompt")},
			Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: secretName, Parameters: parameters})},
		}
		if !isStream {
			_, err := client.Chat.Completions.New(ctx, params)
			return err
		}
		stream := client.Chat.Completions.NewStreaming(ctx, params)
		for stream.Next() {
			_ = stream.Current()
		}
		return stream.Err()
	}},
	{"OpenAI, Responses", "openai", "openai/responses-nonstrict", func(ctx context.Context, address string, parameters map[string]any, isStream bool) error {
		client := openai.NewClient(option.WithBaseURL(address+"/v1"), option.WithAPIKey("sk-plantedplantedplantedplanted"), option.WithMaxRetries(0))
		params := responses.ResponseNewParams{
			Model: "gpt-4o-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("secretPrompt")},
			Tools: []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{Name: secretName, Parameters: parameters, Strict: openai.Bool(false)}}},
		}
		if !isStream {
			_, err := client.Responses.New(ctx, params)
			return err
		}
		stream := client.Responses.NewStreaming(ctx, params)
		for stream.Next() {
			_ = stream.Current()
		}
		return stream.Err()
	}},
	{"Anthropic", "anthropic", "anthropic/tools", func(ctx context.Context, address string, parameters map[string]any, isStream bool) error {
		client := anthropic.NewClient(anthropicoption.WithBaseURL(address), anthropicoption.WithAPIKey("sk-ant-plantedplantedplanted"), anthropicoption.WithMaxRetries(0))
		properties := parameters["properties"].(map[string]any) //nolint:forcetypeassert // of this file
		input := anthropic.ToolInputSchemaParam{Properties: properties}
		if _, isRefused := properties["secretTags"]; isRefused { // items as a list
			input.Properties = map[string]any{"secretTags": map[string]any{"type": "array", "items": []any{map[string]any{"type": "string"}}}}
		}
		params := anthropic.MessageNewParams{
			Model: "claude-sonnet-4-5", MaxTokens: 10, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("secretPrompt"))},
			Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{Name: secretName, InputSchema: input}}},
		}
		if !isStream {
			_, err := client.Messages.New(ctx, params)
			return err
		}
		stream := client.Messages.NewStreaming(ctx, params)
		for stream.Next() {
			_ = stream.Current()
		}
		return stream.Err()
	}},
	{"Google", "gemini", "gemini/parameters", func(ctx context.Context, address string, parameters map[string]any, isStream bool) error {
		client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "AIzaplantedplantedplantedplantedplanted", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: address}})
		if err != nil {
			return err
		}
		declared := &genai.Schema{Type: genai.TypeObject, Properties: map[string]*genai.Schema{}}
		for name, value := range parameters["properties"].(map[string]any) { //nolint:forcetypeassert // of this file
			kind := genai.TypeString
			if value.(map[string]any)["type"] == "array" { //nolint:forcetypeassert // likewise
				kind = genai.TypeArray
			}
			declared.Properties[name] = &genai.Schema{Type: kind, Description: "secretText"}
		}
		config := &genai.GenerateContentConfig{Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: secretName, Parameters: declared}}}}}
		if !isStream {
			_, err := client.Models.GenerateContent(ctx, "gemini-2.5-flash", genai.Text("secretPrompt"), config)
			return err
		}
		for _, err := range client.Models.GenerateContentStream(ctx, "gemini-2.5-flash", genai.Text("secretPrompt"), config) {
			if err != nil {
				return err
			}
		}
		return nil
	}},
}

// TestClients sends declarations with the official clients, whole and as streams, to the
// emulator: the clients get what it answers, and the folder has both verdicts and no word of
// theirs.
func TestClients(t *testing.T) {
	t.Parallel()
	for _, sdk := range sdks {
		t.Run(sdk.name, func(t *testing.T) {
			t.Parallel()
			recorded := newSession(t, sdk.service, emulator.New(emulator.Options{}))
			for _, isStream := range []bool{false, true} {
				if err := sdk.ask(t.Context(), recorded.url, taken, isStream); err != nil {
					t.Errorf("stream %t: %v", isStream, err)
				}
				if err := sdk.ask(t.Context(), recorded.url, withoutItems, isStream); err == nil || !strings.Contains(err.Error(), "400") {
					t.Errorf("stream %t: the refusal arrives as %v", isStream, err)
				}
			}
			summary, store, text := recorded.stored(t)
			if summary.Requests != 4 || summary.Accepted != 2 || summary.Refused != 2 || summary.New != 2 || !summary.Emulated || len(summary.Passed) > 0 {
				t.Errorf("the summary is %+v", summary)
			}
			var statuses []int
			for _, one := range store.All {
				statuses = append(statuses, one.Response.Status)
				if one.Dialect != sdk.surface || one.Grade != recording.Emulated || one.Model == "" || !one.Reduced {
					t.Errorf("%+v", one)
				}
			}
			if slices.Sort(statuses); !slices.Equal(statuses, []int{200, 400}) {
				t.Errorf("the statuses are %v", statuses)
			}
			if strings.Contains(strings.ToLower(text), "secret") || strings.Contains(text, "planted") {
				t.Errorf("the folder has what was sent: %s", text)
			}
		})
	}
}

// body is a request to Chat Completions with a text in every place that has one.
func body(planted string) string {
	return fmt.Sprintf(`{"model":"gpt-4o","user":%[1]q,"metadata":{%[1]q:%[1]q},"messages":[{"role":"user","content":%[1]q,"name":%[1]q}],"tools":[{"type":"function",%[1]q:1,`+
		`"function":{"name":%[1]q,"description":%[1]q,%[1]q:%[1]q,"parameters":{"type":"object","title":%[1]q,"$comment":%[1]q,"$id":%[1]q,"$schema":%[1]q,%[1]q:{%[1]q:[%[1]q]},`+
		`"properties":{%[1]q:{"type":"string","format":%[1]q,"pattern":%[1]q,"enum":[%[1]q],"default":%[1]q,"examples":[{%[1]q:%[1]q}],"const":%[1]q,"contentMediaType":%[1]q},`+
		`"other":{"$ref":"#/$defs/%[2]s"},"more":{"$ref":%[1]q},"last":{"type":%[1]q}},"required":[%[1]q],"$defs":{%[1]q:{"type":"string"}},"patternProperties":{%[1]q:{}},`+
		`"dependentRequired":{%[1]q:[%[1]q]},"discriminator":{"propertyName":%[1]q,"mapping":{%[1]q:%[1]q}}}}}]}`, planted, planted)
}

// TestNothingLeaks plants a key in every header, in the query and in every text of a body, and
// has a server repeat all of them in a refusal.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	const planted = "Planted-Key-0123456789"
	for name, answer := range map[string]string{
		"known words":   `Invalid schema for function '%[1]s': In context=('properties', '%[1]s'), array schema missing items. %[1]s`,
		"unknown words": `we do not take %[1]s with key %[1]s, nor "%[1]s"`,
	} {
		upstream := http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			if request.Header.Get("Authorization") != "Bearer "+planted || request.URL.Query().Get("key") != planted {
				t.Errorf("%s: the request arrives without its key: %v %s", name, request.Header, request.URL)
			}
			writer.Header().Set("X-Key", planted)
			writer.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(writer, `{"error":{"message":%q,"type":"invalid_request_error","param":%q,"code":%q,"more":%q}}`, fmt.Sprintf(answer, planted), planted, planted, planted)
		})
		recorded := newSession(t, "openai", upstream)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, recorded.url+"/v1/chat/completions?key="+planted, strings.NewReader(body(planted)))
		if err != nil {
			t.Fatal(err)
		}
		for _, header := range []string{"X-Api-Key", "X-Goog-Api-Key", "Cookie", "User-Agent", "Openai-Organization", "X-Forwarded-For"} {
			request.Header.Set(header, planted)
		}
		request.Header.Set("Authorization", "Bearer "+planted)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		summary, _, text := recorded.stored(t)
		if said := fmt.Sprintf("%+v %s", summary, text); strings.Contains(said, "Planted") || strings.Contains(said, "0123456789") {
			t.Errorf("%s: %s", name, said)
		}
		if summary.Refused+len(summary.Passed) != 1 {
			t.Errorf("%s: the summary is %+v", name, summary)
		}
	}
	accepted := newSession(t, "openai", http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(writer, `{"choices":[{"message":{"content":"`+planted+`"}}]}`)
	}))
	response, err := http.Post(accepted.url+"/v1/chat/completions", "application/json", strings.NewReader(body(planted))) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	summary, store, text := accepted.stored(t)
	if strings.Contains(text, "Planted") || summary.Accepted != 1 {
		t.Errorf("accepted: %+v %s", summary, text)
	}
	if len(store.All) != 1 || store.All[0].Grade != recording.Relayed || !slices.Equal(summary.Elsewhere, []string{"127.0.0.1"}) {
		t.Errorf("a host that is no provider's counts as one: %+v", summary)
	}
}

// TestBytesPass compares what a server gets through the proxy with what it gets directly, and
// what the client gets, for bodies, codings, queries, headers and HTTP/2.
func TestBytesPass(t *testing.T) {
	t.Parallel()
	compressed, other := encoded(t, "gzip", body("x")), encoded(t, "br", missingItems)
	var got []string
	upstream := httptest.NewUnstartedServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		sent, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		delete(request.Header, "Accept-Encoding-Test")
		got = append(got, fmt.Sprintf("%s %s %s %v %x", request.Proto, request.Method, request.RequestURI, request.Header, sent))
		writer.Header().Set("Content-Encoding", "br")
		writer.WriteHeader(http.StatusBadRequest)
		_, _ = writer.Write(other)
	}))
	upstream.EnableHTTP2 = true
	upstream.StartTLS()
	t.Cleanup(upstream.Close)
	transport := upstream.Client().Transport.(*http.Transport).Clone() //nolint:forcetypeassert // of httptest
	transport.DisableCompression = true
	recorded := newSessionAt(t, "openai", upstream.URL, transport)
	for _, address := range []string{upstream.URL, recorded.url} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1//chat%2Fx/chat/completions?a=1;b=%zz&key=k", bytes.NewReader(compressed))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{
			"Content-Encoding": {"gzip"}, "Accept-Encoding": {"br, gzip"}, "X-Forwarded-For": {"1.2.3.4"}, "Forwarded": {"for=1.2.3.4"}, "Two": {"a", "b"}, "User-Agent": {"test"},
		}
		response, err := (&http.Client{Transport: transport}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(answer, other) || response.StatusCode != http.StatusBadRequest || response.Header.Get("Content-Encoding") != "br" {
			t.Errorf("%s answers %d %v %x", address, response.StatusCode, response.Header, answer)
		}
	}
	if len(got) != 2 || got[0] != got[1] || !strings.HasPrefix(got[1], "HTTP/2.0 ") {
		t.Errorf("the server gets\n%s", strings.Join(got, "\n"))
	}
	if summary, _, _ := recorded.stored(t); summary.Refused != 1 {
		t.Errorf("a refusal in a coding is not read: %+v", summary)
	}
}

// missingItems is a refusal of OpenAI's.
const missingItems = `{"error":{"message":"Invalid schema for function 'x': In context=(), array schema missing items.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}`

// codings write a text in each coding that the proxy reads.
var codings = map[string]func(io.Writer) (io.WriteCloser, error){
	"gzip":    func(to io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(to), nil },
	"deflate": func(to io.Writer) (io.WriteCloser, error) { return zlib.NewWriter(to), nil },
	"br":      func(to io.Writer) (io.WriteCloser, error) { return brotli.NewWriter(to), nil },
	"zstd":    func(to io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(to) },
}

func encoded(t *testing.T, coding, text string) []byte {
	t.Helper()
	var compressed bytes.Buffer
	writer, err := codings[coding](&compressed)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(writer, text)
	if err := errors.Join(err, writer.Close()); err != nil {
		t.Fatal(err)
	}
	return compressed.Bytes()
}

// TestCodings records requests and refusals in each coding, and passes on bodies that are cut off or
// that become huge, of which it records nothing.
func TestCodings(t *testing.T) {
	t.Parallel()
	for coding := range codings {
		whole := encoded(t, coding, body("x"))
		for name, test := range map[string]struct {
			sent []byte
			kept int
		}{
			"whole": {whole, 1}, "cut off": {whole[:len(whole)-5], 0}, "huge": {encoded(t, coding, strings.Repeat(" ", 64<<20)), 0},
		} {
			recorded := newSession(t, "openai", http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
				if sent, err := io.ReadAll(request.Body); err != nil || !bytes.Equal(sent, test.sent) {
					t.Errorf("%s, %s: %d bytes arrive: %v", coding, name, len(sent), err)
				}
				writer.Header().Set("Content-Encoding", coding)
				writer.WriteHeader(http.StatusBadRequest)
				_, _ = writer.Write(encoded(t, coding, missingItems))
			}))
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, recorded.url+"/v1/chat/completions", bytes.NewReader(test.sent))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Encoding", coding)
			request.Header.Set("Accept-Encoding", coding)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(response.Body)
			if err := errors.Join(err, response.Body.Close()); err != nil || !bytes.Equal(answer, encoded(t, coding, missingItems)) {
				t.Errorf("%s, %s: %d bytes come back: %v", coding, name, len(answer), err)
			}
			if summary, store, _ := recorded.stored(t); len(store.All) != test.kept {
				t.Errorf("%s, %s: %d recordings, %+v", coding, name, len(store.All), summary)
			}
		}
	}
}

// TestStreamPasses has a server write an event, and go on when the client has it; and one that
// hears when the client goes away.
func TestStreamPasses(t *testing.T) {
	t.Parallel()
	next, gone := make(chan bool), make(chan bool)
	recorded := newSession(t, "openai", http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		writer.Header().Set("Content-Type", "text/event-stream")
		for range 2 {
			_, _ = io.WriteString(writer, "data: {}\n\n")
			_ = http.NewResponseController(writer).Flush()
			<-next
		}
		<-request.Context().Done()
		close(gone)
	}))
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, recorded.url+"/v1/chat/completions", strings.NewReader(body("x")))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := io.ReadFull(response.Body, make([]byte, len("data: {}\n\n"))); err != nil {
			t.Fatal(err)
		}
		next <- true // the event has arrived before the next one was written
	}
	cancel()
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Fatal("the server does not hear that the client has gone")
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if summary := recorded.End(); summary.Accepted == 1 { // the answer was accepted before the client went
			return
		}
	}
	t.Errorf("the summary is %+v", recorded.End())
}

// TestHostile sends what is no request, too large or answered strangely: everything passes,
// and the summary says why nothing is recorded.
func TestHostile(t *testing.T) {
	t.Parallel()
	large := `{"tools":"` + strings.Repeat("x", 17<<20) + `"}`
	for _, test := range []struct {
		name, body, answer string
		status             int
		reason             string
	}{
		{"no JSON", "--", "{}", 200, "the request is not JSON"},
		{"deep", strings.Repeat("[", 1<<20), "{}", 200, "the request is not JSON"},
		{"large", large, "{}", 200, "the request is too large"},
		{"an error inside", body("x"), `{"error":{"message":"no"}}`, 200, "an error inside an answer of status 200"},
		{"an error in a stream", body("x"), "data: {\"error\":{}}\n\n", 200, "an error inside an answer of status 200"},
		{"no key", body("x"), `{"error":{"message":"no key sk-1"}}`, 401, "an answer of status 401 that is not about a declaration"},
		{"rubbish", body("x"), strings.Repeat("\x00", 2<<20), 400, "an answer of status 400 that is not about a declaration"},
		{"nothing declared", `{"messages":[]}`, "{}", 200, ""},
	} {
		recorded := newSession(t, "openai", http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
			if sent, err := io.ReadAll(request.Body); err != nil || string(sent) != test.body {
				t.Errorf("%s: %d bytes arrive: %v", test.name, len(sent), err)
			}
			writer.WriteHeader(test.status)
			_, _ = io.WriteString(writer, test.answer)
		}))
		response, err := http.Post(recorded.url+"/v1/chat/completions", "application/json", strings.NewReader(test.body)) //nolint:noctx // a test
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		if err := errors.Join(err, response.Body.Close()); err != nil || string(answer) != test.answer || response.StatusCode != test.status {
			t.Errorf("%s: %d, %d bytes, %v", test.name, response.StatusCode, len(answer), err)
		}
		summary, store, _ := recorded.stored(t)
		if len(store.All) > 0 || test.reason != "" && summary.Passed[test.reason] != 1 || test.reason == "" && summary.Silent != 1 {
			t.Errorf("%s: the summary is %+v, want %q", test.name, summary, test.reason)
		}
	}
	recorded := newSessionAt(t, "openai", "http://127.0.0.1:1", nil)
	response, err := http.Post(recorded.url+"/v1/chat/completions?key=planted", "application/json", strings.NewReader("{}")) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil || response.StatusCode != http.StatusBadGateway || strings.Contains(string(answer), "planted") {
		t.Errorf("no server: %d %s %v", response.StatusCode, answer, err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, recorded.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "evil.example"
	if response, err = http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a name of another host: %v %v", response, err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestBases reads the environment.
func TestBases(t *testing.T) {
	t.Parallel()
	bases, err := record.Bases([]string{"OPENAI_BASE_URL=https://api.deepseek.com/v1", "GOOGLE_CLOUD_LOCATION=europe-west4", "AZURE_OPENAI_ENDPOINT=https://mine.openai.azure.com"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, base := range bases {
		got[base.Variable] = base.URL.String()
	}
	for name, want := range map[string]string{
		"OPENAI_BASE_URL": "https://api.deepseek.com/v1", "OPENAI_API_BASE": "https://api.openai.com/v1", "AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com",
		"GOOGLE_VERTEX_BASE_URL": "https://europe-west4-aiplatform.googleapis.com", "ANTHROPIC_BASE_URL": "https://api.anthropic.com",
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
	if _, err := record.Bases([]string{"OPENAI_BASE_URL=sk-plantedkey"}); err == nil || strings.Contains(err.Error(), "planted") {
		t.Errorf("a key for an address: %v", err)
	}
	environment := record.Environment([]string{"NO_PROXY=example.com", "A=b"}, map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1"})
	for _, want := range []string{"A=b", "OPENAI_BASE_URL=http://127.0.0.1:1", "NO_PROXY=example.com,127.0.0.1,localhost"} {
		if !slices.Contains(environment, want) {
			t.Errorf("the environment is %v, want %s", environment, want)
		}
	}
}

// BenchmarkProxy measures a request with a declaration, directly and through the proxy.
func BenchmarkProxy(b *testing.B) {
	upstream := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body)
		_, _ = io.WriteString(writer, `{"choices":[]}`)
	}))
	b.Cleanup(upstream.Close)
	address, err := url.Parse(upstream.URL)
	if err != nil {
		b.Fatal(err)
	}
	recorder := &record.Recorder{Dialects: harness.Dialects, Keep: recording.NewAppender(b.TempDir(), nil).Add}
	front := httptest.NewServer(recorder.Proxy(record.Base{Variable: "X", Service: "openai", URL: address}))
	b.Cleanup(front.Close)
	text := body("x")
	for name, target := range map[string]string{"direct": upstream.URL, "recorded": front.URL} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				response, err := http.Post(target+"/v1/chat/completions", "application/json", strings.NewReader(text)) //nolint:noctx // a benchmark
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, response.Body)
				if err := response.Body.Close(); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-median")
		})
	}
}
