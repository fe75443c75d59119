package site

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"toolproof/harness/recording"
)

// TestPlayground checks that the page exists once its files do, that the navigation links to
// it, and that the URL of the engine changes with the engine.
func TestPlayground(t *testing.T) {
	t.Parallel()
	with := func(engine string) *Data {
		present := fstest.MapFS{}
		for _, name := range []string{"worker.js", "wasm_exec.js", "playground.js", "playground.css", "engine.wasm.gz"} {
			present["playground/"+name] = &fstest.MapFile{Data: []byte(engine)}
		}
		return &Data{Store: &recording.Store{}, Docs: fstest.MapFS{}, Present: present} // other data make no difference
	}
	first, err := Files(t.Context(), with("one"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(first["playground/index.html"])
	for _, want := range []string{`src="../playground/playground.js"`, `href="../playground/playground.css"`, `data-engine="engine.wasm.gz?`, `<noscript>`, `worker-src blob:`, `connect-src &#39;self&#39;`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	one, err := playgroundPage(t.Context(), with("one"))
	two, failed := playgroundPage(t.Context(), with("two"))
	if err := errors.Join(err, failed); err != nil || len(one) != 1 || len(two) != 1 || one[0].Data == two[0].Data {
		t.Errorf("the address of the engine stays when the engine changes: %v, %v, %v", one, two, err)
	}
	if !strings.Contains(string(first["index.html"]), `href="playground/index.html"`) {
		t.Error("nothing leads to the page")
	}
	if files(t)["playground/index.html"] != nil {
		t.Error("the page is there without its files")
	}
}
