package toolfile

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"toolproof/schema"
)

// yamlText is what is known of the text of a YAML document.
type yamlText struct {
	*Text

	transcript transcript // only its table of lines is used
	mappings   map[int]*yaml.Node
	// shared are the values within an anchor that an alias uses, whose text stands in several places.
	shared map[*yaml.Node]bool
	ends   map[*yaml.Node]int
}

// readYAML parses the document once more, with its places.
func (t *Text) readYAML() (*yamlText, error) {
	text := &yamlText{
		Text: t, transcript: transcript{data: t.data[t.start:]},
		mappings: map[int]*yaml.Node{}, shared: map[*yaml.Node]bool{}, ends: map[*yaml.Node]int{},
	}
	text.transcript.countLines()
	decoder := yaml.NewDecoder(bytes.NewReader(text.transcript.data))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return text, nil
		}
		if err != nil {
			return nil, errors.Join(errNotYAML, err)
		}
		used := map[*yaml.Node]bool{}
		text.look(&document, used)
		for anchor := range used {
			text.share(anchor)
		}
	}
}

// look notes where the mappings are, and the anchors that are used.
func (y *yamlText) look(node *yaml.Node, used map[*yaml.Node]bool) {
	if node.Kind == yaml.AliasNode {
		used[node.Alias] = true
		return
	}
	if node.Kind == yaml.MappingNode {
		y.mappings[y.at(node)] = node
	}
	for _, below := range node.Content {
		y.look(below, used)
	}
}

func (y *yamlText) share(node *yaml.Node) {
	if y.shared[node] {
		return
	}
	y.shared[node] = true
	for _, below := range node.Content {
		y.share(below)
	}
}

// at returns the offset of a node, or -1.
func (y *yamlText) at(node *yaml.Node) int {
	y.transcript.places = y.transcript.places[:0]
	y.transcript.mark(node)
	if len(y.transcript.places) == 0 {
		return -1
	}
	return y.start + y.transcript.places[0].source
}

// place returns where the mapping at an offset is.
func (y *yamlText) place(at int) (item, error) {
	node := y.mappings[at]
	switch {
	case node == nil:
		return item{}, errUnplaced
	case y.shared[node]:
		return item{}, errShared
	}
	end := y.end(node, -1)
	if end < 0 {
		return item{}, errUnplaced
	}
	return item{start: at, value: at, end: end, yaml: node}, nil
}

const isFlow = yaml.FlowStyle

// collection returns the items of a mapping or a sequence.
func (y *yamlText) collection(node *schema.Node, at item) (collection, error) {
	content := at.yaml.Content
	found := collection{open: at.value, end: at.end, isBlock: at.yaml.Style&isFlow == 0}
	switch {
	case at.yaml.Kind == yaml.SequenceNode && node.Kind == schema.Array && len(content) == len(node.Elements):
		column := y.column(y.at(at.yaml))
		for _, element := range content {
			value := y.skipProperties(y.at(element))
			start := value
			if found.isBlock {
				if start = y.dash(value, column); start < 0 {
					return found, errUnplaced
				}
			}
			found.items = append(found.items, item{start: start, value: value, end: y.end(element, column), yaml: element, isBlock: found.isBlock})
		}
	case at.yaml.Kind == yaml.MappingNode && node.Kind == schema.Object && len(content) == 2*len(node.Members):
		for i, member := range node.Members {
			key, value := content[2*i], content[2*i+1]
			if aliased(key).Value != member.Key {
				return found, errMerged
			}
			start := y.at(key)
			found.items = append(found.items, item{
				start: start, value: y.skipProperties(y.at(value)), end: y.end(value, y.column(start)), yaml: value,
				isBlock: found.isBlock, isNamed: true,
			})
		}
	default:
		return found, errMerged
	}
	last := found.open
	for _, item := range found.items {
		if item.start < last || item.value < item.start || item.end < item.value {
			return found, errUnplaced
		}
		last = item.end
	}
	return found, nil
}

// column returns how far an offset is from the beginning of its line, in bytes.
func (y *yamlText) column(at int) int {
	if at < 0 {
		return 0
	}
	return at - y.lineStart(at)
}

// dash returns the offset of the dash before an element of a block sequence whose dashes have a column,
// or -1.
func (y *yamlText) dash(element, column int) int {
	if element < 0 {
		return -1
	}
	for start := y.lineStart(element); ; start = y.lineStart(start - 1) {
		if at := start + column; at <= element && at < len(y.data) && y.data[at] == '-' {
			return at
		}
		if start == y.start || !isBlank(y.data[start:element]) && start < y.lineStart(element) {
			return -1
		}
	}
}

// skipProperties returns the offset after the anchor and the tag before a value.
func (y *yamlText) skipProperties(at int) int {
	for at >= 0 && at < len(y.data) && (y.data[at] == '&' || y.data[at] == '!') {
		end := at + bytes.IndexAny(y.data[at:], " \t\r\n,]}")
		if end < at {
			return len(y.data)
		}
		at = skipSpace(y.data, end)
	}
	return at
}

