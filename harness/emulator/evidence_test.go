package emulator_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"toolproof/harness"
	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// interaction is a recorded request with its answer.
type interaction struct {
	ID            string          `json:"id"`
	Provider      string          `json:"provider"`
	Host          string          `json:"host"`
	Endpoint      string          `json:"endpoint"`
	Status        int             `json:"status"`
	Request       json.RawMessage `json:"request"`
	ResponseError json.RawMessage `json:"response_error"`
	RecordedAt    string          `json:"recorded_at"`
	CommittedAt   string          `json:"committed_at"`
}

func (i interaction) on() provider.Date {
	for _, text := range []string{i.RecordedAt, i.CommittedAt} {
		if day, err := provider.ParseDate(text[:min(len(text), 10)]); err == nil {
			return day
		}
	}
	return ""
}

// evidenceOf returns the recorded interactions, which are not part of the repository.
func evidenceOf(t *testing.T) []interaction {
	t.Helper()
	all, err := evidenceOnce()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no recorded interactions: set TOOLPROOF_CORPUS to the folder beside them: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// evidenceOnce reads the recorded interactions once for all tests.
var evidenceOnce = sync.OnceValues(func() ([]interaction, error) {
	corpus := os.Getenv("TOOLPROOF_CORPUS")
	if corpus == "" {
		corpus = filepath.Join("..", "..", "..", "shared", "corpus")
	}
	var all []interaction
	for _, name := range []string{"interactions.jsonl.gz", "interactions_more.jsonl.gz"} {
		file, err := os.Open(filepath.Join(filepath.Dir(corpus), "evidence", name))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(unpacked)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var read interaction
			if err := json.Unmarshal(lines.Bytes(), &read); err != nil {
				return nil, err
			}
			all = append(all, read)
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// serverOf returns the Engine that the emulator has to be for a surface, or "" for the
// providers' services.
func serverOf(recorded interaction) string {
	for _, dialect := range harness.Dialects {
		if recorded.Provider == "other" && dialect.Traffic.Names(recorded.Host) && slices.Contains(emulator.Compatible, dialect.Service()) {
			return dialect.Service()
		}
	}
	return ""
}

// pathOf returns the path of a surface at the emulator, or "" if the emulator does not serve
// it.
func pathOf(recorded interaction) string {
	if serverOf(recorded) != "" && strings.HasSuffix(recorded.Endpoint, "/chat/completions") {
		return "/v1/chat/completions"
	}
	switch recorded.Provider {
	case "openai-chat", "openai-responses", "anthropic", "gemini":
		if strings.Contains(recorded.Endpoint, "/interactions") || strings.Contains(recorded.Endpoint, "/input_tokens") {
			return ""
		}
		return recorded.Endpoint
	case "vertex":
		return recorded.Endpoint
	default:
		if strings.Contains(recorded.Host, "azure.com") && strings.HasPrefix(recorded.Endpoint, "/openai/") || recorded.Endpoint == "/v1beta/openai/chat/completions" {
			return recorded.Endpoint
		}
		return ""
	}
}

// TestEvidence sends each recorded request that was accepted, as of its day, and checks that
// none is refused. A short test sends one of eight.
func TestEvidence(t *testing.T) {
	t.Parallel()
	accepted, unserved := 0, map[string]int{}
	for _, recorded := range evidenceOf(t) {
		if recorded.Status != http.StatusOK || strings.Contains(string(recorded.Request), " more items dropped]") {
			continue // the stored request is not the one that was sent
		}
		path := pathOf(recorded)
		if path == "" {
			unserved[recorded.Host]++
			continue
		}
		if accepted++; !inShare(accepted) {
			continue
		}
		answer := post(t, emulator.New(emulator.Options{AsOf: recorded.on(), Engine: serverOf(recorded)}), path, recorded.Request)
		if answer.Code != http.StatusOK {
			t.Errorf("%s %s on %s is refused with %d: %s", recorded.ID, path, recorded.on(), answer.Code, answer.Body)
		}
	}
	const least = 1000
	if accepted < least {
		t.Errorf("%d accepted requests are there, and should be %d at least", accepted, least)
	}
	t.Logf("%d accepted requests; not served: %v", accepted, slices.Sorted(maps.Keys(unserved)))
}

// worded are recorded refusals of a conversation that the emulator refuses in the provider's
// words, with the same place.
var worded = []string{
	"An assistant message with 'tool_calls'", "messages with role 'function'", "at the same time is not supported", "Thinking may not be enabled",
}

// TestRefusals sends each recorded request that was refused because of its conversation.
func TestRefusals(t *testing.T) {
	t.Parallel()
	sent := map[string]int{}
	for _, recorded := range evidenceOf(t) {
		i := slices.IndexFunc(worded, func(words string) bool { return strings.Contains(string(recorded.ResponseError), words) })
		if path := pathOf(recorded); i < 0 || path == "" || recorded.Status == http.StatusOK {
			continue
		} else if answer := post(t, emulator.New(emulator.Options{AsOf: recorded.on()}), path, recorded.Request); answer.Code != recorded.Status {
			t.Errorf("%s on %s: status %d, want %d with %s:\n%s", recorded.ID, recorded.on(), answer.Code, recorded.Status, recorded.ResponseError, answer.Body)
		} else {
			var want, got struct {
				Message string `json:"message"`
				Param   string `json:"param"`
			}
			var body struct {
				Error json.RawMessage `json:"error"`
			}
			if err := errors.Join(json.Unmarshal(recorded.ResponseError, &want), json.Unmarshal(answer.Body.Bytes(), &body), json.Unmarshal(body.Error, &got)); err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("%s on %s: %+v, want %+v", recorded.ID, recorded.on(), got, want)
			}
		}
		sent[worded[i]]++
	}
	if len(sent) < len(worded) {
		t.Errorf("of the words, only these were met: %v", sent)
	}
}
