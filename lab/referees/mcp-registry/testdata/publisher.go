package commands

import (
	"encoding/json"
	"errors"
	"net/http"

	apiv0 "github.com/modelcontextprotocol/registry/pkg/api/v0"
)

// Said is what the publisher and the registry say to a server.json.
type Said struct {
	// Publish is the error of mcp-publisher publish, with the body of the registry's answer; empty if the server is published.
	Publish string `json:"publish"`
	// Validate is the answer to mcp-publisher validate.
	Validate json.RawMessage `json:"validate,omitempty"`
}

// Ask publishes and validates a server.json as PublishCommand and ValidateCommand do.
func Ask(registry string, text []byte, token string) Said {
	var server apiv0.ServerJSON
	if err := errors.Join(validateJSONUnicode("server.json", text), json.Unmarshal(text, &server)); err != nil {
		return Said{Publish: err.Error()}
	}
	var said Said
	if _, status, err := publishToRegistry(registry, text, token); err != nil {
		said.Publish = err.Error()
		if status == http.StatusForbidden {
			said.Publish = "" // the name is nobody's
		}
	}
	if result, err := validateViaAPI(registry, text); err == nil {
		said.Validate, _ = json.Marshal(result)
	}
	return said
}
