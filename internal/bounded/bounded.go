// Package bounded reads untrusted files up to a limit, decompressing gzip. Limits are in bytes
// and apply after decompression.
package bounded

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// ErrTooLarge means that the input is larger than the limit.
var ErrTooLarge = errors.New("too large")

// Reader returns a reader that ends after most bytes. If there are more, its error wraps ErrTooLarge
// and names the limit.
func Reader(reader io.Reader, most int64) (io.Reader, error) {
	buffered := bufio.NewReader(reader)
	if start, _ := buffered.Peek(2); !isGzip(start) { // the next read returns the error
		return &limited{in: buffered, most: most}, nil
	}
	decompressed, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	return &limited{in: decompressed, most: most, isCompressed: true}, nil
}

func isGzip(data []byte) bool { return bytes.HasPrefix(data, []byte{0x1f, 0x8b}) }

type limited struct {
	in           io.Reader
	most, count  int64
	isCompressed bool
}

// Read reads at most one byte beyond the limit, which shows that there is more.
func (l *limited) Read(buffer []byte) (int, error) {
	size, err := l.in.Read(buffer[:min(int64(len(buffer)), l.most-l.count+1)])
	if l.count += int64(size); l.count > l.most {
		if l.isCompressed {
			return 0, fmt.Errorf("%w: there is more than %s after decompression: split it", ErrTooLarge, Size(l.most))
		}
		return 0, fmt.Errorf("%w: there is more than %s: split it", ErrTooLarge, Size(l.most))
	}
	if err != nil && l.isCompressed && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("decompressing: %w", err)
	}
	return size, err
}

// All reads everything. If it fails, it also returns the data read before, unless the error is
// ErrTooLarge.
func All(reader io.Reader, most int64) ([]byte, error) {
	limited, err := Reader(reader, most)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(limited)
	if errors.Is(err, ErrTooLarge) {
		return nil, err //nolint:wrapcheck // the error of All
	}
	return data, err //nolint:wrapcheck // the reader's error
}

// File reads a file. It returns an error for anything but a regular file, such as a pipe.
func File(files fs.FS, name string, most int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // opened for reading
	data := make([]byte, min(info.Size(), most)+1)
	size, err := io.ReadFull(file, data)
	if data = data[:size]; errors.Is(err, io.ErrUnexpectedEOF) && !isGzip(data) {
		return data, nil // the file has the size that Stat returned, and needs no second buffer
	}
	return All(io.MultiReader(bytes.NewReader(data), file), most)
}

// Lines reads a text line by line.
type Lines struct {
	scanner *bufio.Scanner
	longest int
	number  int
}

// NewLines returns a reader of lines of at most longest bytes each and most bytes in all.
func NewLines(reader io.Reader, longest int, most int64) (*Lines, error) {
	limited, err := Reader(reader, most)
	if err != nil {
		return nil, err
	}
	scanner := bufio.NewScanner(limited)
	scanner.Buffer(nil, longest)
	scanner.Split(eachByteOnce())
	return &Lines{scanner: scanner, longest: longest}, nil
}

// eachByteOnce returns a function that splits lines. Whenever a Scanner has read more of a line,
// it passes the line from its start; the function does not search the same bytes again.
func eachByteOnce() bufio.SplitFunc {
	searched := 0
	return func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		at := bytes.IndexByte(data[searched:], '\n')
		end := searched + at
		switch {
		case at >= 0:
			searched = 0
			return end + 1, data[:end], nil
		case !atEOF:
			searched = len(data)
			return 0, nil, nil
		case len(data) == 0:
			return 0, nil, nil
		default:
			searched = 0
			return len(data), data, nil
		}
	}
}

// Next moves to the next line that is not blank. It returns false after the last one or on an
// error, which Err returns.
func (l *Lines) Next() bool {
	for l.scanner.Scan() {
		l.number++
		if len(l.Text()) > 0 && l.scanner.Err() == nil { // the data before an error is not a line
			return true
		}
	}
	return false
}

// Text returns the line without surrounding white space. It is valid until the next call of
// Next.
func (l *Lines) Text() []byte { return bytes.TrimSpace(l.scanner.Bytes()) }

// Number returns the number of the line, counted from 1.
func (l *Lines) Number() int { return l.number }

// Err returns the error that ended the lines early, if any. It happened in the line after Number.
func (l *Lines) Err() error {
	err := l.scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%w: the line is longer than %s", ErrTooLarge, Size(int64(l.longest)))
	}
	return err //nolint:wrapcheck // the reader's error
}

// Size returns a size in words, such as "64 MB".
func Size(size int64) string {
	if size < 1<<20 {
		return fmt.Sprintf("%d bytes", size)
	}
	return fmt.Sprintf("%d MB", size>>20)
}
