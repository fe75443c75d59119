package toolfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"toolproof/schema"
)

// YAML is transcribed to JSON on one line, with a table of the source of each value, so that
// the forms of tools are recognized in one place.

// maxYAML bounds the size of a YAML document and of its transcript, in bytes.
const maxYAML = 16 << 20

var errNotYAML = errors.New("not YAML")

// readYAML reads a document that is not JSON as YAML.
func (d *document) readYAML() {
	source := d.data
	transcript := transcript{data: source}
	err := transcript.read()
	switch {
	case err == nil && isJSON(transcript.out):
	case err != nil && looksLikeYAML(source):
		d.problems = append(d.problems, err)
		return
	default:
		d.problems = append(d.problems, words(source))
		return
	}
	d.data, d.folds = transcript.out, false // positions are corrected below
	d.read()
	d.data = source
	d.offset, d.lineStart, d.line = 0, 0, 1
	for i := range d.tools {
		tool := &d.tools[i]
		tool.Line = int(transcript.at(schema.Position{Line: 1, Column: int32(tool.start) + 1}).Line) //nolint:gosec // maxYAML
		transcript.place(tool.Declaration)
		transcript.placeError(tool.Err)
	}
	for _, problem := range d.problems {
		transcript.placeError(problem)
	}
}

// looksLikeYAML reports whether the first line that is not empty or a comment looks like YAML.
func looksLikeYAML(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == '#':
			continue
		case bytes.HasPrefix(line, []byte("---")), bytes.HasPrefix(line, []byte("- ")):
			return true
		}
		key, _, found := bytes.Cut(line, []byte(":"))
		return found && len(key) > 0 && !bytes.ContainsAny(key, " \t<>/")
	}
	return false
}

// transcript is a YAML document transcribed to JSON on one line.
type transcript struct {
	data   []byte
	lines  []int // offsets of the lines as YAML counts them
	breaks []int // offsets of the lines as everybody else counts them
	// isASCII is set if every character is one byte.
	isASCII bool

	out    []byte
	places []placed
	values int
}

// placed maps an offset in the transcript to one in the document.
type placed struct{ out, source int }

// read transcribes the whole text.
func (t *transcript) read() error {
	if len(t.data) > maxYAML {
		return fmt.Errorf("reading YAML: %w: the document has more than %d MB", schema.ErrTooLarge, maxYAML>>20)
	}
	// Every YAML value needs one of these characters, so this bounds the number of values.
	if signs := bytes.Count(t.data, []byte{'\n'}) + bytes.Count(t.data, []byte{','}) + bytes.Count(t.data, []byte{':'}) +
		bytes.Count(t.data, []byte{'['}) + bytes.Count(t.data, []byte{'{'}) + bytes.Count(t.data, []byte("- ")); signs > 4*schema.MaxValues {
		return fmt.Errorf("reading YAML: %w", schema.ErrTooLarge)
	}
	t.countLines()
	decoder := yaml.NewDecoder(bytes.NewReader(t.data))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", errNotYAML, err)
		}
		if len(t.out) > 0 {
			t.out = append(t.out, ' ')
		}
		if err := t.value(&document, 0); err != nil {
			return err
		}
	}
}

// countLines finds where the lines begin. YAML also ends lines at characters at which no editor
// does.
func (t *transcript) countLines() {
	t.lines, t.breaks, t.isASCII = []int{0}, []int{0}, true
	for i := 0; i < len(t.data); {
		letter, size := rune(t.data[i]), 1
		if letter >= utf8.RuneSelf {
			letter, size = utf8.DecodeRune(t.data[i:])
			t.isASCII = false
		}
		i += size
		switch {
		case letter == '\n':
			t.breaks = append(t.breaks, i)
			t.lines = append(t.lines, i)
		case letter == '\r' && (i == len(t.data) || t.data[i] != '\n'), letter == '\u0085', letter == '\u2028', letter == '\u2029':
			t.lines = append(t.lines, i)
		}
	}
}

// mark records that what is written next comes from a node.
func (t *transcript) mark(node *yaml.Node) {
	if node.Line < 1 || node.Line > len(t.lines) {
		return
	}
	at := t.lines[node.Line-1]
	if t.isASCII {
		at += node.Column - 1
	} else {
		for range min(node.Column-1, maxColumn) { // YAML counts characters
			_, size := utf8.DecodeRune(t.data[at:])
			at += size
		}
	}
	t.places = append(t.places, placed{len(t.out), min(at, len(t.data))})
}

// maxColumn bounds the work for one position; further to the right positions are not exact.
const maxColumn = 1024

func (t *transcript) value(node *yaml.Node, depth int) error {
	t.values++
	switch {
	case t.values > schema.MaxValues || len(t.out) > maxYAML:
		return t.fail(node, schema.ErrTooLarge, "its aliases expand to too many values")
	case depth > schema.MaxDepth:
		return t.fail(node, schema.ErrTooDeep, fmt.Sprintf("more than %d levels", schema.MaxDepth))
	}
	switch node.Kind {
	case yaml.DocumentNode:
		return t.value(node.Content[0], depth)
	case yaml.AliasNode:
		return t.value(node.Alias, depth+1)
	case yaml.MappingNode:
		t.mark(node)
		return t.mapping(node, depth)
	case yaml.SequenceNode:
		t.mark(node)
		t.out = append(t.out, '[')
		for i, element := range node.Content {
			if i > 0 {
				t.out = append(t.out, ',')
			}
			if err := t.value(element, depth+1); err != nil {
				return err
			}
		}
		t.out = append(t.out, ']')
	case yaml.ScalarNode:
		t.mark(node)
		return t.scalar(node)
	}
	return nil
}

