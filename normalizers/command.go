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

// ErrUnsupported says that a normalizer does not serve a tool.
var ErrUnsupported = errors.New("the normalizer does not support the tool")

// Command is a Normalizer in any language. Its process reads one tool per line and
// writes one answer per line, as JSON:
//
//	{"id":1,"target":"gemini","surface":"gemini/parameters","tool":{"name":…,"description":…,"parameters":…}}
//	{"id":1,"tool":{…},"strict":false}  or  {"id":1,"unsupported":"why"}  or  {"id":1,"error":"…"}
//
// One process serves all tools, one after the other. A process that dies, or does not answer in
// time, is started again for the next tool; the error has the end of its standard error. Close ends
// the process.
type Command struct {
	Args    []string // the program and its arguments
	Target  string   // the name of the target to ask for
	Surface string   // the surface that the tool is for; empty if only the target counts
	// Timeout is how long an answer may take; 0 means 10 seconds.
	Timeout time.Duration
	// Starts is how often the process may be started; 0 means 2.
	Starts int

	mutex   sync.Mutex
	process *process
	starts  int
	asked   int
	took    time.Duration
	peak    int64
}

// Took returns how long the last answer took, as the process said, or else from the question to the
// answer.
func (c *Command) Took() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.took
}

// Peak returns the most memory that the process has had, in bytes, or 0 if the system does not say.
// It is known after Close.
func (c *Command) Peak() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.peak
}

// usualStarts is how often the process may be started by default: at first, and once again.
const usualStarts = 2

// maxAnswer is how many bytes the line of an answer may have.
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

// Normalize asks the process for the tool. The Result is Unreported.
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
	// A process that has left the group may hold standard error open. Wait does not wait for it.
	started.command.WaitDelay = time.Second
	if err := started.command.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", c.Args[0], err)
	}
	go started.read(out)
	c.process = started
	return nil
}

// read sends the lines of the process to answers until there are no more.
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
	written, in := make(chan error, 1), c.process.in // c.process may be stopped meanwhile
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

// read reads the result from the line of an answer, and how long the process says that it took.
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

// stop ends the process with all processes that it has started. It returns the end of its standard
// error, to be the end of an error.
func (c *Command) stop() string {
	stopped := c.process
	c.process = nil
	c.peak = max(c.peak, peak(stopped.command.Process.Pid))
	_ = stopped.in.Close()          // a process that has ended has no input
	_ = group.Kill(stopped.command) // it may have ended by itself
	_ = stopped.out.Close()         // a process that has left the group may hold the other end
	for range stopped.answers {     // the reader ends when there is nothing to read
	}
	_ = stopped.command.Wait() // the error says that it was killed
	return stopped.errors.text()
}

// peak returns the most memory that a running process has had, in bytes, or 0 if the system does not
// say; only Linux does. The figure for a process that has ended would include its parent.
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

// tail is a Writer that keeps the last maxTail bytes.
type tail struct {
	mutex sync.Mutex
	kept  []byte
}

// maxTail is how many bytes of standard error an error has.
const maxTail = 2000

// Write keeps the last maxTail bytes. It returns no error.
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
