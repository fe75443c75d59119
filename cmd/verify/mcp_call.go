package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"toolproof/cmd/internal/cli"
	"toolproof/harness/facts"
	"toolproof/harness/provider"
	"toolproof/harness/server"
	"toolproof/harness/server/calls"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// callFlags are the flags of verify mcp about calls.
type callFlags struct {
	isAsked   bool
	arguments string
	// names are the tools that are called whatever their annotations say.
	names []string
}

// split takes the names of tools out of the arguments of the command line: those before the command of a
// server, and all of them where --url names it. dash is the number of arguments before --, or -1.
func (f *callFlags) split(arguments []string, dash int, hasAddress bool) []string {
	switch {
	case dash >= 0:
		f.names, arguments = arguments[:dash], arguments[dash:]
	case hasAddress:
		f.names, arguments = arguments, nil
	}
	return arguments
}

// Limits of a run with --call.
const (
	mostCalls     = 1000
	mostArguments = 16 << 20 // bytes of the file of --arguments
	calledTarget  = "mcp"
)

// calling is a run that calls tools.
type calling struct {
	*checkRun

	source  namedServer
	flags   mcpFlags
	given   map[string][]*schema.Node // of --arguments
	pending []calls.Call
	made    int             // calls
	last    *calls.Exchange // nil before the first call
	// answered and useful count the calls of each tool with valid arguments, and those from whose result something is learnt.
	answered, useful map[string]int
	stuck            map[string]bool // the tools that are not called again
	isAsked          map[string]bool // what is no tool
}

// callTools calls tools of a server and judges the results.
func (s *session) callTools(ctx context.Context, flags mcpFlags, source namedServer) error {
	run, err := s.newCheckRun(ctx, flags.check, append([]string{"mcp", "--call"}, source.words...))
	if err != nil {
		return err
	}
	c := &calling{checkRun: run, source: source, flags: flags, answered: map[string]int{}, useful: map[string]int{}, stuck: map[string]bool{}, isAsked: map[string]bool{}}
	if c.given, err = argumentsIn(flags.call.arguments); err != nil {
		return err
	}
	use := c.begin
	for use != nil {
		if err := source.Use(ctx, use); err != nil {
			return c.failed(ctx, err)
		}
		if use = nil; len(c.pending) > 0 {
			use = c.work // the server has ended, or is stuck
		}
	}
	s.remark(source)
	if flags.dryRun {
		return nil
	}
	return c.end()
}

// failed returns the error of a run whose server cannot be used.
func (c *calling) failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.Interrupted(ctx)
	}
	c.complain(c.source)
	return cli.Fail(cli.CodeInconclusive, errors.New(escape.Line(c.source.name)+": "+c.source.why(err)))
}

// argumentsIn reads the file of --arguments: an object of tools, each with the arguments of a call or a list of
// them.
func argumentsIn(name string) (map[string][]*schema.Node, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // without the flag there are none
	}
	text, err := os.ReadFile(name) //nolint:gosec // the user names it
	if err == nil && len(text) > mostArguments {
		err = fmt.Errorf("%s has more than %d MB", name, mostArguments>>20)
	}
	if err != nil {
		return nil, cli.Broken(fmt.Errorf("reading --arguments: %w", err))
	}
	node, err := schema.Parse(text)
	if err != nil || node.Kind != schema.Object {
		return nil, cli.Broken(cli.Hint(fmt.Errorf("--arguments: %s is no JSON object", escape.Line(name)), `write {"tool": {"member": 1}}`))
	}
	given := map[string][]*schema.Node{}
	for _, member := range node.Members {
		if given[member.Key] = []*schema.Node{member.Value}; member.Value.Kind == schema.Array {
			given[member.Key] = member.Value.Elements
		}
	}
	return given, nil
}

