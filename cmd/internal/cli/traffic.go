package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/traffic"
	"toolproof/schema"
)

// document reads the tools and the requests of one file, or of standard input for "-".
func (s *Session) document(ctx context.Context, name string, reader toolfile.Reader) (run.Document, error) {
	type outcome struct {
		document run.Document
		err      error
	}
	read, err := Await(ctx, func() (outcome, error) {
		in, err := s.Open(name)
		if err != nil {
			return outcome{run.Document{Source: name}, err}, nil
		}
		defer in.Close() //nolint:errcheck // opened for reading
		document, err := documentOf(name, in, reader)
		return outcome{document, err}, nil
	})
	if err != nil {
		return run.Document{Source: name}, err
	}
	return read.document, read.err
}

// documentOf reads a file: recorded exchanges, or tools and requests.
func documentOf(name string, in io.Reader, reader toolfile.Reader) (run.Document, error) {
	text, err := toolfile.ReadAll(in)
	exchanges, failed := traffic.Read(text)
	if !errors.Is(failed, traffic.ErrUnknown) {
		document := recorded(name, exchanges, reader)
		if len(document.Conversations) == 0 && failed == nil {
			failed = errNoRequest
		}
		return document, errors.Join(append(toolfile.Problems(failed), err)...)
	}
	document := run.Document{Source: name}
	reader.Passed = func(entry toolfile.Passed) { document.Passed = append(document.Passed, entry) }
	reader.Body = func(body *schema.Node) {
		asked := judge.Conversation{Source: name, Line: int(body.Position.Line), API: conversation.APIOf("", body), Surfaces: harness.Dialects}
		document.Conversations = append(document.Conversations, run.Conversation{Conversation: asked, Load: func() *schema.Node { return body }})
	}
	document.Tools, err = reader.ReadText(text, err)
	if len(document.Conversations) > 1 {
		document.Tools = withoutRepeats(document.Tools, func(toolfile.Tool) string { return "" })
	}
	return document, err
}

var errNoRequest = errors.New("none of the recorded exchanges is a request to a model")

// recorded returns the tools and the requests of recorded exchanges. It passes over those that are no
// requests to a model.
func recorded(name string, exchanges []*traffic.Exchange, reader toolfile.Reader) run.Document {
	document := run.Document{Source: name}
	sent := sending{reader: reader, targets: map[int][]judge.Target{}, numbers: map[string]int{}}
	document.Meant = func(tool toolfile.Tool) []judge.Target { return sent.targets[tool.Request] }
	said := traffic.NewSaid()
	for _, exchange := range exchanges {
		body := exchange.Body()
		api := conversation.APIOf(exchange.Path, body)
		if body == nil || api == "" {
			continue
		}
		asked := judge.Conversation{
			Source: name, Line: int(exchange.At.Line), API: api, Host: exchange.Host, Model: modelOf(exchange, body),
			Surfaces: harness.Dialects, IsForged: said.IsForged(exchange, body),
		}
		if exchange.Status > 0 && !exchange.Emulated {
			asked.Recorded = &judge.Recorded{Status: exchange.Status, Body: exchange.Answer, Date: provider.Date(exchange.Date)}
		}
		document.Conversations = append(document.Conversations, run.Conversation{Conversation: asked, Load: exchange.Body})
		document.Tools = append(document.Tools, sent.tools(asked, body, exchange.Number)...)
	}
	document.Tools, document.Passed = withoutRepeats(document.Tools, func(tool toolfile.Tool) string { return targetNames(sent.targets[tool.Request]) }), sent.passed
	return document
}

// sending reads the tools of recorded requests.
type sending struct {
	reader  toolfile.Reader
	passed  []toolfile.Passed
	targets map[int][]judge.Target // by the Request of the tools
	numbers map[string]int         // the Request of tools, by the exchange and its targets
}

// tools reads the tools of a request. Tools for several surfaces are requests of their own.
func (s *sending) tools(asked judge.Conversation, body *schema.Node, number int) []toolfile.Tool {
	reader := s.reader
	reader.Folds, reader.Body = false, nil
	reader.Passed = func(entry toolfile.Passed) {
		traffic.Place(entry.Entry, body.Position)
		s.passed = append(s.passed, entry)
	}
	declared := body
	if inner := body.Get("request"); inner.Has("contents") { // of Code Assist
		declared = inner
	}
	if config := body.Get("toolConfig"); config.Has("tools") { // of Converse
		declared = config
	}
	tools, _ := reader.ReadText(declared.JSON(), nil) // a request without tools is an error
	find := harness.Declaring(asked.API, asked.Host, body)
	var kept []toolfile.Tool
	for i, tool := range tools {
		targets := find(tool)
		if len(targets) == 0 {
			continue // nothing is known of such a response schema
		}
		key := fmt.Sprint(number, targetNames(targets))
		if tool.Request == 0 { // it stands alone
			key += fmt.Sprint(" alone ", i)
		}
		if s.numbers[key] == 0 {
			s.numbers[key] = len(s.numbers) + 1
			s.targets[s.numbers[key]] = targets
		}
		tool.Line, tool.Request = asked.Line, s.numbers[key]
		if tool.Declaration != nil {
			traffic.Place(tool.Declaration, body.Position)
		}
		if broken, ok := errors.AsType[*schema.SyntaxError](tool.Err); ok {
			broken.Position = body.Position
		}
		kept = append(kept, tool)
	}
	return kept
}

// targetNames joins the names of targets.
func targetNames(targets []judge.Target) string {
	var names []string
	for _, target := range targets {
		names = append(names, target.Name())
	}
	return strings.Join(names, " ")
}

// withoutRepeats leaves out the tools of a request if an earlier one to the same address has the same, as the
// turns of a conversation have.
func withoutRepeats(tools []toolfile.Tool, address func(toolfile.Tool) string) []toolfile.Tool {
	var kept []toolfile.Tool
	known := map[[sha256.Size]byte]bool{}
	for _, request := range toolfile.Requests(tools) {
		digest := sha256.New()
		digest.Write([]byte(address(request[0])))
		for _, tool := range request {
			if tool.Declaration == nil { // it is not like another
				fmt.Fprint(digest, len(kept))
				continue
			}
			digest.Write(append(tool.Declaration.JSON(), '\n'))
		}
		sum := [sha256.Size]byte(digest.Sum(nil))
		if !known[sum] {
			known[sum] = true
			kept = append(kept, request...)
		}
	}
	return kept
}

// modelOf returns the model of a request: the one that the body or the path names, or else the log.
func modelOf(exchange *traffic.Exchange, body *schema.Node) string {
	model := body.GetString("model")
	if _, after, ok := strings.Cut(exchange.Path, "/models/"); ok && model == "" {
		model, _, _ = strings.Cut(after, ":")
	}
	return strings.TrimPrefix(cmp.Or(model, exchange.Model), "models/")
}
