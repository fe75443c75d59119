// Package cli is shared by the programs verify and verify-lab: how a run starts and ends,
// reading of files, and messages that several commands have in common.
package cli

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

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// Main runs a program, whose commands newRoot returns, with the arguments of the process, and ends
// the process with the exit code. The first interrupt cancels the context of the commands, and the
// second one ends the process at once.
func Main(program string, newRoot func(*Session) *cobra.Command) {
	if os.Getenv("GOGC") == "" && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		collectSeldom(softMemoryLimit)
	}
	Called(program, NameOf(os.Args[0]))
	log.SetOutput(&escape.Writer{Out: os.Stderr}) //nolint:forbidigo // the clients of providers log
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as below nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, stop) // a second interrupt ends the program at once
	code := Run(ctx, newRoot, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// The exit codes. Where several apply, 2 comes before 1 before 3.
const (
	CodeConforms     = 0
	CodeFails        = 1
	CodeBroken       = 2 // wrong usage, a wrong file, or an error of the program itself
	CodeInconclusive = 3 // no verdict
)

// ExitError is an error that ends the program with a code. Run prints its text; if err is nil
// there is none, because the command has printed everything.
type ExitError struct {
	Code int
	err  error
}

func (e ExitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e ExitError) Unwrap() error { return e.err }

// Fail returns an error that ends the program with a code and prints err.
func Fail(code int, err error) error { return ExitError{code, err} }

// Broken returns an error that ends the program with CodeBroken: wrong usage, a wrong
// fixture, or a fault of the harness.
func Broken(err error) error { return Fail(CodeBroken, err) }

// Exit returns an error that ends the program with a code and prints nothing.
func Exit(code int) error { return ExitError{Code: code} }

// Session is shared by the commands of one run. Out and Errs escape control characters, so that
// no text of a tool, server or file can act on the terminal.
type Session struct {
	In    io.Reader
	Out   *bufio.Writer
	Errs  io.Writer
	Color bool
	// Width is the width of the terminal that Out is, in columns; 0 if it is none.
	Width int
	// Log is the writer below Out; nil if there is no standard output.
	Log *escape.Writer
	// output is the file of --output; "" means standard output.
	output string
	file   *outputFile
	// bar is the terminal that shows progress; nil if standard error is not a terminal.
	bar io.Writer
}

// Streams returns standard output and standard error as they are, for a program that writes to
// them itself.
func (s *Session) Streams() (out, errs io.Writer) {
	out, errs = s.Log.Out, s.Errs
	if escaped, ok := errs.(*escape.Writer); ok {
		errs = escaped.Out
	}
	return out, errs
}

// Warnf writes a line to standard error. It flushes Out first, so that a terminal shows the
// lines in the order in which they were written.
func (s *Session) Warnf(format string, arguments ...any) {
	_ = s.Out.Flush() // the writer keeps the error, and Run reports it
	fmt.Fprintf(s.Errs, ShortName()+": "+format+"\n", arguments...)
}

// Run runs the command of newRoot that the arguments name, and returns the exit code.
func Run(ctx context.Context, newRoot func(*Session) *cobra.Command, arguments []string, in io.Reader, out, errs io.Writer) int {
	s := &Session{In: in, Errs: &escape.Writer{Out: errs}, Color: useColor(out), Width: widthOf(out)}
	s.Log = &escape.Writer{Out: out, Colors: s.Color}
	s.Out = bufio.NewWriter(s.Log)
	if IsTerminal(errs) {
		s.bar = errs
	}
	root := newRoot(s)
	root.PersistentFlags().StringVarP(&s.output, "output", "o", "", "write the output to this `file` instead of standard output")
	root.PersistentPreRunE = s.begin
	root.SetArgs(arguments)
	root.SetIn(in)
	root.SetOut(s.Out)
	root.SetErr(s.Errs)
	err := root.ExecuteContext(ctx)
	if flushed := s.end(); flushed != nil && (err == nil || s.file != nil) {
		err = fmt.Errorf("writing the output: %w", flushed)
	}
	if err == nil {
		return CodeConforms
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(s.Errs, ShortName()+": "+text)
	}
	if exit, ok := errors.AsType[ExitError](err); ok {
		return exit.Code
	}
	return CodeBroken
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// widthOf returns the number of columns of a terminal; 0 if the stream is none.
func widthOf(stream any) int {
	file, isFile := stream.(*os.File)
	if !isFile {
		return 0
	}
	columns, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// useColor follows https://no-color.org.
func useColor(out io.Writer) bool { return os.Getenv("NO_COLOR") == "" && IsTerminal(out) }

// Hint adds a second line to an error that says what to do next, with the commands of this
// program as a user types them.
func Hint(err error, text string) error { return fmt.Errorf("%w\nhint: %s", err, Typed(text)) }

// Usage returns the error of a wrong argument, which ends the program with CodeBroken.
func Usage(format string, arguments ...any) error {
	return Broken(fmt.Errorf(format, arguments...))
}

// ExitFor returns the error that ends the program with the code of a status, or nil if that is
// 0.
func ExitFor(worst verdict.Status) error {
	switch worst {
	case verdict.Error:
		return Exit(CodeBroken)
	case verdict.Fail:
		return Exit(CodeFails)
	case verdict.Inconclusive, verdict.NotApplicable:
		return Exit(CodeInconclusive)
	default:
		return nil
	}
}
