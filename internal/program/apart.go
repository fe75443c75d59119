package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Apart runs a job in a process that has no network but its own loopback, and whose end is
// the end of all that it has started. self are the words that start this program so that it
// calls Inside with the same run. Where the system has no such process, the job runs here,
// and network says why; else that is empty. A job and its outcome are sent as JSON.
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
	Error   string  `json:"error"`  // of the run
	Around  string  `json:"around"` // of what is around it
}

// Inside runs the job that it reads, in the process that Apart has made, and writes the
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
