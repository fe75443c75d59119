//go:build js && wasm

// Command engine is the library for JavaScript: WebAssembly that answers the requests of package
// harness/rpc. It passes to toolproofReady a function that takes a request and returns the answer, both as
// JSON.
package main

import (
	"context"
	"sync"
	"syscall/js"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/evidence"
	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
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
	service := &rpc.Service{Version: version, Store: store, Explainer: sync.OnceValues(func() (*refusal.Explainer, error) {
		dialects := make([]*provider.Dialect, len(harness.Surfaces))
		for i, surface := range harness.Surfaces {
			dialects[i] = surface.Dialect
		}
		return evidence.Explainer(dialects, fixtures.Files, recordings.Files)
	})}
	js.Global().Call("toolproofReady", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		return string(service.Answer(context.Background(), []byte(arguments[0].String())))
	}))
	select {} // until the program ends
}
