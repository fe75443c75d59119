package group

import (
	"bytes"
	"sync"
)

// Tail is a Writer that keeps the end of what a program writes. It is safe for concurrent use.
type Tail struct {
	// Most is the number of bytes to keep; 0 means 64 KiB.
	Most int

	mutex sync.Mutex
	text  []byte
}

// Write keeps the end of the text. It never fails.
func (t *Tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	most := t.Most
	if most == 0 {
		most = 64 << 10
	}
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(text), nil
}

// String returns the end of what was written as valid UTF-8, without surrounding white space.
func (t *Tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(bytes.TrimSpace(bytes.ToValidUTF8(t.text, nil)))
}
