package emulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"toolproof/schema"
)

// Script determines what the emulator answers. A request gets the next answer of the first step
// that matches it and has answers left, or without such a step the emulator's own answer.
// Requests that the models refuse are refused and use up no answer.
type Script struct {
	Steps []Step `json:"steps"`
}

// Step is a list of answers to matching requests, given one after another.
type Step struct {
	Match   Match    `json:"match"`
	Answers []Answer `json:"answers"`
	// Repeats is set if the last answer is given again and again.
	Repeats bool `json:"repeats,omitempty"`
}

// Match selects the requests that fit all of its non-empty members. The zero Match selects all.
type Match struct {
	Path  string `json:"path,omitempty"`  // pattern of path.Match, or the end of the path
	Model string `json:"model,omitempty"` // pattern of the provider's model
	Text  string `json:"text,omitempty"`  // part of a text in the request
	Tool  string `json:"tool,omitempty"`  // pattern of the name of a declared tool
}

// Answer is one answer: an error, calls, a text, or a refusal by the model.
type Answer struct {
	Thinking string      `json:"thinking,omitempty"`
	Calls    []Call      `json:"calls,omitempty"`
	Text     string      `json:"text,omitempty"`
	Refusal  string      `json:"refusal,omitempty"` // Messages and generateContent send no words of it
	Error    *ErrorReply `json:"error,omitempty"`
	// Quirks are names of shapes that this answer has, with those of the server.
	Quirks []string `json:"quirks,omitempty"`
}

// Call is a call of a tool, which the request need not declare.
type Call struct {
	Name      string       `json:"name"`
	Arguments *schema.Node `json:"arguments,omitempty"` // an object; nil means {}
	Input     string       `json:"input,omitempty"`     // for a custom tool
}

// ErrorReply is an error that is sent in the form of the service.
type ErrorReply struct {
	Status  int    `json:"status"` // HTTP status
	Message string `json:"message"`
	Param   string `json:"param,omitempty"` // in OpenAI's errors
	Code    string `json:"code,omitempty"`  // in OpenAI's errors
	// RetryAfter is the number of seconds in the header Retry-After; 0 for no header.
	RetryAfter int `json:"retry_after,omitempty"`
}

// ParseScript reads a script from JSON. Its errors name the step and what is wrong with it.
func ParseScript(text []byte) (*Script, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	script := &Script{}
	if err := decoder.Decode(script); err != nil {
		return nil, fmt.Errorf("reading a script: %w", err)
	}
	if len(script.Steps) == 0 {
		return nil, errors.New(`reading a script: it has no steps: write {"steps":[{"answers":[{"text":"hi"}]}]}`)
	}
	for i, step := range script.Steps {
		if err := step.check(); err != nil {
			return nil, fmt.Errorf("reading a script: step %d: %w", i+1, err)
		}
	}
	return script, nil
}

func (s *Step) check() error {
	if len(s.Answers) == 0 {
		return errors.New("it has no answers")
	}
	for _, pattern := range []string{s.Match.Path, s.Match.Model, s.Match.Tool} {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q is no pattern: use *, ? and [a-z]", pattern)
		}
	}
	for i, answer := range s.Answers {
		switch failure := answer.Error; {
		case failure != nil && (failure.Status < 400 || failure.Status > 599):
			return fmt.Errorf("answer %d: the status of an error is %d: use one from 400 to 599", i+1, failure.Status)
		case failure != nil && (answer.Text != "" || answer.Refusal != "" || len(answer.Calls) > 0):
			return fmt.Errorf("answer %d has an error and something else: give one of them", i+1)
		case answer.Refusal != "" && (answer.Text != "" || len(answer.Calls) > 0):
			return fmt.Errorf("answer %d has a refusal and something else: give one of them", i+1)
		}
		if _, err := answer.quirks(); err != nil {
			return fmt.Errorf("answer %d: %w", i+1, err)
		}
		for _, call := range answer.Calls {
			if call.Name == "" || call.Arguments != nil && call.Arguments.Kind != schema.Object {
				return fmt.Errorf("answer %d: a call has a name, and arguments that are an object", i+1)
			}
		}
	}
	return nil
}

// quirks returns the quirks that are named.
func (a *Answer) quirks() ([]*Quirk, error) {
	if len(a.Quirks) == 0 {
		return nil, nil
	}
	return ParseQuirks(strings.Join(a.Quirks, ","))
}

// scriptState is a script with the number of answers used of each step.
type scriptState struct {
	script *Script
	lock   sync.Mutex
	used   []int // by step
}

// scriptedError is an error that the script asks for.
type scriptedError struct{ ErrorReply }

func (e *scriptedError) Error() string { return e.Message }

// next returns the scripted answer to a request, or nil if there is none.
func (s *scriptState) next(x *exchange, q question) *Answer {
	if s.script == nil {
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.used == nil {
		s.used = make([]int, len(s.script.Steps))
	}
	for i := range s.script.Steps {
		step := &s.script.Steps[i]
		isLeft := s.used[i] < len(step.Answers) || step.Repeats
		if !isLeft || !step.Match.fits(x, q) {
			continue
		}
		answer := &step.Answers[min(s.used[i], len(step.Answers)-1)]
		s.used[i]++
		return answer
	}
	return nil
}

// fits reports whether m selects a request.
func (m *Match) fits(x *exchange, q question) bool {
	isLike := func(pattern, text string) bool {
		isLike, err := path.Match(pattern, text)
		return pattern == "" || err == nil && isLike
	}
	place := x.request.URL.Path
	return (isLike(m.Path, place) || strings.HasSuffix(place, m.Path)) && isLike(m.Model, x.model) && (m.Text == "" || hasText(x.body, m.Text)) &&
		(m.Tool == "" || slices.ContainsFunc(q.functions, func(f function) bool { return f.isLike(m.Tool) }))
}

// hasText reports whether a string in the tree contains the text.
func hasText(node *schema.Node, text string) bool {
	return node.Kind == schema.String && strings.Contains(node.Text, text) ||
		slices.ContainsFunc(node.Elements, func(element *schema.Node) bool { return hasText(element, text) }) ||
		slices.ContainsFunc(node.Members, func(member schema.Member) bool { return hasText(member.Value, text) })
}

// turn returns the turn that a scripted answer describes, or its error.
func (a *Answer) turn(q question) (turn, error) {
	if a.Error != nil {
		return turn{}, &scriptedError{*a.Error}
	}
	said := turn{thinking: a.Thinking, text: a.Text, refusal: a.Refusal}
	for _, wanted := range a.Calls {
		call := call{function: function{name: wanted.Name}, arguments: wanted.Arguments, input: wanted.Input}
		if i := slices.IndexFunc(q.functions, func(f function) bool { return f.name == wanted.Name }); i >= 0 {
			call.function = q.functions[i]
		}
		if call.arguments == nil {
			call.arguments = schema.NewObject()
		}
		said.calls = append(said.calls, call)
	}
	return said, nil
}

// unanswered returns the reply for an error of answers.
func (x *exchange) unanswered(err error) reply {
	if wanted, ok := errors.AsType[*scriptedError](err); ok {
		answer := x.service.refused(cmp.Or(wanted.Status, http.StatusInternalServerError), wanted.Message, wanted.Param, wanted.Code)
		answer.retryAfter = wanted.RetryAfter
		return answer
	}
	return x.service.failed(http.StatusBadRequest, "%v", err)
}
