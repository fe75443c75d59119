package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"toolproof/harness/emulator"
	"toolproof/harness/provider"
)

// seen is what arrived of a client in a scenario.
type seen struct {
	scenario *Scenario
	api      provider.API
	requests []*emulator.Entry
	times    []time.Time // when the requests arrived
}

// told is what a client said.
type told struct {
	calls       []any // arguments
	text        string
	failure     string
	unsupported string
}

// judge returns how a client did, by what it said and sent, and why it does not pass.
func (s *seen) judge(lines []said) (outcome Outcome, why string) {
	var told told
	told.calls = []any{}
	for _, line := range lines {
		switch {
		case line.Call != nil && line.Call.Name != tool:
			return Silent, fmt.Sprintf("the client called %q", line.Call.Name)
		case line.Call != nil:
			told.calls = append(told.calls, line.Call.Arguments)
		case line.Text != nil:
			told.text += *line.Text
		case line.Unsupported != nil:
			told.unsupported = *line.Unsupported
		default:
			told.failure = cmp.Or(*line.Error, "an error without words")
		}
	}
	switch {
	case told.unsupported != "":
		return Unsupported, told.unsupported
	case len(s.requests) == 0 && told.failure == "":
		return Silent, "no request came"
	case s.isFailure(&told):
		return Failed, "the client reported an error: " + fmt.Sprintf("%.200s", told.failure)
	}
	if wrong := s.called(&told); wrong != "" && s.isTold(told.calls) {
		return Told, wrong
	} else if wrong != "" {
		return Silent, wrong
	}
	for _, wrong := range []string{s.retried(), s.sent(), s.shown(&told)} {
		if wrong != "" {
			return Silent, wrong
		}
	}
	return Passed, ""
}

// isFailure reports whether a client reported an error that is none.
func (s *seen) isFailure(told *told) bool {
	return told.failure != "" && (s.scenario.Ends == "" || len(s.requests) == 0)
}

// isTold reports whether the model, which the API lets go on only with a result for each call, was told of the calls
// that were not made.
func (s *seen) isTold(calls []any) bool {
	isFlawless := !slices.ContainsFunc(calls, func(made any) bool {
		return !slices.ContainsFunc(s.scenario.Want, func(want any) bool { return reflect.DeepEqual(made, want) })
	})
	return s.scenario.Ends == "" && isFlawless && len(s.requests) > len(s.scenario.Answers) && s.requests[len(s.requests)-1].Status == http.StatusOK
}

// retried returns what is wrong with the requests that failed and were sent again.
func (s *seen) retried() string {
	for i, request := range s.requests[:len(s.requests)-1] {
		isScripted := i < len(s.scenario.Answers) && s.scenario.Answers[i].Error != nil
		if wait := s.times[i+1].Sub(s.times[i]); isScripted && wait < time.Duration(s.scenario.Answers[i].Error.RetryAfter)*time.Second {
			return fmt.Sprintf("the request is sent again after %.1f seconds, and the Retry-After is %d", wait.Seconds(), s.scenario.Answers[i].Error.RetryAfter)
		}
		if request.Status != http.StatusOK && !isScripted {
			return fmt.Sprintf("request %d was refused: %.200s", i+1, request.Answer)
		}
	}
	return ""
}

// called returns what is wrong with the calls that a client made.
func (s *seen) called(told *told) string {
	made := slices.DeleteFunc(slices.Clone(told.calls), func(arguments any) bool {
		return slices.ContainsFunc(s.scenario.May, func(may any) bool { return reflect.DeepEqual(may, arguments) })
	})
	switch {
	case s.scenario.Ends == Failure && len(told.calls) > 0:
		return "the client made a call of a stream that has an error or ends early: " + shown(told.calls)
	case s.scenario.Ends != Failure && !reflect.DeepEqual(made, s.scenario.Want):
		return "calls lost or changed: made " + shown(told.calls) + ", want " + shown(s.scenario.Want)
	default:
		return ""
	}
}

