// Command xgrammar compares the model of xgrammar with xgrammar's own code, compiled to WebAssembly, and
// fails if they disagree. The schemas are those of all fixtures, those in the files named as arguments,
// and variants of both that exchange their parts:
//
//	cd lab/referees/engines/xgrammar && npm ci && cd ../../../.. && go run ./lab/referees/engines/xgrammar tools.json
//
// Schemas so deep that they overflow the stack of the module are counted and not compared.
//
// It exits 1 if model and engine disagree, and 2 if it could not ask.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"toolproof/fixtures"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/harness/toolfile"
	"toolproof/schema"
)

func main() {
	folder := flag.String("folder", "lab/referees/engines/xgrammar", "the folder of referee.js")
	variants := flag.Int("variants", 2, "make so many schemas of each")
	seed := flag.Uint64("seed", 1, "make other schemas")
	instances := flag.Bool("instances", false, "print which instances the grammars take, and compare nothing")
	verbose := flag.Bool("v", false, "print the instances that the model does not explain")
	flag.Parse()
	roots, err := schemas(flag.Args())
	switch {
	case err != nil:
	case *instances:
		err = measure(context.Background(), *folder, roots, *seed, *verbose, os.Stdout)
	default:
		roots = append(roots, made(roots, *variants, *seed)...)
		err = hold(context.Background(), *folder, roots, os.Stdout)
	}
	switch {
	case errors.Is(err, errDiffer):
		os.Exit(1)
	case err != nil:
		fmt.Fprintln(os.Stderr, "xgrammar:", err)
		os.Exit(2)
	}
}

// schemas returns the schemas of the fixtures and of the files.
func schemas(files []string) ([]*schema.Node, error) {
	loaded, err := fixture.Load(fixtures.Files)
	if err != nil {
		return nil, fmt.Errorf("reading the fixtures: %w", err)
	}
	var all []*schema.Node
	for _, fixture := range loaded {
		for _, tool := range fixture.Tools {
			if tool.Parameters != nil {
				all = append(all, tool.Parameters)
			}
		}
	}
	for _, name := range files {
		file, err := os.Open(name) //nolint:gosec // the user names the file
		if err != nil {
			return nil, fmt.Errorf("reading tools: %w", err)
		}
		tools, err := toolfile.Read(file)
		if err != nil {
			return nil, fmt.Errorf("reading tools of %s: %w", name, err)
		}
		for _, read := range tools {
			if read.Err == nil && read.Tool.Parameters != nil {
				all = append(all, read.Tool.Parameters)
			}
		}
		if err := file.Close(); err != nil {
			return nil, fmt.Errorf("reading tools: %w", err)
		}
	}
	return all, nil
}

// hasWords reports whether a message of the engine has the words of the model, which does not predict
// the place at which a grammar cannot be read.
func hasWords(message, words string) bool {
	return message == words || strings.HasPrefix(words, "EBNF ") && strings.HasPrefix(message, words+" at line ")
}

var errDiffer = errors.New("the model and the engine differ")

// question is a line of the input of the referee.
type question struct {
	ID        string   `json:"id"`
	Schema    string   `json:"schema"`
	Instances []string `json:"instances,omitempty"`
}

// answer is a line of the output of the referee.
type answer struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	// Accepts tells for each instance whether the grammar accepts it.
	Accepts []bool `json:"accepts"`
}

// ask asks the engine the given number of questions, and calls hear with each answer and its number.
func ask(ctx context.Context, folder string, count int, question func(int) question, hear func(int, answer) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the referee if hear fails
	command := exec.CommandContext(ctx, "node", "referee.js")
	command.Dir, command.Stderr = folder, os.Stderr
	questions, err := command.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting the referee: %w", err)
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting the referee: %w", err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting the referee: %w\nhint: it needs Node 20", err)
	}
	go func() {
		defer questions.Close() //nolint:errcheck // the referee has ended where it fails
		encoder := json.NewEncoder(questions)
		for i := range count {
			q := question(i)
			q.ID = strconv.Itoa(i)
			if encoder.Encode(q) != nil { //nolint:errchkjson // it fails where the referee has ended
				return // the referee has ended, and listen reports missing answers
			}
		}
	}()
	heard, err := listen(answers, count, hear)
	if err != nil {
		return err
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("the referee answered %d of %d questions: %w\nhint: npm ci in %s installs it", heard, count, err, folder)
	}
	if heard < count {
		return fmt.Errorf("the referee answered %d of %d questions", heard, count)
	}
	return nil
}

