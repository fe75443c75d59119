package wrap

import (
	"slices"

	"toolproof/harness/agent/client"
	"toolproof/normalizers"
)

// surfaces are the pipelines for the surfaces of clients, by their names there.
var surfaces = map[string]*normalizers.Pipeline{
	"chat":      normalizers.OpenAI,
	"responses": normalizers.OpenAIResponses,
	"messages":  normalizers.Anthropic,
	"gemini":    normalizers.GeminiJSON,
}

// TargetOf returns the pipeline for a client by the name with which it introduces itself: that of the
// only surface of a client that was measured to leave tools as they are, and Portable for any other.
// What the client puts in front of a name has as much room as in the name of a portable tool.
func TargetOf(introduced string) *normalizers.Pipeline {
	row := client.Introduced(introduced)
	if row == nil || row.Run == nil || len(row.Run.Surfaces) != 1 || slices.ContainsFunc(row.Run.Treatments, client.Treatment.Changes) {
		return normalizers.Portable
	}
	pipeline := surfaces[row.Run.Surfaces[0].Name]
	if row.Run.Prefix == "" {
		return pipeline
	}
	return pipeline.For(pipeline.Name(), normalizers.Limits{NameLength: normalizers.Portable.Limits().NameLength})
}
