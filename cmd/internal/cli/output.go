package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolproof/harness/report"
	"toolproof/internal/escape"
)

// begin prepares the run of a command: the words of lists lose the spaces around them, and the output
// goes to the file of --output.
func (s *Session) begin(command *cobra.Command, _ []string) error {
	command.Flags().Visit(trim)
	if s.output == "" || s.output == "-" {
		return nil
	}
	isFormat := slices.ContainsFunc(report.Formats, func(format report.Format) bool { return format.Name == s.output })
	if isFormat && command.Flags().Lookup("format") != nil {
		return Broken(Hint(fmt.Errorf("--output names a file, and %s is a format", s.output), "did you mean --format "+s.output+"?"))
	}
	s.file, s.Color, s.Width = &outputFile{name: s.output}, false, 0
	s.Log = &escape.Writer{Out: s.file}
	s.Out = bufio.NewWriter(s.Log)
	return nil
}

// trim removes the spaces around the words of a list, and its empty words.
func trim(flag *pflag.Flag) {
	list, isList := flag.Value.(pflag.SliceValue)
	if !isList || flag.Value.Type() != "stringSlice" {
		return
	}
	words := list.GetSlice()
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	_ = list.Replace(slices.DeleteFunc(words, func(word string) bool { return word == "" })) // takes any words
}

// end writes what is left of the output.
func (s *Session) end() error {
	err := s.Out.Flush()
	if s.file != nil {
		err = errors.Join(err, s.file.close())
	}
	return err
}

// outputFile is the file of --output. It is written from the first text on, so that the input may be
// the same file, and a run that ends without output leaves it alone.
type outputFile struct {
	name string
	file *os.File
}

// Write writes a part of the output.
func (o *outputFile) Write(text []byte) (int, error) {
	if o.file == nil {
		const readable = 0o644
		var err error
		if o.file, err = os.OpenFile(o.name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, readable); err != nil { //nolint:forbidigo // end reports a failed close
			return 0, fmt.Errorf("%s: %w", escape.Line(o.name), WithoutPath(err))
		}
	}
	return o.file.Write(text)
}

func (o *outputFile) close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}
