// Command mcp-clients is an independent referee of tools, and of results of calls, lists, prompts, resources and
// completions: the official clients of the Model Context Protocol for TypeScript, 1.x and 2.x, and for Go.
//
// Each release of the clients that harness/provider/mcp knows lists and calls the tools of fixtures, and tools that are
// written and made with a seed. It compares what each refuses, and in which words, with the models of its day.
//
// The newest releases judge written results and results that are made with a seed, and so do the rules of
// harness/server/calls. It compares whether each client takes each result, and how the words of the client 1.x about
// structuredContent begin; the words of its validator, which follow them, are not compared. Of the releases before them it
// says how many answer otherwise. They, and the server 1.x, also judge what servers ask of clients, elicitation/create and
// sampling/createMessage:
//
//	cd lab/referees/mcp-clients && npm ci && cd ../../.. && go run ./lab/referees/mcp-clients
//
// It exits 1 on a disagreement and 2 if it could not judge.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"

	"toolproof/harness/server/calls"
	"toolproof/schema"
)

// question is a list of tools, or a made result and the outputSchema of its tool.
type question struct {
	ID           int             `json:"id"`
	Tools        json.RawMessage `json:"tools,omitempty"`
	Method       string          `json:"method,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"` //nolint:tagliatelle // the protocol writes it so
	Result       json.RawMessage `json:"result,omitempty"`
}

// answer is what each release says, of type string for a result, which is empty if it takes the result, and of type listed
// for a list.
type answer[T any] struct {
	ID      int          `json:"id"`
	Answers map[string]T `json:"answers"`
}

// The releases whose words about results the rules of harness/server/calls predict.
const (
	newest1 = "sdk-1.32.2"
	newest2 = "client-2.4.0"
)

var outputs = []string{
	`{"type":"object"}`,
	`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}`,
	`{"type":"object","properties":{"s":{"enum":["a","b"]}}}`,
	`{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["l"]}`,
	`{"type":"object","properties":{"i":{"type":"integer","minimum":1}}}`,
	`{"type":"object","properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"object","required":["q"]}}}`,
}

var structured = []string{
	``, `{}`, `{"n":1}`, `{"n":"1"}`, `{"n":"1","x":2}`, `{"s":"a"}`, `{"s":"c"}`, `{"l":[]}`, `{"l":["x"]}`, `{"l":[1]}`, `{"i":0}`, `{"i":1.5}`, `{"i":2}`,
	`{"p":{}}`, `{"p":{"q":null}}`, `{"n":null}`, `[1]`, `"text"`, `null`,
}

var contents = []string{
	`[]`, `[{"type":"text","text":"a"}]`, `[{"type":"text"}]`, `[{"type":"text","text":1}]`, `[{"type":"json","json":{}}]`, `[{}]`, `["text"]`, `{}`, `null`, `"text"`,
	`[{"type":"image","data":"AA==","mimeType":"image/png"}]`, `[{"type":"image","data":"AA","mimeType":"image/png"}]`, `[{"type":"image","data":"%","mimeType":"image/png"}]`,
	`[{"type":"image","data":"AA=="}]`, `[{"type":"audio","data":"AA==","mimeType":"audio/wav"}]`, `[{"type":"audio","mimeType":"audio/wav"}]`,
	`[{"type":"resource","resource":{"uri":"a:b","text":""}}]`, `[{"type":"resource","resource":{"uri":"a:b"}}]`, `[{"type":"resource","resource":{"text":""}}]`,
	`[{"type":"resource"}]`,
	`[{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}}]`, `[{"type":"resource_link","uri":"a:b","name":"n"}]`, `[{"type":"resource_link","uri":"a:b"}]`,
	`[{"type":"image","data":"PHN2Zy8+","mimeType":"image/svg+xml"}]`,
}

func main() {
	folder := flag.String("folder", "lab/referees/mcp-clients", "the folder of referee.mjs")
	seed := flag.Uint64("seed", 1, "the seed of the made results and lists")
	number := flag.Int("number", 200, "how many results and lists are made with the seed")
	every := flag.Int("every", 5, "the tools of one in so many fixtures are listed")
	flag.Parse()
	differ := 0
	ofSeed := fmt.Sprintf("of seed %d", *seed)
	for _, part := range []struct {
		name  string
		asked []question
		run   func(folder, name string, asked []question) (int, error)
	}{
		{"written", questions(), results},
		{ofSeed, made(*seed, *number), results},
		{"written", writtenLists(), lists},
		{"of fixtures", fixtureLists(max(*every, 1)), lists},
		{ofSeed, madeLists(*seed, *number), lists},
		{ofSeed + " with headers", madeHeaders(*seed, *number/2), lists},
		{"for Go", goQuestions(), compareGo},
		{"written", questions(), compareGo},
		{ofSeed, made(*seed, *number), compareGo},
	} {
		found, err := part.run(*folder, part.name, part.asked)
		if err != nil {
			fmt.Fprintln(os.Stderr, "mcp-clients:", err)
			os.Exit(2)
		}
		differ += found
	}
	found, err := judgeAsks(*folder, *seed, *number)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcp-clients:", err)
		os.Exit(2)
	}
	if differ += found; differ > 0 {
		os.Exit(1)
	}
}

