package server

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// remarks are what a server does that clients may not survive. They are safe for concurrent use.
type remarks struct {
	mutex  sync.Mutex
	texts  []string
	stray  []string // the last lines that are no messages
	strays int      // how many there are
	isOver bool     // nothing more is noted
}

// add notes a remark once.
func (r *remarks) add(text string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.isOver && !slices.Contains(r.texts, text) {
		r.texts = append(r.texts, text)
	}
}

// addStray notes a line that is no message.
func (r *remarks) addStray(line []byte) {
	const most, longest = 5, 1000
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.isOver {
		return
	}
	text := string(line[:min(len(line), longest)])
	for len(text) < len(line) && len(text) > 0 && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	r.stray = append(r.stray, strings.ToValidUTF8(text, "\uFFFD"))
	r.stray = r.stray[max(0, len(r.stray)-most):]
	r.strays++
}

// end ends the notes.
func (r *remarks) end() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.isOver = true
}

// Remarks returns sentences about what the server does that clients may not survive. One may have
// further lines, which the server has written.
func (s *Server) Remarks() []string {
	s.remarks.mutex.Lock()
	defer s.remarks.mutex.Unlock()
	texts := slices.Clone(s.remarks.texts)
	if s.events != nil {
		texts = append(texts, s.events.Remarks()...)
	}
	if count := s.remarks.strays; count > 0 {
		text := "it writes a line to its standard output that is no message:\n"
		if count > 1 {
			text = fmt.Sprintf("it writes %d lines to its standard output that are no messages, last of all:\n", count)
		}
		texts = append(texts, text+strings.Join(s.remarks.stray, "\n"))
	}
	return texts
}
