package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Apart runs a job in a new process whose only network is a loopback of its own. When that
// process ends, so do all processes that it has started. The command self must start this program
// so that it calls Inside with the same run; the job and its outcome pass between the two
// processes as JSON. If the system cannot isolate a process, the job runs in this process, and
// network says why; otherwise network is empty.
func Apart[Job, Outcome any](ctx context.Context, self []string, job Job, run func(context.Context, Job) (Outcome, error)) (outcome Outcome, network string, err error) {
	text, err := json.Marshal(job)
	if err != nil {
		return outcome, "", fmt.Errorf("writing the job: %w", err)
	}
	var answer reply[Outcome]
	reason := isolated(ctx, self, text, &answer)
	if ctx.Err() != nil {
		return outcome, "", ctx.Err()
	}
	if reason == nil && answer.Around != "" {
		reason = errors.New(answer.Around)
	}
	switch {
	case reason != nil:
		outcome, err = run(ctx, job)
		return outcome, reason.Error(), err
	case answer.Error != "":
		return outcome, "", errors.New(answer.Error)
	default:
		return answer.Outcome, "", nil
	}
}

// reply is what Inside writes and Apart reads.
type reply[Outcome any] struct {
	Outcome Outcome `json:"outcome"`
	Error   string  `json:"error"`  // why the run failed
	Around  string  `json:"around"` // why the process has no loopback
}

// Inside reads a job in the process that Apart has started, runs it, and writes the outcome.
func Inside[Job, Outcome any](ctx context.Context, in io.Reader, out io.Writer, run func(context.Context, Job) (Outcome, error)) error {
	var job Job
	var answer reply[Outcome]
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	if err := openLoopback(); err != nil {
		answer.Around = err.Error()
	} else if answer.Outcome, err = run(ctx, job); err != nil {
		answer.Error = err.Error()
	}
	if err := json.NewEncoder(out).Encode(answer); err != nil {
		return fmt.Errorf("writing the outcome: %w", err)
	}
	return nil
}
