package main

import (
	"strings"

	"toolproof/schema"
)

// oddities are members of a tool, beside its name and, unless they have one, an inputSchema.
var oddities = strings.Split(strings.TrimSpace(`
"title":1
"title":null
"description":null
"annotations":null
"annotations":{"title":1,"readOnlyHint":"true","openWorldHint":null}
"icons":1
"icons":[{}]
"icons":[{"src":"a:b","sizes":"1x1"}]
"icons":[{"src":"a:b","theme":"blue"}]
"execution":{"taskSupport":"optional"}
"execution":{"taskSupport":"never"}
"execution":null
"_meta":null
"inputSchema":null
"inputSchema":true
"inputSchema":{}
"inputSchema":{"type":"string"}
"inputSchema":{"type":["object","null"]}
"inputSchema":{"anyOf":[{"type":"object"}]}
"inputSchema":{"type":"object","properties":[]}
"inputSchema":{"type":"object","properties":{"a":true}}
"inputSchema":{"type":"object","properties":{"a":1}}
"inputSchema":{"type":"object","required":"a"}
"inputSchema":{"type":"object","required":[1]}
"inputSchema":{"type":"object","$schema":1}
"inputSchema":{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}
"inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"},"b":{"type":"any","pattern":"("}}}
"inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}
"inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":null}}}
"inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"a b"}}}
"inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}
"inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}
"inputSchema":{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}],"x-mcp-header":"A"}}}
"inputSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}
"inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}
"inputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string","x-mcp-header":"A"}}}
"inputSchema":{"type":"object","x-mcp-header":"A"}
"outputSchema":null
"outputSchema":true
"outputSchema":{}
"outputSchema":{"type":"array"}
"outputSchema":{"type":"object","$schema":1}
"outputSchema":{"type":"object","$schema":""}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/schema#"}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/draft-03/schema#"}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/draft-06/schema#"}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/draft-07/schema#"}
"outputSchema":{"type":"object","$schema":"https://json-schema.org/draft-07/schema"}
"outputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2019-09/schema"}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/draft/2020-12/schema#"}
"outputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2020-12/schema##"}
"outputSchema":{"type":"object","$schema":"https://example.com/`+strings.Repeat("long/", 60)+`schema"}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"array","items":[{"type":"string"}],"additionalItems":1}}}
"outputSchema":{"type":"object","$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"minContains":"1","dependentRequired":1,"unevaluatedProperties":1}}}
"outputSchema":{"type":"object","$schema":"https://json-schema.org/draft/2019-09/schema","properties":{"a":{"type":"array","items":[{"type":"string"}],"prefixItems":1}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}
"outputSchema":{"type":"object","properties":{"a":{"prefixItems":{}}}}
"outputSchema":{"type":"object","properties":{"a":{"prefixItems":[{"type":"any"}]}}}
"outputSchema":{"type":"object","properties":{"a":{"unevaluatedProperties":{"type":"any"}}}}
"outputSchema":{"type":"object","properties":{"a":{"dependentSchemas":{"b":{"type":"any"}}}}}
"outputSchema":{"type":"object","properties":{"a":{"dependentRequired":1}}}
"outputSchema":{"type":"object","properties":{"a":{"contains":{},"minContains":"1"}}}
"outputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/a.json"}}}
"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}
"outputSchema":{"type":"object","properties":{"a":{"$ref":"http://json-schema.org/draft-07/schema#"}}}
"outputSchema":{"type":"object","properties":{"a":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"any"}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"(?i)a"}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"^\\d{3}\\-\\d+$"}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"[\\w-.]"}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"\\p{Letter}\\Z"}}}
"outputSchema":{"type":"object","properties":{"a":{"patternProperties":{"(":{}}}}}
"outputSchema":{"type":"object","properties":{"a":{"patternProperties":{"(":{"type":"string"}}}}}
"outputSchema":{"type":"object","properties":{"a":{"patternProperties":{"(":{}},"additionalProperties":false}}}
"outputSchema":{"type":"object","properties":{"a":{"patternProperties":{"(":{}},"additionalProperties":true}}}
"outputSchema":{"type":"object","properties":{"a":{"enum":[]}}}
"outputSchema":{"type":"object","properties":{"a":{"minimum":"1"}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"number","minimum":1,"exclusiveMinimum":true}}}
"outputSchema":{"type":"object","properties":{"a":{"type":"string","required":true}}}
"outputSchema":{"type":"object","properties":{"a":{"id":"x"}}}
"outputSchema":{"type":"object","properties":{"a":{"nullable":true}}}
"outputSchema":{"type":"object","properties":{"a":{"propertyNames":1}}}
"outputSchema":{"type":"object","properties":{"a":true}}
"outputSchema":{"type":"object","properties":{"a":1}}
"outputSchema":{"type":"object","properties":[]}
"outputSchema":{"type":"object","required":["a","a"]}
"outputSchema":{"type":"object","required":[1]}
"outputSchema":{"type":"object","if":{"type":"any"},"then":{}}
"outputSchema":{"type":"object","dependencies":{"a":{"type":"any"}}}
`), "\n")

// named are names of tools that clients take or refuse.
var named = []string{`1`, `null`, `""`, `"a b,c"`, `"` + strings.Repeat("long", 50) + `"`}

// writtenLists returns lists of a tool with an oddity and one without.
func writtenLists() []question {
	second := parsed(`{"name":"g","inputSchema":{"type":"object"}}`)
	tools := []*schema.Node{parsed(`{"inputSchema":{"type":"object"}}`), parsed(`{"name":"f"}`), parsed(full)}
	for _, name := range named {
		tools = append(tools, parsed(`{"name":`+name+`,"inputSchema":{"type":"object"}}`))
	}
	for _, oddity := range oddities {
		tool := parsed(`{"name":"f",` + oddity + `}`)
		if !tool.Has("inputSchema") {
			tool.Set("inputSchema", parsed(`{"type":"object"}`))
		}
		tools = append(tools, tool)
	}
	var all []question
	for _, tool := range tools {
		all = append(all, listOf(len(all), tool, second))
	}
	return all
}
