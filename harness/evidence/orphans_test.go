package evidence_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"toolproof/harness/evidence"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/provider/openai"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// TestOrphans distinguishes unused recordings from those that a rule names or a fixture asks
// for, and from explorations.
func TestOrphans(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{}
	store := func() *recording.Store {
		loaded, err := recording.Load(files)
		if err != nil {
			t.Fatal(err)
		}
		return loaded
	}
	tools := map[string]schema.Tool{}
	names := map[string]string{}
	for _, name := range []string{"named", "asked", "orphan", "explored"} {
		source := "s"
		if name == "explored" {
			source = recording.Explored + " --provider openai"
		}
		tools[name] = schema.Tool{Name: name}
		request := openai.Chat.Encode([]schema.Tool{tools[name]})
		text, err := json.Marshal(map[string]any{
			"version": recording.Version, "dialect": openai.Chat.Name, "digest": request.Digest(), "grade": "reported", "source": source, "date": "2026-01-01",
			"request": map[string]any{"declarations": request.Declarations}, "response": map[string]any{"status": 200},
		})
		if err != nil {
			t.Fatal(err)
		}
		digits := strings.TrimPrefix(request.Digest(), "sha256:")
		names[name] = openai.Chat.Name + "/" + digits[:12]
		files[openai.Chat.Name+"/"+digits+".json"] = &fstest.MapFile{Data: text}
	}
	dialect := *openai.Chat
	dialect.Rules = []*provider.Rule{{Name: "r", Evidence: []string{names["named"]}}}
	given := []*fixture.Fixture{{Tools: []schema.Tool{tools["asked"]}}}
	if diff := cmp.Diff([]string{names["orphan"]}, evidence.Orphans(store(), []*provider.Dialect{&dialect}, given)); diff != "" {
		t.Errorf("orphans (-want +got):\n%s", diff)
	}
	given = append(given, &fixture.Fixture{Tools: []schema.Tool{tools["orphan"]}})
	if orphans := evidence.Orphans(store(), []*provider.Dialect{&dialect}, given); len(orphans) != 0 {
		t.Errorf("orphans %v although each is used", orphans)
	}
}
