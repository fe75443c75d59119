package scan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"toolproof/internal/escape"
)

// Result is what a server answered. It has nothing that differs between two scans of the same servers, such as a time.
type Result struct {
	Server  string  `json:"server"` // the Key
	Name    string  `json:"name,omitempty"`
	Version string  `json:"version,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Error says why there are no tools; empty if there are.
	Error string `json:"error,omitempty"`
	// Tools are the tools as the server wrote them.
	Tools json.RawMessage `json:"tools"`
}

// Outcome says whether a server listed its tools.
type Outcome string

// The outcomes.
const (
	Listed  Outcome = "listed"
	Failed  Outcome = "failed"
	LeftOut Outcome = "left_out" // it was not asked
)

// Results is a file of results, a line each.
type Results struct {
	file *os.File
	// Done are the keys of the servers whose results the file has.
	Done map[string]bool
}

// Forget removes the results of servers that failed from a file, so that a scan asks these servers once more. The file
// is replaced as a whole, and stays as it was if there is an error.
func Forget(name string) (err error) {
	old, err := os.Open(name) //nolint:gosec // the user names the file
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*") //nolint:forbidigo // Close reports
	if err != nil {
		return errors.Join(err, old.Close())
	}
	out := bufio.NewWriter(kept)
	err = eachResult(old, func(known Result, line []byte) error {
		if known.Outcome == Failed {
			return nil
		}
		_, err := out.Write(line)
		return err //nolint:wrapcheck // it names the file
	})
	if about, known := old.Stat(); known == nil {
		err = errors.Join(err, kept.Chmod(about.Mode().Perm()))
	}
	err = errors.Join(err, out.Flush(), kept.Close(), old.Close())
	if err == nil {
		err = os.Rename(kept.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(kept.Name()))
	}
	return nil
}

// Open opens a file of results, or makes it. It cuts off a last line that was not written to its end.
func Open(name string) (*Results, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644) //nolint:gosec,mnd,forbidigo // the user names the file, and Close reports
	if err != nil {
		return nil, err
	}
	results := &Results{file: file, Done: map[string]bool{}}
	if err := results.read(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return results, nil
}

func (r *Results) read() error {
	whole := int64(0)
	err := eachResult(r.file, func(known Result, line []byte) error {
		r.Done[known.Server] = true
		whole += int64(len(line))
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.file.Truncate(whole); err != nil {
		return err
	}
	_, err = r.file.Seek(whole, io.SeekStart)
	return err
}

// eachResult calls a function with each line that was written to its end.
func eachResult(in io.Reader, take func(known Result, line []byte) error) error {
	reader := bufio.NewReader(in)
	for number := 1; ; number++ {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err //nolint:wrapcheck // it names the file
		}
		var known Result
		if err := json.Unmarshal(line, &known); err != nil || known.Server == "" || known.Outcome == "" {
			return fmt.Errorf("line %d is no result of a scan: name another file", number)
		}
		if err := take(known, line); err != nil {
			return err
		}
	}
}

// add appends a result in one write.
func (r *Results) add(result Result) error {
	if result.Tools == nil {
		result.Tools = json.RawMessage("[]")
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&escape.Writer{Out: &text}) // the file may be shown on a terminal
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result); err != nil {
		return fmt.Errorf("writing the result of %s: %w", result.Server, err)
	}
	_, err := r.file.Write(text.Bytes())
	return err
}

// Close closes the file.
func (r *Results) Close() error { return r.file.Close() }
