package traffic_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"toolproof/harness/traffic"
)

const body = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`

// TestPlaces checks where requests and their parts are said to be: a body that is JSON has its own positions,
// and one in a text has that of the text.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text                string
		line, of, ofMessage int
	}{
		"a log":   {"[{\"number\":1,\"method\":\"POST\",\"path\":\"/v1/chat/completions\",\"header\":{},\n\"body\":{\"messages\":[\n" + `{"role":"user"}]}}]`, 1, 2, 3},
		"lines":   {"\n{\"url\":\"/x\",\"body\":" + body + "}\n{\"broken\n", 2, 2, 2},
		"a HAR":   {"{\"log\":{\"entries\":[\n{\"request\":{\"url\":\"https://h/p?key=secret\",\n\"postData\":{\"text\":" + fmt.Sprintf("%q", body) + `}}}]}}`, 2, 3, 3},
		"in YAML": {"interactions:\n- request:\n    body: '" + body + "'\n    uri: https://h/p?key=secret\n", 2, 3, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exchanges, err := traffic.Read([]byte(test.text))
			if len(exchanges) != 1 || err != nil && name != "lines" {
				t.Fatalf("%d exchanges, %v", len(exchanges), err)
			}
			found := exchanges[0]
			node := found.Body()
			if int(found.At.Line) != test.line || int(node.Position.Line) != test.of || int(node.Get("messages").Elements[0].Position.Line) != test.ofMessage {
				t.Errorf("the exchange is at %v, its body at %v, and the message at %v", found.At, node.Position, node.Get("messages").Elements[0].Position)
			}
			if strings.Contains(found.Path+found.Host, "secret") {
				t.Errorf("the query was kept: %s", found.Path)
			}
		})
	}
}

// TestUnknown checks that files of tools and single requests are left to others.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "{", "[", body, body + "\n" + body, `{"tools":[{"name":"f","inputSchema":{}}]}`, "name: f\n", `[{"request":1,"input":2,"model":3}]`,
		strings.Repeat("[", 2000), `{"log":{"entries":1}}`, strings.Repeat(`{"a":1,"messages":0,"body":0}`+"\n", 500),
	} {
		if exchanges, err := traffic.Read([]byte(text)); !errors.Is(err, traffic.ErrUnknown) || len(exchanges) > 0 {
			t.Errorf("%.40q: %d exchanges, %v", text, len(exchanges), err)
		}
	}
}

// TestIsForged checks that a signature counts as forged only if the file has all answers before, and none gave it.
func TestIsForged(t *testing.T) {
	t.Parallel()
	request := func(messages, answer string, status int) string {
		return fmt.Sprintf(`{"path":"/v1/messages","body":{"messages":[%s]},"status":%d,"answer":%q}`+"\n", messages, status, answer)
	}
	const hi, thought = `{"role":"user","content":"hi"}`, `,{"role":"assistant","content":"so"}`
	signed := `data: {"delta":{"signature": "c2ln"}}`
	for name, test := range map[string]struct {
		text    string
		given   bool // what the last exchange says of c2ln
		unknown bool
	}{
		"given before":      {request(hi, signed, 200) + request(hi+thought, "x", 200), false, false},
		"never given":       {request(hi, "x", 200) + request(hi+thought, "x", 200), true, false},
		"given later":       {request(hi, "x", 200) + request(hi+thought, signed, 200), true, false},
		"an answer lacks":   {request(hi, "", 200) + request(hi+thought, "x", 200), false, true},
		"a beginning lacks": {request(hi+thought, "x", 200), false, true},
		"a refusal between": {request(hi, "x", 200) + request(hi, "x", 500) + request(hi+thought, "x", 200), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			exchanges, err := traffic.Read([]byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			said := traffic.NewSaid()
			var isForged func(string) bool
			for _, exchange := range exchanges {
				isForged = said.IsForged(exchange, exchange.Body())
			}
			if (isForged == nil) != test.unknown || isForged != nil && isForged("c2ln") != test.given {
				t.Errorf("known: %v", isForged != nil)
			}
		})
	}
}
