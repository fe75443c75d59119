package calibrate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolproof/harness"
	"toolproof/lab/calibrate"
	"toolproof/lab/corpus"
)

// exceptions are the known differences, with the reason. One that no longer occurs is an error,
// too.
var exceptions = map[string]string{
	"vertex-parameters-13 verdict": "low confidence, a fake server's words: seen through the OpenAI-compatible translator, which merges the branches of anyOf; " +
		"the native field takes an array among them",
	"openai-response_format-17 verdict": "low confidence, schema implied: recordings since 2025-08 have minLength accepted in response formats",
	"openai-response_format-17 param":   "the same",
	"groq-chat-02 verdict":              "low confidence: the thread names Groq, the words are OpenAI's",
	"groq-chat-02 message":              "the same",
	"openai-chat-13 message": "quoted in prose, without the full stop that bodies have; " +
		"https://github.com/smallmain/vscode-unify-chat-provider/issues/162 has such a sentence both ways",
	"openai-responses-05 message": "the same: quoted in a comment of a program",
	"openai-tool_name-03 param":   "seen on Responses, which calls the place tools[4].name; the row names Chat",
	"groq-chat-01 message":        "the newline is one wrapped line of a terminal: fresh-groq-chat-02 and other threads have the same words without it",
	"fresh-gemini-responseSchema-01 verdict": "medium confidence, schema implied, Vertex AI or the Gemini API unsaid: six levels; the limit is not published, " +
		"five were accepted and nine refused",
	"fresh-gemini-responseSchema-01 message": "the same",
	"fresh-groq-chat-03 verdict":             "schema implied without strict: recorded requests that are not strict are accepted with open objects, and strict ones are refused so",
	"fresh-groq-chat-03 message":             "the same",
}

// evidence are the files with the least number of cases in each; a file read as empty would
// agree with everything.
var evidence = []struct {
	file                      string
	accepted, refused, worded int
}{
	{"rejections.jsonl", 0, 64, 40},
	{"acceptances.jsonl", 4, 0, 0},
	{"probes.jsonl", 40, 76, 75},
	{"interactions.jsonl.gz", 476, 2, 2},
	{"openai_responses_echo.jsonl.gz", 200, 0, 0},
	{"rejections_more.jsonl", 0, 70, 55},
	{"acceptances_more.jsonl", 2, 0, 0},
	{"interactions_more.jsonl.gz", 180, 1, 1},
}

// evidenceFolder returns the folder of the evidence, which is not in the repository.
func evidenceFolder(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(corpus.Folder(), "..", "evidence")
	if _, err := os.Stat(folder); err != nil {
		corpus.Missing(t, err)
	}
	return folder
}

// TestEvidence compares the models with what providers really answered: verdicts, complete
// messages and params. The evidence is not in the repository.
func TestEvidence(t *testing.T) {
	t.Parallel()
	folder := evidenceFolder(t)
	met := map[string]bool{}
	for _, given := range evidence {
		file, err := os.Open(filepath.Join(folder, given.file))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := calibrate.Read(file)
		if err != nil {
			t.Fatalf("%s: %v", given.file, err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		report, err := calibrate.Measure(t.Context(), rows, harness.Dialects)
		if err != nil {
			t.Fatal(err)
		}
		accepted, refused, worded := 0, 0, 0
		for _, count := range report.Counts {
			accepted, refused, worded = accepted+count.Accepted, refused+count.Refused, worded+count.Messages
			asked, agreed := count.Cases()
			if asked == 0 {
				continue
			}
			t.Logf("%s, %s: verdicts %d of %d, messages %d of %d, params %d of %d", given.file, count.Dialect, agreed, asked,
				count.Messages-count.MessagesOtherwise, count.Messages, count.Params-count.ParamsOtherwise, count.Params)
		}
		t.Logf("%s: set aside %v", given.file, report.Aside)
		if accepted < given.accepted || refused < given.refused || worded < given.worded {
			t.Errorf("%s: asked about %d acceptances, %d refusals and %d messages; want at least %d, %d and %d",
				given.file, accepted, refused, worded, given.accepted, given.refused, given.worded)
		}
		for _, difference := range report.Differences {
			id := difference.Name + " " + difference.Kind
			if met[id] = true; exceptions[id] != "" {
				continue
			}
			t.Errorf("%s: %s, %s, as of %s\nprovider: %s %q, param %q\nmodel:    %s %q, param %q", given.file, id, difference.Dialect, difference.Date,
				difference.Verdict, difference.Message, difference.Param,
				difference.Model.Verdict, strings.TrimSpace(difference.Model.Message), difference.Model.Param)
			if difference.Kind == "echo" {
				t.Errorf("provider echoed %s\nmodel echoes    %s", difference.Case.Echo, difference.Echo)
			}
		}
	}
	for id, reason := range exceptions {
		if !met[id] {
			t.Errorf("the exception %q is not met any longer: %s", id, reason)
		}
	}
}
