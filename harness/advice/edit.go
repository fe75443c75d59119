package advice

import (
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
)

// Edit writes members of a schema of a tool.
type Edit struct {
	At schema.Pointer
	// Before are the members that it replaces or leaves out, and After those that it writes.
	Before, After []schema.Member
	// Loses says what the tool loses by it; empty if the schema takes the same arguments.
	Loses string
	// Widens says that the schema may then take what it refused, and Narrows that it may refuse what it took.
	Widens, Narrows bool

	param *parameter
}

// adding returns the edit that adds members to the schema of a parameter, which then refuses what it took.
func adding(param *parameter, loses string, members ...schema.Member) Edit {
	return Edit{At: param.at, After: members, Loses: loses, Narrows: true, param: param}
}

// writing returns the edit that writes members into the schema of a parameter, in place of those of the same names.
func writing(param *parameter, members ...schema.Member) Edit {
	edit := Edit{At: param.at, After: members, param: param}
	for _, member := range members {
		if before := param.schema.Get(member.Key); before != nil {
			edit.Before = append(edit.Before, schema.Member{Key: member.Key, Value: before})
		}
	}
	return edit
}

// requiredEdit returns the edit that changes which properties a schema requires.
func requiredEdit(at schema.Pointer, holder *schema.Node, names []string) Edit {
	edit := Edit{At: at}
	if before := holder.Get("required"); before != nil {
		edit.Before = []schema.Member{{Key: "required", Value: before}}
	}
	if len(names) > 0 {
		edit.After = requiring(names...).Members
	}
	return edit
}

// annotating are the keywords that stay beside branches, because they are true of all of them.
var annotating = []string{"title", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"}

// branching returns the edit that gives a parameter a further branch: its type, its description and what restricts it become
// another one. Some surfaces refuse a description beside branches.
func branching(param *parameter, branch *schema.Node) Edit {
	edit := Edit{At: param.at, param: param}
	for _, member := range param.schema.Members {
		if !slices.Contains(annotating, member.Key) {
			edit.Before = append(edit.Before, member)
		}
	}
	edit.After = []schema.Member{{Key: "anyOf", Value: schema.NewArray(schema.NewObject(edit.Before...), branch)}}
	return edit
}

// retyped returns the edit that gives a string another type, with its default and its examples converted, and its text where that
// still speaks of a string. It reports false if that is not mechanical.
func (p *parameter) retyped(name, text string, convert func(*schema.Node) *schema.Node, more ...schema.Member) (Edit, bool) {
	known := []string{"type", "description", "title", "default", "examples", "minLength"}
	isOther := func(key string) bool { return !slices.Contains(known, key) }
	description := p.schema.Get("description")
	if slices.ContainsFunc(p.schema.Keys(), isOther) || !p.schema.Get("type").Is("string") || description != nil && description.Kind != schema.String || hasWord(strings.ToLower(text), "string") {
		return Edit{}, false
	}
	members := append([]schema.Member{{Key: "type", Value: schema.NewString(name)}}, more...)
	if text != p.text {
		members = append(members, schema.Member{Key: "description", Value: schema.NewString(text)})
	}
	if fallback := p.schema.Get("default"); fallback != nil && fallback.Kind != schema.Null {
		members = append(members, schema.Member{Key: "default", Value: convert(fallback)})
	}
	if examples := p.schema.Get("examples"); examples != nil {
		converted := make([]*schema.Node, len(examples.Elements))
		for i, example := range examples.Elements {
			converted[i] = convert(example)
		}
		if slices.Contains(converted, nil) {
			return Edit{}, false
		}
		members = append(members, schema.Member{Key: "examples", Value: schema.NewArray(converted...)})
	}
	if slices.ContainsFunc(members, func(member schema.Member) bool { return member.Value == nil }) {
		return Edit{}, false
	}
	edit := writing(p, members...)
	if least := p.schema.Get("minLength"); least != nil {
		if count, err := strconv.Atoi(least.Text); err != nil || count > 1 {
			return Edit{}, false
		}
		edit.Before = append(edit.Before, schema.Member{Key: "minLength", Value: least})
	}
	edit.Widens, edit.Narrows = true, true
	return edit, true
}
