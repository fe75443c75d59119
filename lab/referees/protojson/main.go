// Command protojson is an independent referee of the Google surfaces: it decodes requests with
// google.golang.org/protobuf/encoding/protojson into the messages that Google publishes. The
// project's own parse stage is a different program for the same messages.
//
// It reads the output of verify --json --requests or verify check --json --requests from
// standard input or files:
//
//	verify check --json --requests --target gemini --target vertex tools.json | go run .
//
// A normalized request must be accepted unchanged. A request that the model's parse stage
// refuses must be refused, and any other must be accepted once it is spelled as protojson
// requires. Known differences are listed; with --complete each of them must occur.
//
// It cannot judge what follows the parse stage, the places and words of a refusal, messages
// that Google does not publish (Code Assist, Antigravity), and whether the service has fields
// or types that its published messages lack.
//
// It exits 1 on a disagreement and 2 if it could not judge.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	complete := flag.Bool("complete", false, "fail when a known difference is not met: for all fixtures together")
	flag.Parse()
	referee := newReferee(os.Stdout)
	err := referee.read(flag.Args())
	if err == nil {
		err = referee.finish(*complete)
	}
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "protojson:", err)
		os.Exit(2)
	case referee.disagreements > 0:
		os.Exit(1)
	}
}

// rawJSON is a JSON text as it was read.
type rawJSON = json.RawMessage

// referee counts what it judges.
type referee struct {
	out           io.Writer
	lines         int
	counts        map[string]*count // by target
	notJudged     map[string]bool   // dialects without a published message
	met           map[string]int    // known differences that occurred, by name
	disagreements int
}

// count holds the counts for one target.
type count struct{ declarations, own, taken, refused, known, disagreements int }

func newReferee(out io.Writer) *referee {
	return &referee{out: out, counts: map[string]*count{}, notJudged: map[string]bool{}, met: map[string]int{}}
}

// read judges the lines of the files, or of standard input if there are none.
func (r *referee) read(files []string) error {
	if len(files) == 0 {
		return r.judgeAll("standard input", os.Stdin)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("opening the lines: %w", err)
		}
		err = r.judgeAll(name, file)
		_ = file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *referee) judgeAll(name string, in io.Reader) error {
	decoder := json.NewDecoder(bufio.NewReader(in))
	for ended := false; ; {
		var next line
		switch err := decoder.Decode(&next); {
		case errors.Is(err, io.EOF) && ended:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%s: the stream has no summary: it was cut short", name)
		case err != nil:
			return fmt.Errorf("%s: reading a line: %w", name, err)
		}
		if next.Summary != nil {
			ended = true
			continue
		}
		if err := r.judge(&next); err != nil {
			return fmt.Errorf("%s: %s for %s: %w", name, next.ID, next.Target, err)
		}
	}
}

func (r *referee) judge(read *line) error {
	r.lines++
	if messagesOf[read.Dialect] == nil {
		r.notJudged[read.Dialect] = true
		return nil
	}
	for _, question := range read.questions() {
		if len(question.answer.Request) == 0 {
			return errors.New("the line has no request: give verify the flag --requests")
		}
		refusal, err := question.ask()
		if err != nil {
			return err
		}
		r.compare(question, refusal)
	}
	return nil
}

// compare compares protojson's answer with the model's.
func (r *referee) compare(about question, refusal error) {
	counted := r.counts[about.line.Target]
	if counted == nil {
		counted = &count{}
		r.counts[about.line.Target] = counted
	}
	counted.declarations++
	if about.own {
		counted.own++
	}
	refused := about.answer.refusedByParse()
	if (refusal != nil) == refused {
		if refused {
			counted.refused++
		} else {
			counted.taken++
		}
		return
	}
	for _, known := range differences {
		if known.explains(about, refusal) {
			counted.known++
			r.met[known.name]++
			return
		}
	}
	counted.disagreements++
	r.disagreements++
	says := "takes it, and the model does not"
	if refusal != nil {
		says = fmt.Sprintf("refuses it, and the model does not: %v", refusal)
	}
	fmt.Fprintf(r.out, "%s: %s, %s, %s: protojson %s\n  %s\n", cmp.Or(about.line.ID, about.line.Tool), about.line.Target, about.line.Dialect, about.side, says, about.answer.Request)
}

// finish prints the counts. It returns an error if nothing was judged, or if complete is set
// and a known difference did not occur.
func (r *referee) finish(complete bool) error {
	for _, target := range slices.Sorted(maps.Keys(r.counts)) {
		counted := r.counts[target]
		fmt.Fprintf(r.out, "protojson: %s: %d declarations, %d of them normalized for it; both take %d, both refuse %d, %d known differences, %d disagreements\n",
			target, counted.declarations, counted.own, counted.taken, counted.refused, counted.known, counted.disagreements)
	}
	if len(r.notJudged) > 0 {
		fmt.Fprintf(r.out, "protojson: not judged, no published message: %s\n", strings.Join(slices.Sorted(maps.Keys(r.notJudged)), ", "))
	}
	for _, known := range differences {
		fmt.Fprintf(r.out, "protojson: known difference %s: %d\n", known.name, r.met[known.name])
		if complete && r.met[known.name] == 0 {
			return fmt.Errorf("the known difference %q is not met any more: remove it from known.go", known.name)
		}
	}
	if len(r.counts) == 0 {
		return fmt.Errorf("nothing was judged in %d lines", r.lines)
	}
	return nil
}
