package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/tidwall/jsonc"

	"toolproof/schema"
)

// Rewrite returns the text of a configuration in which the command line of each server is the one that
// change returns for it. change may put words in front of a command line or take its first words off;
// every other byte of the text stays. Rewrite reads the text again before it returns it. It returns an
// error if the form of a command line is not known, or if anything else would differ.
func (f File) Rewrite(text []byte, environment Environment, change func(server string, command []string) []string) ([]byte, error) {
	before, err := f.Read(text, environment)
	if err != nil {
		return nil, err
	}
	file, err := locate(f, text)
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, member := range file.entries {
		line, err := file.lineOf(member.Value)
		if err == nil && line != nil {
			edits, err = append(edits, file.rewrite(line, change(member.Key, line.words()))...), nil
		}
		if err != nil {
			return nil, fmt.Errorf("server %q: %w", member.Key, err)
		}
	}
	rewritten := apply(text, edits)
	after, err := f.Read(rewritten, environment)
	for i := range before {
		if len(before[i].Command) > 0 {
			before[i].Command = change(before[i].Name, before[i].Command)
		}
	}
	if err != nil || !slices.EqualFunc(before, after, Server.isAs) {
		return nil, errors.New("its form is not known well enough to change it")
	}
	return rewritten, nil
}

// edit replaces the bytes from start up to, but not including, end.
type edit struct {
	start, end int
	text       string
}

// apply returns a text with edits that do not overlap.
func apply(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var edited []byte
	at := 0
	for _, edit := range edits {
		edited = append(append(edited, text[at:edit.start]...), edit.text...)
		at = edit.end
	}
	return append(edited, text[at:]...)
}

// located is the text of a configuration with the places of its servers.
type located struct {
	text    []byte
	isTOML  bool
	entries []schema.Member
	lines   []int                        // where each begins
	end     func(value *schema.Node) int // of a string or a number
}

// locate finds the entries that Read reads.
func locate(f File, text []byte) (*located, error) {
	file := &located{text: text, lines: []int{0}}
	for i, b := range text {
		if b == '\n' {
			file.lines = append(file.lines, i+1)
		}
	}
	for _, row := range f.readers() {
		var root *schema.Node
		var err error
		if file.isTOML = row.Configuration.IsTOML; file.isTOML {
			root, err = file.tree()
		} else {
			plain := jsonc.ToJSON(text) // of the same length
			root, err = schema.Parse(plain)
			file.end = func(value *schema.Node) int {
				start := file.offset(value.Position)
				decoder := json.NewDecoder(bytes.NewReader(plain[start:]))
				_ = decoder.Decode(new(json.RawMessage)) // it was parsed before
				return start + int(decoder.InputOffset())
			}
		}
		if err != nil {
			return nil, err
		}
		if file.entries = entries(f, row, root); len(file.entries) > 0 {
			return file, nil
		}
	}
	return nil, ErrNoServers
}

// offset returns the offset of a position in the text.
func (f *located) offset(at schema.Position) int { return f.lines[at.Line-1] + int(at.Column) - 1 }

// position returns the position of an offset.
func (f *located) position(offset int) schema.Position {
	line, isStart := slices.BinarySearch(f.lines, offset)
	if !isStart {
		line--
	}
	return schema.Position{Line: int32(line + 1), Column: int32(offset - f.lines[line] + 1)} //nolint:gosec // a file that was read
}

// line is the command line of a server: a program with a list of arguments beside it, or one list.
type line struct {
	program   *schema.Node // nil if it is the first element of the list
	arguments *schema.Node // nil if there are none
	// where the members of the two begin; the list has one of its own only beside a program.
	programAt, argumentsAt int
}

// words returns the words of the line.
func (l *line) words() []string {
	var words []string
	if l.program != nil {
		words = append(words, plain(l.program))
	}
	if l.arguments != nil {
		for _, argument := range l.arguments.Elements {
			words = append(words, plain(argument))
		}
	}
	return words
}

// lineOf returns the command line of an entry, or nil if it has none.
func (f *located) lineOf(entry *schema.Node) (*line, error) {
	name := "command"
	if command := entry.Get(name); command != nil && command.Kind == schema.Object {
		entry, name = command, "path" // as Zed wrote it before 2025-07
	}
	at := entry.Index(name)
	if at < 0 {
		return nil, nil //nolint:nilnil // that is no failure
	}
	found := &line{program: entry.Members[at].Value, programAt: f.offset(entry.Members[at].Position)}
	if list := entry.Index("args"); list >= 0 {
		found.arguments, found.argumentsAt = entry.Members[list].Value, f.offset(entry.Members[list].Position)
	}
	if found.program.Kind == schema.Array && name == "command" {
		found.program, found.arguments = nil, found.program
	}
	isNoWord := func(value *schema.Node) bool { return value.Kind == schema.Array || value.Kind == schema.Object }
	switch {
	case found.program != nil && isNoWord(found.program),
		found.arguments != nil && (found.arguments.Kind != schema.Array || slices.ContainsFunc(found.arguments.Elements, isNoWord)):
		return nil, errors.New("its command is not made of words")
	case len(found.words()) == 0 || found.words()[0] == "":
		return nil, nil //nolint:nilnil // there is nothing to change
	default:
		return found, nil
	}
}

