package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"toolproof/harness/server"
)

// use calls the tool f of a server, and returns the answer and the version that the session speaks.
func use(t *testing.T, address string, respond func(server.Asked) (json.RawMessage, *jsonrpc.Error)) (answer server.Answer, revision string) {
	t.Helper()
	err := server.At(address).Use(t.Context(), func(ctx context.Context, _ []byte, session *server.Session) error {
		session.Respond = respond
		answer, revision = session.Call(ctx, "f", json.RawMessage(`{"a":1}`)), session.Revision()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer, revision
}

// TestAsked: what a server asks while it works on a call is noted and answered.
func TestAsked(t *testing.T) {
	t.Parallel()
	asking := mcp.NewServer(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	asking.AddTool(&mcp.Tool{Name: "f", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		said, err := request.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Which city?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)})
		text := fmt.Sprint(err)
		if err == nil {
			text = fmt.Sprint(said.Action, said.Content)
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return asking }, nil))
	t.Cleanup(web.Close)
	answer, _ := use(t, web.URL, func(server.Asked) (json.RawMessage, *jsonrpc.Error) {
		return json.RawMessage(`{"action":"accept","content":{"city":"Graz"}}`), nil
	})
	if len(answer.Asked) != 1 || answer.Asked[0].Method != "elicitation/create" || answer.Asked[0].IsEmbedded || !strings.Contains(string(answer.Asked[0].Params), `"Which city?"`) {
		t.Errorf("asked %+v", answer.Asked)
	}
	if !strings.Contains(string(answer.Result), "acceptmap[city:Graz]") {
		t.Errorf("the server is answered %s", answer.Result)
	}
	answer, _ = use(t, web.URL, func(server.Asked) (json.RawMessage, *jsonrpc.Error) {
		return nil, &jsonrpc.Error{Code: -32602, Message: "the user has left"}
	})
	if !strings.Contains(string(answer.Result), "the user has left") {
		t.Errorf("the server is refused with %s", answer.Result)
	}
	if answer, _ = use(t, web.URL, nil); len(answer.Asked) != 0 || !strings.Contains(string(answer.Result), "not support") {
		t.Errorf("without answers: %+v, %s", answer.Asked, answer.Result)
	}
}

// TestRounds: a call whose result requires input is made again with the input and the state, ten times at most.
func TestRounds(t *testing.T) {
	t.Parallel()
	const ask = `"inputRequests":{"city":{"method":"elicitation/create","params":{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}}}`
	for _, test := range []struct {
		name, result, want string
		refuses            bool
		rounds             int
	}{
		{"a form", `{"resultType":"input_required","requestState":"s",` + ask + `}`, `{"action":"accept"} "s" {"a":1}`, false, 2},
		{"a state alone", `{"resultType":"input_required","requestState":"s"}`, `null "s" {"a":1}`, false, 2},
		{"a form that is refused", `{"resultType":"input_required",` + ask + `}`, `input_required`, true, 1},
		{"nothing", `{"resultType":"input_required"}`, `input_required`, false, 1},
		{"no end", `{"resultType":"input_required","requestState":"for ever"}`, `input_required`, false, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rounds := 0
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
				var sent struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
					Params struct {
						Arguments      json.RawMessage            `json:"arguments"`
						InputResponses map[string]json.RawMessage `json:"inputResponses"` //nolint:tagliatelle // the protocol writes it so
						RequestState   json.RawMessage            `json:"requestState"`   //nolint:tagliatelle // likewise
					} `json:"params"`
				}
				if err := json.NewDecoder(request.Body).Decode(&sent); err != nil || sent.ID == nil {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				result := `{"resultType":"complete","tools":[{"name":"f","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}`
				switch sent.Method {
				case "initialize":
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, sent.ID)
					return
				case "server/discover":
					result = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"},"ttlMs":0,"cacheScope":"public"}`
				case "tools/call":
					rounds++
					if result = test.result; sent.Params.RequestState != nil && !strings.Contains(test.result, "for ever") {
						city, state := sent.Params.InputResponses["city"], sent.Params.RequestState
						if city == nil {
							city = json.RawMessage("null")
						}
						text, err := json.Marshal(fmt.Sprintf("%s %s %s", city, state, sent.Params.Arguments))
						if err != nil {
							t.Error(err)
						}
						result = fmt.Sprintf(`{"resultType":"complete","content":[{"type":"text","text":%s}]}`, text)
					}
				}
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, sent.ID, result)
			}))
			t.Cleanup(web.Close)
			answer, revision := use(t, web.URL, func(server.Asked) (json.RawMessage, *jsonrpc.Error) {
				if test.refuses {
					return nil, &jsonrpc.Error{Code: -32602, Message: "no"}
				}
				return json.RawMessage(`{"action":"accept"}`), nil
			})
			want, err := json.Marshal(test.want)
			if err != nil {
				t.Fatal(err)
			}
			if revision != "2026-07-28" || rounds != test.rounds || !strings.Contains(string(answer.Result), string(want[1:len(want)-1])) || answer.IsStopped != test.refuses {
				t.Errorf("version %s, %d rounds, %s (%v), want %s", revision, rounds, answer.Result, answer.Lost, want)
			}
			if isAsked := len(answer.Asked) == 1 && answer.Asked[0].IsEmbedded; isAsked != strings.Contains(test.result, "inputRequests") {
				t.Errorf("asked %+v", answer.Asked)
			}
		})
	}
}
