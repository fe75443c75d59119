package emulator

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"toolproof/harness/provider"
	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// function is a callable tool.
type function struct {
	name       string
	namespace  string       // namespace of the tool; "" for none
	parameters *schema.Node // nil if it has none
	index      int
	isCustom   bool         // takes a text instead of arguments
	grammar    *schema.Node // of the text, an object with syntax and definition; nil if it may be any
	// declared is the declaration in the request. isDeferred is set if the model sees the tool
	// only after a tool search.
	declared   *schema.Node
	isDeferred bool
}

// functionsOf returns the functions that the requests declare, in document order. If the
// provider rewrites declarations, they are as the provider understands them.
func (x *exchange) functionsOf(requests []provider.Request) []function {
	var functions []function
	for _, request := range requests {
		dialect := x.service.surface(request.Dialect)
		for i, declaration := range request.Declarations {
			if len(request.Indices) == 0 {
				continue // a schema of an answer
			}
			declared := declaration
			if dialect != nil && dialect.Echo != nil {
				declaration = dialect.Echo(declaration, x.day)
			}
			if inner := declaration.Get("function"); inner != nil && inner.Kind == schema.Object {
				declaration = inner // declaration is a whole tool
			}
			functions = append(functions, function{
				name:       declaration.GetString("name"),
				parameters: declaration.First("parameters", "parametersJsonSchema", "parameters_json_schema", "input_schema"),
				index:      request.Index(i), declared: declared,
			})
		}
	}
	slices.SortStableFunc(functions, func(a, b function) int { return cmp.Compare(a.index, b.index) })
	return functions
}

// question is what a request asks for, as far as it matters to the emulator.
type question struct {
	functions []function
	// isForced is set if a function has to be called; names are those allowed, and empty allows
	// any.
	isForced bool
	names    []string
	// results is the number of results of calls since the user last spoke; 0 if the last message
	// is none.
	results int
	// isAlone is set if an answer may have only one call.
	isAlone bool
	// thinks is set if the answer shows the model's thinking.
	thinks bool
	// count is the number of answers wanted; 0 means one.
	count int
	// limit is the largest number of tokens in an answer; 0 for none.
	limit int
	// isJSON is set if the answer has to be JSON; format is its schema, if it has one.
	isJSON bool
	format *schema.Node
	// builtIn is the provider's own tool, a search or code execution, that an answer without
	// calls uses; "" for none.
	builtIn builtIn
	// finder is the name of the provider's tool that searches for deferred tools; "" for none.
	finder string
}

// builtIn is a kind of tool that the provider runs itself.
type builtIn string

// The built-in tools that answers can use.
const (
	search builtIn = "search"
	code   builtIn = "code"
)

// mostAnswers is the largest number of answers to one request.
const mostAnswers = 8

// replaceParameters replaces the parameters of every function.
func (q *question) replaceParameters(replace func(*schema.Node) *schema.Node) {
	for i := range q.functions {
		q.functions[i].parameters = replace(q.functions[i].parameters)
	}
}

// searching sets the name of the tool that searches for tools, "" for none, and marks the
// functions whose loading is deferred.
func (q *question) searching(finder string) {
	q.finder = finder
	for i := range q.functions {
		q.functions[i].isDeferred = q.functions[i].declared.Get("defer_loading").IsTrue()
	}
}

// turn is what a model says in one answer: calls of functions, or a text.
type turn struct {
	thinking string // "" for none
	calls    []call
	text     string
	refusal  string  // in place of calls and text; "" for none
	uses     builtIn // built-in tool that the text is based on
	finder   string  // tool search that found the deferred tools among the calls
	isCut    bool    // ends early, at the limit of the request
}

type call struct {
	function

	arguments *schema.Node
	input     string // if the function is custom, or the call is cut
	isCut     bool   // input has the beginning of the arguments, which are then empty
}

// text returns the arguments as they are sent.
func (c call) text() string {
	if c.isCustom || c.isCut {
		return c.input
	}
	return c.arguments.String()
}

// cut returns a turn that ends at a limit of tokens: thinking, text and calls in the order in which they are
// sent. A call that is cut ends the turn.
func (t turn) cut(limit int) turn {
	if limit <= 0 || tokens(t.size()) <= limit {
		return t
	}
	t.isCut = true
	room := bytesOf(limit)
	take := func(text string) string {
		end := min(room, len(text))
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		room -= end
		return text[:end]
	}
	t.thinking, t.text = take(t.thinking), take(t.text)
	for i, called := range t.calls {
		room -= len(called.name)
		if room < 0 {
			t.calls = t.calls[:i]
			return t
		}
		if text := called.text(); len(text) > room {
			t.calls[i].isCut, t.calls[i].arguments, t.calls[i].input = true, schema.NewObject(), take(text)
			t.calls = t.calls[:i+1]
			return t
		}
		take(called.text())
	}
	return t
}

// whole returns the calls that are not cut, for APIs whose arguments are no text.
func (t turn) whole() []call {
	return slices.DeleteFunc(slices.Clone(t.calls), func(c call) bool { return c.isCut })
}

// size returns the number of bytes that the model said.
func (t turn) size() int {
	size := len(t.thinking) + len(t.text) + len(t.refusal)
	for _, call := range t.calls {
		size += len(call.name) + len(call.text())
	}
	return size
}

// thought returns the number of tokens that the model thought.
func (t turn) thought() int {
	if t.thinking == "" {
		return 0
	}
	return tokens(len(t.thinking))
}

// sizeOf returns the number of bytes of all answers.
func sizeOf(turns []turn) int {
	size := 0
	for _, said := range turns {
		size += said.size()
	}
	return size
}

