// Package toolfile reads tools in the forms in which people have them: the result
// of MCP tools/list, the tools of OpenAI's Chat and Responses, Gemini's function
// declarations, Anthropic's tools, JSON Lines of one tool each, and a bare schema; in
// JSON, with comments or without, and in YAML. One tool that cannot be read does not cost
// the others. What is no tool is not taken for one: the error says what it is.
package toolfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolproof/internal/bounded"
	"toolproof/schema"
)

// MaxSize is how many bytes a document may have, after decompression.
const MaxSize = 256 << 20

// Tool is a tool as a document declares it.
type Tool struct {
	schema.Tool
	ID   string // the member id, where there is one
	Line int    // on which the tool begins, counted from 1; 0 where there is no file
	// Request tells the tools that are sent together: those of one list have the
	// same number, from 1. It is 0 for a tool that stands alone, and in a list of
	// bare schemas, or of tools with ids, which is a collection.
	Request int
	// Given is the whole declaration; nil when it could not be read.
	Given *schema.Node
	// Err is why the tool could not be read.
	Err error

	start      int            // in the document
	folded     *folded        // nil where the trees are there
	base       schema.Pointer // of the object that has name and description
	parameters schema.Pointer
}

// Pointer turns a pointer into the tool, such as /parameters/type, into one into
// Given. Parameters that are not there are missed where they should be.
func (t *Tool) Pointer(at schema.Pointer) schema.Pointer {
	if t.base == "" && t.parameters == "/parameters" {
		return at
	}
	if rest, ok := strings.CutPrefix(string(at), "/parameters"); ok {
		return t.parameters + schema.Pointer(rest)
	}
	return t.base + at
}

// Within turns a pointer into Given into one into the tool, as the inverse of Pointer. It is
// false for a place beside the parameters.
func (t *Tool) Within(at schema.Pointer) (schema.Pointer, bool) {
	rest, ok := strings.CutPrefix(string(at), string(t.parameters))
	return "/parameters" + schema.Pointer(rest), ok && at.Under(t.parameters)
}

// Of returns a tool that no document declares.
func Of(tool schema.Tool) Tool {
	return Tool{Tool: tool, Line: 1, Given: tool.Node(), parameters: "/parameters"}
}

// folded is a tool as it stands in its document.
type folded struct {
	text []byte
	at   schema.Position
	size int // of the parameters
}

// MostFolded is how many values the parameters of a tool have at most that is folded.
const MostFolded = 1_000

// Size returns how many values the parameters have.
func (t *Tool) Size() int {
	if t.folded != nil {
		return t.folded.size
	}
	return t.Parameters.Size()
}

// Unfolded returns the tool with its trees. Those of a folded tool are made at each call.
func (t *Tool) Unfolded() Tool {
	if t.folded == nil {
		return *t
	}
	whole := Tool{Line: t.Line, Request: t.Request, start: t.start}
	whole.Given, whole.Err = schema.ParseAt(t.folded.text, t.folded.at)
	whole.recognize(false)
	return whole
}

// Read reads all tools of a document; compressed ones are decompressed. The error
// is about the document as a whole, and may join several: tools that could be read
// are returned too. It is a *ForeignError where the document is something else.
func Read(reader io.Reader) ([]Tool, error) { return read(reader, false) }

// ReadFolded is Read, and folds the tools that stand alone: they have no trees until they
// are Unfolded. Who judges ten thousand tools one by one would hold all their trees, which
// the collector walks through again and again.
func ReadFolded(reader io.Reader) ([]Tool, error) { return read(reader, true) }

// Requests returns the tools of a document by the request that they are sent in.
func Requests(tools []Tool) [][]Tool {
	var requests [][]Tool
	for start := 0; start < len(tools); {
		end := start + 1
		for request := tools[start].Request; request > 0 && end < len(tools) && tools[end].Request == request; {
			end++
		}
		requests = append(requests, tools[start:end])
		start = end
	}
	return requests
}

// Problems returns the single errors of an error of Read.
func Problems(err error) []error {
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		return joined.Unwrap()
	default:
		return []error{err}
	}
}

func read(reader io.Reader, folds bool) ([]Tool, error) {
	data, err := readAll(reader)
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, errors.New("reading tools: the document is UTF-16: save it as UTF-8")
	case err != nil && len(data) == 0:
		return nil, err
	}
	document := &document{data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1, folds: folds}
	document.readText()
	return document.tools, errors.Join(append(document.problems, err)...)
}

// readAll returns the text of a document. What was read before an error, such as
// the end of a compressed file that was cut short, is returned with it.
func readAll(reader io.Reader) ([]byte, error) {
	data, err := bounded.All(reader, MaxSize)
	if err != nil {
		return data, fmt.Errorf("reading tools: %w", err)
	}
	return data, nil
}

