package normalizers

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"toolproof/internal/group"
	"toolproof/schema"
)

// ErrUnsupported is for a tool that a normalizer says it does not serve.
var ErrUnsupported = errors.New("the normalizer does not support the tool")

// Command is a Normalizer in any language. Its process reads one tool per line and
// writes one answer per line, as JSON:
//
//	{"id":1,"target":"gemini","surface":"gemini/parameters","tool":{"name":…,"description":…,"parameters":…}}
//	{"id":1,"tool":{…},"strict":false}  or  {"id":1,"unsupported":"why"}  or  {"id":1,"error":"…"}
//
// One process serves all tools, one after the other. A process that dies, or does not
// answer in time, is started again for the next tool. The error has what it wrote
// to standard error. Close ends it.
type Command struct {
	Args    []string // the program and its arguments
	Target  string   // which target to ask for
	Surface string   // which surface the tool is for; empty where only the target counts
	// Timeout is how long an answer may take; 0 means 10 seconds.
	Timeout time.Duration
	// Starts is how often the process is started at most; 0 means 2.
	Starts int

	mutex   sync.Mutex
	process *process
	starts  int
	asked   int
	took    time.Duration
	peak    int64
}

// Took returns how long the last answer took: as the process says it, or else from the
// question to the answer.
func (c *Command) Took() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.took
}

// Peak returns the most memory that the process had before it was ended, in bytes; 0 where
// the system does not say. Close it first.
func (c *Command) Peak() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.peak
}

// usualStarts is how often the process is started: at first, and once more.
const usualStarts = 2

// maxAnswer is how long the line of an answer may be, in bytes.
const maxAnswer = 64 << 20

type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.Closer
	answers chan []byte // closed when there are no more
	errors  tail
}

// Name returns the name of the target.
func (c *Command) Name() string { return c.Target }

// question and answer are the lines of the protocol.
type question struct {
	ID      int          `json:"id"`
	Target  string       `json:"target"`
	Surface string       `json:"surface,omitempty"`
	Tool    *schema.Node `json:"tool"`
}

type answer struct {
	ID          int             `json:"id"`
	Tool        json.RawMessage `json:"tool"`
	Strict      bool            `json:"strict"`
	Unsupported string          `json:"unsupported"`
	Error       string          `json:"error"`
	// Microseconds is how long the conversion took, without the reading and writing of lines.
	Microseconds float64 `json:"microseconds"`
}

// Normalize asks the process. What it changed is not known.
func (c *Command) Normalize(ctx context.Context, tool schema.Tool) (Result, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.process == nil {
		if err := c.start(); err != nil {
			return Result{}, err
		}
	}
	c.asked++
	asked := time.Now()
	line, err := c.ask(ctx, question{c.asked, c.Target, c.Surface, tool.Whole()})
	c.took = time.Since(asked)
	if err != nil {
		return Result{}, fmt.Errorf("%w%s", err, c.stop())
	}
	result, spent, err := read(line, c.asked)
	if spent > 0 {
		c.took = spent
	}
	if err != nil && !errors.Is(err, ErrUnsupported) {
		return Result{}, fmt.Errorf("%w%s", err, c.process.errors.text())
	}
	result.Given = tool
	return result, err
}

func (c *Command) start() error {
	if most := cmp.Or(c.Starts, usualStarts); c.starts >= most {
		return fmt.Errorf("%s has ended %d times and is not started again", c.Args[0], most)
	}
	c.starts++
	started := &process{command: exec.Command(c.Args[0], c.Args[1:]...), answers: make(chan []byte)} //nolint:gosec,noctx // the user names the program; stop ends it
	in, err := started.command.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting %s: %w", c.Args[0], err)
	}
	out, err := started.command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting %s: %w", c.Args[0], err)
	}
	started.in, started.out, started.command.Stderr = in, out, &started.errors
	group.Prepare(started.command)
	// What has left its group may hold its standard error open, which is waited for no longer.
	started.command.WaitDelay = time.Second
	if err := started.command.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", c.Args[0], err)
	}
	go started.read(out)
	c.process = started
	return nil
}

