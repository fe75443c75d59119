package rules

import (
	"slices"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// ForeignType serves every provider: they know only the seven types of JSON Schema.
var ForeignType = &engine.Rule{
	Name: "foreign_type",
	Doc: `a type in the words of another language becomes one of JSON Schema

Python has dict, list, tuple, float, int, str and bool, and Java has classes. Google's proto
has upper-case names and numbers. any stands for no type at all. An unknown type goes into
the description. Sources: group bench of the corpus (BFCL, ToolBench); group live.`,
	Before:     `{"type": "dict", "properties": {"a": {"type": "float"}, "b": {"type": "any"}}}`,
	After:      `{"type": "object", "properties": {"a": {"type": "number"}, "b": {}}}`,
	Loss:       rewrite.Widens,
	Everywhere: true,
	OnTypes:    engine.Listed | engine.Foreign,
	Rewrite: func(p *engine.Pass) {
		value := p.Schema.Get("type")
		if value.Kind == schema.Array {
			foreignList(p, value)
			return
		}
		name, format := typeOfValue(value)
		switch {
		case name == anyType || value.Kind == schema.Null:
			p.Remove("type", rewrite.Exact)
		case name == "":
			p.SpillAway("type", rewrite.Widens)
		default:
			p.Set("type", engine.TypeName(name), rewrite.Exact)
			if format != "" && !p.Schema.Has("format") {
				p.Set("format", schema.NewString(format), rewrite.Exact)
			}
		}
	},
}

// foreignList corrects a list of types.
func foreignList(p *engine.Pass, list *schema.Node) {
	var names []string
	unknown, free := false, false
	for _, element := range list.Elements {
		name, _ := typeOfValue(element)
		switch {
		case name == "":
			unknown = true
		case name == anyType:
			free = true
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	switch {
	case unknown || len(list.Elements) == 0:
		// The known names alone would accept fewer values.
		p.SpillAway("type", rewrite.Widens)
	case free:
		p.Remove("type", rewrite.Exact)
	case p.Target.Typeless && slices.Equal(names, list.Strings()):
		// Such a target takes the list even if it has one name.
	case len(names) == 1:
		p.Set("type", engine.TypeName(names[0]), rewrite.Exact)
	case !slices.Equal(names, list.Strings()):
		p.Set("type", schema.NewStrings(names...), rewrite.Exact)
	}
}

// protoTypes are the numbers of google.ai.generativelanguage.v1beta.Type.
var protoTypes = map[string]string{
	"1": "string", "2": "number", "3": "integer", "4": "boolean", "5": "array", "6": "object", "7": "null",
}

// typeOfValue returns the type that a value under type stands for, or "", and the format that
// it implies.
func typeOfValue(value *schema.Node) (name, format string) {
	switch value.Kind {
	case schema.String:
		if name, format = typeNamed(value.Text); name == "" {
			name = protoTypes[value.Text]
		}
		return name, format
	case schema.Number:
		return protoTypes[value.Text], ""
	default:
		return "", ""
	}
}

// foreignTypes are type names by their lower-case spelling.
var foreignTypes = func() map[string]string {
	types := map[string]string{}
	for name, spellings := range map[string]string{
		"object":  "object dict dictionary map hashmap record struct json jsonobject mapping obj",
		"array":   "array list arraylist tuple set vector sequence jsonarray",
		"number":  "number float double decimal numeric real float32 float64 bigdecimal",
		"integer": "integer int long short byte bigint biginteger int32 int64 uint uint32 uint64",
		"string":  "string str text char character varchar bytes uri url email uuid file path date datetime date-time timestamp time enum",
		"boolean": "boolean bool",
		"null":    "null none nil nonetype void",
		anyType:   "any object|any unknown mixed variant *",
	} {
		for spelling := range strings.FieldsSeq(spellings) {
			types[spelling] = name
		}
	}
	return types
}()

// foreignFormats are the formats that some foreign types stand for.
var foreignFormats = map[string]string{
	"date": "date", "datetime": "date-time", "date-time": "date-time", "timestamp": "date-time", "time": "time",
	"uri": "uri", "url": "uri", "email": "email", "uuid": "uuid",
}

// typeNamed returns the JSON Schema type that a name stands for, anyType if it stands for all
// of them, or "" if it is unknown, and the format that it implies.
func typeNamed(text string) (name, format string) {
	spelling := strings.ToLower(strings.TrimSpace(text))
	return foreignTypes[spelling], foreignFormats[spelling]
}
