//go:build js && wasm

// Command playground is the engine in a browser: WebAssembly that a worker runs. It defines
// the function toolproof, which takes a question and returns the answer, both as JSON, and
// then calls toolproofReady.
package main

import (
	"context"
	"syscall/js"

	"toolproof/harness/recording"
	"toolproof/lab/playground"
	"toolproof/recordings"
)

func main() {
	store, err := recording.Lazy(recordings.Files)
	if err != nil {
		panic(err) // the files are inside the program, and tests read them
	}
	engine := playground.New(store)
	js.Global().Set("toolproof", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		return engine.Answer(context.Background(), arguments[0].String())
	}))
	js.Global().Call("toolproofReady")
	select {} // until the worker ends
}
