package main

import (
	"strings"

	"cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"cloud.google.com/go/aiplatform/apiv1beta1/aiplatformpb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// line is a line of verify --json --requests or verify check --json --requests, as far as the
// referee reads it.
type line struct {
	Source     string  `json:"source"`
	ID         string  `json:"id"`
	Tool       string  `json:"tool"`
	Target     string  `json:"target"`
	Dialect    string  `json:"dialect"`
	Normalizer string  `json:"normalizer"`
	Status     string  `json:"status"`
	Raw        *answer `json:"raw"`
	Normalized *answer `json:"normalized"`

	Summary *struct{} `json:"summary"`
}

type answer struct {
	Verdict  string `json:"verdict"`
	Evidence string `json:"evidence"`
	Findings []struct {
		Message string `json:"message"`
	} `json:"findings"`
	Request rawJSON `json:"request"`
}

// question is one request that both the model and protojson answer.
type question struct {
	line    *line
	side    string
	answer  *answer
	message string // message type that protojson decodes into
	// own is set if a normalizer made the request for this very message, so that protojson has
	// to accept it unchanged.
	own bool
}

// parseWords are the beginnings of Google's messages about a request that does not decode.
// Messages of later stages begin differently, and their request decoded.
var parseWords = []string{"Invalid JSON payload received. ", "Invalid value at "}

// refusedByParse reports whether the answer is a refusal by the parse stage.
func (a *answer) refusedByParse() bool {
	for _, finding := range a.Findings {
		for _, words := range parseWords {
			if strings.HasPrefix(finding.Message, words) {
				return true
			}
		}
	}
	return false
}

const (
	geminiMessage = "google.ai.generativelanguage.v1beta.GenerateContentRequest"
	vertexMessage = "google.cloud.aiplatform.v1beta1.GenerateContentRequest"
)

// messages returns new published messages by their names.
var messages = map[string]func() proto.Message{
	geminiMessage: func() proto.Message { return &generativelanguagepb.GenerateContentRequest{} },
	vertexMessage: func() proto.Message { return &aiplatformpb.GenerateContentRequest{} },
}

// messagesOf names the messages into which the requests of a dialect are decoded; a portable
// tool may reach either API. Dialects that are not listed cannot be judged: the messages of
// Code Assist are not published, and the others are not Google's.
var messagesOf = map[string][]string{
	"gemini/parameters":           {geminiMessage},
	"gemini/parametersJsonSchema": {geminiMessage},
	"gemini/responseSchema":       {geminiMessage},
	"gemini/responseJsonSchema":   {geminiMessage},
	"vertex/parameters":           {vertexMessage},
	"vertex/parametersJsonSchema": {vertexMessage},
	"vertex/responseSchema":       {vertexMessage},
	"vertex/responseJsonSchema":   {vertexMessage},
	"gemini/conversation":         {geminiMessage},
	"vertex/conversation":         {vertexMessage},
	"gemini-openai/chat":          {geminiMessage},
	"portable":                    {geminiMessage, vertexMessage},
}

// declares names the member for a function's parameters in dialects whose tools reach Google in
// another envelope.
var declares = map[string]string{"gemini-openai/chat": "parameters", "portable": "inputSchema"}

// writesNames are the targets that write types by the names of the messages' enum. The other
// alternates write them in lower case, as their documents describe.
var writesNames = map[string]bool{
	"gemini": true, "gemini-json": true, "gemini-response": true, "gemini-response-json": true, "vertex": true,
	"gemini-inline": true, "gemini-spill": true, "vertex-json": true,
}

// questions returns the questions about a line.
func (l *line) questions() []question {
	var questions []question
	for _, side := range []struct {
		name   string
		answer *answer
	}{{"raw", l.Raw}, {"normalized", l.Normalized}} {
		if side.answer == nil || side.name == "raw" && declares[l.Dialect] != "" { // the endpoint rewrites what it is sent
			continue
		}
		for _, message := range messagesOf[l.Dialect] {
			questions = append(questions, question{
				line: l, side: side.name, answer: side.answer, message: message,
				own: side.name == "normalized" && writesNames[l.Target],
			})
		}
	}
	return questions
}

// ask decodes the request and returns the error with which protojson refuses it. The second
// error means that the question itself is invalid.
func (q question) ask() (refusal, err error) {
	request, err := parse(q.answer.Request)
	if err != nil {
		return nil, err
	}
	if parameters := declares[q.line.Dialect]; parameters != "" {
		request = generateContent(request, parameters)
	}
	message := messages[q.message]()
	if q.own {
		spellResponses(message.ProtoReflect().Descriptor(), request)
	} else {
		spell(message.ProtoReflect().Descriptor(), request)
	}
	return protojson.Unmarshal(request.appendTo(nil), message), nil
}

// handedOver are the members of a tool that a client passes on from an MCP server.
var handedOver = map[string]bool{"name": true, "description": true, "parameters": true}

// generateContent returns the Gemini API's request with the functions of another envelope.
func generateContent(request *value, parameters string) *value {
	result := request.get("result")
	if result != nil { // an MCP server's answer
		request = result
	}
	declarations := &value{kind: '['}
	for _, tool := range request.get("tools").elements {
		if function := tool.get("function"); function != nil {
			tool = function
		}
		declaration := &value{kind: '{'}
		for _, member := range tool.members {
			if member.name == parameters {
				member.name = "parameters"
			}
			if result != nil && !handedOver[member.name] {
				continue
			}
			declaration.members = append(declaration.members, member)
		}
		declarations.elements = append(declarations.elements, declaration)
	}
	tool := &value{kind: '{', members: []member{{"functionDeclarations", declarations}}}
	return &value{kind: '{', members: []member{{"tools", &value{kind: '[', elements: []*value{tool}}}}}
}
