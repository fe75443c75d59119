package emulator_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"toolproof/harness/emulator"
)

// A test gives the URL of the emulator to the client that it tests, and needs neither a key nor a network.
func Example() {
	server := httptest.NewServer(emulator.New(emulator.Options{Seed: 1}))
	defer server.Close()
	request := strings.NewReader(`{
		"model": "gpt-4o",
		"messages": [{"role": "user", "content": "What do I have?"}],
		"tools": [{"type": "function", "function": {"name": "list", "parameters": {"type": "object", "properties": {"all": {"type": "array"}}}}}]
	}`)
	response, err := http.Post(server.URL+"/v1/chat/completions", "application/json", request) //nolint:noctx // as short as a test has it
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(response.Status)
	fmt.Println(string(answer))
	// Output:
	// 400 Bad Request
	// {"error":{"message":"Invalid schema for function 'list': In context=('properties', 'all'), array schema missing items.","type":"invalid_request_error","param":"tools[0].function.parameters","code":"invalid_function_parameters"}}
}
