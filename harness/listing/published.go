package listing

import (
	_ "embed" // server.schema.json
	"fmt"
	"sync"

	"toolproof/schema"
	"toolproof/schema/instance"
)

// published is the schema of server.json of 2025-12-11, as the registry has it. It is under the license of that project.
//
//go:embed server.schema.json
var published []byte

var readPublished = sync.OnceValue(func() *instance.Schema {
	node, err := schema.Parse(published)
	if err != nil {
		return nil // a test uses it
	}
	compiled, err := instance.Compile(node)
	if err != nil {
		return nil
	}
	return compiled
})

var schemaOld = &Rule{
	Name: "schema_old", Stage: Remark, Since: "2026-03-06",
	Doc:     "$schema names the current schema\n\nThe registry publishes a server with an older one, and mcp-publisher warns. By the older schema nothing is judged here.",
	Source:  source + "internal/validators/schema.go; pkg/model/constants.go",
	Instead: "write " + currentURL,
	check: func(r *reading) []fault {
		version := versionOf(r.sent)
		if _, isNewer := newerSchema(r.sent); text(r.sent, "$schema") == currentURL || isNewer {
			return nil
		}
		return []fault{{at: "/$schema", message: fmt.Sprintf(
			"schema version %s is not the current version (%s). Consider updating to the latest schema version", version, current,
		)}}
	},
}

var schemaRefuses = &Rule{
	Name: "schema_refuses", Stage: Remark, Since: "2025-12-11",
	Doc: `the published JSON Schema takes the file

Editors show what the schema refuses, and mcp-publisher validate refuses most of it. A publication is not judged by the schema: the registry takes an icon
of the size 48, for which the schema wants 48x48, and an environment variable without a name, which it publishes with an empty one.`,
	Source:  "https://static.modelcontextprotocol.io/schemas/" + current + "/server.schema.json, as " + source + "has it in internal/validators/schemas",
	Instead: "write what the schema takes",
	check: func(r *reading) []fault {
		if text(r.sent, "$schema") != currentURL {
			return nil
		}
		problems, err := readPublished().Problems(r.given)
		if err != nil {
			return nil // too large to judge
		}
		var faults []fault
		for _, problem := range problems {
			faults = append(faults, fault{at: problem.At, message: "the published JSON Schema refuses it: " + problem.Message})
		}
		return faults
	},
}
