package compatible

import (
	"encoding/json"
	"fmt"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
)

// envelope is the form of a provider's refusal.
type envelope struct {
	// wrapped says that the error stands below the name error.
	wrapped bool
	// kind is what the error calls its type, or "".
	kind string
	// hasNulls says that param and code are written where there are none.
	hasNulls bool
	// about are the words of refusals that are about a declaration.
	about *lazy.Regexp
}

var (
	groqErrors     = envelope{wrapped: true, kind: "invalid_request_error", about: lazy.Compile(`^invalid (?:JSON )?schema|^Invalid schema`)}
	deepSeekErrors = envelope{
		wrapped: true, kind: "invalid_request_error", hasNulls: true, about: lazy.Compile(`^Invalid schema|target type: tools\[`),
	}
	cerebrasErrors = envelope{kind: "invalid_request_error", about: lazy.Compile(`^Object fields|^Invalid fields for schema|^Unsupported JSON schema`)}
	moonshotErrors = envelope{wrapped: true, kind: "invalid_request_error", about: lazy.Compile(`moonshot flavored json schema|tools\.function\.parameters\.type is required`)}
	xaiErrors      = envelope{about: lazy.Compile(`Invalid function schema|tool parameter root must be`)}
	bedrockErrors  = envelope{about: lazy.Compile(`toolConfig[./]tools|\.input_schema`)}
)

// errorBody is a refusal; what a provider does not have is left out.
type errorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type,omitempty"`
	Param   *string `json:"param,omitempty"`
	Code    *string `json:"code,omitempty"`
}

// withNulls is errorBody with param and code in any case.
type withNulls struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

func (e envelope) render(response provider.Response) []byte {
	if response.Verdict == provider.Accepted {
		return []byte("{}")
	}
	body := errorBody{Message: response.Message, Type: e.kind}
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
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings alone: cannot fail
	}
	return text
}

func (e envelope) classify(status int, data []byte) (provider.Response, error) {
	if status/100 == 2 {
		return provider.Response{Verdict: provider.Accepted, Status: status}, nil
	}
	var body struct {
		errorBody
		Error json.RawMessage `json:"error"`
	}
	err := json.Unmarshal(data, &body)
	if err == nil && len(body.Error) > 0 {
		if text := ""; json.Unmarshal(body.Error, &text) == nil {
			body.Message = text
		} else {
			err = json.Unmarshal(body.Error, &body.errorBody)
		}
	}
	if err != nil {
		return provider.Response{}, fmt.Errorf("reading an answer of status %d: %w", status, err)
	}
	if status != 400 && status != 422 || !e.about.MatchString(body.Message) {
		return provider.Response{}, fmt.Errorf("status %d: %w", status, provider.ErrNothingLearnt)
	}
	response := provider.Response{Verdict: provider.Rejected, Status: status, Message: body.Message}
	if body.Param != nil {
		response.Param = *body.Param
	}
	if body.Code != nil {
		response.Code = *body.Code
	}
	return response, nil
}