// read hands on the lines until there are no more.
func (p *process) read(out io.Reader) {
	defer close(p.answers)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		if text := bytes.TrimSpace(lines.Bytes()); len(text) > 0 {
			p.answers <- bytes.Clone(text)
		}
	}
}

// ask writes a question and waits for the next line.
func (c *Command) ask(ctx context.Context, asked question) ([]byte, error) {
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", c.Args[0], err)
	}
	const usual = 10 * time.Second
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = usual
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	written, in := make(chan error, 1), c.process.in // which may be stopped meanwhile
	go func() {
		_, err := in.Write(append(text, '\n'))
		written <- err
	}()
	for {
		select {
		case err := <-written:
			if err != nil {
				return nil, fmt.Errorf("asking %s: %w", c.Args[0], err)
			}
			written = nil
		case line, ok := <-c.process.answers:
			if !ok {
				return nil, fmt.Errorf("%s ended without an answer", c.Args[0])
			}
			return line, nil
		case <-timer.C:
			return nil, fmt.Errorf("%s did not answer within %s", c.Args[0], timeout)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// read turns an answer into a result, and says how long the process says that it took.
func read(line []byte, asked int) (Result, time.Duration, error) {
	var got answer
	if err := json.Unmarshal(line, &got); err != nil {
		return Result{}, 0, fmt.Errorf("the answer is not a line of the protocol: %w", err)
	}
	spent := time.Duration(got.Microseconds * float64(time.Microsecond))
	switch {
	case got.ID != asked:
		return Result{}, spent, fmt.Errorf("the answer is to %d, and %d was asked", got.ID, asked)
	case got.Error != "":
		return Result{}, spent, errors.New(got.Error)
	case got.Unsupported != "":
		return Result{}, spent, fmt.Errorf("%w: %s", ErrUnsupported, got.Unsupported)
	case len(got.Tool) == 0:
		return Result{}, spent, errors.New("the answer has none of tool, unsupported and error")
	}
	node, err := schema.Parse(got.Tool)
	if err != nil {
		return Result{}, spent, fmt.Errorf("reading the tool of the answer: %w", err)
	}
	return Result{Tool: schema.ToolOf(node), Strict: got.Strict, Unreported: true}, spent, nil
}

// stop ends the process with all that it has started, and returns what it wrote to
// standard error, as the end of an error.
func (c *Command) stop() string {
	stopped := c.process
	c.process = nil
	c.peak = max(c.peak, peak(stopped.command.Process.Pid))
	_ = stopped.in.Close()          // a process that has ended has no input
	_ = group.Kill(stopped.command) // it may have ended by itself
	_ = stopped.out.Close()         // what has left its group may still hold the other end
	for range stopped.answers {     // the reader ends when there is nothing to read
	}
	_ = stopped.command.Wait() // that it was killed is no news
	return stopped.errors.text()
}

// peak returns the most memory that a running process has had, in bytes; 0 where the
// system does not say, which Linux alone does. What the system says of a process that has
// ended would count its parent.
func peak(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kilobytes int64
	if _, err := fmt.Sscan(string(rest[:min(len(rest), 40)]), &kilobytes); err != nil {
		return 0
	}
	return kilobytes << 10
}

// Close ends the process.
func (c *Command) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.process != nil {
		c.stop()
	}
}

// tail keeps the end of what is written to it.
type tail struct {
	mutex sync.Mutex
	kept  []byte
}

// maxTail is how many bytes of standard error are kept.
const maxTail = 2000

// Write keeps the end of the text.
func (t *tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.kept = append(t.kept, text...)
	if over := len(t.kept) - maxTail; over > 0 {
		t.kept = t.kept[over:]
	}
	return len(text), nil
}

func (t *tail) text() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.kept) == 0 {
		return ""
	}
	return "\n" + string(bytes.TrimSpace(t.kept))
}
