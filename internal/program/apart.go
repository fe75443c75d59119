package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Apart runs a job in a new process that has no network but a loopback of its own, and that
// takes all processes it has started along when it ends. The command self starts this
// program so that it calls Inside with the same run. If the system cannot do so, the job runs
// in this process, and network is the reason; otherwise network is empty. The job and its
// outcome pass between the processes as JSON.
func Apart[Job, Outcome any](ctx context.Context, self []string, job Job, run func(context.Context, Job) (Outcome, error)) (outcome Outcome, network string, err error) {
	text, err := json.Marshal(job)
	if err != nil {
		return outcome, "", fmt.Errorf("writing the job: %w", err)
	}
	var said inside[Outcome]
	why := isolated(ctx, self, text, &said)
	if ctx.Err() != nil {
		return outcome, "", ctx.Err()
	}
	if why == nil && said.Around != "" {
		why = errors.New(said.Around)
	}
	switch {
	case why != nil:
		outcome, err = run(ctx, job)
		return outcome, why.Error(), err
	case said.Error != "":
		return outcome, "", errors.New(said.Error)
	default:
		return said.Outcome, "", nil
	}
}

// inside is what Inside writes.
type inside[Outcome any] struct {
	Outcome Outcome `json:"outcome"`
	Error   string  `json:"error"`  // why the run failed
	Around  string  `json:"around"` // why the process has no network to run in
}

// Inside runs the job that it reads, in the process that Apart has started, and writes the
// outcome.
func Inside[Job, Outcome any](ctx context.Context, in io.Reader, out io.Writer, run func(context.Context, Job) (Outcome, error)) error {
	var job Job
	var said inside[Outcome]
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	if err := openLoopback(); err != nil {
		said.Around = err.Error()
	} else if said.Outcome, err = run(ctx, job); err != nil {
		said.Error = err.Error()
	}
	if err := json.NewEncoder(out).Encode(said); err != nil {
		return fmt.Errorf("writing the outcome: %w", err)
	}
	return nil
}
