// Command verify proves that LLM providers accept tool declarations.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"toolproof/internal/escape"
)

// softMemoryLimit makes the collector work harder before hostile input takes more
// than 300 MB. GOMEMLIMIT sets another.
const softMemoryLimit = 200 << 20

// seldom lets the heap grow to five times of what is in use, within the limit, before
// the collector works.
const seldom = 400

func main() {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(softMemoryLimit)
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(seldom) // most commands end before there is much to collect
		}
	}
	programName = nameOf(os.Args[0])
	log.SetOutput(&escape.Writer{Out: os.Stderr}) //nolint:forbidigo // the clients of providers log
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes. Where several apply, 2 comes before 1 before 3.
const (
	exitConforms     = 0
	exitFails        = 1
	exitBroken       = 2 // usage, a fixture or the harness
	exitInconclusive = 3 // nothing was learnt
)

// exitError ends the program with a code; its text, if any, has been or is to be
// shown.
type exitError struct {
	code int
	err  error
}

func (e exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// session is what the commands of one run share. Nothing that others wrote acts on what
// out and errs lead to.
type session struct {
	in    io.Reader
	out   *bufio.Writer
	errs  io.Writer
	color bool
	// log is the way to standard output; nil where there is none.
	log *escape.Writer
	// bar is where progress is shown; nil where it cannot be.
	bar io.Writer
}

// warnf writes a line to standard error, after what was written to standard output
// before it.
func (s *session) warnf(format string, arguments ...any) {
	_ = s.out.Flush() // an error stays in the writer, and run reports it
	fmt.Fprintf(s.errs, shortName()+": "+format+"\n", arguments...)
}

func run(ctx context.Context, arguments []string, in io.Reader, out, errs io.Writer) int {
	s := &session{in: in, errs: &escape.Writer{Out: errs}, color: useColor(out)}
	s.log = &escape.Writer{Out: out, Colors: s.color}
	s.out = bufio.NewWriter(s.log)
	if isTerminal(errs) {
		s.bar = errs
	}
	root := newRoot(s) //nolint:contextcheck // cobra hands the context to the commands
	root.SetArgs(arguments)
	root.SetIn(in)
	root.SetOut(s.out)
	root.SetErr(s.errs)
	err := root.ExecuteContext(ctx)
	if flushed := s.out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("writing the output: %w", flushed)
	}
	if err == nil {
		return exitConforms
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(s.errs, shortName()+": "+text)
	}
	if exit, ok := errors.AsType[exitError](err); ok {
		return exit.code
	}
	return exitBroken
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// useColor follows https://no-color.org.
func useColor(out io.Writer) bool { return os.Getenv("NO_COLOR") == "" && isTerminal(out) }

// hint adds a line that says what to do next.
func hint(err error, text string) error { return fmt.Errorf("%w\nhint: %s", err, text) }

// usage makes an error of an argument that is wrong.
func usage(format string, arguments ...any) error {
	return exitError{exitBroken, fmt.Errorf(format, arguments...)}
}

func newRoot(s *session) *cobra.Command {
	root := &cobra.Command{
		Use:   shortName(),
		Short: "Prove that LLM providers accept tool declarations",
		Long: `verify proves that an LLM provider accepts a tool declaration, before a user finds out.
It also proves that the tool still means what its author wrote.

Without a command it replays every fixture against every dialect, offline, from
the data inside the program.`,
		Example: `  verify --fixture 'property-*'
  verify check tools.json
  verify check --target gemini --json tools.jsonl.gz
  verify normalize --target gemini tools.json
  verify explain gemini/parameters/unknown_name
  verify calibrate evidence.jsonl`,
		Args: func(command *cobra.Command, arguments []string) error {
			if len(arguments) == 0 {
				return nil
			}
			var names []string
			for _, child := range command.Commands() {
				names = append(names, child.Name())
			}
			err := fmt.Errorf("unknown command %q", arguments[0])
			if _, failed := os.Stat(arguments[0]); failed == nil {
				return exitError{exitBroken, hint(err, programName+" check FILE checks a file")}
			}
			return exitError{exitBroken, suggest(err, arguments[0], names, programName+" --help lists the commands")}
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return exitError{exitBroken, flagError(command, err)}
	})
	addVerify(s, root)
	root.AddCommand(
		newCheck(s),
		newMCP(s),
		newMCPServer(s),
		newNormalize(s),
		newDiff(s),
		newList(s),
		newExplain(s),
		newTest(s),
		newCalibrate(s),
		newImport(s),
		newServe(s),
		newLive(s),
		newClient(s),
		newGateway(s),
		newClientServer(s),
		newClientRun(s),
		newRecordings(s),
		newReport(s),
		newCompare(s),
		newInit(s),
		newAdd(s),
		newMinimize(s),
		newDocs(),
		newStats(s),
		newVersion(s),
		newGatewayRun(s),
		newAdvise(s),
	)
	rename(root)
	return root
}
