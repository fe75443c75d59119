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
	document, err := TextDocument(name, text, err, reader)
	if len(document.Conversations) > 1 {
		document.Tools = withoutRepeats(document)
	}
	return document, err
}

// TextDocument returns the tools and the requests of a text that toolfile.ReadAll has read, with its error.
func TextDocument(name string, text []byte, err error, reader toolfile.Reader) (run.Document, error) {
	document := run.Document{Source: name}
	var aims harness.Aims
	reader.Passed = func(entry toolfile.Passed) { document.Passed = append(document.Passed, entry) }
	reader.Body = func(body *schema.Node, tools []toolfile.Tool) {
		asked := judge.Conversation{
			Source: name, Line: int(body.Position.Line), API: conversation.APIOf("", body), Model: body.GetString("model"), Surfaces: harness.Dialects,
		}
		document.Conversations = append(document.Conversations, run.Conversation{Conversation: asked, Load: func() *schema.Node { return body }})
		aims.Request(tools, harness.Declaring(asked.API, "", body))
	}
	document.Tools, err = reader.ReadText(text, err)
	document.Meant = aims.Meant(document.Tools)
	return document, err
}

var errNoRequest = errors.New("none of the recorded exchanges is a request to a model")

// recorded returns the tools and the requests of recorded exchanges. It passes over those that are no
// requests to a model.
func recorded(name string, exchanges []*traffic.Exchange, reader toolfile.Reader) run.Document {
	document := run.Document{Source: name}
	var sent sending
	document.Meant = sent.Of
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

// sending reads the tools of recorded requests.
type sending struct {
	harness.Aims

	passed []toolfile.Passed
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
		s.Number(&tool, targets, number, i)
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

// withoutRepeats returns the tools of a document without those of a request if an earlier one for the same targets
// has the same, as the turns of a conversation have.
func withoutRepeats(document run.Document) []toolfile.Tool {
	var kept []toolfile.Tool
	known := map[[sha256.Size]byte]bool{}
	for _, request := range document.Requests() {
		digest := sha256.New()
		if document.Meant != nil {
			digest.Write([]byte(harness.NamesOf(document.Meant(request[0]))))
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
