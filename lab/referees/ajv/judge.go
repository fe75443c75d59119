package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"toolproof/schema"
)

// question is a schema with instances and the harness's verdicts on them.
type question struct {
	about     string // tool and target
	schema    *schema.Node
	instances []*schema.Node
	accepted  []bool
	err       error // why the harness cannot compile the schema
}

// answer is ajv's answer to a question.
type answer struct {
	// Answers are true or false, or a text for an instance that cannot be judged.
	Answers []any  `json:"answers"`
	Error   string `json:"error"`
}

// judge is a process that runs ajv. It answers many pending questions in order.
type judge struct {
	process *exec.Cmd
	kill    func()
	in      io.WriteCloser
	writer  *bufio.Writer
	pending chan question
	done    chan error
}

// startJudge starts the process in the folder in which npm ci was run. One goroutine calls hear
// with each question and its answer.
func startJudge(ctx context.Context, folder string, errs io.Writer, hear func(question, answer)) (*judge, error) {
	const ahead = 256
	ctx, kill := context.WithCancel(ctx)
	process := exec.CommandContext(ctx, "node", "--stack-size=3600", "referee.js")
	process.Dir, process.Stderr = folder, errs
	in, err := process.StdinPipe()
	out, failed := process.StdoutPipe()
	if err = errors.Join(err, failed); err == nil {
		err = process.Start()
	}
	if err != nil {
		kill()
		return nil, fmt.Errorf("starting node: %w", err)
	}
	j := &judge{process: process, kill: kill, in: in, writer: bufio.NewWriter(in), pending: make(chan question, ahead), done: make(chan error, 1)}
	go func() { j.done <- j.listen(out, hear) }()
	return j, nil
}

// listen reads the answers until the questions end.
func (j *judge) listen(out io.Reader, hear func(question, answer)) error {
	decoder := json.NewDecoder(bufio.NewReader(out))
	for next := range j.pending {
		var reply answer
		if err := decoder.Decode(&reply); err != nil {
			j.kill()
			for range j.pending { // callers must not block
			}
			return fmt.Errorf("reading what node answers about %s: %w", next.about, err)
		}
		if reply.Error == "" && len(reply.Answers) != len(next.instances) {
			reply.Error = fmt.Sprintf("%d answers to %d instances", len(reply.Answers), len(next.instances))
		}
		hear(next, reply)
	}
	return nil
}

// ask sends a question. Only one goroutine may call it at a time.
func (j *judge) ask(q question) error {
	text := append([]byte(`{"schema":`), q.schema.JSON()...)
	text = append(text, `,"instances":[`...)
	for i, instance := range q.instances {
		if i > 0 {
			text = append(text, ',')
		}
		text = instance.AppendJSON(text)
	}
	text = append(text, "]}\n"...)
	j.pending <- q
	if _, err := j.writer.Write(text); err != nil {
		return fmt.Errorf("asking node: %w", err)
	}
	return nil
}

// end waits for the last answers and ends the process.
func (j *judge) end() error {
	defer j.kill()
	err := errors.Join(j.writer.Flush(), j.in.Close())
	close(j.pending)
	return errors.Join(err, <-j.done, j.process.Wait())
}
