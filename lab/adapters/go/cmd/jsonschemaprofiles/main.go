// Command jsonschemaprofiles is the adapter of a schema checker that also coerces schemas. With
// --check it returns a tool unchanged or refuses it.
package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"

	jsp "github.com/UnitVectorY-Labs/jsonschemaprofiles"

	"toolproof/lab/adapters/protocol"
)

func main() {
	isCheck := slices.Contains(os.Args, "--check")
	surfaces := map[string]func(protocol.Tool) (protocol.Tool, error){}
	for surface, profile := range map[string]jsp.ProfileID{
		"gemini/parameters": jsp.GEMINI_202602, "gemini/responseJsonSchema": jsp.GEMINI_202602,
		"openai/chat-strict": jsp.OPENAI_202602, "openai/responses-strict": jsp.OPENAI_202602,
		"openai/response_format": jsp.OPENAI_202602, "openai/text_format": jsp.OPENAI_202602,
	} {
		surfaces[surface] = func(tool protocol.Tool) (protocol.Tool, error) {
			text, err := json.Marshal(tool.Parameters)
			if err != nil {
				return tool, err
			}
			if isCheck {
				return tool, check(profile, text)
			}
			coerced, _, _, err := jsp.CoerceSchema(profile, text, &jsp.CoerceOptions{Mode: jsp.CoerceModeConservative})
			if err != nil {
				return tool, err
			}
			tool.Parameters, tool.Strict = json.RawMessage(coerced), true
			return tool, nil
		}
	}
	protocol.Serve(protocol.Adapter{
		Name: "jsonschemaprofiles", Module: "github.com/UnitVectorY-Labs/jsonschemaprofiles",
		Note: "CoerceSchema in its conservative mode", Checks: true, Surfaces: surfaces,
	})
}

// check returns an error for a schema that the profile refuses.
func check(profile jsp.ProfileID, text []byte) error {
	report, err := jsp.ValidateSchema(profile, text, nil)
	if err != nil {
		return err
	}
	if !report.Valid {
		return errors.New(report.Text())
	}
	return nil
}
