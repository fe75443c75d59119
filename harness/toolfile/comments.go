package toolfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// readJSON reads JSON. If it is faulty, readJSON tries again without comments.
func (d *document) readJSON() {
	whole := *d
	d.read()
	if !d.isFaulty() {
		return
	}
	if plain := withoutComments(d.data); plain != nil {
		whole.data = plain
		whole.read()
		if !whole.isFaulty() {
			*d = whole
		}
	}
}

// isFaulty reports whether the document has a text that is not JSON, in a tool or around the
// tools.
func (d *document) isFaulty() bool {
	isFault := func(err error) bool { return errors.Is(err, schema.ErrNotJSON) }
	isAround := func(err error) bool { return isFault(err) || errors.Is(err, errNoTool) }
	return slices.ContainsFunc(d.problems, isAround) || slices.ContainsFunc(d.tools, func(tool Tool) bool { return isFault(tool.Err) })
}

// isJSON reports whether a text begins with an object or a list, after any comments.
func isJSON(text []byte) bool {
	for {
		text = text[skipSpace(text, 0):]
		length := comment(text)
		if length == 0 {
			break
		}
		text = text[length:]
	}
	return len(text) > 0 && (text[0] == '{' || text[0] == '[' && !isTable(text))
}

// table matches the header of a TOML table followed by a member or another header.
var table = lazy.Compile(`^\[\[?[\w."' -]+\]\]?[ \t]*(#.*)?\r?\n(\s*(#.*)?\n)*\s*([\w."-]+ *=|\[)`)

// isTable reports whether a text that begins with a bracket is TOML.
func isTable(text []byte) bool {
	first, _, _ := bytes.Cut(text, []byte{'\n'})
	return table.Match(text) && !json.Valid(first)
}

// comment returns the length of the comment, // or /* */, with which a text begins, or 0.
func comment(text []byte) int {
	closing, behind := []byte{'\n'}, 0
	switch {
	case bytes.HasPrefix(text, []byte("//")):
	case bytes.HasPrefix(text, []byte("/*")):
		closing, behind = []byte("*/"), len("*/")
	default:
		return 0
	}
	const opening = len("//")
	if end := bytes.Index(text[opening:], closing); end >= 0 {
		return opening + end + behind
	}
	return len(text)
}

// withoutComments returns JSON with its comments, and then also its commas behind a last item, replaced by
// spaces, so that every value keeps its place. It returns nil if there are no comments.
func withoutComments(data []byte) []byte {
	var plain []byte
	var commas []int
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end, _ := scanString(data, i)
			i = end - 1
		case ',':
			commas = append(commas, i)
		case '/':
			length := comment(data[i:])
			if length == 0 {
				continue
			}
			if plain == nil {
				plain = bytes.Clone(data)
			}
			for end := i + length; i < end; i++ {
				if plain[i] != '\n' {
					plain[i] = ' '
				}
			}
			i--
		}
	}
	if plain == nil {
		return nil
	}
	for _, at := range commas {
		if next := skipSpace(plain, at+1); next < len(plain) && (plain[next] == ']' || plain[next] == '}') {
			plain[at] = ' '
		}
	}
	return plain
}
