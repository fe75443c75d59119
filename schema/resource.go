package schema

import (
	"cmp"
	"iter"
	"net/url"
	"strings"
)

// ReferenceKeywords are the keywords that lead to another schema.
var ReferenceKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// Reference returns the text of the schema's reference, or "" if it has none. An empty
// reference leads to the whole, as # does, and is returned as #.
func (n *Node) Reference() string {
	for _, keyword := range ReferenceKeywords {
		if value := n.Get(keyword); value != nil && value.Kind == String {
			return cmp.Or(value.Text, "#")
		}
	}
	return ""
}

// Resources answers where the references within a schema lead. The whole schema is one
// resource, and each schema in it with its own URI, in $id, is another. References and
// anchors in it are its own, as in sections 8 and 9 of JSON Schema Core 2020-12.
// Payloads hold no resources. Nothing outside is ever read.
//
// It knows the names as they were when it was made. A schema that came later belongs to
// the whole.
type Resources struct {
	whole *resource
	// of has the schemas that belong to an embedded resource.
	of       map[*Node]*resource
	embedded []*resource          // in document order
	byURI    map[string]*resource // the first of each
	// others are the schemas that the keyword of another draft names, by their URI: it
	// counts where nothing else has the name.
	others map[string]*Node
	// dynamic is how many schemas have a dynamic anchor of a name; "" is that of
	// $recursiveAnchor.
	dynamic map[string]int
}

// resource is a schema with a URI of its own.
type resource struct {
	root    *Node
	keyword string // that gives it its URI; empty for a whole without one
	base    *url.URL
	anchors map[string]*Node // the first of each name
}

// unnamed is the base of a schema that names none.
var unnamed = &url.URL{Scheme: "schema", Path: "/"}

// NewResources returns the resources of a schema. It walks the schema once.
func NewResources(root *Node) *Resources {
	r := &Resources{
		whole: &resource{root: root, base: unnamed}, of: map[*Node]*resource{}, byURI: map[string]*resource{},
		others: map[string]*Node{}, dynamic: map[string]int{},
	}
	if root != nil {
		r.collect(root, r.whole, draft{identifier: "$id", other: "id"})
	}
	return r
}

// draft is what the drafts differ in.
type draft struct {
	// identifier is the keyword that gives a schema its URI, and other that of other
	// drafts.
	identifier, other string
	// alone is set where nothing beside a $ref counts.
	alone bool
}

// draftOf returns the draft that a $schema names, or the other where it names none.
func draftOf(dialect string, unknown draft) draft {
	switch {
	case strings.Contains(dialect, "draft-03/"), strings.Contains(dialect, "draft-04/"):
		return draft{identifier: "id", other: "$id", alone: true}
	case strings.Contains(dialect, "draft-06/"), strings.Contains(dialect, "draft-07/"):
		return draft{identifier: "$id", other: "id", alone: true}
	case strings.Contains(dialect, "json-schema.org/draft/"):
		return draft{identifier: "$id", other: "id"}
	default:
		return unknown
	}
}

// collect takes in a schema that lies in a resource, and those below it.
func (r *Resources) collect(node *Node, in *resource, as draft) {
	if node.Kind == Object {
		as = draftOf(node.GetString("$schema"), as)
		in = r.enter(node, in, as)
	}
	if in != r.whole {
		r.of[node] = in
	}
	for i := range node.Members {
		value := node.Members[i].Value
		switch class := ClassOf(node.Members[i].Key); class.HeldIn(value) {
		case Itself:
			r.collect(value, in, as)
		case Elements:
			for _, element := range value.Elements {
				r.collect(element, in, as)
			}
		case Members:
			for i := range value.Members {
				if entry := value.Members[i].Value; class.IsSchema(entry) {
					r.collect(entry, in, as)
				}
			}
		case Nothing:
		}
	}
}

// enter takes in the names that a schema gives itself. It returns the resource that the
// schema belongs to, which may be its own.
func (r *Resources) enter(node *Node, in *resource, as draft) *resource {
	if text := node.GetString(as.identifier); text != "" && !(as.alone && node.Has("$ref")) {
		location, anchor, _ := strings.Cut(text, "#")
		if uri, err := url.Parse(location); err == nil && location != "" {
			in = r.open(node, as.identifier, in.base.ResolveReference(uri))
		}
		in.anchor(anchor, node)
	}
	if text := node.GetString(as.other); text != "" {
		r.enterOther(text, node, in)
	}
	in.anchor(node.GetString("$anchor"), node)
	if name := node.GetString("$dynamicAnchor"); name != "" {
		in.anchor(name, node)
		r.dynamic[name]++
	}
	if node.Get("$recursiveAnchor").IsTrue() {
		r.dynamic[""]++
	}
	return in
}

