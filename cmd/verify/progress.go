package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// progress shows on a terminal how far a run is that takes longer than a second.
type progress struct {
	out     io.Writer // nil when nothing is shown
	total   int
	count   int
	shown   time.Time
	visible bool
}

func newProgress(s *session, total int) *progress {
	return &progress{out: s.bar, shown: time.Now(), total: total}
}

// step counts one judgement and renews the bar once a second.
func (p *progress) step() {
	p.count++
	if p.out == nil || time.Since(p.shown) < time.Second {
		return
	}
	p.shown, p.visible = time.Now(), true
	const width = 30
	filled := width * p.count / max(p.total, 1)
	fmt.Fprintf(p.out, "\r[%s%s] %d of %d", strings.Repeat("=", filled), strings.Repeat(" ", width-filled), p.count, p.total)
}

// say shows a line in place of the bar.
func (p *progress) say(line string) {
	if p.out == nil {
		return
	}
	p.clear()
	p.visible = true
	fmt.Fprint(p.out, line)
}

// clear takes the bar away, so that something else can be written.
func (p *progress) clear() {
	if p.visible {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.visible = false
	}
}
