package site

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
)

// playgroundFiles are the files that make site puts into the folder of the site first: the
// compressed engine, what starts it, and the bundle of the page.
var playgroundFiles = []string{engineFile, "playground/worker.js", "playground/wasm_exec.js", "playground/playground.js", "playground/playground.css"}

// engineFile is the engine as WebAssembly.
const engineFile = "playground/engine.wasm.gz"

// playgroundPage makes the page on which people paste tools, if its files are there.
func playgroundPage(_ context.Context, data *Data) ([]Page, error) {
	var engine []byte
	for _, name := range playgroundFiles {
		text, err := fs.ReadFile(data.Present, name)
		if err != nil {
			return nil, nil //nolint:nilerr // a folder that cannot be read cannot be written to either, and that error tells why
		}
		if name == engineFile {
			engine = text
		}
	}
	sum := sha256.Sum256(engine)
	return []Page{{
		Path: "playground/index.html", Section: playground, Title: "Playground", Template: "playground",
		Summary: "Paste tools, or an error message, and see which providers refuse them, in their words, and what to write instead. Nothing leaves the browser.",
		// The URL of the engine has a digest, so that browsers cache it until it changes.
		Data:    struct{ Engine string }{"engine.wasm.gz?" + hex.EncodeToString(sum[:6])},
		Scripts: []string{"playground/playground.js"}, Styles: []string{"playground/playground.css"},
		// The engine runs in a worker that is started from a blob, because such a worker has
		// the policy of its page: it loads only from the site, and compiles WebAssembly.
		// CodeMirror needs no exception for styles, because in a shadow tree it uses
		// constructed style sheets.
		Policy: map[string]string{"script-src": "'self' 'wasm-unsafe-eval'", "worker-src": "blob:"},
	}}, nil
}