// listen reads the answers to the given number of questions and returns their number.
func listen(answers io.Reader, count int, hear func(int, answer) error) (heard int, err error) {
	lines := bufio.NewScanner(answers)
	const longest = 1 << 26
	lines.Buffer(nil, longest)
	for ; lines.Scan(); heard++ {
		var said answer
		err := json.Unmarshal(lines.Bytes(), &said)
		index, badIndex := strconv.Atoi(said.ID)
		if err := errors.Join(err, badIndex); err != nil {
			return heard, fmt.Errorf("reading the referee: %w", err)
		}
		if index != heard || heard == count {
			return heard, fmt.Errorf("reading the referee: answer %d is to question %d of %d", heard, index, count)
		}
		if err := hear(index, said); err != nil {
			return heard, err
		}
	}
	if err := lines.Err(); err != nil {
		return heard, fmt.Errorf("reading the referee: %w", err)
	}
	return heard, nil
}

// hold asks the engine and the model about each schema and compares the answers.
func hold(ctx context.Context, folder string, schemas []*schema.Node, out io.Writer) error {
	held := comparison{given: schemas, out: out}
	err := ask(ctx, folder, len(schemas), func(i int) question { return question{Schema: schemas[i].String()} }, func(i int, said answer) error { return held.one(ctx, i, said) })
	if err != nil {
		return err
	}
	return held.result()
}

// comparison counts how far the model and the engine agree.
type comparison struct {
	given                 []*schema.Node
	out                   io.Writer
	refused, deep, differ int
}

// one compares the model with one answer of the engine.
func (c *comparison) one(ctx context.Context, i int, said answer) error {
	switch said.Verdict {
	case "crashes":
		c.deep++
		return nil
	case string(provider.Rejected):
		c.refused++
	}
	predicted, err := predict(ctx, c.given[i])
	if err != nil {
		return err
	}
	// For an exception of C++ the module gives no words.
	if string(predicted.Verdict) != said.Verdict || said.Message != "" && !hasWords(said.Message, predicted.Message) {
		c.differ++
		fmt.Fprintf(c.out, "%s\n  engine: %s: %q\n  model:  %s: %q\n", c.given[i], said.Verdict, said.Message, predicted.Verdict, predicted.Message)
	}
	return nil
}

// result prints the counts. It returns an error if model and engine disagree, or if the engine judged
// nothing.
func (c *comparison) result() error {
	fmt.Fprintf(c.out, "xgrammar: %d schemas, %d refused by the engine, %d too deep for it here, %d differ\n", len(c.given), c.refused, c.deep, c.differ)
	switch {
	case c.deep == len(c.given):
		return fmt.Errorf("the engine judged none of %d schemas", len(c.given))
	case c.differ > 0:
		return errDiffer
	default:
		return nil
	}
}

func predict(ctx context.Context, root *schema.Node) (provider.Response, error) {
	declaration := schema.NewObject(schema.Member{Key: "schema", Value: root})
	predicted, err := (&provider.Model{Dialect: engines.XGrammar}).Send(ctx, engines.XGrammar.Request([]*schema.Node{declaration}))
	if err != nil {
		return provider.Response{}, fmt.Errorf("asking the model: %w", err)
	}
	return predicted, nil
}

// made makes schemas from the given ones. In each a value is replaced by another, which may come from
// another schema.
func made(schemas []*schema.Node, variants int, seed uint64) []*schema.Node {
	luck := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same in every run
	var all []*schema.Node
	for _, element := range schemas {
		for range variants {
			clone := element.Clone()
			for range 1 + luck.IntN(3) {
				exchange(clone, schemas, luck)
			}
			all = append(all, clone)
		}
	}
	return all
}

// exchange replaces one value somewhere in a schema, or adds a keyword.
func exchange(root *schema.Node, schemas []*schema.Node, luck *rand.Rand) {
	var nodes []*schema.Node
	var collect func(node *schema.Node)
	collect = func(node *schema.Node) {
		nodes = append(nodes, node)
		for _, member := range node.Members {
			collect(member.Value)
		}
		for _, element := range node.Elements {
			collect(element)
		}
	}
	collect(root)
	node := nodes[luck.IntN(len(nodes))]
	switch {
	case node.Kind == schema.Object && luck.IntN(4) > 0:
		node.Set(keywords[luck.IntN(len(keywords))], value(schemas, luck))
	case node.Kind == schema.Object && len(node.Members) > 0 && luck.IntN(2) > 0:
		node.Members[luck.IntN(len(node.Members))].Key = names[luck.IntN(len(names))]
	default:
		position := node.Position
		*node = *value(schemas, luck).Clone()
		node.Position = position
	}
}