// enterOther takes in what the keyword of another draft calls a schema.
func (r *Resources) enterOther(text string, node *Node, in *resource) {
	uri, err := url.Parse(text)
	if err != nil || uri.String() == "" {
		return
	}
	if text := in.base.ResolveReference(uri).String(); r.others[text] == nil {
		r.others[text] = node
	}
}

// open makes a schema a resource.
func (r *Resources) open(node *Node, keyword string, base *url.URL) *resource {
	opened := &resource{root: node}
	if node == r.whole.root {
		opened = r.whole
	} else {
		r.embedded = append(r.embedded, opened)
	}
	opened.keyword, opened.base = keyword, base
	if uri := base.String(); r.byURI[uri] == nil {
		r.byURI[uri] = opened
	}
	return opened
}

// anchor notes a plain name.
func (r *resource) anchor(name string, node *Node) {
	if name == "" || r.anchors[name] != nil {
		return
	}
	if r.anchors == nil {
		r.anchors = map[string]*Node{}
	}
	r.anchors[name] = node
}

// Resolve returns the schema that a reference in the schema from leads to, or nil. The
// reference is a URI, relative or not. Its fragment is a JSON Pointer or an anchor,
// with ~ and % escapes.
func (r *Resources) Resolve(from *Node, reference string) *Node {
	in, fragment := r.split(from, reference)
	switch {
	case in == nil:
		return nil
	case fragment == "":
		return in.root
	case fragment[0] == '/':
		return schemaAt(in.root.Find(Pointer(fragment)))
	case in.anchors[fragment] != nil:
		return in.anchors[fragment]
	default:
		named := *in.base
		named.Fragment = fragment
		return r.others[named.String()]
	}
}

// split returns the resource that a reference leads into, or nil, and the fragment
// without its escapes.
func (r *Resources) split(from *Node, reference string) (*resource, string) {
	location, fragment, found := strings.Cut(reference, "#")
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	switch {
	case location != "":
		return r.located(r.resourceOf(from), location), fragment
	case found:
		return r.resourceOf(from), fragment
	default:
		return nil, ""
	}
}

// Pointer returns the root of the resource that a reference leads into, and the pointer
// of its fragment. It reports whether both are there.
func (r *Resources) Pointer(from *Node, reference string) (root *Node, at Pointer, ok bool) {
	in, fragment := r.split(from, reference)
	if in == nil || fragment != "" && fragment[0] != '/' {
		return nil, "", false
	}
	return in.root, Pointer(fragment), true
}

// resourceOf returns the resource that a schema belongs to.
func (r *Resources) resourceOf(node *Node) *resource {
	if in := r.of[node]; in != nil {
		return in
	}
	return r.whole
}

// located returns the resource that a URI leads to from within another, or nil.
func (r *Resources) located(from *resource, location string) *resource {
	uri, err := url.Parse(location)
	if err != nil {
		return nil
	}
	uri = from.base.ResolveReference(uri)
	text := uri.String()
	if found := r.byURI[text]; found != nil {
		return found
	}
	if named := r.others[text]; named != nil {
		return &resource{root: named, base: uri, anchors: r.resourceOf(named).anchors}
	}
	return nil
}

// schemaAt returns the node when it can be a schema.
func schemaAt(node *Node) *Node {
	if node == nil || node.Kind != Object && node.Kind != Bool {
		return nil
	}
	return node
}

// Root returns the root of the resource that a schema belongs to. A pointer in a
// reference begins there.
func (r *Resources) Root(of *Node) *Node { return r.resourceOf(of).root }

// Absolute returns a reference that stands in the schema from with its URI in full.
// What cannot be read as a URI stays as it is.
func (r *Resources) Absolute(from *Node, reference string) string {
	uri, err := url.Parse(reference)
	if err != nil {
		return reference
	}
	return r.resourceOf(from).base.ResolveReference(uri).String()
}

// URI returns the URI of the resource that a schema belongs to.
func (r *Resources) URI(of *Node) string { return r.resourceOf(of).base.String() }

// Embedded returns the schemas below the root that are their own resources, in document
// order. Each has the keyword that gives its URI.
func (r *Resources) Embedded() iter.Seq2[*Node, string] {
	return func(yield func(*Node, string) bool) {
		for _, one := range r.embedded {
			if !yield(one.root, one.keyword) {
				return
			}
		}
	}
}

// IsDynamic reports whether a schema refers by $dynamicRef or $recursiveRef to one of
// several schemas of that name. The way of an instance decides which one it is; Resolve
// returns the nearest.
func (r *Resources) IsDynamic(node *Node) bool {
	if reference := node.GetString("$dynamicRef"); reference != "" {
		_, name, _ := strings.Cut(reference, "#")
		target := r.Resolve(node, reference)
		return name != "" && target.GetString("$dynamicAnchor") == name && r.dynamic[name] > 1
	}
	return node.Has("$recursiveRef") && r.Root(node).Get("$recursiveAnchor").IsTrue() && r.dynamic[""] > 1
}
