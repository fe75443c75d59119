package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
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
		asked := judge.Conversation{Source: name, Line: int(body.Position.Line), API: conversation.APIOf("", body)}
		document.Conversations = append(document.Conversations, run.Conversation{Conversation: asked, Load: func() *schema.Node { return body }})
	}
	document.Tools, err = reader.ReadText(text, err)
	if len(document.Conversations) > 1 {
		document.Tools = withoutRepeats(document.Tools)
	}
	return document, err
}

var errNoRequest = errors.New("none of the recorded exchanges is a request to a model")

// recorded returns the tools and the requests of recorded exchanges. It passes over those that are no
// requests to a model.
func recorded(name string, exchanges []*traffic.Exchange, reader toolfile.Reader) run.Document {
	document := run.Document{Source: name}
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
		document.Tools = append(document.Tools, toolsOf(body, asked.Line, len(document.Conversations), reader, &document)...)
	}
	document.Tools = withoutRepeats(document.Tools)
	return document
}

// toolsOf reads the tools of a recorded request.
func toolsOf(body *schema.Node, line, number int, reader toolfile.Reader, document *run.Document) []toolfile.Tool {
	reader.Folds, reader.Body = false, nil
	reader.Passed = func(entry toolfile.Passed) {
		traffic.Place(entry.Entry, body.Position)
		document.Passed = append(document.Passed, entry)
	}
	declared := body
	if inner := body.Get("request"); inner.Has("contents") { // of Code Assist
		declared = inner
	}
	if config := body.Get("toolConfig"); config.Has("tools") { // of Converse
		declared = config
	}
	tools, _ := reader.ReadText(declared.JSON(), nil) // a request without tools is an error
	for i := range tools {
		tool := &tools[i]
		tool.Line = line
		if tool.Request > 0 {
			tool.Request += number << requestBits
		}
		if tool.Declaration != nil {
			traffic.Place(tool.Declaration, body.Position)
		}
		if broken, ok := errors.AsType[*schema.SyntaxError](tool.Err); ok {
			broken.Position = body.Position
		}
	}
	return tools
}

// requestBits are the bits that the number of a list of tools takes within a request.
const requestBits = 20

// withoutRepeats leaves out the tools of a request if an earlier one has the same, as the turns of a
// conversation have.
func withoutRepeats(tools []toolfile.Tool) []toolfile.Tool {
	var kept []toolfile.Tool
	known := map[[sha256.Size]byte]bool{}
	for _, request := range toolfile.Requests(tools) {
		digest := sha256.New()
		for _, tool := range request {
			if tool.Declaration == nil {
				digest.Write([]byte{byte(len(kept)), byte(len(kept) >> 8)}) //nolint:mnd,gosec // it is not like another
			} else {
				digest.Write(tool.Declaration.JSON())
			}
			digest.Write([]byte{'\n'})
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
