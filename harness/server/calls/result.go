package calls

import (
	"fmt"
	"slices"
	"strconv"

	"toolproof/schema"
)

// sdk names the sources of what the official clients say.
const sdk = "@modelcontextprotocol/sdk 1.32.2 and @modelcontextprotocol/client 2.4.0, callTool; lab/referees/mcp-clients asks both"

// structuredAbsent reports a result without the structuredContent that the outputSchema promises.
var structuredAbsent = &Rule{
	Name: "structured_absent", Doc: "A tool with an outputSchema returns structuredContent, unless the result is an error.", Since: "2025-06-18",
	Source: sdk, Client: "the TypeScript SDK 1.x and 2.x",
	Instead: "return structuredContent that the outputSchema accepts, or remove the outputSchema",
	check: func(e *Exchange) []fault {
		if e.Call.Tool.Entry.Get("outputSchema") == nil || e.Answer.IsError() || e.Answer.Result.Get("structuredContent") != nil {
			return nil
		}
		return whole("MCP error -32600: Tool %s has an output schema but did not return structured content", e.Call.Tool.Name)
	},
}

// mismatch begins the words of the clients about structuredContent. The words of their validator follow, in place
// of which those of this package's stand.
const mismatch = "MCP error -32602: Structured content does not match the tool's output schema: "

// mismatches returns the places of structuredContent that the outputSchema refuses.
func mismatches(e *Exchange) []fault {
	if e.Call.Tool.output == nil || e.Answer.Result == nil {
		return nil
	}
	content := e.Answer.Result.Get("structuredContent")
	if content == nil || content.Kind != schema.Object {
		return nil
	}
	problems, err := e.Call.Tool.output.Problems(content)
	if err != nil {
		return nil
	}
	var faults []fault
	for _, problem := range problems {
		faults = append(faults, fault{at: "/structuredContent" + problem.At, message: mismatch + problem.Message})
	}
	return faults
}

// structuredWrong reports structuredContent that the outputSchema refuses.
var structuredWrong = &Rule{
	Name: "structured_wrong", Doc: "The outputSchema of a tool accepts the structuredContent of its results.", Since: "2025-06-18",
	Source: sdk, Client: "the TypeScript SDK 1.x and 2.x",
	Instead: "return what the outputSchema says, or let it say what the tool returns",
	check: func(e *Exchange) []fault {
		if e.Answer.IsError() {
			return nil
		}
		return mismatches(e)
	},
}

// structuredOnError reports an error with structuredContent that the outputSchema refuses.
var structuredOnError = &Rule{
	Name: "structured_on_error", Since: "2025-06-18",
	Doc:    "The outputSchema also accepts the structuredContent of an error: the client 1.x validates it, and loses the text of the error; the client 2.x does not.",
	Source: sdk, Client: "the TypeScript SDK 1.x",
	Instead: "leave structuredContent out of results with isError true",
	check: func(e *Exchange) []fault {
		if !e.Answer.IsError() {
			return nil
		}
		return mismatches(e)
	},
}

// imageTypes are the types of images that providers take in a result of a tool.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// imageType reports an image that a client passes on and the provider refuses, with every later request of the
// session.
var imageType = &Rule{
	Name: "image_type", Since: "2026-02-06",
	Doc: "An image is PNG, JPEG, GIF or WebP. Claude Code passes on others, such as SVG: the provider refuses the request, and every later one of the " +
		"session, which has it, too.",
	Source: "https://github.com/anomalyco/opencode/issues/12519 (2026-02-06: the four types, and SVG, BMP and TIFF refused); " +
		"https://github.com/anthropics/claude-code/issues/28279 (2026-02-24: SVG)",
	Client:  "Claude Code and opencode, with the API of Anthropic",
	Instead: "return an SVG as text, or convert it to PNG",
	check: func(e *Exchange) []fault {
		if e.Answer.Result == nil || e.Answer.Result.Get("content") == nil {
			return nil
		}
		var faults []fault
		for i, block := range e.Answer.Result.Get("content").Elements {
			if named := block.GetString("mimeType"); block.GetString("type") == "image" && named != "" && !slices.Contains(imageTypes, named) {
				faults = append(faults, fault{
					at:      schema.Pointer("/content").Child(strconv.Itoa(i)).Child("mimeType"),
					message: fmt.Sprintf("an image of type %s: the session ends with it", short(named)),
				})
			}
		}
		return faults
	},
}