// begin plans the calls of the tools that the server lists, shows them for --dry-run, and otherwise makes them.
func (c *calling) begin(ctx context.Context, list []byte, session *server.Session) error {
	tools, err := calls.Tools(list)
	if err != nil {
		return err
	}
	named := append(slices.Clone(c.flags.call.names), slices.Collect(maps.Keys(c.given))...)
	for _, name := range named {
		if !slices.ContainsFunc(tools, func(tool *calls.Tool) bool { return tool.Name == name }) {
			return fmt.Errorf("the server has no tool %q", name)
		}
	}
	for _, tool := range tools {
		why := tool.Withheld()
		if len(named) > 0 && !slices.Contains(named, tool.Name) {
			why = "it is not named"
		}
		if why != "" && !slices.Contains(named, tool.Name) {
			if err := c.skip(tool, why); err != nil {
				return err
			}
			continue
		}
		planned := tool.Plan()
		if given := c.given[tool.Name]; len(given) > 0 {
			planned = tool.WithArguments(given...)
		}
		c.pending = append(c.pending, planned...)
	}
	if len(named) == 0 {
		c.pending = append(c.pending, offered(session)...)
	}
	c.bound()
	if c.flags.dryRun {
		for _, call := range c.pending {
			fmt.Fprintf(c.Out, "%s: %s (%s)\n", escape.Line(call.Tool.Name), escape.Line(call.Sent()), call.How)
		}
		c.pending = nil
		return nil
	}
	return c.work(ctx, nil, session)
}

// offered returns the requests for the lists that a server declares.
func offered(session *server.Session) []calls.Call {
	var asked []calls.Call
	if session.Offers("prompts") {
		asked = append(asked, calls.Ask("prompts/list", "", schema.NewObject()))
	}
	if session.Offers("resources") {
		asked = append(asked, calls.Ask("resources/list", "", schema.NewObject()), calls.Ask("resources/templates/list", "", schema.NewObject()))
	}
	return asked
}

// bound drops the calls that are too many.
func (c *calling) bound() {
	if left := max(0, mostCalls-c.made); len(c.pending) > left {
		c.Warnf("only the first %d of %d calls are made: name tools behind --call", mostCalls, c.made+len(c.pending))
		c.pending = c.pending[:left]
	}
}

// skip reports a tool that is not called.
func (c *calling) skip(tool *calls.Tool, why string) error {
	if c.flags.dryRun {
		fmt.Fprintf(c.Out, "%s: not called: %s\n", escape.Line(tool.Name), why)
		return nil
	}
	return c.Count(c.result(tool, verdict.NotApplicable, "not called: "+why+"; name it behind --call to call it", &verdict.Call{}))
}

// result returns a result about a tool.
func (c *calling) result(tool *calls.Tool, status verdict.Status, why string, kind *verdict.Call) verdict.Result {
	return verdict.Result{Tool: tool.Name, Source: c.source.name, Target: calledTarget, Dialect: facts.Results, Status: status, Error: why, Kind: kind}
}

// work makes the calls that are pending, until the server ends or does not answer.
func (c *calling) work(ctx context.Context, _ []byte, session *server.Session) error {
	for len(c.pending) > 0 {
		call := c.pending[0]
		c.pending = c.pending[1:]
		c.made++
		if c.stuck[call.Tool.Name] {
			continue
		}
		exchange := &calls.Exchange{Call: call, Answer: c.answer(ctx, session, call)}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if call.Again && c.last != nil && c.last.Call.Tool == call.Tool {
			exchange.Before = c.last
		}
		c.last = exchange
		if follow := exchange.Follow(session.Offers("completions")); len(follow) > 0 {
			c.pending = append(c.pending, follow...)
			c.bound()
		}
		if err := c.judge(exchange); err != nil {
			return err
		}
		if exchange.Answer.IsLate || exchange.Answer.Died != "" {
			c.stuck[call.Tool.Name] = true // one such answer is enough
			return nil
		}
	}
	return nil
}

