// Package toolfile reads tools in the forms in which people have them: the result of MCP's
// tools/list, the tools of OpenAI's Chat and Responses, Gemini's function declarations,
// Anthropic's tools, JSON Lines of one tool each, and bare schemas, as JSON, JSON with
// comments, or YAML. A tool that cannot be read has an error of its own and does not affect the
// others. A document that is something else gives an error that says what it is.
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

// MaxSize is the size of the largest document, in bytes after decompression.
const MaxSize = 256 << 20

// MaxTools is the largest number of tools in a document, which bounds the memory that a small compressed
// file can take.
const MaxTools = 200_000

// Tool is a tool with its place in a document.
type Tool struct {
	schema.Tool
	ID   string // value of the member id, or ""
	Line int    // on which the tool begins, counted from 1; 0 without a file
	// Request is the same number, counted from 1, for tools that are sent together: those of
	// one list. It is 0 for a tool that stands alone or is part of a collection, which is a
	// list of bare schemas or of tools with ids.
	Request int
	// IsResponse is set for the schema of a model's answer, which is no tool and is a request of
	// its own here. Its Name is that of its form, or ResponseName.
	IsResponse bool
	// Form is the form of the declaration, which says whom the tool is for.
	Form Form
	// Declaration is the whole declaration; nil if it could not be read.
	Declaration *schema.Node
	// Err tells why the tool could not be read.
	Err error

	start      int            // offset in the document
	ofGoogle   bool           // whether it is in a list of Google's function declarations
	folded     *folded        // nil unless the tool is folded
	base       schema.Pointer // pointer to the object with name and description
	parameters schema.Pointer // pointer to the parameters
}

// Pointer converts a pointer into the tool, such as /parameters/type, to a pointer into
// Declaration. Absent parameters have the pointer of the place where they belong.
func (t *Tool) Pointer(at schema.Pointer) schema.Pointer {
	if t.base == "" && t.parameters == "/parameters" {
		return at
	}
	if rest, ok := strings.CutPrefix(string(at), "/parameters"); ok {
		return t.parameters + schema.Pointer(rest)
	}
	return t.base + at
}

// Within converts a pointer into Declaration to a pointer into the tool, as the inverse of
// Pointer. It reports false for a place outside the parameters.
func (t *Tool) Within(at schema.Pointer) (schema.Pointer, bool) {
	rest, ok := strings.CutPrefix(string(at), string(t.parameters))
	return "/parameters" + schema.Pointer(rest), ok && at.Under(t.parameters)
}

// Of returns a Tool for a tool that does not come from a document.
func Of(tool schema.Tool) Tool {
	return Tool{Tool: tool, Line: 1, Declaration: tool.Node(), parameters: "/parameters"}
}

// folded is the text of a tool, to be parsed on demand.
type folded struct {
	text []byte
	at   schema.Position
	size int // number of values in the parameters
}

// MostFolded is the largest number of values in the parameters of a tool that a Reader folds.
const MostFolded = 1_000

// Size returns the number of values in the parameters.
func (t *Tool) Size() int {
	if t.folded != nil {
		return t.folded.size
	}
	return t.Parameters.Size()
}

// Unfolded returns the tool with its trees. It parses a folded tool anew at each call.
func (t *Tool) Unfolded() Tool {
	if t.folded == nil {
		return *t
	}
	whole := Tool{Line: t.Line, Request: t.Request, start: t.start}
	whole.Declaration, whole.Err = schema.ParseAt(t.folded.text, t.folded.at)
	whole.recognize(false) // a folded tool stands in no list, which would say more of its form
	return whole
}

// Read reads all tools of a document, decompressing it if necessary. It returns the tools that
// could be read even if it returns an error, which is about the document as a whole and may
// join several; see Problems. The error of a document that is something else is a
// *ForeignError.
func Read(reader io.Reader) ([]Tool, error) { return Reader{}.Read(reader) }

// Requests groups the tools of a document by the request in which they are sent.
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

// Problems returns the errors that are joined in an error of Read.
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

func (r Reader) read(data []byte, err error) ([]Tool, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, errors.New("reading tools: the document is UTF-16: save it as UTF-8")
	case err != nil && len(data) == 0:
		return nil, err
	}
	document := &document{
		data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1,
		folds: r.Folds && !r.AsResponse, wantsResponses: r.Responses || r.AsResponse, passed: r.Passed, body: r.Body,
	}
	document.readText()
	return document.tools, errors.Join(append(document.problems, err)...)
}

// readAll returns the text of a document. If it fails, for example because a compressed file
// was cut short, it returns the text before the error, too.
func readAll(reader io.Reader) ([]byte, error) {
	data, err := bounded.All(reader, MaxSize)
	if err != nil {
		return data, fmt.Errorf("reading tools: %w", err)
	}
	return data, nil
}

