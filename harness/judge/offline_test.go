package judge_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/provider/google"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// TestOfflineOfTheDay asks for requests with several answers: the day and the
// model decide which one counts.
func TestOfflineOfTheDay(t *testing.T) {
	t.Parallel()
	declaration, err := schema.Parse([]byte(`{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	dialect := google.GeminiParameters
	request := dialect.Request([]*schema.Node{declaration})
	digits := strings.TrimPrefix(request.Digest(), "sha256:")
	files := fstest.MapFS{}
	for date, model := range map[string]string{"2025-01-01": "", "2025-06-01": "gemini-2.0-flash", "2026-01-01": "gemini-2.5-flash"} {
		files[fmt.Sprintf("gemini/parameters/%s.%s.json", digits, date)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			`{"version":1,"dialect":"gemini/parameters","digest":%q,"grade":"recorded","source":%q,"date":%q,"model":%q,"request":{"path":"","declarations":[%s]},"response":{"status":200}}`,
			request.Digest(), date, date, model, declaration)}
	}
	store, err := recording.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		asOf  provider.Date
		model string
		want  string // the source
	}{
		{"", "", "2026-01-01"},
		{"2025-07-01", "", "2025-06-01"},
		{"2025-01-01", "", "2025-01-01"},
		{"2025-05-31", "", "2025-01-01"},
		{"2025-06-01", "", "2025-06-01"}, // that very day
		{"2026-01-01", "", "2026-01-01"},
		{"2024-01-01", "", "2025-01-01"}, // the first that came later
		{"", "gemini-2.0-flash", "2025-06-01"},
		{"", "gemini-3", "2025-01-01"}, // of no model that is known
	} {
		answer, err := judge.Offline{Dialect: dialect, Store: store, AsOf: test.asOf, ModelName: test.model}.Send(t.Context(), request)
		if err != nil || answer.Source != test.want {
			t.Errorf("as of %q, model %q: the source is %q (%v), want %q", test.asOf, test.model, answer.Source, err, test.want)
		}
	}
}
