// Command mcpclient says what the official client of the Model Context Protocol for Go says to the list and the result of
// each case of cases.json. It writes {name, said} for each, in which said is null if the client takes both, or its words.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed cases.json
var cases []byte

// made is a case: the only tool of a server, and what each call of it returns.
type made struct {
	Name   string          `json:"name"`
	Tool   json.RawMessage `json:"tool"`
	Result json.RawMessage `json:"result"`
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mcpclient:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	var all []made
	if err := json.Unmarshal(cases, &all); err != nil {
		return fmt.Errorf("reading the cases: %w", err)
	}
	encoder := json.NewEncoder(out)
	for _, made := range all {
		answer := map[string]any{"name": made.Name, "said": nil}
		if err := ask(made); err != nil {
			answer["said"] = err.Error()
		}
		if err := encoder.Encode(answer); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
	return nil
}

// ask lets the client list the tool and call it, and returns what the client says against that.
func ask(made made) (said error) {
	const wait = 3 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	defer toClient.Close() //nolint:errcheck // nothing is written any more
	go serve(made, fromClient, toClient)
	defer func() {
		if caught := recover(); caught != nil {
			said = fmt.Errorf("panic: %v", caught)
		}
	}()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "toolproof", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		return err //nolint:wrapcheck // these words are wanted
	}
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		return err //nolint:wrapcheck // these words are wanted
	}
	if len(listed.Tools) == 0 {
		return errors.New("the tool is left out of the list")
	}
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: listed.Tools[0].Name})
	return err //nolint:wrapcheck // these words are wanted
}

// serve answers the client as a server in its revision of the protocol, until the client ends.
func serve(made made, in io.Reader, out io.Writer) {
	lines, answer := bufio.NewScanner(in), json.NewEncoder(out)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Version string `json:"protocolVersion"` //nolint:tagliatelle // the protocol writes it so
			} `json:"params"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": request.ID}
		switch request.Method {
		case "initialize":
			reply["result"] = map[string]any{
				"protocolVersion": request.Params.Version, "capabilities": map[string]any{"tools": struct{}{}}, "serverInfo": map[string]string{"name": "t", "version": "1"},
			}
		case "tools/list":
			reply["result"] = map[string]any{"tools": []json.RawMessage{made.Tool}}
		case "tools/call":
			reply["result"] = made.Result
		default:
			reply["error"] = map[string]any{"code": -32601, "message": "Method not found"}
		}
		if err := answer.Encode(reply); err != nil {
			return
		}
	}
}