// rewrite returns the edits that make the words of a line others, which end as they do or the other way
// round.
func (f *located) rewrite(line *line, words []string) []edit {
	old := line.words()
	switch extra := len(words) - len(old); {
	case extra > 0 && line.program == nil:
		return []edit{f.insert(line.arguments, quoted(words[:extra]))}
	case extra > 0:
		program := edit{f.offset(line.program.Position), f.end(line.program), quoted(words[:1])[0]}
		further := append(quoted(words[1:extra]), string(f.text[program.start:program.end]))
		if line.arguments != nil {
			return []edit{program, f.insert(line.arguments, further)}
		}
		return []edit{program, f.add(line.programAt, further)}
	case extra < 0 && line.program == nil:
		return []edit{f.remove(line.arguments, -extra)}
	case extra < 0:
		first := line.arguments.Elements[-extra-1]
		program := edit{f.offset(line.program.Position), f.end(line.program), string(f.text[f.offset(first.Position):f.end(first)])}
		list := f.remove(line.arguments, -extra)
		added := f.add(line.argumentsAt, append(quoted(old[1:-extra]), program.text))
		if end := line.argumentsAt + len(added.text); end == line.programAt && string(f.text[line.argumentsAt:end]) == added.text {
			list = edit{line.argumentsAt, end, ""} // there was none
		}
		return []edit{program, list}
	default:
		return nil
	}
}

// quoted returns words as strings of JSON, which are strings of TOML, too.
func quoted(words []string) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(schema.AppendQuoted(nil, word))
	}
	return texts
}

// insert returns the edit that puts elements in front of those of a list, in lines of their own if the
// first of these has one.
func (f *located) insert(list *schema.Node, elements []string) edit {
	open := f.offset(list.Position) + 1
	if len(list.Elements) == 0 {
		return edit{open, open, strings.Join(elements, ", ")}
	}
	first := f.offset(list.Elements[0].Position)
	between := ", "
	if space := f.text[open:first]; len(bytes.TrimSpace(space)) == 0 && bytes.ContainsRune(space, '\n') {
		between = "," + string(space)
	}
	return edit{first, first, strings.Join(elements, between) + between}
}

// remove returns the edit that takes the first elements of a list off it.
func (f *located) remove(list *schema.Node, count int) edit {
	start := f.offset(list.Elements[0].Position)
	if count < len(list.Elements) {
		return edit{start, f.offset(list.Elements[count].Position), ""}
	}
	return edit{start, f.end(list.Elements[count-1]), ""}
}

// add returns the edit that puts a list of arguments in front of the member of the program.
func (f *located) add(member int, elements []string) edit {
	name, comma := `"args": `, ","
	begin := f.lines[f.position(member).Line-1]
	between, isOwnLine := " ", len(bytes.TrimSpace(f.text[begin:member])) == 0
	if isOwnLine {
		between = "\n" + string(f.text[begin:member])
		if bytes.HasSuffix(f.text[:begin], []byte("\r\n")) {
			between = "\r" + between
		}
	}
	if f.isTOML {
		name = "args = "
		if isOwnLine {
			comma = ""
		}
	}
	return edit{member, member, name + "[" + strings.Join(elements, ", ") + "]" + comma + between}
}

// tree returns the text of a TOML document as a tree with positions. It has the members whose values
// are strings, arrays and tables.
func (f *located) tree() (*schema.Node, error) {
	ends := map[*schema.Node]int{}
	f.end = func(value *schema.Node) int { return ends[value] }
	var parser unstable.Parser
	parser.Reset(f.text)
	root := schema.NewObject()
	table := root
	for parser.NextExpression() {
		switch expression := parser.Expression(); expression.Kind {
		case unstable.Table:
			table = within(root, keys(expression))
		case unstable.ArrayTable:
			table = schema.NewObject() // no client has servers there
		case unstable.KeyValue:
			f.member(table, expression, ends)
		default: // a comment
		}
	}
	if err := parser.Error(); err != nil {
		return nil, fmt.Errorf("reading TOML: %w", err)
	}
	return root, nil
}

// member adds a member to a table.
func (f *located) member(table *schema.Node, pair *unstable.Node, ends map[*schema.Node]int) {
	names := keys(pair)
	last := len(names) - 1
	table = within(table, names[:last])
	start := int(pair.Raw.Offset)
	member := schema.Member{Key: names[last], Position: f.position(start)}
	switch value := pair.Value(); value.Kind {
	case unstable.InlineTable:
		member.Value = schema.NewObject()
		for children := value.Children(); children.Next(); {
			f.member(member.Value, children.Node(), ends)
		}
	case unstable.Array:
		member.Value = schema.NewArray()
		for elements := value.Children(); elements.Next(); {
			member.Value.Elements = append(member.Value.Elements, f.scalar(elements.Node(), ends))
		}
		// The list begins behind the name, which may have brackets in quotes, and the equals sign.
		var key unstable.Range
		for names := pair.Key(); names.Next(); {
			key = names.Node().Raw
		}
		behind := int(key.Offset + key.Length)
		member.Value.Position = f.position(behind + bytes.IndexByte(f.text[behind:], '['))
	default:
		member.Value = f.scalar(value, ends)
	}
	table.Members = append(table.Members, member)
}

// scalar returns a value that is no array and no table as a string with its place, and any other as an
// empty array.
func (f *located) scalar(value *unstable.Node, ends map[*schema.Node]int) *schema.Node {
	if value.Kind == unstable.Array || value.Kind == unstable.InlineTable {
		return schema.NewArray()
	}
	node := schema.NewString(string(value.Data))
	node.Position = f.position(int(value.Raw.Offset))
	ends[node] = int(value.Raw.Offset + value.Raw.Length)
	return node
}

// keys returns the names in the key of a table or of a member.
func keys(node *unstable.Node) []string {
	var names []string
	for parts := node.Key(); parts.Next(); {
		names = append(names, string(parts.Node().Data))
	}
	return names
}

// within returns the table that names lead to, which it makes if it is not there.
func within(table *schema.Node, names []string) *schema.Node {
	for _, name := range names {
		if table.Get(name) == nil {
			table.Set(name, schema.NewObject())
		}
		table = table.Get(name)
	}
	return table
}
