package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"toolproof/harness/rpc"
)

const tools = `[{"name":"plan/trip","description":"Plans a trip.","inputSchema":{"type":"object","properties":{"days":{"type":"integer"},"unit":{"const":"km"}}}}]`

// definitions caches the compiled definitions of the published schema by name.
var definitions sync.Map

// published returns a definition of the published schema, which refers to that of result lines.
func published(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	if known, isKnown := definitions.Load(name); isKnown {
		return known.(*jsonschema.Schema) //nolint:forcetypeassert // nothing else is stored
	}
	compiled, err := jsonschema.NewCompiler().Compile("../../docs/schema/rpc.schema.json#/$defs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	definitions.Store(name, compiled)
	return compiled
}

// valid checks a value against a definition of the published schema.
func valid(t *testing.T, name string, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = published(t, name).Validate(value)
	}
	if err != nil {
		t.Errorf("%s is no %s: %v", text, name, err)
	}
}

type answer struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *rpc.Error      `json:"error"`
}

// ask asks a service and checks request and answer against the published schema.
func ask(t *testing.T, service *rpc.Service, method, parameters string) answer {
	t.Helper()
	request := []byte(`{"id":7,"method":"` + method + `","params":` + parameters + `}`)
	valid(t, "request", request)
	text := service.Answer(t.Context(), request)
	valid(t, "answer", text)
	var got answer
	if err := json.Unmarshal(text, &got); err != nil || string(got.ID) != "7" {
		t.Fatalf("%s: %v", text, err)
	}
	if got.Error != nil {
		return got
	}
	result := method + "Result"
	if method == "advise" {
		result = "checkResult"
	}
	valid(t, result, got.Result)
	if method != "hello" {
		valid(t, method+"Params", []byte(parameters))
	}
	return got
}

