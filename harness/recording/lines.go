package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"toolproof/harness/provider"
)

// linesName is the file of a surface's reduced recordings, one a line, and linesSuffix ends the
// names of such files.
const (
	linesName   = "reduced" + linesSuffix
	linesSuffix = ".jsonl"
)

// linesIn returns the lines that are complete. A program that was killed may have left a last
// one that is not.
func linesIn(data []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.Lines(data) {
		if text := bytes.TrimSpace(line); len(text) > 0 && bytes.HasSuffix(line, []byte("\n")) {
			lines = append(lines, text)
		}
	}
	return lines
}

// ParseLines reads the reduced recordings of a surface. Their digests follow from their
// declarations.
func ParseLines(name string, data []byte) ([]*Recording, error) {
	var all []*Recording
	for i, line := range linesIn(data) {
		loaded, err := parse(name, line)
		if err == nil {
			request := provider.Request{Dialect: loaded.Dialect, Declarations: loaded.Request.Declarations}
			loaded.Digest = request.Digest()
			switch {
			case !loaded.Reduced:
				err = errors.New("it is not reduced: it has a file of its own")
			case path.Dir(name) != loaded.Dialect:
				err = fmt.Errorf("it is of %s", loaded.Dialect)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		all = append(all, loaded)
	}
	return all, nil
}

// Line returns a reduced recording as a line, with its end.
func (r *Recording) Line() ([]byte, error) {
	line := *r
	line.Digest, line.Request.Path = "", ""
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(&line); err != nil {
		return nil, fmt.Errorf("writing a recording: %w", err)
	}
	return text.Bytes(), nil
}

// Appender adds reduced recordings to the files of a folder. It is safe for concurrent use.
type Appender struct {
	folder  string
	secrets []string
	mutex   sync.Mutex
	known   map[string]*lines // by surface
}

// lines are those of one surface's file.
type lines struct {
	file *os.File
	has  map[string]bool // by sameness
}

// NewAppender returns an Appender for a folder, which need not exist. No line may contain one
// of the secrets.
func NewAppender(folder string, secrets []string) *Appender {
	return &Appender{folder: folder, secrets: secrets, known: map[string]*lines{}}
}

// sameness identifies what a reduced recording shows.
func (r *Recording) sameness() string { return r.Digest + " " + r.answer() }

// Add appends a recording to the file of its surface in one write, and reports whether it did:
// a recording of the same declarations and the same answer of the model is left as it is. If
// the line would contain a secret it returns ErrSecret and writes nothing.
func (a *Appender) Add(recorded *Recording) (bool, error) {
	text, err := recorded.Line()
	if err != nil {
		return false, err
	}
	if len(secretsIn(text, a.secrets)) > 0 {
		return false, ErrSecret
	}
	parsed, err := ParseLines(path.Join(recorded.Dialect, linesName), text)
	if err != nil {
		return false, fmt.Errorf("making a recording: %w", err)
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	of, err := a.open(recorded.Dialect)
	if err != nil {
		return false, err
	}
	same := parsed[0].sameness()
	if of.has[same] {
		return false, nil
	}
	if _, err := of.file.Write(text); err != nil {
		return false, err
	}
	of.has[same] = true
	return true, nil
}

// open opens the file of a surface. It ends a last line that is not complete, so that the next
// one begins a line; as that is no recording, it is an error for those who read it, unless it
// is cut off first.
func (a *Appender) open(dialect string) (*lines, error) {
	if opened := a.known[dialect]; opened != nil {
		return opened, nil
	}
	name := filepath.Join(a.folder, filepath.FromSlash(dialect), linesName)
	const folders, readable = 0o755, 0o644
	if err := os.MkdirAll(filepath.Dir(name), folders); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name) //nolint:gosec // the user names the folder
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	recorded, err := ParseLines(path.Join(dialect, linesName), data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if whole := bytes.LastIndexByte(data, '\n') + 1; whole < len(data) {
		if err := os.Truncate(name, int64(whole)); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, readable) //nolint:gosec,forbidigo // likewise; Close closes it
	if err != nil {
		return nil, err
	}
	opened := &lines{file, map[string]bool{}}
	for _, one := range recorded {
		opened.has[one.sameness()] = true
	}
	a.known[dialect] = opened
	return opened, nil
}

// Close closes the files, and returns their names below the folder.
func (a *Appender) Close() ([]string, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	var names []string
	var problems []error
	for dialect, of := range a.known {
		names = append(names, path.Join(dialect, linesName))
		problems = append(problems, of.file.Close())
	}
	slices.Sort(names)
	return names, errors.Join(problems...)
}