// questions returns the made results.
func questions() []question {
	var all []question
	add := func(output, result string) {
		made := question{ID: len(all), Method: "tools/call", Result: json.RawMessage(result)}
		if output != "" {
			made.OutputSchema = json.RawMessage(output)
		}
		all = append(all, made)
	}
	for _, content := range contents {
		add("", `{"content":`+content+`}`)
	}
	for _, output := range outputs {
		for _, value := range structured {
			for _, isError := range []string{"", `,"isError":true`} {
				member := ""
				if value != "" {
					member = `,"structuredContent":` + value
				}
				add(output, `{"content":[]`+member+isError+`}`)
			}
		}
	}
	return all
}

// ask asks the clients.
func ask[T any](folder string, asked []question) ([]answer[T], error) {
	var in bytes.Buffer
	encoder := json.NewEncoder(&in)
	for _, made := range asked {
		if err := encoder.Encode(made); err != nil {
			return nil, fmt.Errorf("writing a question: %w", err)
		}
	}
	command := exec.Command("node", "referee.mjs") //nolint:noctx // it ends with its input
	command.Dir, command.Stdin, command.Stderr = folder, &in, os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("asking the clients: %w", err)
	}
	answers := make([]answer[T], len(asked))
	decoder := json.NewDecoder(bytes.NewReader(out))
	for i, made := range asked {
		if err := decoder.Decode(&answers[i]); err != nil || answers[i].ID != made.ID {
			return nil, fmt.Errorf("reading answer %d: %w", made.ID, err)
		}
	}
	return answers, nil
}

// results asks both sides about results, and prints where they differ.
func results(folder, name string, asked []question) (differ int, err error) {
	answers, err := ask[string](folder, asked)
	if err != nil {
		return 0, err
	}
	refused := 0
	earlier := map[string]int{} // answers that are not those of the newest release
	for i, made := range asked {
		said := answers[i].Answers
		if said[newest1]+said[newest2] != "" {
			refused++
		}
		for _, difference := range compare(made, said[newest1], said[newest2]) {
			differ++
			fmt.Printf("%s: %s for %s: %s\n", made.Method, made.Result, made.OutputSchema, difference)
		}
		for release, words := range said {
			newest := newest1
			if strings.HasPrefix(release, "client-") {
				newest = newest2
			}
			if (words == "") != (said[newest] == "") {
				earlier[release]++
			}
		}
	}
	fmt.Printf("%d results %s, %d refused by a client, %d differences\n", len(asked), name, refused, differ)
	for _, release := range slices.Sorted(maps.Keys(earlier)) {
		fmt.Printf("  %s takes or refuses %d otherwise than the newest release\n", release, earlier[release])
	}
	return differ, nil
}

// judged returns what the rules find in a result.
func judged(made question) ([]calls.Finding, error) {
	entry := `{"tools":[{"name":"f"}]}`
	if made.OutputSchema != nil {
		entry = `{"tools":[{"name":"f","outputSchema":` + string(made.OutputSchema) + `}]}`
	}
	tools, err := calls.Tools([]byte(entry))
	if err != nil {
		return nil, err
	}
	result, err := schema.Parse(made.Result)
	if err != nil {
		return nil, err
	}
	return calls.Judge(&calls.Exchange{Call: calls.Call{Tool: tools[0], IsValid: true, Method: methodOf(made)}, Answer: calls.Answer{Result: result}}, calls.Rules), nil
}

// compare returns what the rules predict otherwise than the clients say.
func compare(made question, said1, said2 string) []string {
	all, err := judged(made)
	if err != nil {
		return []string{err.Error()}
	}
	var first, second string
	for _, found := range all {
		if first == "" && strings.Contains(found.Rule.Client, "SDK 1.x") {
			first = found.Message
		}
		if second == "" && strings.Contains(found.Rule.Client, "2.x") {
			second = found.Message
		}
	}
	var differences []string
	if (first == "") != (said1 == "") {
		differences = append(differences, fmt.Sprintf("1.x says %.120q, predicted %q", said1, first))
	}
	if (second == "") != (said2 == "") {
		differences = append(differences, fmt.Sprintf("2.x says %.120q, predicted %q", said2, second))
	}
	// The words of the validator follow the last colon of the client's own.
	if own, _, _ := strings.Cut(first, "schema: "); strings.HasPrefix(first, "MCP error") && !strings.HasPrefix(said1, own) {
		differences = append(differences, fmt.Sprintf("1.x says %.120q, predicted %q", said1, first))
	}
	return differences
}

// methodOf returns the method of a request as the rules have it.
func methodOf(made question) string {
	if made.Method == "tools/call" {
		return ""
	}
	return made.Method
}