// read reads a result.
func read[R any](t *testing.T, got answer) (result R) {
	t.Helper()
	if got.Error != nil {
		t.Fatal(got.Error)
	}
	if err := json.Unmarshal(got.Result, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

func TestHello(t *testing.T) {
	t.Parallel()
	said := read[struct {
		Version string
		Targets []struct {
			Name, Dialect       string
			Normalizes, Answers bool
		}
	}](t, ask(t, &rpc.Service{Version: "v9"}, "hello", "{}"))
	names := map[string]bool{}
	for _, target := range said.Targets {
		if names[target.Name] || target.Dialect == "" {
			t.Errorf("%+v", target)
		}
		names[target.Name] = true
	}
	if said.Version != "v9" || !names["openai-strict"] || !names["azure/chat"] {
		t.Errorf("%+v", said)
	}
}

// TestNormalize checks that tools are rewritten, and that a call of the rewritten tool comes back.
func TestNormalize(t *testing.T) {
	t.Parallel()
	service := &rpc.Service{}
	made := read[struct {
		Set   string
		Tools []struct {
			Given, Name, Loss string
			Strict            bool
			Wire              struct{ Function struct{ Name string } }
			Restores          []string
		}
	}](t, ask(t, service, "normalize", `{"target":"openai-strict","tools":`+tools+`}`))
	if len(made.Tools) != 1 || made.Tools[0].Given != "plan/trip" || made.Tools[0].Name != "plan_trip" || !made.Tools[0].Strict || made.Tools[0].Wire.Function.Name != "plan_trip" {
		t.Fatalf("%+v", made)
	}
	if !slices.Contains(made.Tools[0].Restores, "optional_to_nullable") {
		t.Errorf("%+v", made.Tools[0])
	}
	for _, test := range []struct{ arguments, mend, want string }{
		{`{"days":null,"unit":null}`, "false", `{"name":"plan/trip","arguments":{},"valid":true}`},
		{`"{\"days\": 3, \"unit\": \"km\"}"`, "false", `{"name":"plan/trip","arguments":{"days":3,"unit":"km"},"valid":true}`},
		{`{"days":"3","unit":null}`, "true", `{"name":"plan/trip","arguments":{"days":3},"valid":true}`},
		{`""`, "false", `{"name":"plan/trip","arguments":{},"valid":true}`},
	} {
		got := ask(t, service, "restore", `{"set":"`+made.Set+`","name":"plan_trip","mend":`+test.mend+`,"arguments":`+test.arguments+`}`)
		if string(got.Result) != test.want {
			t.Errorf("%s: got %s, want %s", test.arguments, got.Result, test.want)
		}
	}
	refused := read[struct {
		Valid    bool
		Message  string
		Problems []struct{ At string }
	}](t, ask(t, service, "restore", `{"set":"`+made.Set+`","name":"plan_trip","arguments":{"days":"many","unit":null}}`))
	if refused.Valid || len(refused.Problems) != 1 || refused.Problems[0].At != "/days" || !strings.Contains(refused.Message, "days") {
		t.Errorf("%+v", refused)
	}
}

// TestSets checks that a set is forgotten after many others, and that normalizing again gives it again.
func TestSets(t *testing.T) {
	t.Parallel()
	service := &rpc.Service{}
	set := func(number int) string {
		tool := fmt.Sprintf(`{"name":"f%d","parameters":{"type":"object"}}`, number)
		return read[struct{ Set string }](t, ask(t, service, "normalize", `{"target":"gemini","tools":`+tool+`}`)).Set
	}
	restore := func(number int, set string) *rpc.Error {
		return ask(t, service, "restore", fmt.Sprintf(`{"set":%q,"name":"f%d","arguments":{}}`, set, number)).Error
	}
	first := set(0)
	for i := range 63 {
		set(i + 1)
	}
	if err := restore(0, first); err != nil { // which makes it the last used one
		t.Fatal(err)
	}
	second := set(1)
	for i := range 63 {
		set(i + 100)
	}
	if err := restore(0, first); err == nil || err.Code != rpc.UnknownSet {
		t.Errorf("the first set: %v", err)
	}
	if err := restore(1, second); err != nil {
		t.Errorf("the second set: %v", err)
	}
	if again := set(0); again != first || restore(0, again) != nil {
		t.Errorf("the set is %s and was %s", again, first)
	}
}

// TestCheck checks verdicts, the summary and the default targets.
func TestCheck(t *testing.T) {
	t.Parallel()
	type result struct {
		Lines []struct {
			Target string
			Raw    struct {
				Verdict  string
				Findings []struct{ Rule, At string }
			}
			Summary struct{ Tools int }
		}
		Conforms bool
	}
	got := read[result](t, ask(t, &rpc.Service{}, "check", `{"targets":["gemini","gemini"],"tools":`+tools+`}`))
	if len(got.Lines) != 2 || got.Conforms || got.Lines[0].Raw.Verdict != "rejected" || got.Lines[0].Raw.Findings[0].At != "/inputSchema/properties/unit/const" || got.Lines[1].Summary.Tools != 1 {
		t.Errorf("gemini: %+v", got)
	}
	if got := read[result](t, ask(t, &rpc.Service{}, "check", `{"targets":["gemini"],"normalized":true,"tools":`+tools+`}`)); !got.Conforms {
		t.Errorf("normalized: %+v", got)
	}
	got = read[result](t, ask(t, &rpc.Service{}, "check", `{"tools":`+tools+`}`))
	var targets []string
	for _, line := range got.Lines {
		targets = append(targets, line.Target)
	}
	if want := []string{"mcp", "openai", "openai-responses", "anthropic", "gemini-json", "gemini", "vertex", ""}; !slices.Equal(targets, want) {
		t.Errorf("asked %q, want %q", targets, want)
	}
	got = read[result](t, ask(t, &rpc.Service{}, "check", `{"tools":[{"name":"f","input_schema":{"type":"object"}}]}`))
	if len(got.Lines) != 2 || got.Lines[0].Target != "anthropic" || !got.Conforms {
		t.Errorf("a tool of Anthropic's: %+v", got)
	}
	for _, tools := range []string{
		`[{"name":"f","strict":true,"input_schema":{"type":"object"}}]`,
		`{"max_tokens":1,"messages":[],"tools":[{"name":"f","strict":true,"input_schema":{"type":"object"}}]}`,
	} {
		got = read[result](t, ask(t, &rpc.Service{}, "check", `{"tools":`+tools+`}`))
		if len(got.Lines) != 2 || got.Lines[0].Target != "anthropic-strict" || got.Conforms {
			t.Errorf("a tool with strict true: %+v", got)
		}
	}
}

// TestExplain checks what a message means, with the tools and without them.
func TestExplain(t *testing.T) {
	t.Parallel()
	const message = `"Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[0].parameters.properties[1].value': Cannot find field."`
	got := read[struct {
		Dialect string
		Lines   []struct {
			Raw struct{ Findings []struct{ At string } }
		}
	}](t, ask(t, &rpc.Service{}, "explain_error", `{"message":`+message+`,"tools":`+tools+`}`))
	if got.Dialect != "gemini/parameters" || len(got.Lines) != 2 || got.Lines[0].Raw.Findings[0].At != "/inputSchema/properties/unit/const" {
		t.Errorf("%+v", got)
	}
	for _, parameters := range []string{`{"message":"good morning","tools":` + tools + `}`, `{"message":` + message + `}`} {
		if err := ask(t, &rpc.Service{}, "explain_error", parameters).Error; err == nil || err.Code != rpc.NoAnswer {
			t.Errorf("%s: %v", parameters, err)
		}
	}
}

func TestAdvise(t *testing.T) {
	t.Parallel()
	got := read[struct {
		Lines []struct{ Advice []struct{ Rule string } }
	}](t, ask(t, &rpc.Service{}, "advise", `{"tools":`+tools+`}`))
	if len(got.Lines) != 2 || len(got.Lines[0].Advice) == 0 || got.Lines[0].Advice[0].Rule != "no_description" {
		t.Errorf("%+v", got)
	}
}

// TestErrors checks that every request gets an answer that says what is wrong.
func TestErrors(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]rpc.Error{
		``:                                      {Code: rpc.BadRequest, Message: "reading the request"},
		`rubbish`:                               {Code: rpc.BadRequest, Message: "reading the request"},
		`{"id":1,"method":"hello"} {}`:          {Code: rpc.BadRequest, Message: "more than one value"},
		`{"id":1,"method":"hello","evil":1}`:    {Code: rpc.BadRequest, Message: `"evil"`},
		`{"id":1,"method":"delete"}`:            {Code: rpc.BadRequest, Message: `unknown method "delete"`},
		`{"id":1,"method":"check","params":[]}`: {Code: rpc.BadRequest, Message: "reading params"},
		`{"id":1,"method":"check","params":{"tool":1}}`:                                                     {Code: rpc.BadRequest, Message: `"tool"`},
		`{"id":1,"method":"check"}`:                                                                         {Code: rpc.BadTools, Message: ""},
		`{"id":1,"method":"check","params":{"tools":"hello"}}`:                                              {Code: rpc.BadTools, Message: ""},
		`{"id":1,"method":"check","params":{"tools":[]}}`:                                                   {Code: rpc.BadTools, Message: ""},
		`{"id":1,"method":"check","params":{"tools":` + tools + `,"targets":["nobody"]}}`:                   {Code: rpc.BadRequest, Message: `unknown target "nobody"`},
		`{"id":1,"method":"normalize","params":{"tools":` + tools + `}}`:                                    {Code: rpc.BadRequest, Message: "needs a target"},
		`{"id":1,"method":"normalize","params":{"tools":` + tools + `,"target":"portable","options":true}}`: {Code: rpc.BadRequest, Message: "reading params"},
		`{"id":1,"method":"restore","params":{"set":"x","name":"f","arguments":{}}}`:                        {Code: rpc.UnknownSet, Message: "x"},
		`{"id":1,"method":"explain_error","params":{}}`:                                                     {Code: rpc.BadRequest, Message: "message"},
		strings.Repeat(" ", rpc.MaxRequest+1):                                                               {Code: rpc.BadRequest, Message: "bytes"},
	} {
		text := (&rpc.Service{}).Answer(t.Context(), []byte(request))
		valid(t, "answer", text)
		var got answer
		if err := json.Unmarshal(text, &got); err != nil || got.Error == nil || got.Error.Code != want.Code || !strings.Contains(got.Error.Message, want.Message) {
			t.Errorf("%.80s: got %s, want %v", request, text, want)
		}
	}
}

// TestCanceled checks that a context that has ended ends the answer.
func TestCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, method := range []string{"check", "normalize"} {
		text := (&rpc.Service{}).Answer(ctx, []byte(`{"id":1,"method":"`+method+`","params":{"targets":["gemini"],"tools":`+tools+`}}`))
		if method == "normalize" {
			text = (&rpc.Service{}).Answer(ctx, []byte(`{"id":1,"method":"normalize","params":{"target":"gemini","tools":`+tools+`}}`))
		}
		if want := `{"id":1,"error":{"code":"canceled","message":"enough"}}`; string(text) != want {
			t.Errorf("%s: got %s, want %s", method, text, want)
		}
	}
}

