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
	"toolproof/harness/conversation"
	"toolproof/harness/emulator"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
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

// predicted are the recorded refusals, by the rule that refuses the request in the same words.
var predicted = map[string]int{
	"cerebras_forced": 3, "cerebras_format_of_model": 1, "cerebras_format_streamed": 4, "cerebras_tools_streamed": 5, "chat_audio_part": 1,
	"chat_call_without_result": 2, "chat_format_of_model": 2, "chat_function_without_name": 1, "chat_limits": 1, "dashscope_thinking_forced": 2,
	"deepseek_reasoner_forced": 4, "deepseek_thinking_forced": 3, "gemini_functions_of_images": 3, "gemini_json_of_images": 2, "gemini_speech": 2,
	"groq_format_of_model": 4, "groq_format_without_schema": 5, "groq_model_without_tools": 4, "groq_tool_type": 3,
	"messages_adaptive_thinking_forced": 1, "messages_format_of_model": 2, "messages_thinking_forced": 2, "responses_content_missing": 1,
	"responses_file_type": 2, "responses_format_of_model": 1, "responses_model": 4, "responses_research_tools": 6, "responses_tool_unnamed": 1,
	"together_model_without_tools": 2,
}

// TestConversations judges each recorded request as a whole, as of its day and at the service that answered it: no
// rule refuses one that was accepted, and those that were refused are refused as often as they ever were.
func TestConversations(t *testing.T) {
	t.Parallel()
	judged, said, silent := 0, map[string]int{}, 0
	for _, recorded := range evidenceOf(t) {
		body, err := schema.ParseWire(recorded.Request)
		if err != nil || strings.Contains(string(recorded.Request), " more items dropped]") {
			continue // the stored request is not the one that was sent
		}
		host := recorded.Host
		for _, dialect := range harness.Dialects { // recordings of some projects have no host
			if service, isUnknown := strings.CutSuffix(host, ".unknown"); isUnknown && dialect.Service() == service && len(dialect.Traffic.Hosts) > 0 {
				host = dialect.Traffic.Hosts[0]
			}
		}
		api := conversation.APIOf(recorded.Endpoint, body)
		for _, target := range harness.Conversing(api, host, "") {
			subject := judge.Conversation{API: api, Host: host, Model: modelIn(recorded.Endpoint), Body: body, Surfaces: harness.Dialects}
			result := judge.Judge{AsOf: recorded.on()}.Conversation(t.Context(), subject, target)
			if result.Status == verdict.NotApplicable {
				continue
			}
			judged++
			findings := result.Conversation().Findings
			switch {
			case recorded.Status == http.StatusOK && len(findings) > 0:
				t.Errorf("%s at %s on %s was accepted, and %s refuses it: %s", recorded.ID, host, recorded.on(), findings[0].Rule, findings[0].Message)
			case recorded.Status == http.StatusOK || len(findings) == 0:
				if recorded.Status == http.StatusBadRequest {
					silent++
				}
			case strings.Contains(string(recorded.ResponseError), inJSON.Replace(findings[0].Message)):
				said[findings[0].Rule]++
			default:
				t.Logf("%s at %s on %s: %s predicts %s, and the answer is %s", recorded.ID, host, recorded.on(), findings[0].Rule, findings[0].Message, recorded.ResponseError)
			}
		}
	}
	const least = 1500
	if judged < least {
		t.Errorf("%d requests were judged, and should be %d at least", judged, least)
	}
	if !maps.Equal(said, predicted) {
		t.Errorf("the rules predict %v", said)
	}
	t.Logf("%d requests judged; %d refusals are not predicted, most of them of declarations", judged, silent)
}

// inJSON escapes a message as the recordings do.
var inJSON = strings.NewReplacer(`"`, `\"`, "\n", `\n`)

// modelIn returns the model that a path of Google's names.
func modelIn(endpoint string) string {
	_, model, _ := strings.Cut(endpoint, "/models/")
	model, _, _ = strings.Cut(model, ":")
	return model
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
