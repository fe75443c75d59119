package emulator

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
	"toolproof/schema/instance/sample"
)

// grammarOf returns the grammar of a custom tool's input, an object with syntax and definition; nil if the
// input is any text. Chat Completions has it a level deeper than Responses.
func grammarOf(tool *schema.Node) *schema.Node {
	format := tool.Get("format")
	if !format.Get("type").Is("grammar") {
		return nil
	}
	if inner := format.First("grammar"); inner != nil {
		return inner
	}
	return format
}

// input returns a text that the grammar of a custom tool takes. It reports false if it finds none.
func (f function) input(random *rand.Rand) (text string, ok bool) {
	switch {
	case f.grammar == nil:
		return "This is an input of the emulator.", true
	case f.grammar.Get("syntax").Is("regex"):
		return matching(f.grammar.GetString("definition"), random)
	default: // lark; the service refuses others
		rules, err := readLark(f.grammar.GetString("definition"))
		if err != nil {
			return "", false
		}
		derivation := derivation{rules: rules, heights: heightsOf(rules), random: random}
		if _, has := derivation.heights["start"]; !has || derivation.write(expression{name: "start"}) != nil {
			return "", false
		}
		return derivation.text.String(), true
	}
}

// matching returns a text that the whole of a pattern matches. It reports false if it finds none.
func matching(pattern string, random *rand.Rand) (text string, ok bool) {
	root := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")}, schema.Member{Key: "pattern", Value: schema.NewString("^(?:" + pattern + ")$")})
	value := sample.Value(root, random, root)
	if value == nil {
		return "", false
	}
	return value.Text, true
}

// expression is a part of a rule of Lark: one of a pattern, the name of a rule, alternatives and a sequence, which
// is also the text if it has no parts.
type expression struct {
	text, pattern, name   string
	alternatives, parts   []expression
	least                 int  // how often it is repeated at least
	isRepeated, isPattern bool // least counts; pattern counts
}

// The bounds of grammars.
const (
	longestGrammar = 16 << 10 // bytes
	longestInput   = 64 << 10 // bytes
	mostDerived    = 10_000   // expressions
)

var (
	errGrammar    = errors.New("the grammar is not understood")
	errDerivation = errors.New("no text of the grammar is found")
)

var (
	larkRule  = lazy.Compile(`^[?!]*([A-Za-z_]\w*)(?:\.-?\d+)?\s*:([^\n]*)$`)
	larkToken = lazy.Compile(`^(?:\s+|//[^\n]*|("(?:\\.|[^"\\])*"i?|/(?:\\.|[^/\\\n])+/[imslux]*|[A-Za-z_]\w*|->|\.\.|[|()\[\]?*+~]|\d+))`)
	imported  = lazy.Compile(`^%import\s+common\s*(?:\.\s*(\w+)(?:\s*->\s*(\w+))?|\(([\w\s,]+)\))\s*$`)
)

// commonTerminals has patterns of texts that the terminals of Lark's library take, by name.
var commonTerminals = map[string]string{
	"CNAME": `[a-z_]\w{0,7}`, "CR": `\r`, "DECIMAL": `\d\.\d`, "DIGIT": `\d`, "ESCAPED_STRING": `"[a-z]{0,8}"`, "FLOAT": `\d\.\d`, "HEXDIGIT": `[0-9a-f]`,
	"INT": `\d{1,3}`, "LCASE_LETTER": `[a-z]`, "LETTER": `[a-z]`, "LF": `\n`, "NEWLINE": `\n`, "NUMBER": `\d{1,3}`, "SIGNED_FLOAT": `-?\d\.\d`,
	"SIGNED_INT": `-?\d{1,3}`, "SIGNED_NUMBER": `-?\d{1,3}`, "UCASE_LETTER": `[A-Z]`, "WORD": `[a-z]{1,8}`, "WS": ` `, "WS_INLINE": ` `,
}

// readLark reads the rules of a grammar in Lark's form, with what it imports from Lark's library.
func readLark(definition string) (map[string]expression, error) {
	if len(definition) > longestGrammar {
		return nil, errGrammar
	}
	bodies, last := map[string]string{}, ""
	rules := map[string]expression{}
	add := func(name, as string) bool {
		pattern, isCommon := commonTerminals[name]
		if as == "" {
			as = name
		}
		rules[as] = expression{pattern: pattern, isPattern: true}
		return isCommon
	}
	for line := range strings.Lines(definition) {
		line = strings.TrimSpace(line)
		begun, library := larkRule.FindStringSubmatch(line), imported.FindStringSubmatch(line)
		switch {
		case library != nil && library[3] == "":
			if !add(library[1], library[2]) {
				return nil, errGrammar
			}
		case library != nil:
			for name := range strings.SplitSeq(library[3], ",") {
				if !add(strings.TrimSpace(name), "") {
					return nil, errGrammar
				}
			}
		case strings.HasPrefix(line, "%ignore"): // what is ignored may be missing
		case begun != nil:
			last = begun[1]
			bodies[last] = begun[2]
		case last != "":
			bodies[last] += "\n" + line
		case line != "" && !strings.HasPrefix(line, "//"):
			return nil, errGrammar
		}
	}
	for name, body := range bodies {
		reader := larkReader{}
		for rest := body; rest != ""; {
			token := larkToken.FindStringSubmatch(rest)
			if token == nil {
				return nil, errGrammar
			}
			if token[1] != "" {
				reader.tokens = append(reader.tokens, token[1])
			}
			rest = rest[len(token[0]):]
		}
		read, err := reader.alternatives()
		if err != nil || len(reader.tokens) > 0 {
			return nil, errGrammar
		}
		rules[name] = read
	}
	return rules, nil
}