// TestServe checks that every line gets one answer, whatever it is, and that the last one needs no end of
// line.
func TestServe(t *testing.T) {
	t.Parallel()
	var requests, want []string
	for i := range 200 {
		requests = append(requests, fmt.Sprintf(`{"id":%d,"method":"check","params":{"targets":["gemini"],"tools":%s}}`, i, tools))
		want = append(want, strconv.Itoa(i))
	}
	requests = slices.Insert(requests, 100, "", "rubbish", `"`+strings.Repeat("x", rpc.MaxRequest)+`"`)
	var out bytes.Buffer
	if err := (&rpc.Service{Version: "v9"}).Serve(t.Context(), strings.NewReader(strings.Join(requests, "\n")), &out, time.Minute); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if lines[0] != `{"protocol":1,"version":"v9"}` {
		t.Errorf("the greeting is %s", lines[0])
	}
	valid(t, "greeting", []byte(lines[0]))
	var ids []string
	unread := 0
	for _, line := range lines[1:] {
		var got answer
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if string(got.ID) == "null" {
			unread++
			continue
		}
		ids = append(ids, string(got.ID))
	}
	slices.Sort(ids)
	slices.Sort(want)
	if !slices.Equal(ids, want) || unread != 2 {
		t.Errorf("%d answers and %d to what is no request, want %d and 2", len(ids), unread, len(want))
	}
}