// end returns the offset after a value that stands in a block with a column, or -1 if it cannot be told.
func (y *yamlText) end(node *yaml.Node, column int) int {
	if end, known := y.ends[node]; known {
		return end
	}
	end := y.endOf(node, column)
	y.ends[node] = end
	return end
}

func (y *yamlText) endOf(node *yaml.Node, column int) int {
	at := y.at(node)
	if at < 0 {
		return -1
	}
	if node.Kind == yaml.AliasNode {
		return at + 1 + len(node.Value)
	}
	at = y.skipProperties(at)
	switch {
	case node.Kind == yaml.ScalarNode:
		return y.endOfScalar(node, at, column)
	case node.Style&isFlow != 0:
		return y.endOfFlow(at)
	case len(node.Content) == 0:
		return at
	case node.Kind == yaml.SequenceNode:
		return y.end(node.Content[len(node.Content)-1], y.column(y.at(node)))
	default:
		return y.end(node.Content[len(node.Content)-1], y.column(y.at(node.Content[0])))
	}
}

func (y *yamlText) endOfScalar(node *yaml.Node, at, column int) int {
	switch {
	case node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		return y.endOfQuoted(at)
	case node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return y.endOfLines(at, column, false)
	case bytes.HasPrefix(y.data[at:], []byte(node.Value)):
		return at + len(node.Value)
	default:
		return y.endOfLines(at, column, true)
	}
}

// endOfQuoted returns the offset after a quoted text, or -1.
func (y *yamlText) endOfQuoted(at int) int {
	if at < len(y.data) && y.data[at] == '"' {
		end, isWhole := scanString(y.data, at)
		if !isWhole {
			return -1
		}
		return end
	}
	for i := at + 1; i < len(y.data); i++ {
		if y.data[i] != '\'' {
			continue
		}
		if i+1 == len(y.data) || y.data[i+1] != '\'' {
			return i + 1
		}
		i++
	}
	return -1
}

// endOfLines returns the offset after a text on several lines: those that are indented by more than a
// column. A plain text, which is not introduced by | or >, also ends before a comment.
func (y *yamlText) endOfLines(at, column int, isPlain bool) int {
	end := y.lineEnd(at)
	for start := y.nextLine(end); start < len(y.data); {
		line := y.data[start:y.lineEnd(start)]
		text := bytes.TrimLeft(line, " ")
		if len(bytes.TrimSpace(text)) > 0 {
			if len(line)-len(text) <= column || isPlain && text[0] == '#' {
				break
			}
			end = start + len(line)
		}
		start = y.nextLine(start + len(line))
	}
	if isPlain {
		line := y.lineStart(end)
		if comment := bytes.Index(y.data[max(line, at):end], []byte(" #")); comment >= 0 {
			end = max(line, at) + comment
		}
		for end > at && isBlank(y.data[end-1:end]) {
			end--
		}
	}
	return end
}

// endOfFlow returns the offset after the closing bracket of a collection, or -1. It replaces the comments
// in it by spaces in plain.
func (y *yamlText) endOfFlow(at int) int {
	depth, isToken := 0, true // whether a token may begin
	for i := at; i < len(y.data); i++ {
		switch letter := y.data[i]; {
		case isToken && (letter == '"' || letter == '\''):
			end := y.endOfQuoted(i)
			if end < 0 {
				return -1
			}
			i, isToken = end-1, false
		case letter == '{' || letter == '[':
			depth, isToken = depth+1, true
		case letter == '}' || letter == ']':
			if depth--; depth == 0 {
				return i + 1
			}
			isToken = false
		case letter == ',' || letter == ':':
			isToken = true
		case letter == '#' && isBlank(y.data[i-1:i]):
			for end := y.lineEnd(i); i < end; i++ {
				y.plain[i] = ' '
			}
		case !isBlank(y.data[i : i+1]):
			isToken = false
		}
	}
	return -1
}

// learnBlock looks at the style of a block mapping.
func (t *Text) learnBlock(found collection, values []*schema.Node) {
	s := &t.style
	for i, at := range found.items {
		if isEmpty(values[i]) || at.yaml.Style&isFlow != 0 || at.yaml.Kind == yaml.AliasNode {
			continue
		}
		indent := t.yaml.column(at.start)
		inner := t.yaml.column(at.value)
		if at.value <= t.lineEnd(at.start) || inner < indent {
			continue
		}
		switch {
		case at.yaml.Kind == yaml.SequenceNode && !s.hasDash:
			s.dash, s.hasDash = strings.Repeat(" ", inner-indent), true
		case at.yaml.Kind == yaml.MappingNode && !s.hasUnit && inner > indent:
			s.unit, s.hasUnit = strings.Repeat(" ", inner-indent), true
		}
	}
}

