package schema

import (
	"cmp"
	"iter"
	"net/url"
	"strings"
)

// ReferenceKeywords are the keywords that refer to another schema.
var ReferenceKeywords = []string{"$ref", "$dynamicRef", "$recursiveRef"}

// Reference returns the schema's reference, or "" if it has none. An empty reference means the
// whole schema and is returned as "#".
func (n *Node) Reference() string {
	for _, keyword := range ReferenceKeywords {
		if value := n.Get(keyword); value != nil && value.Kind == String {
			return cmp.Or(value.Text, "#")
		}
	}
	return ""
}

// Resources resolves the references within a schema. The whole schema is one resource, and each
// schema in it with a URI of its own, in $id, is another, which has its own anchors and against
// which references in it are resolved (JSON Schema Core 2020-12, sections 8 and 9). Data holds
// no resources. Nothing outside the schema is ever read.
//
// Resources reflects the schema at the time of NewResources. Schemas added later count as part
// of the whole.
type Resources struct {
	whole *resource
	// owners maps the schemas that belong to an embedded resource to it.
	owners   map[*Node]*resource
	embedded []*resource          // in document order
	byURI    map[string]*resource // the first resource of each URI
	// others are the schemas to which the identifying keyword of another draft gives a URI.
	// They count only for URIs and anchors found nowhere else.
	others map[string]*Node
	// dynamic counts the schemas with a $dynamicAnchor of each name; "" stands for
	// $recursiveAnchor.
	dynamic map[string]int
}

// resource is a schema with a URI of its own.
type resource struct {
	root    *Node
	keyword string // the keyword that gives it its URI; empty if it has none
	base    *url.URL
	anchors map[string]*Node // the first schema of each name
}

// unnamed is the base URI of a schema without an identifier.
var unnamed = &url.URL{Scheme: "schema", Path: "/"}

// NewResources finds the resources of a schema in one walk.
func NewResources(root *Node) *Resources {
	r := &Resources{
		whole: &resource{root: root, base: unnamed}, owners: map[*Node]*resource{}, byURI: map[string]*resource{},
		others: map[string]*Node{}, dynamic: map[string]int{},
	}
	if root != nil {
		r.collect(root, r.whole, draft{identifier: "$id", other: "id"})
	}
	return r
}

// draft holds the differences between drafts that matter to references.
type draft struct {
	// identifier is the keyword that gives a schema its URI, and other is the keyword that does
	// so in the other drafts.
	identifier, other string
	// alone is set if the draft ignores the keywords beside a $ref.
	alone bool
}

// draftOf returns the draft that a $schema names, or unknown if it names no draft.
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

// collect records a schema that belongs to the resource in, and all schemas below it.
func (r *Resources) collect(node *Node, in *resource, as draft) {
	if node.Kind == Object {
		as = draftOf(node.GetString("$schema"), as)
		in = r.enter(node, in, as)
	}
	if in != r.whole {
		r.owners[node] = in
	}
	for place := range node.Subschemas() {
		r.collect(place.Node(), in, as)
	}
}

// enter records the URI and the anchors of a schema. It returns the resource that the schema
// belongs to, which begins at the schema itself if the schema has a URI.
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

// enterOther records the URI that the keyword of another draft gives to a schema.
func (r *Resources) enterOther(text string, node *Node, in *resource) {
	uri, err := url.Parse(text)
	if err != nil || uri.String() == "" {
		return
	}
	if text := in.base.ResolveReference(uri).String(); r.others[text] == nil {
		r.others[text] = node
	}
}

// open makes a schema a resource with the given base URI.
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

// anchor records an anchor unless the resource has one of that name.
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
// reference is a URI, relative or absolute, whose fragment is a JSON Pointer or an anchor and
// may be percent-encoded.
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

// split returns the resource that a reference leads into, or nil, and the decoded fragment.
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

// Pointer returns the root of the resource that a reference leads into, and the JSON Pointer in
// its fragment. It reports false if there is no such resource or the fragment is an anchor.
func (r *Resources) Pointer(from *Node, reference string) (root *Node, at Pointer, ok bool) {
	in, fragment := r.split(from, reference)
	if in == nil || fragment != "" && fragment[0] != '/' {
		return nil, "", false
	}
	return in.root, Pointer(fragment), true
}

// resourceOf returns the resource that a schema belongs to.
func (r *Resources) resourceOf(node *Node) *resource {
	if in := r.owners[node]; in != nil {
		return in
	}
	return r.whole
}

// located returns the resource that a URI leads to from within another resource, or nil.
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

// schemaAt returns the node if it can be a schema, and nil otherwise.
func schemaAt(node *Node) *Node {
	if node == nil || node.Kind != Object && node.Kind != Bool {
		return nil
	}
	return node
}

// Root returns the root of the resource that a schema belongs to, where the JSON Pointers of
// its references start.
func (r *Resources) Root(node *Node) *Node { return r.resourceOf(node).root }

// Absolute returns a reference of the schema from as an absolute URI. A reference that is not a
// URI is returned as it is.
func (r *Resources) Absolute(from *Node, reference string) string {
	uri, err := url.Parse(reference)
	if err != nil {
		return reference
	}
	return r.resourceOf(from).base.ResolveReference(uri).String()
}

// URI returns the base URI of the resource that a schema belongs to.
func (r *Resources) URI(node *Node) string { return r.resourceOf(node).base.String() }

// Embedded yields, in document order, the schemas below the root that are resources of their
// own, each with the keyword that gives it its URI.
func (r *Resources) Embedded() iter.Seq2[*Node, string] {
	return func(yield func(*Node, string) bool) {
		for _, embedded := range r.embedded {
			if !yield(embedded.root, embedded.keyword) {
				return
			}
		}
	}
}

// IsDynamic reports whether the $dynamicRef or $recursiveRef of a schema can mean one of
// several schemas, depending on the path by which a validator arrives. Resolve returns the
// nearest of them.
func (r *Resources) IsDynamic(node *Node) bool {
	if reference := node.GetString("$dynamicRef"); reference != "" {
		_, name, _ := strings.Cut(reference, "#")
		target := r.Resolve(node, reference)
		return name != "" && target.GetString("$dynamicAnchor") == name && r.dynamic[name] > 1
	}
	return node.Has("$recursiveRef") && r.Root(node).Get("$recursiveAnchor").IsTrue() && r.dynamic[""] > 1
}
