package site

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"toolproof/harness/recording"
	"toolproof/recordings"
)

// TestPlayground: the page is there once its files are, the navigation leads to it, and the
// address of the engine changes with the engine.
func TestPlayground(t *testing.T) {
	t.Parallel()
	store, err := recording.Load(recordings.Files)
	if err != nil {
		t.Fatal(err)
	}
	with := func(engine string) map[string][]byte {
		present := fstest.MapFS{}
		for _, name := range []string{"worker.js", "wasm_exec.js", "playground.js", "playground.css", "engine.wasm.gz"} {
			present["playground/"+name] = &fstest.MapFile{Data: []byte(engine)}
		}
		made, err := Files(context.Background(), &Data{Store: store, Docs: os.DirFS("../../docs"), Present: present})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	first, second := with("one"), with("two")
	page := string(first["playground/index.html"])
	for _, want := range []string{`src="../playground/playground.js"`, `href="../playground/playground.css"`, `data-engine="engine.wasm.gz?`, `<noscript>`, `worker-src blob:`, `connect-src &#39;self&#39;`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if page == string(second["playground/index.html"]) {
		t.Error("the address of the engine stays when the engine changes")
	}
	if !strings.Contains(string(first["index.html"]), `href="playground/index.html"`) {
		t.Error("nothing leads to the page")
	}
	if files(t)["playground/index.html"] != nil {
		t.Error("the page is there without its files")
	}
}
