package project

import (
	"strings"

	"toolproof/schema"
)

// Text returns the text of a file with these sources and targets, each source on a line.
// form is the address or path of the schema; without it the text names none.
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

// node returns a source as a file has it.
func (s Source) node() *schema.Node {
	of := func(kind string, value *schema.Node) *schema.Node {
		return schema.NewObject(schema.Member{Key: kind, Value: value})
	}
	switch {
	case len(s.Command) > 0:
		return of("command", schema.NewStrings(s.Command...))
	case len(s.Server) > 0:
		return of("server", schema.NewStrings(s.Server...))
	case s.Config != "":
		return of("config", schema.NewString(s.Config))
	default:
		return schema.NewString(s.Files)
	}
}

// String returns a source as a file has it.
func (s Source) String() string { return s.node().String() }
