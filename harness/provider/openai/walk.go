package openai

import (
	"fmt"
	"strings"
	"sync"

	"toolproof/harness/provider"
	"toolproof/harness/provider/internal/python"
	"toolproof/schema"
)

// place is the Subject of the stages that look at schemas.
type place struct {
	*surface
	name    string   // of the function or of the format
	context []string // the path to the subschema, as the validator writes it
	root    *schema.Node
	isRoot  bool
	// isLeaving is set once the subschemas have been judged.
	isLeaving bool
	indices   schema.Indices // of the definitions
}

// placeOf returns the place that is the Subject of a pass.
func placeOf(p *provider.Pass) *place {
	return p.Subject.(*place) //nolint:forcetypeassert // the package's own type
}

// defines reports whether the root has a definition in the keyword.
func (s *place) defines(keyword, name string) bool {
	if s.indices == nil {
		s.indices = schema.Indices{}
	}
	return (keyword == "$defs" || keyword == "definitions") && s.indices.Get(s.root.Get(keyword), name) != nil
}

// in returns the context as the validator prints it: a Python tuple of strings.
func (s *place) in() string {
	switch len(s.context) {
	case 0:
		return "()"
	case 1:
		return "(" + python.String(s.context[0]) + ",)"
	}
	tokens := make([]string, len(s.context))
	for i, token := range s.context {
		tokens[i] = python.String(token)
	}
	return "(" + strings.Join(tokens, ", ") + ")"
}

// reportf reports a violation inside the schema.
func reportf(p *provider.Pass, format string, arguments ...any) {
	s := placeOf(p)
	p.Report(provider.Finding{
		Message:  fmt.Sprintf("Invalid schema for %s '%s': ", s.subject, s.name) + fmt.Sprintf(format, arguments...),
		Location: placed(s.param, p.Request, p.Declaration),
		Code:     s.code,
	})
}

// reportInf is like reportf, and begins the words with the context.
func reportInf(p *provider.Pass, format string, arguments ...any) {
	s := placeOf(p)
	reportf(p, "In context=%s, %s", s.in(), fmt.Sprintf(format, arguments...))
}

// schemaWalk visits the schema of one declaration.
type schemaWalk struct {
	visitor *provider.Visitor
	pass    provider.Pass
	place   place
	at      []byte
	queue   []below // of shallowestFirst
	text    []byte  // the pointers of the queue
	isTwice bool    // whether descend visits each schema twice
}

// walks has finished walks for reuse, because an answer takes several walks and most are short.
var walks = sync.Pool{New: func() any { return new(schemaWalk) }}

// walkSchema calls run with a walk through the schema of a declaration, if there is one.
func walkSchema(request provider.Request, declaration int, visitor *provider.Visitor, run func(*schemaWalk)) {
	surface := surfaceOf(visitor.Dialect)
	root := request.Declarations[declaration].Get(surface.parameters)
	if root == nil {
		return
	}
	walk := walks.Get().(*schemaWalk) //nolint:forcetypeassert // nothing else is put there
	walk.visitor, walk.pass = visitor, provider.Pass{Request: request, Declaration: declaration, Subject: &walk.place}
	walk.place = place{surface: surface, name: request.Declarations[declaration].GetString("name"), root: root, context: walk.place.context[:0]}
	walk.at, walk.isTwice = append(walk.at[:0], "/parameters"...), false
	run(walk)
	const most, mostText = 1 << 12, 1 << 16 // values and bytes; a walk with larger buffers is not reused
	if cap(walk.queue) <= most && cap(walk.text) <= mostText {
		clear(walk.queue) // so that the walk does not keep the request alive
		clear(walk.place.context[:cap(walk.place.context)])
		walk.visitor, walk.pass, walk.place = nil, provider.Pass{}, place{context: walk.place.context}
		walks.Put(walk)
	}
}

func (w *schemaWalk) visit(node *schema.Node) {
	if w.visitor.Done() {
		return
	}
	w.place.isRoot = node == w.place.root
	w.pass.Node, w.pass.At = node, w.at
	w.visitor.Visit(&w.pass)
}

