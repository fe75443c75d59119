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

// Command is a Normalizer in any language. Its process reads one tool per line of standard input
// and writes one answer per line of standard output, as JSON:
//
//	{"id":1,"target":"gemini","surface":"gemini/parameters","tool":{"name":…,"description":…,"parameters":…}}
//	{"id":1,"tool":{…},"strict":false}  or  {"id":1,"unsupported":"why"}  or  {"id":1,"error":"…"}
//
// One process serves all tools, one after the other. If the process dies or does not answer in
// time, the error has the end of its standard error, and the next tool starts the process again.
// Close ends the process.
type Command struct {
	Args    []string // the program and its arguments
	Target  string   // the name of the target to ask for
	Surface string   // the surface that the tool is for; empty if only the target counts
	// Timeout is how long an answer may take; 0 means 10 seconds.
	Timeout time.Duration
	// Starts is how often the process may be started; 0 means 2.
	Starts int

	mutex     sync.Mutex
	process   *process // nil if none is running
	starts    int
	questions int // so far; the number of a question is its ID
	took      time.Duration
	peak      int64
}

// Took returns how long the last answer took: what the process said, or else the time between the
// question and the answer.
func (c *Command) Took() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.took
}

// Peak returns the greatest amount of memory in bytes that the process has had, or 0 if the system
// does not say. It is known only after Close.
func (c *Command) Peak() int64 {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.peak
}

// usualStarts is how often the process may be started by default: at first, and once again.
const usualStarts = 2

// maxAnswer is the greatest length in bytes of the line of an answer.
const maxAnswer = 64 << 20

// maxStderr is the number of bytes of standard error that an error quotes.
const maxStderr = 2000

type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.Closer
	answers chan []byte // closed when there are no more
	errors  group.Tail
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
	c.questions++
	start := time.Now()
	line, err := c.ask(ctx, question{c.questions, c.Target, c.Surface, tool.Whole()})
	c.took = time.Since(start)
	if err != nil {
		return Result{}, withStderr(err, c.stop())
	}
	result, spent, err := read(line, c.questions)
	if spent > 0 {
		c.took = spent
	}
	if err != nil && !errors.Is(err, ErrUnsupported) {
		return Result{}, withStderr(err, c.process)
	}
	result.Given = tool
	return result, err
}

// withStderr returns the error with the end of the standard error of a process.
func withStderr(err error, process *process) error {
	if text := process.errors.String(); text != "" {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return err
}

func (c *Command) start() error {
	if most := cmp.Or(c.Starts, usualStarts); c.starts >= most {
		return fmt.Errorf("%s has ended %d times and is not started again", c.Args[0], most)
	}
	c.starts++
	started := &process{answers: make(chan []byte), errors: group.Tail{Most: maxStderr}}
	started.command = exec.Command(c.Args[0], c.Args[1:]...) //nolint:gosec,noctx // the user names the program; stop ends it
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

// ask writes a question to the process and returns the next line that the process writes.
func (c *Command) ask(ctx context.Context, question question) ([]byte, error) {
	text, err := json.Marshal(question)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", c.Args[0], err)
	}
	timeout := c.Timeout
	if timeout <= 0 {
		timeout = 10 * time.Second
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

// read returns the result that the line of an answer holds, and how long the process says that it
// took. id is that of the question.
func read(line []byte, id int) (result Result, took time.Duration, err error) {
	var answer answer
	if err := json.Unmarshal(line, &answer); err != nil {
		return Result{}, 0, fmt.Errorf("the answer is not a line of the protocol: %w", err)
	}
	took = time.Duration(answer.Microseconds * float64(time.Microsecond))
	switch {
	case answer.ID != id:
		return Result{}, took, fmt.Errorf("the answer is to %d, and %d was asked", answer.ID, id)
	case answer.Error != "":
		return Result{}, took, errors.New(answer.Error)
	case answer.Unsupported != "":
		return Result{}, took, fmt.Errorf("%w: %s", ErrUnsupported, answer.Unsupported)
	case len(answer.Tool) == 0:
		return Result{}, took, errors.New("the answer has none of tool, unsupported and error")
	}
	node, err := schema.Parse(answer.Tool)
	if err != nil {
		return Result{}, took, fmt.Errorf("reading the tool of the answer: %w", err)
	}
	return Result{Tool: schema.ToolOf(node), Strict: answer.Strict, Unreported: true}, took, nil
}

// stop ends the process with all processes that it has started, and returns it.
func (c *Command) stop() *process {
	stopped := c.process
	c.process = nil
	c.peak = max(c.peak, peak(stopped.command.Process.Pid))
	_ = stopped.in.Close()          // a process that has ended has no input
	_ = group.Kill(stopped.command) // it may have ended by itself
	_ = stopped.out.Close()         // a process that has left the group may hold the other end
	for range stopped.answers {     // the reader ends when there is nothing to read
	}
	_ = stopped.command.Wait() // the error says that it was killed
	return stopped
}

// peak returns the greatest amount of memory in bytes that a running process has had, or 0 if the
// system does not say, which only Linux does. The figure that Wait returns for a process that has
// ended would include its parent.
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
