package project

import (
	"strings"

	"toolproof/schema"
)

// Text returns the text of a project file with the given sources, one on each line, and
// targets. form is the URI or path of the file's schema; if empty, the file names none.
func Text(sources []Source, targets []string, normalized bool, form string) string {
	var members []string
	member := func(name, value string) { members = append(members, `  "`+name+`": `+value) }
	if form != "" {
		member("$schema", schema.NewString(form).String())
	}
	lines := make([]string, len(sources))
	for i, source := range sources {
		lines[i] = "    " + source.node().String()
	}
	member("sources", "[\n"+strings.Join(lines, ",\n")+"\n  ]")
	if len(targets) > 0 {
		member("targets", schema.NewStrings(targets...).String())
	}
	if normalized {
		member("normalized", "true")
	}
	return "{\n" + strings.Join(members, ",\n") + "\n}\n"
}

// node returns the JSON of a source in a file.
func (s Source) node() *schema.Node {
	object := func(kind string, value *schema.Node) *schema.Node {
		return schema.NewObject(schema.Member{Key: kind, Value: value})
	}
	switch {
	case len(s.Command) > 0:
		return object("command", schema.NewStrings(s.Command...))
	case len(s.Server) > 0:
		return object("server", schema.NewStrings(s.Server...))
	case s.Config != "":
		return object("config", schema.NewString(s.Config))
	default:
		return schema.NewString(s.Files)
	}
}

// String returns the JSON text of a source in a file.
func (s Source) String() string { return s.node().String() }