// larkReader reads the tokens of a rule.
type larkReader struct{ tokens []string }

// is reports whether the next token is one of several.
func (r *larkReader) is(tokens string) bool {
	return len(r.tokens) > 0 && len(r.tokens[0]) == 1 && strings.Contains(tokens, r.tokens[0])
}

func (r *larkReader) next() string {
	if len(r.tokens) == 0 {
		return ""
	}
	token := r.tokens[0]
	r.tokens = r.tokens[1:]
	return token
}

func (r *larkReader) alternatives() (expression, error) {
	var read expression
	for {
		var sequence expression
		for len(r.tokens) > 0 && !r.is("|)]") {
			if r.tokens[0] == "->" { // the name of the alternative
				r.next()
				r.next()
				continue
			}
			part, err := r.repeated()
			if err != nil {
				return read, err
			}
			sequence.parts = append(sequence.parts, part)
		}
		read.alternatives = append(read.alternatives, sequence)
		if !r.is("|") {
			return read, nil
		}
		r.next()
	}
}

// repeated reads an atom with what follows it.
func (r *larkReader) repeated() (expression, error) {
	read, err := r.atom()
	for err == nil && r.is("?*+~") {
		read = expression{parts: []expression{read}, isRepeated: true}
		switch r.next() {
		case "+":
			read.least = 1
		case "~":
			least, err := strconv.Atoi(r.next())
			if err != nil {
				return read, errGrammar
			}
			read.least = least
			if len(r.tokens) > 0 && r.tokens[0] == ".." { // the most does not matter
				r.next()
				r.next()
			}
		}
	}
	return read, err
}

func (r *larkReader) atom() (expression, error) {
	token := r.next()
	switch {
	case token == "(", token == "[":
		read, err := r.alternatives()
		if closing := r.next(); err != nil || closing != map[string]string{"(": ")", "[": "]"}[token] {
			return read, errGrammar
		}
		if token == "[" {
			return expression{parts: []expression{read}, isRepeated: true}, nil
		}
		return read, nil
	case strings.HasPrefix(token, `"`):
		text, err := strconv.Unquote(strings.TrimSuffix(token, "i"))
		if err != nil {
			return expression{}, errGrammar
		}
		if len(r.tokens) > 0 && r.tokens[0] == ".." { // a range, of which the first will do
			r.next()
			r.next()
		}
		return expression{text: text}, nil
	case strings.HasPrefix(token, "/"):
		end := strings.LastIndexByte(token, '/')
		pattern := strings.ReplaceAll(token[1:end], `\/`, "/")
		if flags := strings.Trim(token[end+1:], "ulx"); flags != "" {
			pattern = "(?" + flags + ":" + pattern + ")"
		}
		return expression{pattern: pattern, isPattern: true}, nil
	case token != "" && (token[0] == '_' || token[0]|0x20 >= 'a' && token[0]|0x20 <= 'z'):
		return expression{name: token}, nil
	default:
		return expression{}, errGrammar
	}
}

// heightsOf returns how many rules the least deep derivation of each rule has one in another. A rule
// without a derivation has none.
func heightsOf(rules map[string]expression) map[string]int {
	heights := map[string]int{}
	for isChanged := true; isChanged; {
		isChanged = false
		for name, rule := range rules {
			if height := rule.height(heights); height < math.MaxInt {
				if known, isKnown := heights[name]; !isKnown || height+1 < known {
					heights[name], isChanged = height+1, true
				}
			}
		}
	}
	return heights
}

func (e expression) height(heights map[string]int) int {
	height := 0
	switch {
	case e.isRepeated && e.least == 0:
	case e.name != "":
		known, isKnown := heights[e.name]
		if !isKnown {
			return math.MaxInt
		}
		height = known
	case len(e.alternatives) > 0:
		height = math.MaxInt
		for _, alternative := range e.alternatives {
			height = min(height, alternative.height(heights))
		}
	default:
		for _, part := range e.parts {
			height = max(height, part.height(heights))
		}
	}
	return height
}

// derivation writes a text of a grammar: of alternatives the least deep, and of repetitions the fewest.
type derivation struct {
	rules   map[string]expression
	heights map[string]int
	random  *rand.Rand
	text    strings.Builder
	steps   int
}

func (d *derivation) write(e expression) error {
	if d.steps++; d.steps > mostDerived || d.text.Len() > longestInput {
		return errDerivation
	}
	switch {
	case e.isPattern:
		text, ok := matching(e.pattern, d.random)
		if !ok {
			return errDerivation
		}
		d.text.WriteString(text)
	case e.name != "":
		return d.write(d.rules[e.name])
	case len(e.alternatives) > 0:
		if len(e.alternatives) == 1 {
			return d.write(e.alternatives[0])
		}
		best, least := e, math.MaxInt
		for _, alternative := range e.alternatives {
			if height := alternative.height(d.heights); height < least {
				best, least = alternative, height
			}
		}
		return d.write(best)
	case e.isRepeated:
		for range e.least {
			if err := d.write(e.parts[0]); err != nil {
				return err
			}
		}
	default:
		d.text.WriteString(e.text)
		for _, part := range e.parts {
			if err := d.write(part); err != nil {
				return err
			}
		}
	}
	return nil
}