var keywords = strings.Fields(`type properties required items prefixItems anyOf oneOf allOf enum const $ref pattern
	format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems minContains unevaluatedItems
	additionalProperties unevaluatedProperties patternProperties propertyNames minProperties maxProperties`)

var names = []string{"a", "", "a b", "a\"b", "a\\", "a\\n", "a\nb", "é", "a/b", "type", "$ref", "\\d", "\x7f", "a\\u12", "\\x41", "a'", "x\r", "#"}

// value returns a random value: a typical value of a keyword, or a part of another schema.
func value(schemas []*schema.Node, luck *rand.Rand) *schema.Node {
	const kinds = 6
	switch luck.IntN(kinds) {
	case 0:
		return schema.NewString(pattern(luck))
	case 1, 2:
		return parsed[luck.IntN(len(parsed))].Clone()
	case 3:
		return schema.NewObject(
			schema.Member{Key: "type", Value: schema.NewString("string")},
			schema.Member{Key: "pattern", Value: schema.NewString(pattern(luck))},
		)
	default:
		other := schemas[luck.IntN(len(schemas))]
		var parts []*schema.Node
		other.Each(func(part *schema.Node) bool {
			parts = append(parts, part)
			return true
		})
		if len(parts) == 0 {
			return other.Clone()
		}
		part := parts[luck.IntN(len(parts))]
		const largest = 200
		if part.Size() > largest {
			return parsed[0].Clone()
		}
		return part.Clone()
	}
}

var parsed = func() []*schema.Node {
	var nodes []*schema.Node
	for text := range strings.SplitSeq(strings.TrimSpace(`
true
false
null
0
1
-1
2
1.0
1.5
-2.5
1e3
9223372036854775807
9223372036854775808
-9223372036854775808
-1e30
4294967296
2147483648
"string"
"integer"
"number"
"array"
"object"
"dict"
"date"
"email"
"whatever"
"#"
"#/"
"#/properties/a"
"#/$defs/a"
"#/properties/a/items"
"http://x"
""
[]
["a"]
[1]
["string","null"]
["object","array"]
["string",5]
[{}]
[{"type":"string"},{"type":"integer"}]
[false]
[true]
[[]]
{}
{"type":"string"}
{"type":"integer","minimum":3,"maximum":99}
{"type":"number","minimum":-0.5,"maximum":2.25}
{"type":"object"}
{"type":"array"}
{"type":"array","items":{"type":"string"},"minItems":2}
{"enum":["a","b/c","é\n"]}
{"enum":[]}
{"const":{"a":[1,2.5,"x"]}}
{"a":{"type":"string"},"b":{"$ref":"#"}}
{"^a+$":{"type":"integer"}}
{"(":{}}
{"type":"string","maxLength":5}
{"type":"string","minLength":-3}
{"description":"only"}
{"anyOf":[{"type":"null"},{"type":"dict"}]}
`), "\n") {
		node, err := schema.Parse([]byte(text))
		if err != nil {
			panic(err) // a literal
		}
		nodes = append(nodes, node)
	}
	return nodes
}()

// pattern returns a random regular expression.
func pattern(luck *rand.Rand) string {
	pieces := []string{
		"a", "b", "^", "$", ".", "*", "+", "?", "??", "{2}", "{1,3}", "{2,}", "{,3}", "{3,1}", "{", "}", "(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<n>", "(?i)",
		"[", "]", "[a-z]", "[^a-z]", "[z-a]", "[a-]", "[-a]", "[\\d-x]", "[\\w.-]", "[\\]]", "[\"]", "[é-ü]", "[\\u00e9a-f]", "[^\\s]", "[\\n]", "|", "\\d", "\\D",
		"\\w", "\\W", "\\s", "\\S", "\\b", "\\1", "\\0", "\\p{L}", "\\x41", "\\x4", "\\u0041", "\\u{1F600}", "\\u{110000}", "\\cA", "\\c1", "\\/", "\\-", "\\.",
		"\\\\", "\\q", "\\'", "\"", "é", "\U0001F600", " ", "\n", "\t", "\\", "/", "-", "()", "(|a)", "(a|)", "a||b", "[]", "[^]", "[a\\-z]", "[+--]", "[[]", "'", "\\\"", "\x01", "\x7f",
	}
	var text strings.Builder
	for range 1 + luck.IntN(5) {
		text.WriteString(pieces[luck.IntN(len(pieces))])
	}
	return text.String()
}
