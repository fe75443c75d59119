package traffic

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"toolproof/schema"
)

// lists are the lists of exchanges of the formats in JSON: a path to the list and what reads an element.
var lists = []struct {
	path []string
	read func(*unpacker, *schema.Node) entry
}{
	{[]string{"log", "entries"}, (*unpacker).harEntry},
	{[]string{"http_interactions"}, (*unpacker).vcrEntry},
	{[]string{"interactions"}, (*unpacker).vcrEntry},
}

// readJSON reads a document in JSON, or lines of JSON, from an offset. Every exchange is parsed by itself, so
// that a large file has no large tree and one that is broken does not affect the others.
func (u *unpacker) readJSON(data []byte, start int) ([]*Exchange, error) {
	reader := &reader{data: data, unpacker: u}
	for _, list := range lists {
		at, ok := start, data[start] == '{' && bytes.Contains(data, []byte(strconv.Quote(list.path[len(list.path)-1])))
		if !ok {
			continue
		}
		for _, key := range list.path {
			if at, ok = member(data, at, key); !ok {
				break
			}
		}
		if ok && data[at] == '[' {
			reader.isKnown = true
			reader.list(at, list.read)
			return reader.exchanges, reader.error()
		}
	}
	switch {
	case !hasOne(data, `"scope"`) && !(hasOne(data, "messages", "contents", "input") && hasOne(data, `"body"`, `"request"`, `"params"`)):
	case data[start] == '[':
		reader.list(start, nil)
	default:
		reader.lines(start)
	}
	return reader.exchanges, reader.error()
}

// hasOne reports whether a document has one of several texts. That is quicker than to parse it.
func hasOne(data []byte, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(data, []byte(text)) })
}

// reader reads the exchanges of a document.
type reader struct {
	data      []byte
	unpacker  *unpacker
	exchanges []*Exchange
	problems  []error
	isKnown   bool // the format
	others    int  // values so far that are no exchanges
	// The last position computed, from which the next is counted.
	offset, lineStart int
	line              int32
}

func (r *reader) error() error {
	if !r.isKnown {
		return ErrUnknown
	}
	return errors.Join(r.problems...)
}

// isOther reports whether so many values are no exchanges that the document is of another kind.
func (r *reader) isOther() bool {
	const enough = 100
	r.others++
	return !r.isKnown && r.others > enough
}

// mostProblems is the number of problems that are reported for one file.
const mostProblems = 20

func (r *reader) problem(err error) {
	if len(r.problems) < mostProblems {
		r.problems = append(r.problems, err)
	}
}

// list reads the elements of a list at an offset. Without read, the first element tells the format.
func (r *reader) list(start int, read func(*unpacker, *schema.Node) entry) {
	decoder := jsontext.NewDecoder(bytes.NewReader(r.data[start:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if _, err := decoder.ReadToken(); err != nil {
		return
	}
	for decoder.PeekKind() != ']' {
		value, err := decoder.ReadValue()
		if err != nil {
			r.broken(start, start+int(decoder.InputOffset()), err)
			return
		}
		end := start + int(decoder.InputOffset())
		if r.add(end-len(value), end, read); r.isOther() {
			return
		}
	}
}

// lines reads a sequence of values, of which the first tells whether they are a log.
func (r *reader) lines(start int) {
	for start < len(r.data) {
		rest := r.data[start:]
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		line := bytes.TrimSpace(rest[:end])
		if len(line) > 0 && !jsontext.Value(line).IsValid() && !r.isKnown { // perhaps one value on several lines
			decoder := jsontext.NewDecoder(bytes.NewReader(rest), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
			if value, err := decoder.ReadValue(); err == nil {
				end = int(decoder.InputOffset())
				r.add(start+end-len(value), start+end, nil)
			}
			return
		}
		if len(line) > 0 {
			first := start + bytes.Index(rest[:end], line)
			if r.add(first, first+len(line), nil); r.isOther() {
				return
			}
		}
		start += end
	}
}

// add adds the exchange in a value. Without read it is one of nock or of a log, and a value that is neither
// is passed over.
func (r *reader) add(start, end int, read func(*unpacker, *schema.Node) entry) {
	at := r.position(start)
	node, err := schema.ParseAt(r.data[start:end], at)
	if err != nil {
		if r.isKnown {
			r.problem(err)
		}
		return
	}
	if read == nil && node.Has("scope") {
		read = (*unpacker).nockEntry
	}
	if read == nil {
		if _, ok := logEntry(node); !ok {
			return
		}
		read = func(_ *unpacker, node *schema.Node) entry { found, _ := logEntry(node); return found }
	}
	r.isKnown = true
	again := func() entry {
		node, err := schema.ParseAt(r.data[start:end], at)
		if err != nil {
			return entry{}
		}
		return read(&unpacker{left: maxUnpacked}, node)
	}
	r.exchanges = append(r.exchanges, read(r.unpacker, node).exchange(at, again))
}

// broken reports a list that goes wrong or ends behind an offset. What follows is not read.
func (r *reader) broken(start, offset int, err error) {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = start + int(syntax.ByteOffset)
	}
	const detail = "the exchanges from here on cannot be read"
	r.problem(&schema.SyntaxError{Position: r.position(min(offset, len(r.data))), Err: schema.ErrNotJSON, Detail: detail})
}

// position returns the position of an offset, which must not be smaller than the one before.
func (r *reader) position(offset int) schema.Position {
	if r.line == 0 || offset < r.offset {
		r.offset, r.lineStart, r.line = 0, 0, 1
	}
	for i := r.offset; i < offset; i++ {
		if r.data[i] == '\n' {
			r.line++
			r.lineStart = i + 1
		}
	}
	r.offset = offset
	return schema.Position{Line: r.line, Column: int32(min(offset-r.lineStart+1, 1<<30))} //nolint:gosec // bounded by min
}

// member returns the offset of the value of a member of the object at an offset, and whether there is one.
func member(data []byte, start int, key string) (at int, ok bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(data[start:]), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if decoder.PeekKind() != '{' {
		return 0, false
	}
	if _, err := decoder.ReadToken(); err != nil {
		return 0, false
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil {
			return 0, false
		}
		if name.String() == key {
			decoder.PeekKind()
			at = start + int(decoder.InputOffset())
			for at < len(data) && strings.IndexByte(" \t\r\n:", data[at]) >= 0 {
				at++
			}
			return at, at < len(data)
		}
		if decoder.SkipValue() != nil {
			return 0, false
		}
	}
	return 0, false
}
