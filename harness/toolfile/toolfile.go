// Package toolfile reads tools in the forms in which people have them: the result
// of MCP tools/list, the tools of OpenAI's Chat and Responses, Gemini's function
// declarations, Anthropic's tools, JSON Lines of one tool each, and a bare schema.
// One tool that cannot be read does not cost the others.
package toolfile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolproof/schema"
)

// MaxSize is how many bytes a document may have, after decompression.
const MaxSize = 256 << 20

// Tool is a tool as a document declares it.
type Tool struct {
	schema.Tool
	ID   string // the member id, where there is one
	Line int    // on which the tool begins, counted from 1
	// Given is the whole declaration; nil when it could not be read.
	Given *schema.Node
	// Err is why the tool could not be read.
	Err error

	base       schema.Pointer // of the object that has name and description
	parameters schema.Pointer
}

// Pointer turns a pointer into the tool, such as /parameters/type, into one into
// Given.
func (t Tool) Pointer(at schema.Pointer) schema.Pointer {
	if rest, ok := strings.CutPrefix(string(at), "/parameters"); ok {
		return t.parameters + schema.Pointer(rest)
	}
	return t.base + at
}

// Read reads all tools of a document; compressed ones are decompressed. The error
// is about the document as a whole: tools that were read before it are returned
// too.
func Read(reader io.Reader) ([]Tool, error) {
	data, err := readAll(reader)
	if err != nil {
		return nil, err
	}
	document := &document{data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), line: 1}
	err = document.read()
	return document.tools, err
}

func readAll(reader io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(reader, MaxSize+1))
	if err == nil && bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var decompressed io.Reader
		if decompressed, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
			data, err = io.ReadAll(io.LimitReader(decompressed, MaxSize+1))
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading tools: %w", err)
	case len(data) > MaxSize:
		return nil, fmt.Errorf("reading tools: the document is larger than %d MB", MaxSize>>20)
	default:
		return data, nil
	}
}

// document is a text on its way to tools. Its outermost structure is scanned, not
// parsed, so that a fault inside one tool stays there.
type document struct {
	data  []byte
	tools []Tool
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

func (d *document) errorAt(offset int, detail string) error {
	return &schema.SyntaxError{Position: d.position(offset), Err: schema.ErrNotJSON, Detail: detail}
}

func (d *document) read() error {
	start := skipSpace(d.data, 0)
	if start == len(d.data) {
		return errors.New("reading tools: the document is empty")
	}
	end, complete := scanValue(d.data, start)
	more := skipSpace(d.data, end) < len(d.data)
	if complete && more || !complete && d.data[start] == '{' && d.looksLikeLines(start) {
		return d.lines()
	}
	return d.value(start, end, complete)
}

// looksLikeLines reports whether a document that does not end well has a line
// among its first that is an object of its own, so that it is JSON Lines with a
// fault in one of them.
func (d *document) looksLikeLines(start int) bool {
	const looked = 3
	for _, line := range bytes.SplitN(d.data[start:], []byte{'\n'}, looked+1) {
		line = bytes.TrimSpace(line)
		end, complete := scanValue(line, 0)
		if len(line) > 0 && complete && end == len(line) && line[0] == '{' {
			return true
		}
	}
	return false
}

// lines reads JSON Lines.
func (d *document) lines() error {
	for start := 0; start < len(d.data); {
		end := start + bytes.IndexByte(d.data[start:], '\n')
		if end < start {
			end = len(d.data)
		}
		if first := skipSpace(d.data[:end], start); first < end {
			d.tool(first, end, false)
		}
		start = end + 1
	}
	return nil
}

// value reads a single JSON value: a tool, a list of tools, or an object that has
// such a list somewhere people put it.
func (d *document) value(start, end int, complete bool) error {
	switch d.data[start] {
	case '[':
		return d.list(start)
	case '{':
		members, closed := scanObject(d.data, start)
		for _, member := range members {
			isList := member.value < len(d.data) && d.data[member.value] == '['
			switch member.key {
			case "tools", "functionDeclarations", "function_declarations":
				if isList {
					return d.list(member.value)
				}
			case "result":
				if member.value < len(d.data) && d.data[member.value] == '{' {
					return d.value(member.value, member.end, closed)
				}
			}
		}
		if !complete {
			end = len(d.data)
		}
		d.tool(start, end, false)
		return nil
	default:
		return d.errorAt(start, "tools are an object or a list, this begins with "+string(d.data[start:start+1]))
	}
}

// list reads a list of tools. A list that is cut short costs its last tool.
func (d *document) list(start int) error {
	elements, closed := scanArray(d.data, start)
	for _, element := range elements {
		if d.data[element.value] == '{' {
			if inner := declarationList(d.data, element.value); inner >= 0 {
				if err := d.list(inner); err != nil {
					return err
				}
				continue
			}
		}
		d.tool(element.value, element.end, true)
	}
	if !closed {
		return d.errorAt(len(d.data), "the document ends inside a list of tools")
	}
	return nil
}

// declarationList returns where the list of a Gemini tool begins, or -1.
func declarationList(data []byte, start int) int {
	members, _ := scanObject(data, start)
	for _, member := range members {
		if (member.key == "functionDeclarations" || member.key == "function_declarations") && member.value < len(data) && data[member.value] == '[' {
			return member.value
		}
	}
	return -1
}

// tool reads one tool; in a list, what the provider brings along is passed over.
func (d *document) tool(start, end int, listed bool) {
	at := d.position(start)
	given, err := schema.ParseAt(d.data[start:end], at)
	tool := Tool{Line: int(at.Line), Given: given, Err: err}
	if err == nil {
		if listed && isBuiltIn(given) {
			return
		}
		tool.recognize()
	}
	d.tools = append(d.tools, tool)
}