// document is a text being read. Its outermost structure is scanned, not parsed, so that an
// error inside one tool does not affect the others.
type document struct {
	data     []byte
	tools    []Tool
	problems []error // with the text outside of the tools
	// envelopes is the number of objects around the current tool.
	envelopes int
	requests  int // number of values read so far that can hold a list of tools
	folds     bool
	passed    func(Passed) // of the Reader
	body      func(*schema.Node, []Tool)
	index     int // of the entry that is being read in its list
	// wantsResponses is set if response schemas are read as well.
	wantsResponses bool
	// hasTooMany is set if there are more than MaxTools tools.
	hasTooMany bool
	// isAlone is set if the document is one value.
	isAlone bool
	// isDeclared is set if a value has a list of tools under one of listKeys.
	isDeclared bool
	// ofGoogle is set inside a list of Google's function declarations.
	ofGoogle bool
	// The last position computed, from which the next is counted.
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

// maxProblems is the largest number of problems reported for one document.
const maxProblems = 20

func (d *document) problem(offset int, err error, detail string) {
	if len(d.problems) == maxProblems {
		return
	}
	d.problems = append(d.problems, &schema.SyntaxError{Position: d.position(offset), Err: err, Detail: detail})
}

// faults reports the faults between values as problems. A cut in the middle of a tool is an
// error of that tool only.
func (d *document) faults(found scanned) {
	for _, fault := range found.faults {
		d.problem(fault.offset, fault.err, fault.detail)
	}
}

// readText reads JSON or YAML, or reports what else the text is.
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

// read reads JSON Lines or a sequence of JSON values, usually only one.
func (d *document) read() {
	d.readValues()
	if d.hasTooMany {
		d.tools = nil
		d.problems = []error{fmt.Errorf("reading tools: %w: there are more than %d tools: split the document", bounded.ErrTooLarge, MaxTools)}
	}
	if len(d.tools) == 0 || d.isDeclared || slices.ContainsFunc(d.tools, func(tool Tool) bool { return !errors.Is(tool.Err, errNoTool) }) {
		return
	}
	// No value is a tool, which is one problem of the document.
	d.problems = append(d.problems, d.nothing())
	d.tools = nil
}

// nothing returns the error of a document in which no value is a tool.
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

// space is JSON's white space.
const space = " \t\r\n"

// isLines reports whether the document is JSON Lines: its first line is a whole value with more
// text below, or, if the first line is faulty, its second line is a whole value.
func (d *document) isLines(start int) bool {
	first, rest, _ := bytes.Cut(d.data[start:], []byte{'\n'})
	if first = bytes.Trim(first, space); isWhole(first) {
		return len(bytes.Trim(rest, space)) > 0
	}
	if first[0] != '{' || strings.IndexByte("[{,", first[len(first)-1]) >= 0 {
		return false // one value on several lines
	}
	second, _, _ := bytes.Cut(rest, []byte{'\n'})
	return isWhole(bytes.Trim(second, space))
}

// isWhole reports whether a line is one complete object or list.
func isWhole(line []byte) bool {
	if len(line) == 0 || line[0] != '{' && line[0] != '[' {
		return false
	}
	end, complete := scanValue(line, 0)
	return complete && end == len(line)
}

// lines reads JSON Lines.
func (d *document) lines() {
	for start := 0; start < len(d.data) && !d.hasTooMany; {
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

// lineOf reads one line, whose faults do not affect other lines.
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

// value reads a JSON value: a tool, a list of tools, or an object with such a list where people
// put one. It reports false for a value that cannot hold a tool.
func (d *document) value(start, end int) bool {
	d.requests++
	switch d.data[start] {
	case '[':
		d.list(start)
	case '{':
		d.object(start, end)
	default:
		first, _ := utf8.DecodeRune(d.data[start:])
		d.problem(start, errNoTool, fmt.Sprintf("tools are an object or a list, and this begins with %q", first))
		return false
	}
	return true
}

// object reads a tool, or the tools and response schemas of a request. If the document is one
// object with neither, object reports what else it is.
func (d *document) object(start, end int) {
	outline := d.outline(start)
	for _, form := range []*form{&bundle, &interactions} {
		if d.isAlone && form.is(outline) {
			d.problems = append(d.problems, &form.ForeignError)
			return
		}
	}
	if asked := outline.inputRequests(); len(asked) > 0 {
		for _, request := range asked {
			d.object(request.value, request.end)
		}
		return
	}
	hasTools := slices.ContainsFunc(outline.members, d.holdsTools)
	if d.body != nil && (isRequest(outline) || d.isAlone && isServer(outline)) {
		body, err := schema.ParseAt(d.data[start:end], d.position(start))
		switch {
		case err == nil:
			first := len(d.tools)
			defer func() { d.body(body, d.tools[first:]) }()
		case !hasTools && len(d.problems) < maxProblems: // otherwise the envelope has the same problem
			d.problems = append(d.problems, err)
			return
		}
	}
	if hasTools {
		d.envelope(start)
	}
	hasResponses := d.wantsResponses && d.responses(outline, span{value: start, end: end})
	if hasTools || hasResponses {
		return
	}
	if d.isAlone {
		if foreign := outline.foreign(); foreign != nil {
			d.problems = append(d.problems, foreign)
			return
		}
	}
	d.tool(start, end, false)
}

// maxEnvelopes is how deep objects around a tool may nest. A result and, in its list of tools,
// a Gemini tool or a namespace are two.
const maxEnvelopes = 4

// envelope reads the tools of an object with a list of them, or with a result or parameters that have such a
// list.
func (d *document) envelope(start int) {
	d.envelopes++
	defer func() { d.envelopes-- }()
	if d.envelopes > maxEnvelopes {
		d.problem(start, schema.ErrTooDeep, fmt.Sprintf("more than %d lists of tools inside one another", maxEnvelopes))
		return
	}
	found := scanObject(d.data, start)
	d.isDeclared = true
	for i, member := range found.parts {
		cut := found.cut && i == len(found.parts)-1
		switch {
		case d.isToolList(member):
			outside := d.ofGoogle
			d.ofGoogle = member.key != "tools"
			d.list(member.value)
			d.ofGoogle = outside
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
}

// listKeys are the members that hold a list of tools.
var listKeys = []string{"tools", "functionDeclarations", "function_declarations"}

// holdsTools reports whether a member is a list of tools, or a result or the parameters of a message with such a list.
func (d *document) holdsTools(member span) bool {
	if d.data[member.value] == '{' && (member.key == "result" || member.key == "params") {
		return slices.ContainsFunc(scanObject(d.data, member.value).parts, d.isToolList)
	}
	return d.isToolList(member)
}

func (d *document) isToolList(member span) bool {
	return d.data[member.value] == '[' && slices.Contains(listKeys, member.key)
}

// list reads a list of tools, or of Gemini tools and namespaces, which have lists of their own.
// If the list is cut short, only its last tool has an error.
func (d *document) list(start int) {
	found := scanList(d.data, start)
	if d.hasTooMany = d.hasTooMany || found.hasTooMany; d.hasTooMany {
		return
	}
	for i, element := range found.parts {
		d.index = i
		if d.hasDeclarations(element) {
			d.envelope(element.value)
			continue
		}
		d.tool(element.value, element.end, true)
	}
	d.faults(found)
}

// hasDeclarations reports whether an element of a list of tools has a list of its own, as a
// Gemini tool and a namespace of Responses have.
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

// tool reads one tool. In a list it skips the provider's built-in tools.
func (d *document) tool(start, end int, listed bool) {
	if d.hasTooMany = d.hasTooMany || len(d.tools) == MaxTools; d.hasTooMany {
		return
	}
	at := d.position(start)
	declaration, err := schema.ParseAt(d.data[start:end], at)
	tool := Tool{Line: int(at.Line), Declaration: declaration, Err: err, start: start}
	if err == nil {
		if kind, isPassed := passedOver(declaration); listed && isPassed {
			if d.passed != nil {
				d.passed(Passed{kind, declaration, d.index})
			}
			return
		}
		tool.ofGoogle = d.ofGoogle
		tool.recognize(d.envelopes > 0)
		if d.ofGoogle && tool.Err == nil && slices.Contains(googleKeys, schemaKey(declaration)) {
			tool.Form = formOfGoogle(declaration)
		}
	}
	if listed && tool.isSent() {
		tool.Request = d.requests
	}
	if size := tool.Parameters.Size(); d.folds && !listed && d.envelopes == 0 && declaration != nil && size <= MostFolded {
		tool.folded = &folded{text: d.data[start:end:end], at: at, size: size}
		tool.Declaration, tool.Description, tool.Tool.Parameters = nil, nil, nil
	}
	d.tools = append(d.tools, tool)
}

// With returns the tool with another declaration of the same form.
func (t *Tool) With(declaration *schema.Node) Tool {
	edited := Tool{ID: t.ID, Line: t.Line, Request: t.Request, IsResponse: t.IsResponse, Declaration: declaration, ofGoogle: t.ofGoogle}
	if !t.IsResponse {
		edited.recognize(true)
		edited.Form = t.Form
		return edited
	}
	edited.base, edited.parameters = t.base, t.parameters
	edited.Name, edited.Description, edited.Tool.Parameters = t.Name, t.Description, declaration.Find(t.parameters)
	return edited
}
