package compatible

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
)

// envelope describes the JSON of a provider's refusals.
type envelope struct {
	// wrapped says that the body has the error in a member called error.
	wrapped bool
	// kind is the type of the error, or "", and kinds has other types by code.
	kind  string
	kinds map[string]string
	// object is the value of the member object, or "".
	object string
	// hasNulls says that an unknown param or code is null rather than absent.
	hasNulls bool
	// bodies says that a refusal may be a list of details, as a Python library writes it.
	// Its message is the whole body.
	bodies bool
	// gateway says that the surface is a gateway, whose errors have the refusal of the
	// provider behind it in metadata.raw.
	gateway bool
	// text says that the error is a text rather than an object.
	text bool
	// about matches refusals that are about a declaration.
	about *lazy.Regexp
}

var (
	groqErrors     = envelope{wrapped: true, kind: "invalid_request_error", about: lazy.Compile(`^invalid (?:JSON )?schema|^Invalid schema`)}
	deepSeekErrors = envelope{
		wrapped: true, kind: "invalid_request_error", hasNulls: true, about: lazy.Compile(`^Invalid schema|target type: tools\[|^Invalid 'tools\[`),
	}
	cerebrasErrors = envelope{kind: "invalid_request_error", about: lazy.Compile(`^Object fields|^Invalid fields for schema|^Unsupported JSON schema`)}
	moonshotErrors = envelope{
		wrapped: true, kind: "invalid_request_error",
		about: lazy.Compile(`moonshot flavored json schema|tools\.function\.parameters\.type is required|function name is invalid`),
	}
	xaiErrors     = envelope{about: lazy.Compile(`Invalid function schema|tool parameter root must be`)}
	bedrockErrors = envelope{about: lazy.Compile(`toolConfig[./]tools|tools\.\d+\.custom`)}
)

// errorBody is the JSON of a refusal, without the members that a provider does not have.
type errorBody struct {
	Object  string  `json:"object,omitempty"`
	Message string  `json:"message"`
	Type    string  `json:"type,omitempty"`
	Param   *string `json:"param,omitempty"`
	Code    *string `json:"code,omitempty"`
}

// readBody has the members of a refusal that are read.
type readBody struct {
	Message string `json:"message"`
	Param   any    `json:"param"`
	Code    any    `json:"code"`
}

// withNulls is errorBody with param and code always present.
type withNulls struct {
	Object  string  `json:"object,omitempty"`
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (e envelope) render(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	if e.bodies && strings.HasPrefix(response.Message, "{") {
		return []byte(response.Message)
	}
	if e.gateway {
		return renderPassedOn(response)
	}
	if e.text {
		return provider.AnswerBody(map[string]any{"error": response.Message})
	}
	body := errorBody{Object: e.object, Message: response.Message, Type: cmp.Or(e.kinds[response.Code], e.kind)}
	if response.Param != "" {
		body.Param = &response.Param
	}
	if response.Code != "" {
		body.Code = &response.Code
	}
	var value any = body
	if e.hasNulls {
		value = withNulls(body)
	}
	if e.wrapped {
		value = map[string]any{"error": value}
	}
	return provider.AnswerBody(value)
}

// renderPassedOn makes the body of a gateway's refusal, which quotes the provider behind it.
func renderPassedOn(response provider.Response) []byte {
	raw := provider.AnswerBody(map[string]any{"error": errorBody{Message: response.Message}})
	return provider.AnswerBody(map[string]any{"error": map[string]any{
		"message": "Provider returned error", "code": response.Status, "metadata": map[string]any{"raw": string(raw)},
	}})
}

// classifyPassedOn reads the refusal of the provider behind a gateway.
func (e envelope) classifyPassedOn(status int, data []byte) (provider.Response, error) {
	response := provider.ParsePasted(string(data))
	response.Status = status
	if status != 400 && status != 422 || !e.about.MatchString(response.Message) {
		return provider.Response{}, fmt.Errorf("status %d: %w", status, provider.ErrNothingLearnt)
	}
	return response, nil
}

func (e envelope) classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	if e.gateway {
		return e.classifyPassedOn(status, data)
	}
	var body struct {
		readBody
		Error  json.RawMessage `json:"error"`
		Detail json.RawMessage `json:"detail"`
	}
	err := json.Unmarshal(data, &body)
	if err == nil && e.bodies && len(body.Detail) > 0 {
		body.Message = `{"detail":` + string(body.Detail) + "}"
	}
	if err == nil && len(body.Error) > 0 {
		if text := ""; json.Unmarshal(body.Error, &text) == nil {
			body.Message = text
		} else {
			err = json.Unmarshal(body.Error, &body.readBody)
		}
	}
	if err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if status != 400 && status != 422 || !e.about.MatchString(body.Message) {
		return provider.Response{}, fmt.Errorf("status %d: %w", status, provider.ErrNothingLearnt)
	}
	response := provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Message}
	response.Param, _ = body.Param.(string)
	response.Code, _ = body.Code.(string) // some providers put the status here, as a number
	return response, nil
}