// document is a text on its way to tools. Its outermost structure is scanned, not
// parsed, so that a fault inside one tool stays there.
type document struct {
	data     []byte
	tools    []Tool
	problems []error // with what is around the tools
	// envelopes is how many objects around a tool are being read.
	envelopes int
	requests  int // how many values there were that can have a list of tools
	folds     bool
	// isAlone is set when the document is one value.
	isAlone bool
	// isDeclared is set when a value has a list of tools under a name of such lists.
	isDeclared bool
	// The place that was looked up last, from which the next is counted.
	offset, lineStart int
	line              int32
}

func (d *document) position(offset int) schema.Position {
	if offset < d.offset {
		d.offset, d.lineStart, d.line = 0, 0, 1
	}
	for i := d.offset; i < offset; i++ {
		if d.data[i] == '\n' {
			d.line++
			d.lineStart = i + 1
		}
	}
	d.offset = offset
	return schema.Position{Line: d.line, Column: int32(min(offset-d.lineStart+1, 1<<30))} //nolint:gosec // bounded by min
}

// maxProblems is how many problems of one document are reported.
const maxProblems = 20

func (d *document) problem(offset int, err error, detail string) {
	if len(d.problems) == maxProblems {
		return
	}
	d.problems = append(d.problems, &schema.SyntaxError{Position: d.position(offset), Err: err, Detail: detail})
}

// faults turns what was found between values into problems. A cut in the middle of
// a tool is an error of that tool, and is said once.
func (d *document) faults(found scanned) {
	for _, fault := range found.faults {
		d.problem(fault.offset, fault.err, fault.detail)
	}
}

// readText reads JSON, or YAML, or says what the text is.
func (d *document) readText() {
	start := skipSpace(d.data, 0)
	switch {
	case start == len(d.data):
		d.problems = append(d.problems, errors.New("reading tools: the document is empty"))
	case isJSON(d.data):
		d.readJSON()
	default:
		if foreign := source(d.data); foreign != nil {
			d.problems = append(d.problems, foreign)
			return
		}
		d.readYAML()
	}
}

// read reads JSON Lines, or one JSON value after the other; mostly there is one.
func (d *document) read() {
	d.readValues()
	if len(d.tools) == 0 || d.isDeclared || slices.ContainsFunc(d.tools, func(tool Tool) bool { return !errors.Is(tool.Err, errNoTool) }) {
		return
	}
	// No value is a tool: that is said once, of the document.
	d.problems = append(d.problems, d.nothing())
	d.tools = nil
}

// nothing returns what can be said of a document without a value that is a tool.
func (d *document) nothing() error {
	detail := ""
	if first, ok := errors.AsType[*schema.SyntaxError](d.tools[0].Err); ok {
		detail = first.Detail
	}
	if d.isAlone && d.data[skipSpace(d.data, 0)] == '{' {
		return &ForeignError{"an object", detail + "; " + exports}
	}
	return &ForeignError{"a list of values", "of the first of " + strconv.Itoa(len(d.tools)) + ": " + detail + "; " + exports}
}

func (d *document) readValues() {
	start := skipSpace(d.data, 0)
	if d.isLines(start) {
		d.lines()
		return
	}
	for first := true; start < len(d.data); first = false {
		end, complete := scanValue(d.data, start)
		d.isAlone = first && skipSpace(d.data, end) == len(d.data)
		if !d.value(start, end) || !complete {
			return
		}
		start = skipSpace(d.data, end)
	}
}

// space is what JSON takes for white space.
const space = " \t\r\n"

// isLines reports whether the document is JSON Lines: its first line is a whole
// value with more below it, or, where there is a fault in that line, the second is.
func (d *document) isLines(start int) bool {
	first, rest, _ := bytes.Cut(d.data[start:], []byte{'\n'})
	if first = bytes.Trim(first, space); isWhole(first) {
		return len(bytes.Trim(rest, space)) > 0
	}
	if first[0] != '{' || strings.IndexByte("[{,", first[len(first)-1]) >= 0 {
		return false // one value over several lines
	}
	second, _, _ := bytes.Cut(rest, []byte{'\n'})
	return isWhole(bytes.Trim(second, space))
}

// isWhole reports whether a line is one object or list.
func isWhole(line []byte) bool {
	if len(line) == 0 || line[0] != '{' && line[0] != '[' {
		return false
	}
	end, complete := scanValue(line, 0)
	return complete && end == len(line)
}

// lines reads JSON Lines.
func (d *document) lines() {
	for start := 0; start < len(d.data); {
		end := start + bytes.IndexByte(d.data[start:], '\n')
		if end < start {
			end = len(d.data)
		}
		if first := skipSpace(d.data[:end], start); first < end {
			d.lineOf(first, end)
		}
		start = end + 1
	}
}

// lineOf reads one line, whose faults cost no other line.
func (d *document) lineOf(start, end int) {
	whole := d.data
	d.data = whole[:end]
	defer func() { d.data = whole }()
	if valueEnd, complete := scanValue(d.data, start); complete && skipSpace(d.data, valueEnd) == end {
		d.value(start, valueEnd)
		return
	}
	d.tool(start, end, false)
}

