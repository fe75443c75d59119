package breaking

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"toolproof/harness/toolfile"
	"toolproof/schema"
)

// lockVersion is the version of the format of a lock.
const lockVersion = 1

// ErrNoLock means that a text is not what Lock returns.
var ErrNoLock = errors.New("this is no lock of tools")

// Lock returns tools as the text of a lock: JSON values, one for each source, with the declarations of its tools as
// they were written. A tool that would not be read from there as it is makes it fail. The text is also a document
// of tools in a form that toolfile reads.
func Lock(tools []Tool) ([]byte, error) {
	var text bytes.Buffer
	for start := 0; start < len(tools); {
		end := start
		var declarations []*schema.Node
		for ; end < len(tools) && tools[end].Of == tools[start].Of; end++ {
			tool := tools[end].Unfolded()
			declaration := tool.Declaration
			if tool.Form == toolfile.OfGemini || tool.Form == toolfile.OfGeminiJSON { // its list says of which form it is
				declaration = schema.NewObject(schema.Member{Key: "functionDeclarations", Value: schema.NewArray(declaration)})
			}
			declarations = append(declarations, declaration)
		}
		source := schema.NewObject(
			schema.Member{Key: "lock", Value: schema.NewInt(lockVersion)},
			schema.Member{Key: "source", Value: schema.NewString(tools[start].Of)},
			schema.Member{Key: "tools", Value: schema.NewArray(declarations...)},
		)
		text.Write(source.Indented())
		text.WriteByte('\n')
		start = end
	}
	locked, err := ReadLock(text.Bytes(), "")
	if err != nil {
		return nil, err
	}
	for i, tool := range tools {
		whole := tool.Unfolded()
		if i >= len(locked) || locked[i].Form != whole.Form || !schema.Equal(locked[i].Whole(), whole.Whole()) {
			return nil, fmt.Errorf("the tool %q of %s cannot be locked in its form", tool.Name, tool.Of)
		}
	}
	return text.Bytes(), nil
}

// ReadLock returns the tools of a lock, whose file has the given name.
func ReadLock(text []byte, name string) ([]Tool, error) {
	var tools []Tool
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		start := int(decoder.InputOffset())
		var entry struct {
			Lock   int    `json:"lock"`
			Source string `json:"source"`
		}
		switch err := decoder.Decode(&entry); {
		case errors.Is(err, io.EOF) && start > 0:
			return tools, nil
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrNoLock, err)
		case entry.Lock > lockVersion:
			return nil, fmt.Errorf("the lock has the format %d, and this program knows %d: use a newer one", entry.Lock, lockVersion)
		case entry.Lock < 1 || entry.Source == "":
			return nil, ErrNoLock
		}
		read, err := toolfile.Reader{}.ReadText(behind(text, start, int(decoder.InputOffset())), nil)
		if err != nil {
			return nil, fmt.Errorf("the tools of %s: %w", entry.Source, err)
		}
		for _, tool := range read {
			if tool.Err != nil {
				return nil, fmt.Errorf("the tools of %s: %w", entry.Source, tool.Err)
			}
			tools = append(tools, Tool{Tool: tool, Source: name, Of: entry.Source})
		}
	}
}

// behind returns part of a text at the lines and columns that it has in the whole.
func behind(text []byte, start, end int) []byte {
	part := bytes.Repeat([]byte{' '}, end)
	for i, letter := range text[:start] {
		if letter == '\n' {
			part[i] = '\n'
		}
	}
	copy(part[start:], text[start:end])
	return part
}