// answer makes a call.
func (c *calling) answer(ctx context.Context, session *server.Session, call calls.Call) calls.Answer {
	var arguments json.RawMessage
	if call.Arguments != nil {
		arguments = call.Arguments.JSON()
	}
	session.Respond = func(asked server.Asked) (json.RawMessage, *jsonrpc.Error) { //nolint:contextcheck // what it asks is in memory
		const invalidParams = -32602
		read := calls.ReadAsked(asked.Method, asked.Params, asked.IsEmbedded)
		result, refusal := read.Respond(call.Tool)
		if refusal != "" {
			return nil, &jsonrpc.Error{Code: invalidParams, Message: refusal}
		}
		return result.JSON(), nil
	}
	var said server.Answer
	if call.Method == "" {
		said = session.Call(ctx, call.Tool.Name, arguments)
	} else {
		said = session.Ask(ctx, call.Method, arguments)
	}
	answer := calls.Answer{Bytes: len(said.Result), Code: said.Code, Message: said.Message, Took: said.Took, IsStopped: said.IsStopped, Revision: session.Revision()}
	for _, asked := range said.Asked {
		answer.Asked = append(answer.Asked, calls.ReadAsked(asked.Method, asked.Params, asked.IsEmbedded))
	}
	switch {
	case errors.Is(said.Lost, server.ErrLate):
		answer.IsLate = true
	case said.Lost != nil:
		answer.Died = c.source.why(said.Lost)
	case said.Result != nil:
		result, err := schema.ParseWire(said.Result)
		if err != nil {
			answer.Message = "the result cannot be read: " + err.Error()
		}
		answer.Result = result
	}
	return answer
}

// judge reports what the rules find in an exchange.
func (c *calling) judge(exchange *calls.Exchange) error {
	call := exchange.Call
	kind := &verdict.Call{Arguments: call.Sent(), How: call.How, Took: exchange.Answer.Took.Milliseconds()}
	kind.Answer = verdict.Answer{Verdict: provider.Accepted, Evidence: provider.Predicted, Findings: []verdict.Finding{}}
	status := verdict.Pass
	for _, found := range calls.Judge(exchange, calls.Rules) {
		finding := verdict.Finding{Rule: found.Rule.Name, Severity: "critical", At: found.At, Message: c.source.secrets.Replace(found.Message), Instead: found.Instead}
		if found.Rule.Client == "" {
			finding.Severity = "low"
			kind.Ignored = append(kind.Ignored, finding)
			continue
		}
		kind.Findings = append(kind.Findings, finding)
		kind.Verdict, status = provider.Rejected, verdict.Fail
	}
	if kind.Verdict == provider.Rejected {
		kind.Ignored = nil // a client that refuses the result shows none of it
	}
	if c.isAsked[call.Tool.Name] = call.Method != ""; call.IsValid {
		c.answered[call.Tool.Name]++
		if !exchange.Answer.IsError() || status == verdict.Fail {
			c.useful[call.Tool.Name]++
		}
	}
	why := ""
	if exchange.Answer.IsLate && status == verdict.Pass {
		waited := exchange.Answer.Took.Round(time.Second)
		status, why = verdict.Inconclusive, fmt.Sprintf("no answer within %v, and clients wait %v: wait as long with --timeout", waited, calls.ClientsWait)
	}
	result := c.result(call.Tool, status, why, kind)
	for _, step := range c.Steps {
		step(&result)
	}
	return c.Count(result)
}

// end reports the tools that returned nothing but errors, and ends the run. Nothing is learnt about what they
// return.
func (c *calling) end() error {
	for _, name := range slices.Sorted(maps.Keys(c.answered)) {
		if c.useful[name] > 0 || c.stuck[name] {
			continue
		}
		why := "every call with arguments that the inputSchema accepts returned an error: write arguments that work to a file, and name it with --arguments"
		if c.isAsked[name] {
			why = "every request returned an error: nothing is learnt about what the server returns"
		}
		if err := c.Count(c.result(&calls.Tool{Name: name}, verdict.Inconclusive, why, &verdict.Call{})); err != nil {
			return err
		}
	}
	summary := c.Summary()
	outcome := cli.ExitFor(summary.Worst())
	if summary.Calls == 0 {
		outcome = cli.Fail(cli.CodeInconclusive, cli.Hint(errors.New("no tool was called"), "name tools behind --call; verify mcp --call --dry-run shows why each is left out"))
	}
	if outcome != nil {
		summary.Conforms = false
	}
	if err := c.End(); err != nil {
		return err
	}
	return outcome
}
