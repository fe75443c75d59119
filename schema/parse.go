package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxDepth is the deepest nesting of objects and arrays that Parse accepts.
	MaxDepth = 1000
	// MaxValues is the largest number of JSON values that Parse accepts in a document.
	MaxValues = 500_000
)

// The causes of a SyntaxError, for errors.Is.
var (
	ErrNotJSON       = errors.New("not JSON")
	ErrDuplicateName = errors.New("duplicate member name")
	ErrInvalidUTF8   = errors.New("invalid UTF-8")
	ErrTooDeep       = errors.New("nested too deep")
	ErrTooLarge      = errors.New("too many values")
)

// SyntaxError tells where and why a document could not be read.
type SyntaxError struct {
	Position Position
	Err      error  // one of the errors above
	Detail   string // what was found, for people; may be empty
}

// Error returns "line:column: cause: detail".
func (e *SyntaxError) Error() string {
	if e.Detail == "" {
		return fmt.Sprintf("%s: %v", e.Position, e.Err)
	}
	return fmt.Sprintf("%s: %v: %s", e.Position, e.Err, e.Detail)
}

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// Parse reads one JSON value, which must make up all of data. It refuses duplicate member
// names, invalid UTF-8, and documents beyond MaxDepth or MaxValues. Every error is a
// *SyntaxError.
func Parse(data []byte) (*Node, error) {
	return ParseAt(data, Position{Line: 1, Column: 1})
}

// ParseAt is like Parse for data that starts at the given position of its file.
func ParseAt(data []byte, start Position) (*Node, error) {
	return parse(data, start, false)
}

// ParseWire reads a request body as a provider receives it. Unlike Parse, it keeps duplicate
// member names, so that a provider's model can judge them.
func ParseWire(data []byte) (*Node, error) {
	return parse(data, Position{Line: 1, Column: 1}, true)
}

func parse(data []byte, start Position, duplicates bool) (*Node, error) {
	p := &parser{data: data, text: string(data), start: start, line: start.Line, lineStart: 1 - int(start.Column)}
	if !utf8.Valid(data) {
		return nil, p.invalidUTF8()
	}
	p.decoder = decoders.Get().(*jsontext.Decoder) //nolint:forcetypeassert // the pool holds nothing else
	defer func() {
		p.decoder.Reset(strings.NewReader("")) // releases data
		decoders.Put(p.decoder)
	}()
	p.decoder.Reset(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(duplicates))
	node, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.skip(p.end)
	if p.end < len(data) {
		return nil, p.errorAt(p.end, ErrNotJSON, "text after the end of the value")
	}
	return node, nil
}

// decoders holds idle decoders, because allocating a decoder takes as long as reading a typical
// document.
var decoders = sync.Pool{New: func() any { return &jsontext.Decoder{} }}

// parser turns jsontext's tokens into nodes. It counts lines between tokens only, because no
// token contains a newline.
//
// Nodes are allocated in blocks, and their texts are substrings of one string, because walks
// through many trees spend most of their time waiting for memory.
type parser struct {
	data      []byte
	text      string // data as a string; the texts of nodes are substrings of it
	decoder   *jsontext.Decoder
	start     Position // of the first byte of data
	line      int32
	lineStart int // offset of the first byte of the line; may be negative
	end       int // offset of the next byte that is not white space
	values    int // read so far

	// nodes and members are the unused rest of the blocks allocated last.
	nodes   []Node
	members []Member
	// openMembers and openElements are those of the objects and arrays that are not closed yet.
	openMembers  []Member
	openElements []*Node
}

// block takes count elements from rest. If rest is too short, it first allocates a block large
// enough for the remainder of the document, estimated at one element per bytesEach bytes.
func block[E any](p *parser, rest *[]E, count, bytesEach int) []E {
	if len(*rest) < count {
		const most = 1024
		*rest = make([]E, max(count, min((len(p.data)-p.end)/bytesEach+1, most)))
	}
	taken := (*rest)[:count:count]
	*rest = (*rest)[count:]
	return taken
}

func (p *parser) node(kind Kind, at Position) *Node {
	const bytesEach = 40 // tools of the corpus have a value every 30 bytes
	node := &block(p, &p.nodes, 1, bytesEach)[0]
	node.Kind, node.Position = kind, at
	return node
}

// skip moves past white space, counting lines.
func (p *parser) skip(from int) {
	for p.end = from; p.end < len(p.data); p.end++ {
		switch p.data[p.end] {
		case '\n':
			p.line++
			p.lineStart = p.end + 1
		case ' ', '\t', '\r':
		default:
			return
		}
	}
}

// next moves to the next token, past a separator that the decoder will check, and returns its
// position.
func (p *parser) next() Position {
	p.skip(p.end)
	if p.end < len(p.data) && (p.data[p.end] == ',' || p.data[p.end] == ':') {
		p.skip(p.end + 1)
	}
	return p.position(p.end)
}

