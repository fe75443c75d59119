package cli

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress shows a progress bar on a terminal once a run has taken a second.
type Progress struct {
	out     io.Writer // nil if nothing is shown
	total   int
	count   int
	shown   time.Time
	visible bool
}

// NewProgress returns a progress bar for total judgements. It shows nothing unless standard
// error is a terminal.
func NewProgress(s *Session, total int) *Progress {
	return &Progress{out: s.bar, shown: time.Now(), total: total}
}

// Begin starts again with total judgements.
func (p *Progress) Begin(total int) {
	p.Clear()
	p.total, p.count, p.shown = total, 0, time.Now()
}

// Before returns a writer to out that clears the bar before it writes. If p is nil, it returns
// out.
func (p *Progress) Before(out io.Writer) io.Writer {
	if p == nil {
		return out
	}
	return clearing{p, out}
}

// clearing is a writer that clears the bar first.
type clearing struct {
	progress *Progress
	out      io.Writer
}

func (c clearing) Write(text []byte) (int, error) {
	c.progress.Clear()
	return c.out.Write(text) //nolint:wrapcheck // clearing stands in for out
}

// Step counts one judgement and redraws the bar at most once a second.
func (p *Progress) Step() {
	p.count++
	if p.out == nil || time.Since(p.shown) < time.Second {
		return
	}
	p.shown, p.visible = time.Now(), true
	const width = 30
	filled := width * p.count / max(p.total, 1)
	fmt.Fprintf(p.out, "\r[%s%s] %d of %d", strings.Repeat("=", filled), strings.Repeat(" ", width-filled), p.count, p.total)
}

// Say shows a line instead of the bar, as far as it fits on a terminal of 80 columns.
func (p *Progress) Say(line string) {
	if p.out == nil {
		return
	}
	p.Clear()
	p.visible = true
	const most = 79
	if letters := []rune(line); len(letters) > most {
		line = string(letters[:most-1]) + "…"
	}
	fmt.Fprint(p.out, line)
}

// Clear removes the bar so that other text can be written.
func (p *Progress) Clear() {
	if p.visible {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.visible = false
	}
}
