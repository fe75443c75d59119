package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ToolMembers serves targets that publish tools.
var ToolMembers = &engine.Rule{
	Name: "tool_members",
	Doc: `a member of a tool that the protocol types otherwise is corrected, or left out

The members are title, icons, annotations, execution and _meta. A null is removed, and the
text true becomes the boolean. A single icon becomes a list, and sizes in one text become a
list. A title that is no text becomes its JSON. Any other value is removed, so that it costs
no other tool of the list. Members with which a client tells a provider how to treat a tool, such as
cache_control and behavior, are no members of a tool that a server publishes, and are left out.
Sources: rules title_type, icons_type, annotations_type, execution_type and meta_type of mcp/inputSchema.`,
	Before: `{"name": "f", "title": null, "annotations": {"readOnlyHint": "true", "openWorldHint": 1}, "icons": {"src": "https://example.com/a.png"}, "behavior": "BLOCKING"}`,
	After:  `{"name": "f", "annotations": {"readOnlyHint": true}, "icons": [{"src": "https://example.com/a.png"}]}`,
	Loss:   rewrite.Exact,
	Tool: func(p *engine.Pass) {
		for _, name := range schema.ProviderMembers {
			if p.Schema.Has(name) {
				p.Remove(name, rewrite.Exact)
			}
		}
		localize(p, "title")
		mend(p, "title", schema.String)
		if annotations := mend(p, "annotations", schema.Object); annotations != nil {
			below := p.Below(annotations, "annotations")
			mend(below, "title", schema.String)
			for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
				mend(below, hint, schema.Bool)
			}
		}
		if execution := mend(p, "execution", schema.Object); execution != nil {
			mendWord(p.Below(execution, "execution"), "taskSupport", "required", "optional", "forbidden")
		}
		mend(p, "_meta", schema.Object)
		mendIcons(p)
	},
}

// mend gives a member of an object a value of the kind, or removes the member. It returns the
// value, or nil.
func mend(p *engine.Pass, name string, kind schema.Kind) *schema.Node {
	value := p.Schema.Get(name)
	if value == nil || value.Kind == kind {
		return value
	}
	var mended *schema.Node
	switch {
	case value.Kind == schema.Null:
	case kind == schema.String:
		mended = schema.NewString(value.String())
	case kind == schema.Bool && value.Kind == schema.String && isFlag(value):
		mended = schema.NewBool(value.Text == "true")
	default:
	}
	if mended == nil {
		p.Remove(name, rewrite.Exact)
		return nil
	}
	p.Set(name, mended, rewrite.Exact)
	return mended
}

// mendWord removes a member unless its value is one of the words.
func mendWord(p *engine.Pass, name string, words ...string) {
	if value := p.Schema.Get(name); value != nil && (value.Kind != schema.String || !slices.Contains(words, value.Text)) {
		p.Remove(name, rewrite.Exact)
	}
}

// mendIcons makes icons a list of objects with src.
func mendIcons(p *engine.Pass) {
	icons := p.Schema.Get("icons")
	switch {
	case icons == nil:
		return
	case icons.Kind == schema.Object || icons.Kind == schema.String:
		icons = schema.NewArray(icons)
		p.Set("icons", icons, rewrite.Exact)
	case icons.Kind != schema.Array:
		p.Remove("icons", rewrite.Exact)
		return
	}
	p.Charge(len(icons.Elements))
	if kept := slices.Collect(iconsOf(icons)); len(kept) < len(icons.Elements) || !slices.Equal(kept, icons.Elements) {
		if len(kept) == 0 {
			p.Remove("icons", rewrite.Exact)
			return
		}
		icons = schema.NewArray(kept...)
		p.Set("icons", icons, rewrite.Exact)
	}
	for _, icon := range icons.Elements {
		below := p.Below(icon, "icons")
		mend(below, "mimeType", schema.String)
		mendWord(below, "theme", "light", "dark")
		switch sizes := icon.Get("sizes"); {
		case sizes == nil:
		case sizes.Kind == schema.String:
			below.Set("sizes", schema.NewStrings(strings.Fields(sizes.Text)...), rewrite.Exact)
		case sizes.Kind != schema.Array:
			below.Remove("sizes", rewrite.Exact)
		case !every(sizes.Elements, isStringValue):
			below.Set("sizes", schema.NewStrings(sizes.Strings()...), rewrite.Exact)
		}
	}
}

// iconsOf yields the icons in a list; a string is the address of an icon.
func iconsOf(list *schema.Node) func(yield func(*schema.Node) bool) {
	return func(yield func(*schema.Node) bool) {
		for _, icon := range list.Elements {
			if icon.Kind == schema.String {
				icon = schema.NewObject(schema.Member{Key: "src", Value: icon})
			}
			if src := icon.Get("src"); src != nil && src.Kind == schema.String && !yield(icon) {
				return
			}
		}
	}
}
