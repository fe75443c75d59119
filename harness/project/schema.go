package project

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"toolproof/schema"
)

//go:embed toolproof.schema.json
var outline []byte

// Names are the names that a file may refer to. Targets may also be matched by patterns. Months are those that
// have requirements.
type Names struct{ Targets, Rules, Months []string }

// Schema returns the JSON Schema of a file that refers to these names. Read validates with it,
// and it is published for editors.
func (n Names) Schema() *schema.Node {
	root, err := schema.Parse(outline)
	if err != nil {
		panic(err) // embedded in the program
	}
	root.Find("/$defs/target/anyOf/0").Set("enum", schema.NewStrings(n.Targets...))
	root.Find("/$defs/rule").Set("enum", schema.NewStrings(n.Rules...))
	root.Find("/properties/requirements").Set("enum", schema.NewStrings(n.Months...))
	return root
}

// maxMistakes is the largest number of mistakes reported.
const maxMistakes = 20

// longestNumber is the longest spelling of a number. A short number with a large exponent would
// keep the validator busy.
const longestNumber = 7

// mistakes returns the mistakes that the schema finds in a file.
func (n Names) mistakes(root *schema.Node) MistakesError {
	form := n.Schema()
	if least := root.Get("minTools"); least != nil && least.Kind == schema.Number && len(least.Text) > longestNumber {
		return MistakesError{{At: "/minTools", Position: least.Position, What: "the number is too long"}}
	}
	const address = "mem:///toolproof.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(address, form.Value()); err != nil {
		panic(err) // embedded in the program
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](compiler.MustCompile(address).Validate(root.Value()))
	if !ok {
		return nil
	}
	reader := reader{root: root, form: form}
	reader.read(invalid)
	slices.SortStableFunc(reader.mistakes, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
	})
	return reader.mistakes[:min(len(reader.mistakes), maxMistakes)]
}

// unmatched returns a mistake for each pattern that matches no target, which a schema cannot
// tell.
func (n Names) unmatched(root *schema.Node) MistakesError {
	var mistakes MistakesError
	look := func(at schema.Pointer) {
		node := root.Find(at)
		if node == nil || slices.ContainsFunc(n.Targets, func(name string) bool { return matches(node.Text, name) }) {
			return
		}
		mistakes = append(mistakes, Mistake{At: at, Position: node.Position, What: fmt.Sprintf("no target matches %q", node.Text), Word: strings.Trim(node.Text, "*"), Known: n.Targets})
	}
	if targets := root.Get("targets"); targets != nil {
		for i := range targets.Elements {
			look(schema.Pointer("/targets").Element(i))
		}
	}
	if ignores := root.Get("ignore"); ignores != nil {
		for i := range ignores.Elements {
			look(schema.Pointer("/ignore").Element(i).Child("target"))
		}
	}
	return mistakes
}

// reader converts the validator's errors to mistakes.
type reader struct {
	root, form *schema.Node
	mistakes   MistakesError
}

// read converts the innermost errors. Where a value could have one of several forms, it takes
// the first as the intended one.
func (r *reader) read(invalid *jsonschema.ValidationError) {
	at := schema.Pointer("")
	for _, token := range invalid.InstanceLocation {
		at = at.Child(token)
	}
	causes := invalid.Causes
	switch found := invalid.ErrorKind.(type) {
	case *kind.AnyOf:
		causes = causes[:1]
	case *kind.PropertyNames: // the validator does not tell its place
		at = "/severity"
		r.add(Mistake{At: at.Child(found.Property), What: fmt.Sprintf("unknown rule %q", found.Property), Word: found.Property, Known: r.form.Find("/$defs/rule/enum").Strings()})
		return
	default:
	}
	for _, cause := range causes {
		r.read(cause)
	}
	if len(causes) == 0 {
		r.mistake(at, invalid)
	}
}

// mistake adds the mistakes of an error without causes.
func (r *reader) mistake(at schema.Pointer, invalid *jsonschema.ValidationError) {
	described := r.described(invalid.SchemaURL)
	switch found := invalid.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range found.Properties {
			r.add(Mistake{At: at.Child(name), What: fmt.Sprintf("unknown member %q", name), Word: name, Known: described.Get("properties").Keys()})
		}
	case *kind.Required:
		for _, name := range found.Missing {
			r.add(Mistake{At: at, What: name + " is missing"})
		}
	case *kind.Enum:
		r.name(at, found, described)
	case *kind.Type:
		r.add(Mistake{At: at, What: fmt.Sprintf("this is %s and must be %s", withArticle(found.Got), alternatives(found.Want))})
	case *kind.Format, *kind.Pattern:
		value := r.root.Find(at)
		r.add(Mistake{At: at, What: fmt.Sprintf("%q is not valid: %s", value.Text, described.GetString("description"))})
	default:
		r.add(Mistake{At: at, What: limits(found) + described.GetString("description")})
	}
}

// name adds the mistake of an unknown name.
func (r *reader) name(at schema.Pointer, found *kind.Enum, described *schema.Node) {
	word := fmt.Sprint(found.Got)
	known := make([]string, len(found.Want))
	for i, name := range found.Want {
		known[i] = fmt.Sprint(name)
	}
	r.add(Mistake{At: at, What: fmt.Sprintf("unknown %s %q", described.GetString("title"), word), Word: word, Known: known})
}

// limits describes the limit that a value violates.
func limits(found jsonschema.ErrorKind) string {
	switch found.(type) {
	case *kind.MinItems, *kind.MinLength, *kind.MinProperties:
		return "this is empty. "
	case *kind.MaxLength:
		return "this is too long. "
	case *kind.MaxItems, *kind.MaxProperties:
		return "these are too many. "
	default:
		return "this is out of range. "
	}
}

// add adds a mistake with the position of its value or, if the value is missing, of the object that
// lacks it.
func (r *reader) add(mistake Mistake) {
	node := r.root
	mistake.Position = node.Position
	for _, token := range mistake.At.Tokens() {
		if node = node.Step(token); node == nil {
			break
		}
		mistake.Position = node.Position
	}
	r.mistakes = append(r.mistakes, mistake)
}

// described returns the nearest part of the schema, at or around the one that an error is
// about, that has a title or a description.
func (r *reader) described(address string) *schema.Node {
	_, fragment, _ := strings.Cut(address, "#")
	at := schema.Pointer(fragment)
	for {
		if node := r.form.Find(at); node != nil && (node.Has("title") || node.Has("description")) {
			return node
		}
		end := strings.LastIndexByte(string(at), '/')
		if end < 0 {
			return r.form
		}
		at = at[:end]
	}
}

// alternatives joins names of types with "or".
func alternatives(names []string) string {
	for i, name := range names {
		names[i] = withArticle(name)
	}
	return strings.Join(names, " or ")
}

func withArticle(name string) string {
	if strings.ContainsAny(name[:1], "aeiou") {
		return "an " + name
	}
	return "a " + name
}