// searchQuery is the query of a built-in search, and searchPage its result.
const (
	searchQuery = "what the emulator answers"
	searchPage  = "https://example.com/"
)

// thought is the thinking of a model that is asked to show it.
const thought = "The emulator thinks of nothing."

// answers returns as many answers as are asked for.
func (x *exchange) answers(q question) ([]turn, error) {
	scripted := x.script.next(x, q)
	if scripted != nil {
		named, err := scripted.quirks()
		if err != nil {
			return nil, err
		}
		x.quirks = slices.Concat(x.quirks, named)
	}
	turns := make([]turn, min(max(q.count, 1), mostAnswers))
	for i := range turns {
		var said turn
		var err error
		if scripted != nil {
			said, err = scripted.turn(q)
		} else {
			said = x.answer(q)
		}
		if err != nil {
			return nil, err
		}
		said.finder = q.finder
		if q.thinks {
			said.thinking = cmp.Or(said.thinking, thought)
		}
		if scripted == nil {
			said = said.cut(q.limit)
		}
		x.odd(&said)
		turns[i] = said
	}
	return turns, nil
}

// answer makes one answer without a script.
func (x *exchange) answer(q question) turn {
	named := slices.DeleteFunc(slices.Clone(q.functions), func(f function) bool { return len(q.names) > 0 && !slices.Contains(q.names, f.name) })
	if q.isForced && len(named) == 0 {
		return turn{text: "The emulator calls nothing: the request demands a call of a function that it does not declare, and what the service says to that is not known."}
	}
	callable := named
	if !q.isForced || len(q.names) == 0 {
		callable = x.options.callable(named)
	}
	seen := slices.DeleteFunc(slices.Clone(callable), func(f function) bool { return f.isDeferred && q.finder == "" })
	switch {
	case x.options.Reply == ReplyText || q.results > 0 && !q.isForced:
	case q.results >= mostForced:
		return turn{text: fmt.Sprintf("The emulator stops after %d results since the user last spoke. The request still demands a call, "+
			"which a provider would make.", q.results)}
	case len(seen) > 0:
		return x.call(seen, q.isAlone)
	case len(callable) > 0 && q.isForced:
		return x.call(callable, q.isAlone)
	case len(callable) > 0:
		return turn{text: "The emulator calls none of these tools: their loading is deferred, and the request has no tool that searches for them."}
	case len(named) > 0:
		return turn{text: "The emulator calls none of these tools: they are not the user's, or an agent's own. Options.Call and --call name what it may call."}
	}
	format := q.format
	if format == nil && (q.isJSON || len(q.functions) == 0) {
		format = schemaInPrompt(x.body)
	}
	if !q.isJSON && format == nil {
		return turn{text: "This is an answer of the emulator.", uses: q.builtIn}
	}
	value := schema.NewObject()
	if format != nil {
		if value = sample.Value(format, x.random, format); value == nil {
			return turn{text: "The emulator finds no value that the schema takes."}
		}
	}
	return turn{text: value.String()}
}

// call returns a turn that calls the first functions, as many as one answer may.
func (x *exchange) call(callable []function, isAlone bool) turn {
	most := max(x.options.Parallel, 1)
	if isAlone {
		most = 1
	}
	var said turn
	for _, called := range callable[:min(most, len(callable))] {
		call := call{function: called}
		if called.isCustom {
			input, ok := called.input(x.random)
			if !ok {
				said.text = "The emulator finds no input that the grammar of " + called.name + " takes."
				continue
			}
			call.input = input
		} else if call.arguments = sample.Object(called.parameters, x.random); call.arguments == nil {
			said.text = "The emulator finds no arguments that " + called.name + " takes."
			continue
		}
		said.calls = append(said.calls, call)
	}
	return said
}

// id makes a random identifier.
func (x *exchange) id(prefix string) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	text := []byte(prefix)
	for range 24 {
		text = append(text, letters[x.random.IntN(len(letters))])
	}
	return string(text)
}

// created returns the Unix time in every answer: the start of the day, so that answers are
// reproducible.
func (x *exchange) created() int64 {
	day, err := time.Parse(time.DateOnly, string(x.day))
	if err != nil {
		return 0
	}
	return day.Unix()
}

// bytesInToken is how many bytes count as a token.
const bytesInToken = 4

// tokens estimates the number of tokens in a text of size bytes.
func tokens(size int) int { return size/bytesInToken + 1 }

// bytesOf returns the number of bytes that a number of tokens can have.
func bytesOf(tokens int) int { return min(tokens, MaxBody)*bytesInToken - 1 }

// mostForced is the number of results after which the emulator calls no more, even if the request demands
// a call, so that a client that never drops its demand comes to an end.
const mostForced = 16

// resultsIn returns the number of results at the end of a conversation. Count returns how many an item of it
// has, and whether the user speaks in it.
func resultsIn(items []*schema.Node, count func(*schema.Node) (results int, isUser bool)) int {
	sum := 0
	for _, item := range slices.Backward(items) {
		results, isUser := count(item)
		if isUser || sum == 0 && results == 0 {
			break
		}
		sum += results
	}
	return sum
}

// limitOf returns the first limit that a node has, 0 for none.
func limitOf(node *schema.Node, names ...string) int {
	limit, _ := node.First(names...).Int64()
	return int(min(max(limit, 0), MaxBody))
}

// callNothing applies a choice of no tool.
func (q *question) callNothing() { q.functions, q.builtIn = nil, "" }

// count reads the number of answers wanted, bounded by mostAnswers.
func count(node *schema.Node) int {
	if node == nil {
		return 0
	}
	number, _ := node.Int64()
	return int(min(max(number, 0), mostAnswers))
}
