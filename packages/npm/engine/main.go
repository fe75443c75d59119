//go:build js && wasm

// Command engine is the library for JavaScript: WebAssembly that answers the requests of package
// harness/rpc. It passes to toolproofReady a function that takes a request and returns the answer, both as
// JSON.
package main

import (
	"context"
	"syscall/js"

	"toolproof/fixtures"
	"toolproof/harness/recording"
	"toolproof/harness/rpc"
	"toolproof/recordings"
)

// version is set by the linker.
var version = "(devel)"

func main() {
	store, err := recording.Lazy(recordings.Files)
	if err != nil {
		panic(err) // the files are inside the program, and tests read them
	}
	service := rpc.New(version, store, fixtures.Files, recordings.Files)
	js.Global().Call("toolproofReady", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		return string(service.Answer(context.Background(), []byte(arguments[0].String())))
	}))
	select {} // until the program ends
}
