package toolfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"toolproof/schema"
)

// Replacement is a text that takes the place of the bytes from Start to End of a document. At the end of
// a line, for example, both are the same.
type Replacement struct {
	Start, End int
	Text       string
}

// Text is the text of a document, in which tools can be changed without a change to any other byte.
type Text struct {
	data []byte
	// plain is data with its comments replaced by spaces; in YAML, only those between brackets that
	// were looked at.
	plain []byte
	// start is the length of the byte order mark.
	start        int
	lines        []int // offsets of the lines
	newline      string
	yaml         *yamlText // nil if the document is JSON
	style        style     // of the tool that is being changed
	replacements []Replacement
}

// Errors of documents whose tools can be read but not changed in place.
var (
	errCompressed = errors.New("the file is compressed: uncompress it first")
	errShared     = errors.New("it is within an anchor that other places use (&name and *name): write it out there, or change it by hand")
	errMerged     = errors.New("it comes from a merge key (<<): write it out there, or change it by hand")
	errUnplaced   = errors.New("its place in the text cannot be told: change it by hand")
)

// TextOf returns the text of a document of tools.
func TextOf(data []byte) (*Text, error) {
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return nil, errCompressed
	}
	const mark = "\xef\xbb\xbf"
	text := &Text{data: data, plain: data, newline: "\n"}
	if bytes.HasPrefix(data, []byte(mark)) {
		text.start = len(mark)
	}
	text.lines = []int{text.start}
	for i, letter := range data {
		if letter == '\n' {
			text.lines = append(text.lines, i+1)
		}
	}
	if first, _, found := bytes.Cut(data, []byte("\n")); found && bytes.HasSuffix(first, []byte("\r")) {
		text.newline = "\r\n"
	}
	if !isJSON(data[text.start:]) {
		var err error
		text.plain = bytes.Clone(data)
		text.yaml, err = text.readYAML()
		return text, err
	}
	if plain := withoutComments(data); plain != nil {
		text.plain = plain
	}
	return text, nil
}

