// Command engines compares the model of a surface with the answers of the engine's own code. With
// -fixtures it prints the tools of the fixtures, as JSON Lines of {id, name, description, schema} for a
// program that asks the engine. Otherwise it reads such lines and the engine's answers to them, and
// exits 1 if the model answers differently.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"toolproof/fixtures"
	"toolproof/harness"
	"toolproof/harness/fixture"
	"toolproof/harness/provider"
	"toolproof/harness/provider/engines"
	"toolproof/schema"
)

// tool is a line of the file of tools.
type tool struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Description *schema.Node `json:"description,omitempty"`
	Schema      *schema.Node `json:"schema,omitempty"`
}

// answer is the answer of an engine to the tool with its id.
type answer struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"` // accepted, rejected or crashes
	// Message is "" if the engine gives no words, or if they are not compared. That of a crash is the
	// referee's own.
	Message string `json:"message"`
	// Kept is the declaration as the engine keeps it; nil if the engine does not show it.
	Kept *schema.Node `json:"kept"`
}

func main() {
	surface := flag.String("surface", "", "compare the model of this surface")
	asOf := flag.String("as-of", "", "compare it on this day (default: today)")
	printed := flag.Bool("fixtures", false, "print the tools of the fixtures")
	flag.Parse()
	var err error
	switch {
	case *printed && flag.NArg() == 0:
		err = printFixtures(os.Stdout)
	case !*printed && flag.NArg() == 2:
		err = compareFiles(*surface, provider.Date(*asOf), flag.Arg(0), flag.Arg(1))
	default:
		err = errors.New("usage: engines -fixtures, or engines -surface NAME TOOLS ANSWERS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

// printFixtures prints the tools of all fixtures, except those with a repeated member.
func printFixtures(out io.Writer) error {
	all, err := fixture.Load(fixtures.Files)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, fixture := range all {
		for i, declared := range fixture.Tools {
			if fixture.WireOnly {
				continue // a repeated member
			}
			if err := encoder.Encode(tool{fixture.ID + "#" + strconv.Itoa(i), declared.Name, declared.Description, declared.Parameters}); err != nil {
				return fmt.Errorf("writing %s: %w", fixture.ID, err)
			}
		}
	}
	return nil
}

// errDiffer means that a model and its engine disagree.
var errDiffer = errors.New("the model and the engine differ")

func compareFiles(surface string, day provider.Date, tools, answers string) error {
	dialect, err := harness.DialectNamed(surface)
	if err != nil {
		return err
	}
	var opened [2]*os.File
	for i, name := range []string{tools, answers} {
		if opened[i], err = os.Open(name); err != nil { //nolint:gosec // named by the caller
			return fmt.Errorf("reading what to compare: %w", err)
		}
		defer opened[i].Close()
	}
	counted := &comparison{model: provider.Model{Dialect: dialect, AsOf: day}}
	if err := counted.all(opened[0], opened[1]); err != nil {
		return err
	}
	fmt.Println(counted)
	for _, difference := range counted.differences {
		fmt.Println(difference)
	}
	if counted.differ > 0 {
		return errDiffer
	}
	return nil
}

// comparison counts how far a model and an engine agree.
type comparison struct {
	model                                       provider.Model
	tools, verdicts, refused, words, kept, same int
	crashed                                     int // not among the verdicts
	whole, equal, differ                        int
	differences                                 []string // the first ones
}

// String returns the counts in a line.
func (c *comparison) String() string {
	return fmt.Sprintf("%s: %d tools, %d verdicts agree; %d crashed, as the model says; "+
		"%d refused, %d in the same words; %d shown as kept, %d kept alike; %d lose nothing, %d are as they were given",
		c.model.Dialect.Name, c.tools, c.verdicts, c.crashed, c.refused, c.words, c.kept, c.same, c.whole, c.equal)
}

// all compares the tools with their answers, line by line.
func (c *comparison) all(tools, answers io.Reader) error {
	lines, answered := linesOf(tools), linesOf(answers)
	for lines.Scan() {
		if !answered.Scan() {
			if err := answered.Err(); err != nil {
				return fmt.Errorf("reading the answers: %w", err)
			}
			return fmt.Errorf("there are only %d answers, and more tools", c.tools)
		}
		var sent tool
		var got answer
		if err := errors.Join(json.Unmarshal(lines.Bytes(), &sent), json.Unmarshal(answered.Bytes(), &got)); err != nil {
			return fmt.Errorf("reading line %d: %w", c.tools+1, err)
		}
		if sent.ID != got.ID {
			return fmt.Errorf("line %d: the tool is %q, the answer is to %q", c.tools+1, sent.ID, got.ID)
		}
		if err := c.one(sent, got); err != nil {
			return fmt.Errorf("%s: %w", sent.ID, err)
		}
	}
	if err := errors.Join(lines.Err(), answered.Err()); err != nil {
		return fmt.Errorf("reading line %d: %w", c.tools+1, err)
	}
	switch {
	case c.tools == 0:
		return errors.New("there are no tools")
	case answered.Scan():
		return fmt.Errorf("there are more answers than the %d tools", c.tools)
	}
	return nil
}

func linesOf(reader io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(reader)
	const longest = 64 << 20
	lines.Buffer(nil, longest)
	return lines
}

// one compares the answers to one tool. An engine that crashes gives no verdict: it agrees with the
// model only if the model says that the engine ends.
func (c *comparison) one(sent tool, got answer) error {
	c.tools++
	request := c.model.Dialect.Encode([]schema.Tool{{Name: sent.Name, Description: sent.Description, Parameters: sent.Schema}})
	predicted, err := c.model.Send(context.Background(), request)
	if err != nil {
		return err
	}
	if isCrash := got.Verdict == "crashes"; isCrash && engines.Ends(predicted) {
		c.crashed++
		return nil
	} else if isCrash {
		c.differs(sent.ID, "verdict", strings.TrimSpace(got.Verdict+" "+got.Message), string(predicted.Verdict)+" "+predicted.Message)
		return nil
	}
	isAccepted := got.Verdict == string(provider.Accepted)
	if isAccepted != (predicted.Verdict == provider.Accepted) {
		c.differs(sent.ID, "verdict", got.Verdict+" "+got.Message, string(predicted.Verdict)+" "+predicted.Message)
		return nil
	}
	c.verdicts++
	if !isAccepted {
		c.refused++
		switch got.Message {
		case "":
		case predicted.Message:
			c.words++
		default:
			c.differs(sent.ID, "words", got.Message, predicted.Message)
		}
		return nil
	}
	if got.Kept != nil {
		c.holdKept(sent.ID, request.Declarations[0], got.Kept, predicted.Ignored)
	}
	return nil
}

// holdKept compares the declaration that the engine keeps with the echo of the surface's model, and the
// members that are lost with those that the rules report as ignored.
func (c *comparison) holdKept(id string, declared, kept *schema.Node, ignored []provider.Finding) {
	c.kept++
	day := c.model.AsOf
	if day == "" {
		day = provider.Today()
	}
	if echo := c.model.Dialect.Echo(declared, day); schema.Equal(echo, kept) {
		c.same++
	} else {
		c.differs(id, "what is kept", kept.String(), echo.String())
	}
	said := make([]string, len(ignored))
	for i, finding := range ignored {
		said[i] = string(finding.At)
	}
	gone := lost(declared, kept, "")
	for i := range gone {
		gone[i] = strings.TrimPrefix(gone[i], "/function")
	}
	slices.Sort(said)
	slices.Sort(gone)
	if len(gone) == 0 {
		c.whole++
	}
	if schema.Equal(c.model.Dialect.SchemaOf(declared), c.model.Dialect.SchemaOf(kept)) {
		c.equal++
	}
	if !slices.Equal(said, gone) {
		c.differs(id, "what is ignored", fmt.Sprint(gone), fmt.Sprint(said))
	}
}

// lost returns the places of the members that the engine has dropped, except for those without
// meaning. The case of names may differ.
func lost(sent, kept *schema.Node, at schema.Pointer) []string {
	var gone []string
	switch {
	case sent.Kind == schema.Object && kept.Kind == schema.Object:
		for _, member := range sent.Members {
			i := slices.IndexFunc(kept.Members, func(other schema.Member) bool { return strings.EqualFold(other.Key, member.Key) })
			if exact := kept.Index(member.Key); exact >= 0 {
				i = exact
			}
			place := at.Child(member.Key)
			switch {
			case i >= 0:
				gone = append(gone, lost(member.Value, kept.Members[i].Value, place)...)
			case !provider.SaysNothing(member):
				gone = append(gone, string(place))
			}
		}
	case sent.Kind == schema.Array && kept.Kind == schema.Array && len(sent.Elements) == len(kept.Elements):
		for i, element := range sent.Elements {
			gone = append(gone, lost(element, kept.Elements[i], at.Child(strconv.Itoa(i)))...)
		}
	}
	return gone
}

// differs records a difference.
func (c *comparison) differs(id, what, engine, model string) {
	c.differ++
	const most = 20
	if len(c.differences) < most {
		c.differences = append(c.differences, fmt.Sprintf("%s: %s\n  engine %s\n  model  %s", id, what, strings.TrimSpace(engine), strings.TrimSpace(model)))
	}
}
