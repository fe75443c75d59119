package main

import (
	"regexp"
	"slices"
	"strings"

	"toolproof/schema"
)

// difference is a known difference between ajv and the harness, with the reason.
type difference struct {
	name, why string
	// explains reports whether it accounts for a difference about an instance or, if instance
	// is -1, about a schema that only one of them can compile.
	explains func(q question, a answer, instance int) bool
}

var differences = []difference{{
	name: "reference_loop",
	why:  `ajv follows references that lead to themselves alone until its stack is full`,
	explains: func(_ question, a answer, instance int) bool {
		said := any(a.Error)
		if instance >= 0 {
			said = a.Answers[instance]
		}
		return said == "Maximum call stack size exceeded"
	},
}, {
	name: "dynamic_reference",
	why: `ajv finds a dynamic anchor only in the schemas that it has gone through, and takes
the root where there is none`,
	explains: func(q question, _ answer, instance int) bool {
		return instance >= 0 && hasKeyword(q.schema, "$dynamicRef")
	},
}, {
	name: "pattern",
	why: `the harness also reads the patterns of Go and Python, such as (?i)a and (?P<name>a), which
ECMAScript does not have, and none that needs backtracking and is very long`,
	explains: func(q question, a answer, instance int) bool {
		if instance >= 0 {
			return false
		}
		return q.err != nil && strings.Contains(q.err.Error(), "is not valid regex") ||
			q.err == nil && invalidGroup.MatchString(a.Error)
	},
}, {
	name: "reference_into_value",
	why:  `ajv finds no schema in a value, such as that of default; the harness follows a reference there`,
	explains: func(q question, a answer, instance int) bool {
		found := unresolved.FindStringSubmatch(a.Error)
		if instance >= 0 || q.err != nil || found == nil {
			return false
		}
		at := schema.Pointer(found[1])
		inValue := slices.ContainsFunc(at.Tokens(), func(token string) bool { return schema.ClassOf(token) == schema.Data })
		return inValue && q.schema.Find(at) != nil
	},
}}

// unresolved matches ajv's error about a reference to a place in the schema itself.
var unresolved = regexp.MustCompile(`^can't resolve reference #(/\S*) from id #$`)

// invalidGroup matches ajv's error about a pattern with a group or flags that ECMAScript does not have.
var invalidGroup = regexp.MustCompile(`^Invalid regular expression: .*: Invalid group$`)

// hasKeyword reports whether a schema or a subschema has a keyword.
func hasKeyword(root *schema.Node, keyword string) bool {
	found := false
	root.Each(func(node *schema.Node) bool {
		found = found || slices.Contains(node.Keys(), keyword)
		return !found
	})
	return found
}