// sent returns what is wrong with what arrived after the first answer.
func (s *seen) sent() string {
	first, again := s.requests[0], s.requests[len(s.requests)-1]
	for i := range s.scenario.Others {
		if !bytes.Contains(first.Body, []byte(otherTool(i))) {
			return "the first request does not declare the tool " + otherTool(i)
		}
	}
	switch s.scenario.Ends {
	case Cancelled:
		if len(s.requests) > 1 {
			return fmt.Sprintf("%d requests came after the user cancelled", len(s.requests)-1)
		}
		return ""
	case Failure, Refusal:
		return ""
	}
	if again.Status != http.StatusOK {
		return fmt.Sprintf("the last request has status %d: %.200s", again.Status, again.Answer)
	}
	if s.scenario.Format != nil && !slices.ContainsFunc(s.requests, func(request *emulator.Entry) bool { return bytes.Contains(request.Body, []byte(`"sky"`)) }) {
		return "no request has the schema of the answer"
	}
	return cmp.Or(s.forgotten(), s.results(string(again.Body)))
}

// kept matches what a client has to send back as it came: signatures of thinking, and identifiers of reasoning.
var kept = regexp.MustCompile(`"(?:signature|thoughtSignature)":"([^"]+)"|"(rs_[0-9a-z]+)"`)

// forgotten returns what the second request lacks of the thinking in the first answer.
func (s *seen) forgotten() string {
	if !s.scenario.Thinks || len(s.requests) < 2 {
		return ""
	}
	answer := string(s.requests[0].Answer)
	_ = json.Unmarshal(s.requests[0].Answer, &answer) // a stream is a string; anything else stays as it is
	found := kept.FindAllStringSubmatch(answer, -1)
	for _, match := range found {
		body := s.requests[1].Body
		if !bytes.Contains(body, []byte(match[1]+match[2])) && !bytes.Contains(body, []byte(`"previous_response_id":"resp_`)) {
			return "the second request lacks " + match[0] + " of the thinking"
		}
	}
	return ""
}

// asPicture matches the picture as a value of its own: a model cannot see one inside the text of a result.
var asPicture = regexp.MustCompile(`"(?:data:image/png;base64,)?` + regexp.QuoteMeta(picture) + `"`)

// results returns what is wrong with the results in the last request.
func (s *seen) results(body string) string {
	count := strings.Count(body, s.scenario.Result.text())
	if s.scenario.Result.IsImage {
		count = len(asPicture.FindAllString(body, -1))
	}
	isRight := count == len(s.scenario.Want)
	if s.scenario.Result.IsError || len(s.scenario.May) > 0 {
		isRight = count >= len(s.scenario.Want)
	}
	switch {
	case !isRight && s.scenario.Result.IsError:
		return "the last request lacks the words of the tool's error"
	case !isRight:
		return fmt.Sprintf("the last request has %d results of %d calls", count, len(s.scenario.Want))
	case s.scenario.Result.IsError && s.api == provider.Messages && !strings.Contains(body, `"is_error":true`):
		return "the last request has the tool's error as a result without is_error"
	default:
		return ""
	}
}

// shown returns what is wrong with what the user sees.
func (s *seen) shown(told *told) string {
	switch s.scenario.Ends {
	case Failure:
		if told.failure == "" {
			return "the client reported no error"
		}
	case Refusal:
		if told.failure == "" && strings.TrimSpace(told.text) == "" {
			return "the user sees nothing of the refusal"
		}
	case Cancelled:
		if told.text != "" {
			return fmt.Sprintf("the user cancelled, and sees %.80q", told.text)
		}
	default:
		want := cmp.Or(s.scenario.Last, last)
		if told.text != want && !(s.scenario.Format != nil && isSame(told.text, want)) {
			return fmt.Sprintf("the user sees %.80q, want %q", told.text, want)
		}
	}
	return ""
}

// isSame reports whether two texts are the same JSON.
func isSame(text, other string) bool {
	var value, want any
	return json.Unmarshal([]byte(text), &value) == nil && json.Unmarshal([]byte(other), &want) == nil && reflect.DeepEqual(value, want)
}

func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
