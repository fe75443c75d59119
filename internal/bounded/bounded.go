// Package bounded reads files of others, up to a limit. It decompresses gzip. Sizes are in
// bytes, after decompression.
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

// ErrTooLarge means that there is more than is read.
var ErrTooLarge = errors.New("too large")

// Reader returns a reader of at most so many bytes. When there are more it fails with an
// error that is ErrTooLarge and tells the limit.
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

// Read reads at most one byte more than the limit.
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

// All reads everything. With an error it returns what was read until then, but for one
// that is ErrTooLarge.
func All(reader io.Reader, most int64) ([]byte, error) {
	limited, err := Reader(reader, most)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(limited)
	if errors.Is(err, ErrTooLarge) {
		return nil, err //nolint:wrapcheck // the same
	}
	return data, err //nolint:wrapcheck // it says what was wrong
}

// File reads a file of a tree. What is no regular file, such as a pipe, is an error.
func File(files fs.FS, name string, most int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is no regular file")
	}
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was read
	data := make([]byte, min(info.Size(), most)+1)
	size, err := io.ReadFull(file, data)
	if data = data[:size]; errors.Is(err, io.ErrUnexpectedEOF) && !isGzip(data) {
		return data, nil // most files are as large as they say, and need no other buffer
	}
	return All(io.MultiReader(bytes.NewReader(data), file), most)
}

// Lines reads line by line.
type Lines struct {
	scanner *bufio.Scanner
	longest int
	number  int
}

// NewLines returns a reader of lines of at most the size longest, together at most most.
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

// eachByteOnce splits lines. A Scanner shows a line from its start whenever more of it was
// read: what was searched for its end is not searched again.
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

// Next reads the next line that is not empty. It returns false after the last, and where
// Err is an error.
func (l *Lines) Next() bool {
	for l.scanner.Scan() {
		l.number++
		if len(l.Text()) > 0 && l.scanner.Err() == nil { // what is left before an error is no line
			return true
		}
	}
	return false
}

// Text returns the line without the space around it. It is valid until Next.
func (l *Lines) Text() []byte { return bytes.TrimSpace(l.scanner.Bytes()) }

// Number returns the number of the line, from 1.
func (l *Lines) Number() int { return l.number }

// Err returns why the lines ended before the end, which is about the line after Number.
func (l *Lines) Err() error {
	err := l.scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%w: the line is longer than %s", ErrTooLarge, Size(int64(l.longest)))
	}
	return err //nolint:wrapcheck // it says what was wrong
}

// Size tells a size in words, such as 64 MB.
func Size(size int64) string {
	if size < 1<<20 {
		return fmt.Sprintf("%d bytes", size)
	}
	return fmt.Sprintf("%d MB", size>>20)
}