// value reads a JSON value: a tool, a list of tools, or an object that has such a
// list somewhere people put it. It returns false for what can hold no tool.
func (d *document) value(start, end int) bool {
	d.requests++
	switch d.data[start] {
	case '[':
		d.list(start)
	case '{':
		if foreign := d.foreign(start); foreign != nil {
			d.problems = append(d.problems, foreign)
		} else if !d.envelope(start) {
			d.tool(start, end, false)
		}
	default:
		first, _ := utf8.DecodeRune(d.data[start:])
		d.problem(start, errNoTool, fmt.Sprintf("tools are an object or a list, and this begins with %q", first))
		return false
	}
	return true
}

// foreign returns what else a document is that is one object, or nil where it can have
// tools.
func (d *document) foreign(start int) error {
	if !d.isAlone {
		return nil
	}
	outline := d.outline(start)
	if bundle.is(outline) {
		return &bundle.ForeignError
	}
	if slices.ContainsFunc(outline.members, d.holdsTools) {
		return nil
	}
	if foreign := outline.foreign(); foreign != nil {
		return foreign
	}
	return nil
}

// maxEnvelopes is how many objects around a tool are looked into: a result, and a
// Gemini tool or a namespace in its list of tools, are two.
const maxEnvelopes = 4

// envelope reads the tools of an object that has a list of them, or a result with
// such a list, and returns false where it has none.
func (d *document) envelope(start int) bool {
	d.envelopes++
	defer func() { d.envelopes-- }()
	if d.envelopes > maxEnvelopes {
		d.problem(start, schema.ErrTooDeep, fmt.Sprintf("more than %d lists of tools inside one another", maxEnvelopes))
		return true
	}
	found := scanObject(d.data, start)
	if !slices.ContainsFunc(found.parts, d.holdsTools) {
		return false
	}
	d.isDeclared = true
	for i, member := range found.parts {
		cut := found.cut && i == len(found.parts)-1
		switch {
		case d.isToolList(member):
			d.list(member.value)
		case d.holdsTools(member):
			d.envelope(member.value)
		case cut:
			d.problem(len(d.data), schema.ErrNotJSON, "the document ends inside "+member.key)
		case len(d.problems) < maxProblems:
			if _, err := schema.ParseAt(d.data[member.value:member.end], d.position(member.value)); err != nil {
				d.problems = append(d.problems, err)
			}
		}
	}
	d.faults(found)
	return true
}

// listKeys are the members that hold a list of tools.
var listKeys = []string{"tools", "functionDeclarations", "function_declarations"}

// holdsTools reports whether a member is a list of tools, or the result of a call
// that has one.
func (d *document) holdsTools(member span) bool {
	if d.data[member.value] == '{' && member.key == "result" {
		return slices.ContainsFunc(scanObject(d.data, member.value).parts, d.isToolList)
	}
	return d.isToolList(member)
}

func (d *document) isToolList(member span) bool {
	return d.data[member.value] == '[' && slices.Contains(listKeys, member.key)
}

// list reads a list of tools, or of Gemini tools and namespaces, which have lists of their
// own. A list that is cut short costs its last tool.
func (d *document) list(start int) {
	found := scanList(d.data, start)
	for _, element := range found.parts {
		if d.hasDeclarations(element) {
			d.envelope(element.value)
			continue
		}
		d.tool(element.value, element.end, true)
	}
	d.faults(found)
}

// hasDeclarations reports whether an element of a list of tools has a list of its own: it
// is a Gemini tool, or a namespace of Responses.
func (d *document) hasDeclarations(element span) bool {
	if d.data[element.value] != '{' {
		return false
	}
	members := scanObject(d.data, element.value).parts
	isNamespace := slices.ContainsFunc(members, func(member span) bool {
		return member.key == "type" && string(d.data[member.value:member.end]) == `"namespace"`
	})
	return slices.ContainsFunc(members, func(member span) bool {
		return (isNamespace || member.key != "tools") && d.isToolList(member)
	})
}

// tool reads one tool; in a list, the provider's built-in tools are passed over.
func (d *document) tool(start, end int, listed bool) {
	at := d.position(start)
	given, err := schema.ParseAt(d.data[start:end], at)
	tool := Tool{Line: int(at.Line), Given: given, Err: err, start: start}
	if err == nil {
		if listed && isBuiltIn(given) {
			return
		}
		tool.recognize(d.envelopes > 0)
	}
	if listed && tool.isSent() {
		tool.Request = d.requests
	}
	if size := tool.Parameters.Size(); d.folds && !listed && d.envelopes == 0 && tool.Err == nil && size <= MostFolded {
		tool.folded = &folded{text: d.data[start:end:end], at: at, size: size}
		tool.Given, tool.Description, tool.Tool.Parameters = nil, nil, nil
	}
	d.tools = append(d.tools, tool)
}
