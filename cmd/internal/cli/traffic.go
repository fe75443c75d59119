package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
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
	document, err := TextDocument(name, text, err, reader)
	if len(document.Conversations) > 1 {
		document.Tools = withoutRepeats(document)
	}
	return document, err
}

// TextDocument returns the tools and the requests of a text that toolfile.ReadAll has read, with its error.
func TextDocument(name string, text []byte, err error, reader toolfile.Reader) (run.Document, error) {
	document := run.Document{Source: name}
	sent, aims := newSending(), map[*schema.Node]aim{}
	reader.Passed = func(entry toolfile.Passed) { document.Passed = append(document.Passed, entry) }
	reader.Body = func(body *schema.Node, tools []toolfile.Tool) {
		asked := judge.Conversation{
			Source: name, Line: int(body.Position.Line), API: conversation.APIOf("", body), Model: body.GetString("model"), Surfaces: harness.Dialects,
		}
		document.Conversations = append(document.Conversations, run.Conversation{Conversation: asked, Load: func() *schema.Node { return body }})
		take(aims, len(document.Conversations), tools, harness.Declaring(asked.API, "", body))
	}
	document.Tools, err = reader.ReadText(text, err)
	if len(document.Conversations) == 0 && slices.ContainsFunc(document.Tools, isStrict) {
		take(aims, 1, document.Tools, ofStrict(document.Tools))
	}
	if sent.take(document.Tools, aims) {
		document.Meant = sent.meant
	}
	return document, err
}

// aim says in which request of a document a tool is, and for which targets.
type aim struct {
	request int
	targets []judge.Target
}

// take adds the aims of the tools of a request, by their declarations.
func take(aims map[*schema.Node]aim, request int, tools []toolfile.Tool, find func(toolfile.Tool) []judge.Target) {
	for _, tool := range tools {
		aims[tool.Declaration] = aim{request, find(tool)}
	}
}

// isStrict reports whether the declaration of a tool says that it is strict.
func isStrict(tool toolfile.Tool) bool {
	return tool.Declaration.Get("strict").IsTrue() || tool.Declaration.Get("function").Get("strict").IsTrue()
}

// ofStrict returns what finds the targets of a list of tools some of which say that they are strict: those of a
// request with this list, to the API whose form they have.
func ofStrict(tools []toolfile.Tool) func(toolfile.Tool) []judge.Target {
	list := schema.NewArray()
	for _, tool := range tools {
		if tool.Declaration != nil {
			list.Elements = append(list.Elements, tool.Declaration)
		}
	}
	body := schema.NewObject(schema.Member{Key: "tools", Value: list})
	return harness.Declaring(harness.DirectFor(toolfile.FormOf(tools))[0].Dialect.API, "", body)
}

// take numbers tools by their requests and their targets. It reports false, and changes nothing, if a tool has
// none.
func (s *sending) take(tools []toolfile.Tool, aims map[*schema.Node]aim) bool {
	isAimless := func(tool toolfile.Tool) bool {
		return tool.Declaration == nil || len(aims[tool.Declaration].targets) == 0
	}
	if slices.ContainsFunc(tools, isAimless) {
		return false
	}
	for i := range tools {
		aim := aims[tools[i].Declaration]
		s.number(&tools[i], aim.targets, aim.request, i)
	}
	return true
}

var errNoRequest = errors.New("none of the recorded exchanges is a request to a model")

// recorded returns the tools and the requests of recorded exchanges. It passes over those that are no
// requests to a model.
func recorded(name string, exchanges []*traffic.Exchange, reader toolfile.Reader) run.Document {
	document := run.Document{Source: name}
	sent := newSending()
	document.Meant = sent.meant
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
		document.Tools = append(document.Tools, sent.tools(reader, asked, body, exchange.Number)...)
	}
	document.Tools, document.Passed = withoutRepeats(document), sent.passed
	return document
}

// sending numbers the tools of requests. Tools for several surfaces are requests of their own.
type sending struct {
	passed  []toolfile.Passed
	targets map[int][]judge.Target // by the Request of the tools
	numbers map[string]int         // the Request of tools, by the request in the document and its targets
}

func newSending() *sending {
	return &sending{targets: map[int][]judge.Target{}, numbers: map[string]int{}}
}

// meant returns the targets of a tool.
func (s *sending) meant(tool toolfile.Tool) []judge.Target { return s.targets[tool.Request] }

// number gives a tool, the one at an index, the number of its request and of its targets.
func (s *sending) number(tool *toolfile.Tool, targets []judge.Target, request, index int) {
	key := fmt.Sprint(request, targetNames(targets))
	if tool.Request == 0 { // it stands alone
		key += fmt.Sprint(" alone ", index)
	}
	if s.numbers[key] == 0 {
		s.numbers[key] = len(s.numbers) + 1
		s.targets[s.numbers[key]] = targets
	}
	tool.Request = s.numbers[key]
}

// tools reads the tools of a recorded request.
func (s *sending) tools(reader toolfile.Reader, asked judge.Conversation, body *schema.Node, number int) []toolfile.Tool {
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
		s.number(&tool, targets, number, i)
		tool.Line = asked.Line
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

// withoutRepeats returns the tools of a document without those of a request if an earlier one for the same targets
// has the same, as the turns of a conversation have.
func withoutRepeats(document run.Document) []toolfile.Tool {
	var kept []toolfile.Tool
	known := map[[sha256.Size]byte]bool{}
	for _, request := range document.Requests() {
		digest := sha256.New()
		if document.Meant != nil {
			digest.Write([]byte(targetNames(document.Meant(request[0]))))
		}
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