// Replacements returns what the changes so far replace, in the order of the document.
func (t *Text) Replacements() []Replacement {
	slices.SortStableFunc(t.replacements, func(a, b Replacement) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return t.replacements
}

// Bytes returns the document with the changes so far.
func (t *Text) Bytes() []byte {
	var out []byte
	at := 0
	for _, replacement := range t.Replacements() {
		out = append(append(out, t.data[at:replacement.Start]...), replacement.Text...)
		at = replacement.End
	}
	return append(out, t.data[at:]...)
}

// Change changes the declaration of a tool that was read from the document. If it returns an error, the
// tool stays as it was.
func (t *Text) Change(declaration, edited *schema.Node) error {
	replaced, err := t.Replaced(declaration, edited)
	t.replacements = append(t.replacements, replaced...)
	return err
}

// Replaced returns what the change of a declaration replaces, without making it.
func (t *Text) Replaced(declaration, edited *schema.Node) ([]Replacement, error) {
	one := *t
	one.replacements = nil
	if err := one.change(declaration, edited); err != nil {
		return nil, err
	}
	last := 0
	for _, replacement := range one.Replacements() {
		if replacement.Start < last || replacement.End < replacement.Start {
			return nil, errUnplaced
		}
		last = replacement.End
	}
	return one.replacements, nil
}

// Place returns the line and the column of an offset, counted from 1, the column in code units of UTF-16 as
// editors count them.
func (t *Text) Place(offset int) (line, column int) {
	start := t.lineStart(max(offset, t.start))
	line, _ = slices.BinarySearch(t.lines, start)
	for _, letter := range string(t.data[start:max(offset, start)]) {
		column += utf16.RuneLen(letter)
	}
	return line + 1, column + 1
}

func (t *Text) change(declaration, edited *schema.Node) error {
	at, err := t.place(declaration)
	if err != nil {
		return err
	}
	t.style = style{newline: t.newline, colon: ": ", comma: ", ", unit: "  "}
	t.learn(declaration, at)
	t.style.settle()
	return t.value(declaration, edited, at)
}

// offset returns the offset of a position in the document.
func (t *Text) offset(position schema.Position) int {
	if position.Line < 1 || int(position.Line) > len(t.lines) {
		return -1
	}
	if at := t.lines[position.Line-1] + int(position.Column) - 1; at < len(t.data) {
		return at
	}
	return -1
}

// place returns where the declaration of a tool is.
func (t *Text) place(declaration *schema.Node) (item, error) {
	at := t.offset(declaration.Position)
	if at < 0 {
		return item{}, errUnplaced
	}
	if t.yaml != nil {
		return t.yaml.place(at)
	}
	end, isWhole := scanValue(t.plain, at)
	if !isWhole {
		return item{}, errUnplaced
	}
	return item{start: at, value: at, end: end}, nil
}

// item is a member of an object or an element of a list in the text.
type item struct {
	// start is the offset of the name, or of the dash of an element in a list of YAML's block style.
	start int
	// value and end are the offsets of the value and after it.
	value, end int
	yaml       *yaml.Node // of the value; nil in JSON
	isBlock    bool       // whether it stands in a collection of YAML's block style
	isNamed    bool
}

// collection is an object or a list in the text that has at least one item.
type collection struct {
	items []item
	// open and end are the offsets of the opening bracket and after the closing one.
	open, end int
	isBlock   bool
}

// collection returns the items of an object or a list with at least one.
func (t *Text) collection(node *schema.Node, at item) (collection, error) {
	if t.yaml != nil {
		return t.yaml.collection(node, at)
	}
	found := collection{open: at.value, end: at.end}
	if node.Kind == schema.Array {
		for _, part := range scanList(t.plain, at.value).parts {
			found.items = append(found.items, item{start: part.value, value: part.value, end: part.end})
		}
	} else {
		for i, part := range scanObject(t.plain, at.value).parts {
			if i < len(node.Members) {
				start := t.offset(node.Members[i].Position)
				found.items = append(found.items, item{start: start, value: part.value, end: part.end, isNamed: true})
			}
		}
	}
	if len(found.items) != max(len(node.Members), len(node.Elements)) {
		return found, errUnplaced
	}
	return found, nil
}

// below returns the values in a collection.
func below(node *schema.Node) []*schema.Node {
	if node.Kind == schema.Array {
		return node.Elements
	}
	values := make([]*schema.Node, len(node.Members))
	for i, member := range node.Members {
		values[i] = member.Value
	}
	return values
}

func isEmpty(node *schema.Node) bool { return len(node.Members)+len(node.Elements) == 0 }

// value changes a value of the document into another one.
func (t *Text) value(before, after *schema.Node, at item) error {
	if schema.Identical(before, after) {
		return nil
	}
	if at.yaml != nil && (t.yaml.shared[at.yaml] || at.yaml.Kind == yaml.AliasNode) {
		return errShared
	}
	if before.Kind != after.Kind || isEmpty(before) || isEmpty(after) {
		return t.replace(at, after)
	}
	found, err := t.collection(before, at)
	if err != nil {
		return err
	}
	if before.Kind == schema.Array {
		return t.list(before.Elements, after.Elements, found)
	}
	return t.object(before, after, found)
}

// object changes the members of an object. New members take the places of those that go, in their order.
func (t *Text) object(before, after *schema.Node, found collection) error {
	var gone []int
	for i, member := range before.Members {
		if value := after.Get(member.Key); value == nil {
			gone = append(gone, i)
		} else if err := t.value(member.Value, value, found.items[i]); err != nil {
			return err
		}
	}
	var fresh []schema.Member
	for _, member := range after.Members {
		if !before.Has(member.Key) {
			fresh = append(fresh, member)
		}
	}
	for len(gone) > 0 && len(fresh) > 0 {
		place := found.items[gone[0]]
		t.note(place.start, place.end, t.member(found, place, fresh[0]))
		gone, fresh = gone[1:], fresh[1:]
	}
	last := len(found.items) - 1
	for _, member := range fresh {
		t.insert(found, last, t.member(found, found.items[last], member))
	}
	return t.remove(found, gone)
}

// list changes the elements of a list. Elements at its two ends that stay are left alone.
func (t *Text) list(before, after []*schema.Node, found collection) error {
	begin, end := 0, 0
	for begin < min(len(before), len(after)) && schema.Identical(before[begin], after[begin]) {
		begin++
	}
	for end < min(len(before), len(after))-begin && schema.Identical(before[len(before)-1-end], after[len(after)-1-end]) {
		end++
	}
	for begin < min(len(before), len(after))-end {
		if err := t.value(before[begin], after[begin], found.items[begin]); err != nil {
			return err
		}
		begin++
	}
	var gone []int
	for i := begin; i < len(before)-end; i++ {
		gone = append(gone, i)
	}
	for i := begin; i < len(after)-end; i++ {
		near := found.items[max(begin-1, 0)]
		t.insert(found, begin-1, t.element(found, near, after[i]))
	}
	return t.remove(found, gone)
}

func (t *Text) note(start, end int, text string) {
	t.replacements = append(t.replacements, Replacement{start, end, text})
}

// replace writes another value in the place of one.
func (t *Text) replace(at item, after *schema.Node) error {
	if at.isBlock {
		return t.replaceBlock(at, after)
	}
	t.note(at.value, at.end, t.flow(after, at.value))
	return nil
}

// flow returns the text of a value between brackets for a place in the document.
func (t *Text) flow(value *schema.Node, at int) string {
	quote := schema.AppendQuoted
	if t.yaml != nil {
		quote = t.yaml.appendFlow
	}
	isOneLine := t.yaml != nil || !t.style.hasLines
	return string(t.style.append(nil, value, t.indent(at), isOneLine, quote))
}

// member returns the text of a new member, written as near, the item next to it, is.
func (t *Text) member(in collection, near item, member schema.Member) string {
	if in.isBlock {
		return t.blockMember(near, member)
	}
	name := schema.AppendQuoted(nil, member.Key)
	if t.yaml != nil && t.data[near.start] != '"' {
		name = t.yaml.appendFlow(nil, member.Key)
	}
	return string(name) + t.style.colon + t.inner(in, near, member.Value)
}

// element returns the text of a new element, written as near, the item next to it, is.
func (t *Text) element(in collection, near item, value *schema.Node) string {
	if in.isBlock {
		return t.blockElement(near, value)
	}
	return t.inner(in, near, value)
}

// inner returns the text of a value in a collection, which is one line if the collection is.
func (t *Text) inner(in collection, near item, value *schema.Node) string {
	if !t.isOnLines(in) {
		style := t.style
		style.hasLines, style.isOnLines = false, [kinds]bool{}
		inner := *t
		inner.style = style
		return inner.flow(value, near.start)
	}
	return t.flow(value, near.start)
}

// isOnLines reports whether the first item of a collection between brackets has a line of its own.
func (t *Text) isOnLines(in collection) bool {
	return bytes.IndexByte(t.data[in.open:in.items[0].start], '\n') >= 0
}

// lineStart returns the offset of the line of an offset.
func (t *Text) lineStart(at int) int {
	i, found := slices.BinarySearch(t.lines, at)
	if found {
		return at
	}
	return t.lines[i-1]
}

// lineEnd returns the offset of the end of a line, before its break.
func (t *Text) lineEnd(at int) int {
	end := len(t.data)
	if next := bytes.IndexByte(t.data[at:], '\n'); next >= 0 {
		end = at + next
	}
	if end > at && t.data[end-1] == '\r' {
		end--
	}
	return end
}

// nextLine returns the offset after the break of a line that ends at an offset.
func (t *Text) nextLine(end int) int {
	if end < len(t.data) && t.data[end] == '\r' {
		end++
	}
	return min(end+1, len(t.data))
}

// indent returns the white space at the beginning of the line of an offset.
func (t *Text) indent(at int) string {
	start := t.lineStart(at)
	line := t.data[start:at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// isBlank reports whether there is only white space between two offsets.
func isBlank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n")) == 0 }

// endsInComment reports whether a comment of several lines begins in the rest of a line.
func endsInComment(rest []byte) bool {
	return bytes.LastIndex(rest, []byte("/*")) > bytes.LastIndex(rest, []byte("*/"))
}

// insert writes an item behind the one with an index, or before all of them if the index is -1.
func (t *Text) insert(in collection, behind int, text string) {
	switch {
	case in.isBlock:
		t.insertBlock(in, behind, text)
	case behind < 0:
		t.note(in.items[0].start, in.items[0].start, text+","+t.between(in))
	case behind < len(in.items)-1:
		next := in.items[behind+1].start
		t.note(next, next, text+","+t.between(in))
	default:
		end := in.items[behind].end
		line := t.lineEnd(end)
		rest := bytes.TrimLeft(t.data[end:line], " \t")
		isComment := len(rest) > 0 && isBlank(t.plain[end:line]) && !endsInComment(rest)
		if t.isOnLines(in) && isComment {
			if rest[0] == ',' { // behind the last item, as JSON with comments allows
				t.note(line, line, t.between(in)+text+",")
				return
			}
			at := line
			if !t.hasInserted(end) {
				at = end
			}
			t.note(at, at, ",")
			t.note(line, line, t.between(in)+text)
			return
		}
		t.note(end, end, ","+t.between(in)+text)
	}
}

// hasInserted reports whether something was written at an offset already.
func (t *Text) hasInserted(at int) bool {
	return slices.ContainsFunc(t.replacements, func(known Replacement) bool { return known.Start == at && known.End == at })
}

// between returns the white space between two items after a comma.
func (t *Text) between(in collection) string {
	if t.isOnLines(in) {
		return t.newline + t.indent(in.items[0].start)
	}
	return strings.TrimPrefix(t.style.comma, ",")
}

// remove removes items from a collection. At least one item remains, or another has its place.
func (t *Text) remove(in collection, gone []int) error {
	if len(gone) == 0 {
		return nil
	}
	if in.isBlock {
		return t.removeBlock(in, gone)
	}
	last := lastKept(in, gone)
	done := in.open + 1 // up to which the text is settled
	for _, i := range gone {
		start, end := in.items[i].start, in.items[i].end
		if comma := skipSpace(t.plain, end); t.plain[comma] == ',' {
			end = comma + 1
		}
		line := t.lineEnd(end)
		isAlone := isBlank(t.data[t.lineStart(start):start]) && isBlank(t.plain[end:line]) && !endsInComment(t.data[end:line])
		switch {
		case isAlone:
			start, end = t.lineStart(start), t.nextLine(line)
		case i > last:
			for start > done && isBlank(t.data[start-1:start]) {
				start--
			}
		default:
			for end < len(t.data) && (t.data[end] == ' ' || t.data[end] == '\t') {
				end++
			}
		}
		t.note(start, end, "")
		done = end
	}
	if last >= 0 && last < len(in.items)-1 {
		comma := skipSpace(t.plain, in.items[last].end)
		t.note(comma, comma+1, "")
	}
	return nil
}

// lastKept returns the index of the last item that stays, or -1.
func lastKept(in collection, gone []int) int {
	last := len(in.items) - 1
	for last >= 0 && slices.Contains(gone, last) {
		last--
	}
	return last
}

// kinds are the kinds of collections that people write in different ways: objects, lists of scalars, and
// other lists.
const kinds = 3

func kindOf(node *schema.Node) int {
	switch {
	case node.Kind == schema.Object:
		return 0
	case !slices.ContainsFunc(node.Elements, func(element *schema.Node) bool {
		return element.Kind == schema.Object || element.Kind == schema.Array
	}):
		return 1
	default:
		return 2
	}
}

// style is how the author of a tool writes JSON or YAML.
type style struct {
	newline string
	// colon and comma have the white space after them, pad stands inside the braces of an object on one
	// line, and unit is what each level is indented by.
	colon, comma, pad, unit    string
	hasColon, hasComma, hasPad bool
	hasUnit, hasDash           bool
	// dash is the indentation of the dashes of a list in YAML, from that of its name.
	dash string
	// hasLines means that a collection has its items on lines of their own, and isOnLines that most of a
	// kind have.
	hasLines  bool
	isOnLines [kinds]bool
	lines     [kinds]int // the collections on several lines less those on one
}

// settle decides for the kinds of collections that were seen most.
func (s *style) settle() {
	for kind, more := range s.lines {
		s.isOnLines[kind] = more > 0 || more == 0 && s.hasLines
	}
}

// learn looks at the style of a value and of all values in it.
func (t *Text) learn(node *schema.Node, at item) {
	if isEmpty(node) {
		return
	}
	found, err := t.collection(node, at)
	if err != nil {
		return // a change there says why
	}
	s, first := &t.style, found.items[0]
	kind := kindOf(node)
	switch {
	case found.isBlock:
		s.hasLines = true
		s.lines[kind]++
	case t.isOnLines(found):
		s.hasLines = true
		s.lines[kind]++
		if inner, outer := t.indent(first.start), t.indent(found.open); !s.hasUnit && len(inner) > len(outer) && strings.HasPrefix(inner, outer) {
			s.unit, s.hasUnit = inner[len(outer):], true
		}
	default:
		s.lines[kind]--
		if node.Kind == schema.Object && !s.hasPad {
			s.pad, s.hasPad = string(t.data[found.open+1:first.start]), true
		}
		if len(found.items) > 1 && !s.hasComma {
			if text := string(t.data[first.end:found.items[1].start]); strings.Trim(text, ", ") == "" {
				s.comma, s.hasComma = text, true
			}
		}
	}
	if node.Kind == schema.Object && !s.hasColon && !found.isBlock {
		if end, isWhole := scanString(t.data, first.start); isWhole && t.data[first.start] == '"' {
			if text := string(t.data[end:first.value]); strings.Trim(text, ": ") == "" {
				s.colon, s.hasColon = text, true
			}
		}
	}
	if found.isBlock && node.Kind == schema.Object {
		t.learnBlock(found, below(node))
	}
	for i, value := range below(node) {
		t.learn(value, found.items[i])
	}
}

// append appends the text of a value, on one line or with the items of its collections on lines of their
// own, as collections of the kind are written. quote appends a string.
func (s *style) append(dst []byte, value *schema.Node, indent string, isOneLine bool, quote func([]byte, string) []byte) []byte {
	const longest = 100
	switch {
	case value.Kind == schema.String:
		return quote(dst, value.Text)
	case value.Kind != schema.Object && value.Kind != schema.Array, isEmpty(value):
		return value.AppendJSON(dst)
	case !isOneLine && !s.isOnLines[kindOf(value)] && len(indent)+len(value.JSON()) < longest:
		isOneLine = true
	}
	open, end, comma := "[", "]", s.comma
	if value.Kind == schema.Object {
		open, end = "{"+s.pad, s.pad+"}"
	}
	if !isOneLine {
		open = open[:1] + s.newline + indent + s.unit
		end = s.newline + indent + end[len(end)-1:]
		comma = "," + s.newline + indent + s.unit
	}
	dst = append(dst, open...)
	for i, below := range below(value) {
		if i > 0 {
			dst = append(dst, comma...)
		}
		if value.Kind == schema.Object {
			dst = append(quote(dst, value.Members[i].Key), s.colon...)
		}
		dst = s.append(dst, below, indent+s.unit, isOneLine, quote)
	}
	return append(dst, end...)
}

// String returns where a replacement is, for tests and errors.
func (r Replacement) String() string { return fmt.Sprintf("%d-%d %q", r.Start, r.End, r.Text) }