// broken is an output that fails after some lines.
type broken struct {
	sync.Mutex

	left int
}

func (b *broken) Write(text []byte) (int, error) {
	b.Lock()
	defer b.Unlock()
	if b.left--; b.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(text), nil
}

// TestServeEnds checks that serving ends with the output, with the context, and after the limit.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	endless := strings.NewReader(strings.Repeat(`{"id":1,"method":"hello"}`+"\n", 10_000))
	if err := (&rpc.Service{}).Serve(t.Context(), endless, &broken{left: 3}, time.Minute); !errors.Is(err, io.ErrClosedPipe) || endless.Len() == 0 {
		t.Errorf("a closed output: %v, %d bytes left", err, endless.Len())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&rpc.Service{}).Serve(ctx, strings.NewReader("\n"), io.Discard, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled context: %v", err)
	}
	var out bytes.Buffer
	request := `{"id":1,"method":"check","params":{"targets":["gemini"],"tools":` + tools + "}}\n"
	if err := (&rpc.Service{}).Serve(t.Context(), strings.NewReader(request), &out, time.Nanosecond); err != nil || !strings.Contains(out.String(), `"code":"canceled"`) {
		t.Errorf("the limit: %v, %s", err, out.String())
	}
}

// BenchmarkRestore measures a call that comes back.
func BenchmarkRestore(b *testing.B) {
	service := &rpc.Service{}
	var made struct {
		Result struct {
			Set string `json:"set"`
		} `json:"result"`
	}
	text := service.Answer(b.Context(), []byte(`{"id":1,"method":"normalize","params":{"target":"openai-strict","tools":`+tools+`}}`))
	if err := json.Unmarshal(text, &made); err != nil {
		b.Fatal(err)
	}
	request := []byte(`{"id":1,"method":"restore","params":{"set":"` + made.Result.Set + `","name":"plan_trip","arguments":{"days":3,"unit":"km"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if text := service.Answer(b.Context(), request); !bytes.Contains(text, []byte(`"valid":true`)) {
			b.Fatalf("%s", text)
		}
	}
}
