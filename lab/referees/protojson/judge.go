package main

import (
	"strings"

	"cloud.google.com/go/ai/generativelanguage/apiv1beta/generativelanguagepb"
	"cloud.google.com/go/aiplatform/apiv1beta1/aiplatformpb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// line is what the referee reads of a line of verify --json --requests, or of verify
// check --json --requests.
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
	message string // the message that protojson decodes into
	// own is set for what a normalizer made for this very message: protojson has to take
	// it as it is.
	own bool
}

// parseWords are how Google's front end begins what it says of a request that does not
// decode. What a later stage says begins otherwise: the request decoded.
var parseWords = []string{"Invalid JSON payload received. ", "Invalid value at "}

// refusedByParse reports whether the answer is that of the front end.
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

// messages make the published requests.
var messages = map[string]func() proto.Message{
	geminiMessage: func() proto.Message { return &generativelanguagepb.GenerateContentRequest{} },
	vertexMessage: func() proto.Message { return &aiplatformpb.GenerateContentRequest{} },
}

// messagesOf says into which messages the requests of a dialect are decoded: a portable
// tool may reach either API. A dialect that is not here cannot be judged: nobody
// published the messages of Code Assist, and the others are not Google's.
var messagesOf = map[string][]string{
	"gemini/parameters":           {geminiMessage},
	"gemini/parametersJsonSchema": {geminiMessage},
	"gemini/responseSchema":       {geminiMessage},
	"gemini/responseJsonSchema":   {geminiMessage},
	"vertex/parameters":           {vertexMessage},
	"vertex/parametersJsonSchema": {vertexMessage},
	"vertex/responseSchema":       {vertexMessage},
	"vertex/responseJsonSchema":   {vertexMessage},
	"gemini-openai/chat":          {geminiMessage},
	"portable":                    {geminiMessage, vertexMessage},
}

// declares says for the dialects whose tools reach Google in another envelope what the
// parameters of a function are called there.
var declares = map[string]string{"gemini-openai/chat": "parameters", "portable": "inputSchema"}

// writesNames are the targets that write types as the enum of the messages names them.
// The other alternates write what their seed documents describe, in lower case.
var writesNames = map[string]bool{
	"gemini": true, "gemini-json": true, "gemini-response": true, "gemini-response-json": true, "vertex": true,
	"gemini-inline": true, "gemini-spill": true,
}

// questions returns what is asked about a line.
func (l *line) questions() []question {
	var questions []question
	for _, side := range []struct {
		name   string
		answer *answer
	}{{"raw", l.Raw}, {"normalized", l.Normalized}} {
		if side.answer == nil || side.name == "raw" && declares[l.Dialect] != "" { // such an endpoint rewrites what it is sent
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

// ask decodes the request and returns why protojson does not take it. The second error
// says that the question itself is broken.
func (q question) ask() (refusal, err error) {
	request, err := parse(q.answer.Request)
	if err != nil {
		return nil, err
	}
	if parameters := declares[q.line.Dialect]; parameters != "" {
		request = generateContent(request, parameters)
	}
	message := messages[q.message]()
	if !q.own {
		spell(message.ProtoReflect().Descriptor(), request)
	}
	return protojson.Unmarshal(request.appendTo(nil), message), nil
}

// handedOver are the members of a tool that a client hands over from an MCP server.
var handedOver = map[string]bool{"name": true, "description": true, "parameters": true}

// generateContent returns the request of the Gemini API that has the functions of another
// envelope.
func generateContent(request *value, parameters string) *value {
	result := request.get("result")
	if result != nil { // what an MCP server answers
		request = result
	}
	declarations := &value{kind: '['}
	for _, tool := range request.get("tools").elements {
		if function := tool.get("function"); function != nil {
			tool = function
		}
		declaration := &value{kind: '{'}
		for _, given := range tool.members {
			if given.name == parameters {
				given.name = "parameters"
			}
			if result != nil && !handedOver[given.name] {
				continue
			}
			declaration.members = append(declaration.members, given)
		}
		declarations.elements = append(declarations.elements, declaration)
	}
	tool := &value{kind: '{', members: []member{{"functionDeclarations", declarations}}}
	return &value{kind: '{', members: []member{{"tools", &value{kind: '[', elements: []*value{tool}}}}}
}
