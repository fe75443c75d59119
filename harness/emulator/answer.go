package emulator

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"toolproof/harness/provider"
	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// function is a tool that can be called.
type function struct {
	name       string
	namespace  string       // that the tool is in; "" for none
	parameters *schema.Node // nil when it has none
	index      int
	isCustom   bool // it takes a text
	// declared is what the request has of it. isDeferred is set where the model sees it only
	// after a search for tools.
	declared   *schema.Node
	isDeferred bool
}

// functionsOf returns the functions that a request declares, in its order. Where the
// provider rewrites declarations, they are those that it understood.
func (x *exchange) functionsOf(requests []provider.Request) []function {
	var functions []function
	for _, request := range requests {
		dialect := x.service.surface(request.Dialect)
		for i, declaration := range request.Declarations {
			if len(request.Indices) == 0 {
				continue // the schema of an answer
			}
			declared := declaration
			if dialect != nil && dialect.Echo != nil {
				declaration = dialect.Echo(declaration, x.day)
			}
			if inner := declaration.Get("function"); inner != nil && inner.Kind == schema.Object {
				declaration = inner // which is a whole tool
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

// question is what a request asks, as far as the emulator minds.
type question struct {
	functions []function
	// isForced says that a function has to be called, and names which it may be; no
	// name means that any will do.
	isForced bool
	names    []string
	// isTold says that the last message is the result of a call.
	isTold bool
	// isAlone says that one answer has one call at most.
	isAlone bool
	// thinks says that the answer shows what the model thinks.
	thinks bool
	// count is how many answers are wanted; 0 means one.
	count int
	// isJSON says that the answer is JSON, and format is its schema, if it has one.
	isJSON bool
	format *schema.Node
	// builtIn is a tool of the provider's own that the answer uses where it calls no function:
	// a search, or code. "" is none.
	builtIn builtIn
	// finder is the name of the provider's tool that searches for deferred tools; "" is none.
	finder string
}

// builtIn is a tool that the provider runs itself.
type builtIn string

// The built-in tools that answers use.
const (
	search builtIn = "search"
	code   builtIn = "code"
)

// mostAnswers is how many answers one request gets.
const mostAnswers = 8

// replaceParameters replaces the parameters of each function.
func (q *question) replaceParameters(replace func(*schema.Node) *schema.Node) {
	for i := range q.functions {
		q.functions[i].parameters = replace(q.functions[i].parameters)
	}
}

// searching notes what searches for tools, "" for none, and which functions wait for that.
func (q *question) searching(finder string) {
	q.finder = finder
	for i := range q.functions {
		q.functions[i].isDeferred = q.functions[i].declared.Get("defer_loading").IsTrue()
	}
}

// turn is what a model says: it calls functions, or it says a text.
type turn struct {
	thinking string // "" for none
	calls    []call
	text     string
	uses     builtIn // that the text rests on
	finder   string  // that has found the deferred tools of the calls
}

// call is a call of a function.
type call struct {
	function

	arguments *schema.Node
	input     string // of a custom tool
}

// text returns the arguments of the call, as they are sent.
func (c call) text() string {
	if c.isCustom {
		return c.input
	}
	return c.arguments.String()
}

// size returns how many bytes the model said.
func (t turn) size() int {
	size := len(t.thinking) + len(t.text)
	for _, call := range t.calls {
		size += len(call.name) + len(call.text())
	}
	return size
}

// sizeOf returns how many bytes all answers have.
func sizeOf(turns []turn) int {
	size := 0
	for _, said := range turns {
		size += said.size()
	}
	return size
}

// errNoFunction means that a function which is not declared has to be called.
var errNoFunction = errors.New("the function to be called is not declared")

// searchQuery is what a built-in search looks for, and searchPage what it finds.
const (
	searchQuery = "what the emulator answers"
	searchPage  = "https://example.com/"
)

// thought is what the model thinks, where it is asked to show it.
const thought = "The emulator thinks of nothing."

// answers makes what the model says, as often as it is asked to.
func (x *exchange) answers(q question) ([]turn, error) {
	scripted := x.script.next(x, q)
	turns := make([]turn, min(max(q.count, 1), mostAnswers))
	for i := range turns {
		var err error
		if scripted != nil {
			turns[i], err = scripted.turn(q)
		} else {
			turns[i], err = x.answer(q)
		}
		if err != nil {
			return nil, err
		}
		turns[i].finder = q.finder
		if q.thinks {
			turns[i].thinking = cmp.Or(turns[i].thinking, thought)
		}
	}
	return turns, nil
}

// answer makes one answer.
func (x *exchange) answer(q question) (turn, error) {
	named := slices.DeleteFunc(slices.Clone(q.functions), func(f function) bool { return len(q.names) > 0 && !slices.Contains(q.names, f.name) })
	if q.isForced && len(named) == 0 {
		return turn{}, errNoFunction
	}
	callable := named
	if !q.isForced || len(q.names) == 0 {
		callable = x.options.callable(named)
	}
	seen := slices.DeleteFunc(slices.Clone(callable), func(f function) bool { return f.isDeferred && q.finder == "" })
	switch {
	case x.options.Reply == ReplyText || q.isTold && !q.isForced:
	case len(seen) > 0:
		return x.call(seen, q.isAlone), nil
	case len(callable) > 0 && q.isForced:
		return x.call(callable, q.isAlone), nil
	case len(callable) > 0:
		return turn{text: "The emulator calls none of these tools: their loading is deferred, and the request has no tool that searches for them."}, nil
	case len(named) > 0:
		return turn{text: "The emulator calls none of these tools: they are not the user's, or an agent's own. Options.Call and --call name what it may call."}, nil
	}
	format := q.format
	if format == nil && (q.isJSON || len(q.functions) == 0) {
		format = schemaInPrompt(x.body)
	}
	if !q.isJSON && format == nil {
		return turn{text: "This is an answer of the emulator.", uses: q.builtIn}, nil
	}
	value := schema.NewObject()
	if format != nil {
		if value = sample.Value(format, x.random, format); value == nil {
			return turn{text: "The emulator finds no value that the schema takes."}, nil
		}
	}
	return turn{text: value.String()}, nil
}

// call calls the first functions, as many as one answer may.
func (x *exchange) call(callable []function, isAlone bool) turn {
	most := max(x.options.Parallel, 1)
	if isAlone {
		most = 1
	}
	var said turn
	for _, called := range callable[:min(most, len(callable))] {
		made := call{function: called}
		if called.isCustom {
			made.input = "This is an input of the emulator."
		} else if made.arguments = sample.Object(called.parameters, x.random); made.arguments == nil {
			said.text = "The emulator finds no arguments that " + called.name + " takes."
			continue
		}
		said.calls = append(said.calls, made)
	}
	return said
}

// id makes an identifier.
func (x *exchange) id(prefix string) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
	text := []byte(prefix)
	for range 24 {
		text = append(text, letters[x.random.IntN(len(letters))])
	}
	return string(text)
}

// created is the time of every answer: the start of the day that is answered for, so
// that an answer is the same again.
func (x *exchange) created() int64 {
	day, err := time.Parse(time.DateOnly, string(x.day))
	if err != nil {
		return 0
	}
	return day.Unix()
}

// tokens counts what a text of so many bytes comes to, roughly.
func tokens(size int) int { return size/4 + 1 }

// count reads a number of answers.
func count(node *schema.Node) int {
	if node == nil {
		return 0
	}
	number, _ := node.Int64()
	return int(min(max(number, 0), mostAnswers))
}
