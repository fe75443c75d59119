package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"toolproof/internal/group"
)

// Apart runs a job in a new process. Where the system allows it, that process has no network but a
// loopback, sees no process but its own, can write nowhere but in memory, and has no capabilities;
// elsewhere why says what does not allow that, and the job runs as Beside does it. The command self
// must start this program so that it calls Inside with the same run; the job and its outcome pass
// between the two processes as JSON.
func Apart[Job, Outcome any](ctx context.Context, self []string, job Job, run func(context.Context, Job) (Outcome, error)) (outcome Outcome, why string, err error) {
	outcome, around, err := started[Job, Outcome](ctx, isolated, self, job)
	if around == nil || ctx.Err() != nil {
		return outcome, "", err
	}
	outcome, err = Beside(ctx, self, job, run)
	return outcome, around.Error(), err
}

// Beside runs a job like Apart, in a process that is not isolated. The process has few variables of
// the environment; when it ends, or this process does, all processes that it has started end. Where
// the system does not allow that, the job runs in this process.
func Beside[Job, Outcome any](ctx context.Context, self []string, job Job, run func(context.Context, Job) (Outcome, error)) (Outcome, error) {
	if !canStart {
		return run(ctx, job)
	}
	outcome, around, err := started[Job, Outcome](ctx, beside, self, job)
	return outcome, errors.Join(around, err)
}

// started runs a job in the process that start starts. around is an error of the process, and err one
// of the job or the context.
func started[Job, Outcome any](ctx context.Context, start func(context.Context, []string, []byte, any) error, self []string, job Job) (outcome Outcome, around, err error) {
	text, err := json.Marshal(job)
	if err != nil {
		return outcome, nil, fmt.Errorf("writing the job: %w", err)
	}
	var answer reply[Outcome]
	around = start(ctx, self, text, &answer)
	switch {
	case ctx.Err() != nil:
		return outcome, nil, ctx.Err()
	case around == nil && answer.Around != "":
		around = errors.New(answer.Around)
	case around == nil && answer.Error != "":
		err = errors.New(answer.Error)
	}
	return answer.Outcome, around, err
}

// Isolation returns the reason why Apart cannot isolate a process; empty if it can.
func Isolation(ctx context.Context, self []string) string {
	var answer reply[struct{}]
	if err := isolated(ctx, self, nil, &answer); err != nil {
		return err.Error()
	}
	return answer.Around
}

// reply is what Inside writes and Apart reads.
type reply[Outcome any] struct {
	Outcome Outcome `json:"outcome"`
	Error   string  `json:"error"`  // why the run failed
	Around  string  `json:"around"` // why the process is not isolated
}

// Inside reads a job in the process that Apart has started, runs it, and writes the outcome. Without
// a job it writes that of none.
func Inside[Job, Outcome any](ctx context.Context, in io.Reader, out io.Writer, run func(context.Context, Job) (Outcome, error)) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	defer group.EndLeft()
	var job Job
	var answer reply[Outcome]
	if err := enclose(); err != nil {
		answer.Around = err.Error()
	} else if err := json.NewDecoder(in).Decode(&job); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the job: %w", err)
	} else if err == nil {
		if answer.Outcome, err = run(ctx, job); err != nil {
			answer.Error = err.Error()
		}
	}
	if err := json.NewEncoder(out).Encode(answer); err != nil {
		return fmt.Errorf("writing the outcome: %w", err)
	}
	return nil
}
