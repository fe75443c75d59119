package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// The drafts whose forms the rules write: the one that has prefixItems, and the oldest one that has all
// the other forms.
const (
	draft2020 = "https://json-schema.org/draft/2020-12/schema"
	draft7    = "http://json-schema.org/draft-07/schema#"
)

// SchemaDialect serves targets that take $schema.
var SchemaDialect = &engine.Rule{
	Name: "schema_dialect",
	Doc: `a $schema of an older draft becomes the draft whose forms the schema has

upgrade_draft writes prefixItems, which a reader of draft 7 would ignore: $schema becomes
draft 2020-12. A reader of draft 4 would refuse exclusive bounds that are numbers: for these
and other forms $schema becomes draft 7, and an id of draft 4 becomes $id. Drafts 4 to 7
refuse an empty enum, which becomes a not, and a repeated value, which stays once. Keywords
that the older draft ignored begin to count. Sources:
https://json-schema.org/draft/2020-12/release-notes and
https://json-schema.org/draft-06/json-schema-release-notes.`,
	Before: `{"$schema": "http://json-schema.org/draft-04/schema#", "id": "a", "type": "number", "exclusiveMinimum": 1}`,
	After:  `{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "a", "type": "number", "exclusiveMinimum": 1}`,
	Loss:   rewrite.Both,
	On:     []string{"$schema"},
	Moves:  true,
	Rewrite: func(p *engine.Pass) {
		dialect := p.Schema.GetString("$schema")
		isDraft4 := strings.Contains(dialect, "draft-04/") || strings.Contains(dialect, "draft-03/")
		if isDraft4 || strings.Contains(dialect, "draft-06/") || strings.Contains(dialect, "draft-07/") {
			repairEnums(p)
		}
		switch {
		case !strings.Contains(dialect, "json-schema.org") || dialect == draft2020:
		case p.HasAnywhere("prefixItems") && !engine.Has[OldDrafts](p.Target):
			becomeDialect(p, draft2020, isDraft4)
		case isDraft4 && outgrowsDraft4(p.Schema):
			becomeDialect(p, draft7, isDraft4)
		}
	},
}

// repairEnums removes repeated values from each enum, and replaces an empty enum by a not.
func repairEnums(p *engine.Pass) {
	p.Schema.Each(func(node *schema.Node) bool {
		enum := node.Get("enum")
		if enum == nil || enum.Kind != schema.Array {
			return true
		}
		values := unitedValues(p, []*schema.Node{node})
		switch {
		case len(values.Elements) == 0:
			p.Below(node, "").Replace("enum", "not", schema.NewObject(), rewrite.Exact)
		case len(values.Elements) < len(enum.Elements):
			p.Below(node, "").Set("enum", values, rewrite.Exact)
		}
		return true
	})
}

// becomeDialect names another dialect and rewrites keywords that have another form there.
func becomeDialect(p *engine.Pass, dialect string, isDraft4 bool) {
	p.Set("$schema", schema.NewString(dialect), lossIf(beginsToCount(p.Schema, dialect, isDraft4), rewrite.Both))
	p.Schema.Each(func(node *schema.Node) bool {
		below := p.Below(node, "")
		if id := node.Get("id"); isDraft4 && id != nil && id.Kind == schema.String && !node.Has("$id") {
			below.Replace("id", "$id", id, rewrite.Exact)
		}
		if dialect == draft2020 {
			upgradeDependencies(below)
		}
		return true
	})
}

// beginsToCount reports whether the given schema has a keyword that its draft ignores and the new
// dialect does not.
func beginsToCount(root *schema.Node, dialect string, isDraft4 bool) bool {
	var later []string
	if isDraft4 {
		later = []string{"const", "contains", "propertyNames", "if", "$id"}
	}
	if dialect == draft2020 {
		later = append(later, "prefixItems", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties")
	}
	found := false
	root.Each(func(node *schema.Node) bool {
		isLater := func(keyword string) bool { return node.Has(keyword) && node.From.Has(keyword) }
		isBeside := dialect == draft2020 && node.Has("$ref") && slices.ContainsFunc(node.Members, func(member schema.Member) bool {
			return member.Key != "$ref" && !schema.IsAnnotation(member.Key) && !schema.IsMeta(member.Key)
		})
		found = found || isBeside || slices.ContainsFunc(later, isLater)
		return !found
	})
	return found
}

// outgrowsDraft4 reports whether a schema has a form that draft 4 refuses and later drafts
// accept.
func outgrowsDraft4(root *schema.Node) bool {
	found := false
	root.Each(func(node *schema.Node) bool {
		found = found || node.Kind == schema.Bool
		for _, member := range node.Members {
			switch member.Key {
			case "exclusiveMinimum", "exclusiveMaximum":
				found = found || member.Value.Kind == schema.Number
			case "additionalProperties", "additionalItems":
				// Draft 4 takes true and false here.
			case "required":
				found = found || member.Value.Kind == schema.Array && len(member.Value.Elements) == 0
			case "dependencies":
				found = found || slices.ContainsFunc(member.Value.Members, func(entry schema.Member) bool {
					return entry.Value.Kind == schema.Array && len(entry.Value.Elements) == 0
				})
			}
		}
		return !found
	})
	return found
}