// appendPlain appends a text as YAML writes it in a block, on one line.
func (y *yamlText) appendPlain(dst []byte, text string) []byte {
	encoded, err := yaml.Marshal(text)
	if encoded = bytes.TrimSuffix(encoded, []byte("\n")); err != nil || bytes.IndexByte(encoded, '\n') >= 0 {
		return schema.AppendQuoted(dst, text)
	}
	return append(dst, encoded...)
}

// appendFlow appends a text as YAML writes it between brackets.
func (y *yamlText) appendFlow(dst []byte, text string) []byte {
	if strings.ContainsAny(text, ",[]{}:#?") {
		return schema.AppendQuoted(dst, text)
	}
	return y.appendPlain(dst, text)
}

// appendBlock appends a value for a place after a name or a dash, as a block if collections of its kind
// are written so. indent is that of the name, or of what follows the dash; isNamed tells which.
func (t *Text) appendBlock(dst []byte, value *schema.Node, indent string, isNamed bool) []byte {
	switch {
	case value.Kind == schema.String:
		if isNamed {
			dst = append(dst, ' ')
		}
		return t.yaml.appendPlain(dst, value.Text)
	case isEmpty(value) || !t.style.isOnLines[kindOf(value)]:
		if isNamed {
			dst = append(dst, ' ')
		}
		return t.style.append(dst, value, indent, true, t.yaml.appendFlow)
	}
	if isNamed {
		if value.Kind == schema.Object {
			indent += t.style.unit
		} else {
			indent += t.style.dash
		}
		dst = append(append(dst, t.newline...), indent...)
	}
	for i, below := range below(value) {
		if i > 0 {
			dst = append(append(dst, t.newline...), indent...)
		}
		if value.Kind == schema.Object {
			dst = append(t.yaml.appendPlain(dst, value.Members[i].Key), ':')
			dst = t.appendBlock(dst, below, indent, true)
		} else {
			dst = t.appendBlock(append(dst, "- "...), below, indent+"  ", false)
		}
	}
	return dst
}

// blanks returns as many spaces as an offset is from the beginning of its line.
func (t *Text) blanks(at int) string { return strings.Repeat(" ", t.yaml.column(at)) }

func (t *Text) blockMember(near item, member schema.Member) string {
	name := t.yaml.appendPlain(nil, member.Key)
	if t.data[near.start] == '"' {
		name = schema.AppendQuoted(nil, member.Key)
	}
	return string(t.appendBlock(append(name, ':'), member.Value, t.blanks(near.start), true))
}

func (t *Text) blockElement(near item, value *schema.Node) string {
	return string(t.appendBlock([]byte("- "), value, t.blanks(near.start)+"  ", false))
}

// replaceBlock writes another value after a name or a dash.
func (t *Text) replaceBlock(at item, after *schema.Node) error {
	if !at.isNamed {
		t.note(at.start, at.end, t.blockElement(at, after))
		return nil
	}
	isSimple := after.Kind != schema.Object && after.Kind != schema.Array || isEmpty(after)
	if at.yaml.Kind == yaml.ScalarNode && isSimple && at.value <= t.lineEnd(at.start) && at.value < at.end {
		t.note(at.value, at.end, strings.TrimPrefix(string(t.appendBlock(nil, after, "", true)), " "))
		return nil
	}
	colon := bytes.LastIndexByte(t.data[at.start:at.value], ':')
	if colon < 0 {
		return errUnplaced
	}
	t.note(at.start+colon+1, at.end, string(t.appendBlock(nil, after, t.blanks(at.start), true)))
	return nil
}

func (t *Text) insertBlock(in collection, behind int, text string) {
	near := in.items[max(behind, 0)]
	between := t.newline + t.blanks(near.start)
	if behind < 0 {
		t.note(near.start, near.start, text+between)
		return
	}
	end := t.lineEnd(near.end)
	if next := t.nextLine(end); next > end {
		t.note(next, next, t.blanks(near.start)+text+t.newline)
		return
	}
	t.note(end, end, between+text)
}

func (t *Text) removeBlock(in collection, gone []int) error {
	last := lastKept(in, gone)
	for len(gone) > 0 {
		i := gone[0]
		gone = gone[1:]
		start, line := in.items[i].start, t.lineEnd(in.items[i].end)
		if isBlank(t.data[t.lineStart(start):start]) {
			if next := t.nextLine(line); next > line {
				t.note(t.lineStart(start), next, "")
			} else { // the last line, which no break ends
				t.note(t.lineEnd(max(t.lineStart(start)-1, 0)), line, "")
			}
			continue
		}
		if i > last {
			return errUnplaced
		}
		for len(gone) > 0 && gone[0] == i+1 {
			i, gone = i+1, gone[1:]
		}
		t.note(start, in.items[i+1].start, "")
	}
	return nil
}