func (p *parser) position(offset int) Position {
	return Position{Line: p.line, Column: int32(min(offset-p.lineStart+1, 1<<30))} //nolint:gosec // bounded by min
}

func (p *parser) value(depth int) (*Node, error) {
	at := p.next()
	if p.values++; p.values > MaxValues {
		return nil, p.errorAt(p.end, ErrTooLarge, fmt.Sprintf("more than %d", MaxValues))
	}
	switch p.decoder.PeekKind() {
	case '{':
		return p.object(at, depth)
	case '[':
		return p.array(at, depth)
	default:
		raw, err := p.decoder.ReadValue()
		if err != nil {
			return nil, p.syntaxError(err)
		}
		text := p.read()
		switch raw.Kind() {
		case '"':
			node := p.node(String, at)
			node.Text = unquote(text)
			return node, nil
		case '0':
			node := p.node(Number, at)
			node.Text = text
			return node, nil
		case 't', 'f':
			node := p.node(Bool, at)
			node.Text = intern(text)
			return node, nil
		default:
			return p.node(Null, at), nil
		}
	}
}

func (p *parser) object(at Position, depth int) (*Node, error) {
	if err := p.open(depth); err != nil {
		return nil, err
	}
	node, open := p.node(Object, at), len(p.openMembers)
	for {
		nameAt := p.next()
		if p.decoder.PeekKind() == '}' {
			const bytesEach = 60
			node.Members = block(p, &p.members, len(p.openMembers)-open, bytesEach)
			copy(node.Members, p.openMembers[open:])
			p.openMembers = p.openMembers[:open]
			return node, p.close()
		}
		if _, err := p.decoder.ReadValue(); err != nil {
			return nil, p.syntaxError(err)
		}
		key := unquote(p.read())
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.openMembers = append(p.openMembers, Member{Key: key, Value: value, Position: nameAt})
	}
}

func (p *parser) array(at Position, depth int) (*Node, error) {
	if err := p.open(depth); err != nil {
		return nil, err
	}
	node, open := p.node(Array, at), len(p.openElements)
	for {
		p.next()
		if p.decoder.PeekKind() == ']' {
			if len(p.openElements) > open {
				node.Elements = slices.Clone(p.openElements[open:])
				p.openElements = p.openElements[:open]
			}
			return node, p.close()
		}
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.openElements = append(p.openElements, value)
	}
}

func (p *parser) open(depth int) error {
	if depth >= MaxDepth {
		return p.errorAt(p.end, ErrTooDeep, fmt.Sprintf("more than %d levels", MaxDepth))
	}
	return p.close()
}

// read moves past the value that the decoder has read and returns its text.
func (p *parser) read() string {
	start := p.end
	p.end = int(p.decoder.InputOffset())
	return p.text[start:p.end]
}

// close reads one bracket, whether it opens or closes.
func (p *parser) close() error {
	if _, err := p.decoder.ReadToken(); err != nil {
		return p.syntaxError(err)
	}
	p.end = int(p.decoder.InputOffset())
	return nil
}

// errorAt returns a SyntaxError at an offset. It counts the lines anew, because the decoder can
// stop anywhere before or after the last token counted, and inside strings.
func (p *parser) errorAt(offset int, cause error, detail string) error {
	before := p.data[:offset]
	p.line = p.start.Line + int32(bytes.Count(before, []byte{'\n'})) //nolint:gosec // no file has so many lines
	p.lineStart = 1 - int(p.start.Column)
	if end := bytes.LastIndexByte(before, '\n'); end >= 0 {
		p.lineStart = end + 1
	}
	return &SyntaxError{Position: p.position(offset), Err: cause, Detail: detail}
}

// syntaxError translates an error of the decoder into a SyntaxError.
func (p *parser) syntaxError(err error) error {
	cause, detail, offset := ErrNotJSON, err.Error(), p.end
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		detail = syntactic.Err.Error()
		offset = int(syntactic.ByteOffset)
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		cause, detail = ErrDuplicateName, syntactic.JSONPointer.LastToken()
	case offset >= len(p.data) || errors.Is(err, io.ErrUnexpectedEOF):
		offset, detail = len(p.data), "the document ends too early"
	}
	return p.errorAt(offset, cause, detail)
}

func (p *parser) invalidUTF8() error {
	offset := 0
	for offset < len(p.data) {
		r, size := utf8.DecodeRune(p.data[offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		offset += size
	}
	return p.errorAt(offset, ErrInvalidUTF8, fmt.Sprintf("byte 0x%02x", p.data[offset]))
}

// unquote returns the value of a JSON string that the decoder has checked.
func unquote(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return intern(text[1 : len(text)-1])
	}
	value, err := jsontext.AppendUnquote(nil, text)
	if err != nil {
		return text // unreachable: the decoder has checked it
	}
	return string(value)
}

// intern returns the one shared copy of a word that schemas often contain, and any other text
// as it is. Comparing shared copies does not touch the document's memory.
func intern(text string) string {
	if found := lookup(text); found.name != "" {
		return found.name
	}
	return text
}