func (t *transcript) mapping(node *yaml.Node, depth int) error {
	members := members{transcript: t}
	if err := members.add(node, depth); err != nil {
		return err
	}
	t.out = append(t.out, '{')
	for i, member := range members.list {
		if i > 0 {
			t.out = append(t.out, ',')
		}
		t.mark(member.key)
		t.out = append(schema.AppendQuoted(t.out, member.key.Value), ':')
		if err := t.value(member.value, depth+1); err != nil {
			return err
		}
	}
	t.out = append(t.out, '}')
	return nil
}

// members holds the members of a mapping, followed by those that it merges and does not have
// itself.
type members struct {
	*transcript

	list  []struct{ key, value *yaml.Node }
	seen  map[string]bool // nil until a mapping is merged
	noted int             // number of members in list that are in seen
}

func (m *members) add(node *yaml.Node, depth int) error {
	if depth > schema.MaxDepth {
		return m.fail(node, schema.ErrTooDeep, "mappings that merge one another")
	}
	var merged []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := aliased(node.Content[i]), node.Content[i+1]
		switch m.values++; {
		case m.values > schema.MaxValues:
			return m.fail(node, schema.ErrTooLarge, "its aliases expand to too many values")
		case key.Kind != yaml.ScalarNode:
			return m.fail(key, schema.ErrNotJSON, "the name of a member is not a string")
		case key.ShortTag() != "!!merge":
			if !m.seen[key.Value] {
				m.list = append(m.list, struct{ key, value *yaml.Node }{key, value})
			}
			continue
		}
		if value = aliased(value); value.Kind == yaml.SequenceNode {
			merged = append(merged, value.Content...)
		} else {
			merged = append(merged, value)
		}
	}
	for _, from := range merged {
		if m.seen == nil {
			m.seen = map[string]bool{}
		}
		for ; m.noted < len(m.list); m.noted++ {
			m.seen[m.list[m.noted].key.Value] = true
		}
		if m.values++; aliased(from).Kind != yaml.MappingNode {
			return m.fail(from, schema.ErrNotJSON, "only mappings can be merged")
		}
		if err := m.add(aliased(from), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// aliased returns the node that an alias refers to, or the node itself.
func aliased(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// scalar writes a scalar. What YAML takes for a date or for bytes is a string.
func (t *transcript) scalar(node *yaml.Node) error {
	switch tag := node.ShortTag(); tag {
	case "!!null":
		t.out = append(t.out, "null"...)
	case "!!bool":
		var value bool
		if err := node.Decode(&value); err != nil {
			return t.fail(node, schema.ErrNotJSON, fmt.Sprintf("%.40q is not a boolean", node.Value))
		}
		t.out = strconv.AppendBool(t.out, value)
	case "!!int", "!!float":
		return t.number(node)
	case "!!str", "!!timestamp", "!!binary":
		t.out = schema.AppendQuoted(t.out, node.Value)
	default:
		return t.fail(node, schema.ErrNotJSON, fmt.Sprintf("the tag %.40q has no JSON equivalent", tag))
	}
	return nil
}

// number writes a number in its own spelling if that is JSON.
func (t *transcript) number(node *yaml.Node) error {
	if json.Valid([]byte(node.Value)) {
		t.out = append(t.out, node.Value...)
		return nil
	}
	var value any
	err := node.Decode(&value)
	text, bad := json.Marshal(value) // infinity and NaN are bad
	if err != nil || bad != nil {
		return t.fail(node, schema.ErrNotJSON, fmt.Sprintf("the number %.40q has no JSON equivalent", node.Value))
	}
	t.out = append(t.out, text...)
	return nil
}

// fail returns an error with the position of a node.
func (t *transcript) fail(node *yaml.Node, err error, detail string) error {
	t.mark(node)
	at := schema.Position{Line: 1, Column: int32(len(t.out)) + 1} //nolint:gosec // maxYAML
	return &schema.SyntaxError{Position: t.at(at), Err: err, Detail: detail}
}

// at returns the position in the document of a position in the transcript.
func (t *transcript) at(position schema.Position) schema.Position {
	out := int(position.Column) - 1
	i, found := slices.BinarySearchFunc(t.places, out, func(place placed, out int) int { return place.out - out })
	if !found {
		i--
	}
	if i < 0 {
		return schema.Position{Line: 1, Column: 1}
	}
	for i+1 < len(t.places) && t.places[i+1].out == t.places[i].out {
		i++
	}
	source := t.places[i].source
	line, found := slices.BinarySearch(t.breaks, source)
	if !found {
		line--
	}
	return schema.Position{Line: int32(line) + 1, Column: int32(source-t.breaks[line]) + 1} //nolint:gosec // maxYAML
}

// place corrects the positions in a tree from the transcript to the document.
func (t *transcript) place(node *schema.Node) {
	if node == nil {
		return
	}
	node.Position = t.at(node.Position)
	for i := range node.Members {
		node.Members[i].Position = t.at(node.Members[i].Position)
		t.place(node.Members[i].Value)
	}
	for _, element := range node.Elements {
		t.place(element)
	}
}

// placeError corrects the position of an error.
func (t *transcript) placeError(err error) {
	if syntax, ok := errors.AsType[*schema.SyntaxError](err); ok {
		syntax.Position = t.at(syntax.Position)
	}
}