// root is the stage that judges the root of a schema alone.
var root = &provider.Stage{
	Name: "root",
	Shared: "one check of the root. Functions and formats of Chat and Responses, and Azure, answer its type in the same words. " +
		"Functions of Chat and Responses, and both of Azure, answer keywords that do not belong there in the same words",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		walkSchema(request, declaration, visitor, func(walk *schemaWalk) { walk.visit(walk.place.root) })
	},
}

// withoutSchema is the stage that judges declarations without a schema. It visits the
// declaration. The Subject is a *place.
var withoutSchema = &provider.Stage{
	Name:           "without schema",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		declared, surface := request.Declarations[declaration], surfaceOf(visitor.Dialect)
		if !declared.Has(surface.parameters) {
			subject := &place{surface: surface, name: declared.GetString("name")}
			visitor.Visit(&provider.Pass{Request: request, Declaration: declaration, Node: declared, Subject: subject})
		}
	},
}

// keywords is the stage that judges the keywords of every subschema: those of definitions first,
// and children before their parent.
var keywords = &provider.Stage{
	Name: "keywords",
	Shared: "one subset of strict schemas: functions of Chat and both formats answer keywords outside of it in the same words. " +
		"Functions and formats of Azure do so for keywords beside a reference. Fifty schemas had the same verdicts on both formats. " +
		"Azure documents the same subset",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		walkSchema(request, declaration, visitor, (*schemaWalk).everything)
	},
}

// subschemas is the stage that visits every subschema before its own subschemas, and again after
// them. The definitions come first.
var subschemas = &provider.Stage{
	Name: "subschemas",
	Shared: "one walk through the schema. Strict functions and formats of Chat, Responses and Azure answer open objects and optional properties in the same words. " +
		"Functions of Chat, Responses and Azure, and both formats, answer arrays without items in the same words",
	PerDeclaration: true,
	Walk: func(request provider.Request, declaration int, visitor *provider.Visitor) {
		walkSchema(request, declaration, visitor, func(walk *schemaWalk) {
			walk.isTwice = true
			walk.everything()
		})
	},
}

// everything descends into the definitions of the root, whose contexts begin at the definition, and
// then into the root.
func (w *schemaWalk) everything() {
	for _, keyword := range []string{"$defs", "definitions"} {
		definitions := w.place.root.Get(keyword)
		if definitions == nil {
			continue
		}
		for _, definition := range definitions.Members {
			at := len(w.at)
			w.at = schema.AppendToken(schema.AppendToken(w.at, keyword), definition.Key)
			w.descend(definition.Value)
			w.at = w.at[:at]
		}
	}
	w.descend(w.place.root)
}

// descend visits a schema after its subschemas, and also before them if isTwice is set.
func (w *schemaWalk) descend(node *schema.Node) {
	if node.Kind != schema.Object || w.visitor.Done() {
		return
	}
	if w.isTwice {
		w.visit(node)
	}
	for below := range node.Subschemas() {
		if !isLookedInto(below.Keyword) && !w.isMapOfFormat(below.Keyword) || below.Node().IsPlain() || node.Has("$ref") {
			continue // a plain schema breaks no rule
		}
		context, at := len(w.place.context), len(w.at)
		w.place.context, w.at = below.AppendTokens(w.place.context), below.AppendTo(w.at)
		w.descend(below.Node())
		w.place.context, w.at = w.place.context[:context], w.at[:at]
	}
	w.place.isLeaving = w.isTwice
	w.visit(node)
	w.place.isLeaving = false
}

// isMapOfFormat reports whether a keyword is additionalProperties in a response format, whose schema
// the validator judges before it demands false. Of functions nothing is known.
func (w *schemaWalk) isMapOfFormat(keyword string) bool {
	return keyword == "additionalProperties" && w.place.isFormat()
}

// isLookedInto reports whether the validator judges the subschemas of a keyword. It does not do so
// for keywords that it refuses.
func isLookedInto(keyword string) bool {
	switch keyword {
	case "properties", "items", "anyOf":
		return true
	default:
		return false
	}
}
