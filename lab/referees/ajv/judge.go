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

// question asks which instances a schema accepts, with what the harness says.
type question struct {
	about     string // the tool, and what it was made for
	schema    *schema.Node
	instances []*schema.Node
	accepted  []bool
	err       error // why the harness does not read the schema
}

// answer is what ajv says to a question.
type answer struct {
	// Answers are true and false, or words where an instance cannot be judged.
	Answers []any  `json:"answers"`
	Error   string `json:"error"`
}

// judge is a process of ajv. Questions are answered in their order, many at a time.
type judge struct {
	process *exec.Cmd
	kill    func()
	in      io.WriteCloser
	writer  *bufio.Writer
	pending chan question
	done    chan error
}

// startJudge starts the process in the folder that npm ci was run in. hear is called with
// each question and its answer, by one goroutine.
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

// listen reads the answers until there are none.
func (j *judge) listen(out io.Reader, hear func(question, answer)) error {
	decoder := json.NewDecoder(bufio.NewReader(out))
	for asked := range j.pending {
		var given answer
		if err := decoder.Decode(&given); err != nil {
			j.kill()
			for range j.pending { // callers must not wait
			}
			return fmt.Errorf("reading what node answers about %s: %w", asked.about, err)
		}
		if given.Error == "" && len(given.Answers) != len(asked.instances) {
			given.Error = fmt.Sprintf("%d answers to %d instances", len(given.Answers), len(asked.instances))
		}
		hear(asked, given)
	}
	return nil
}

// ask hands over a question. It is called by one goroutine at a time.
func (j *judge) ask(asked question) error {
	text := append([]byte(`{"schema":`), asked.schema.JSON()...)
	text = append(text, `,"instances":[`...)
	for i, instance := range asked.instances {
		if i > 0 {
			text = append(text, ',')
		}
		text = instance.AppendJSON(text)
	}
	text = append(text, "]}\n"...)
	j.pending <- asked
	if _, err := j.writer.Write(text); err != nil {
		return fmt.Errorf("asking node: %w", err)
	}
	return nil
}

// end waits for the last answers.
func (j *judge) end() error {
	defer j.kill()
	err := errors.Join(j.writer.Flush(), j.in.Close())
	close(j.pending)
	return errors.Join(err, <-j.done, j.process.Wait())
}
