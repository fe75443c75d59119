package transport

import (
	"net/http"
	"strings"

	"toolproof/schema"
)

// api is what differs between the APIs.
type api struct {
	// paths are the ends of the paths of its methods.
	paths []string
	// targets are the pipelines whose tools it takes.
	targets []string
	// alwaysStrict is set if an absent strict means true. An API without strict gets no strict tools.
	alwaysStrict bool
	// objectsOnly is set if a client reads no arguments other than objects.
	objectsOnly bool
	// keys are the fields that have the schema by target; the schema stays where it is for any other.
	keys map[string]string
	// declarations returns the functions that a request declares.
	declarations func(request *schema.Node) []declaration
	// others returns the names of the other tools that a request declares.
	others func(request *schema.Node) []string
	// names returns the strings in a request that name a tool, except those of calls.
	names func(request *schema.Node) []*schema.Node
	// said returns the calls in the history of a request, and answered those in a whole answer.
	said, answered func(body *schema.Node) []call
	// stream returns what restores the calls of a stream.
	stream func(*answer) restorer
}

// declaration is an object with a name, a description and a schema.
type declaration struct {
	*schema.Node

	key string // of the schema
}

// call is an object with the name of a tool and, under a key, arguments, which are a JSON value or, if
// isText is set, its text.
type call struct {
	*schema.Node

	id     string
	key    string
	isText bool
}

// text returns the JSON text of the arguments.
func (c call) text() string {
	arguments := c.Get(c.key)
	switch {
	case arguments == nil:
		return ""
	case c.isText:
		return c.GetString(c.key)
	default:
		return arguments.String()
	}
}

// set replaces the name and the arguments, if they differ, and reports whether they do.
func (c call) set(name, arguments string) bool {
	isChanged := c.GetString("name") != name
	if isChanged {
		c.Set("name", schema.NewString(name))
	}
	if arguments == c.text() {
		return isChanged
	}
	value := schema.NewString(arguments)
	if !c.isText {
		value, _ = schema.Parse([]byte(arguments))
	}
	c.Set(c.key, value)
	return true
}

// apis are the APIs whose tools are normalized.
var apis = []*api{chat, responses, messages, generateContent}

// apiOf returns the API of a request, or nil.
func apiOf(request *http.Request) *api {
	if request.Method != http.MethodPost || request.Body == nil {
		return nil
	}
	for _, api := range apis {
		for _, path := range api.paths {
			if strings.HasSuffix(request.URL.Path, path) {
				return api
			}
		}
	}
	return nil
}

// each yields the elements of a list, or the value itself if it is no list.
func each(list *schema.Node) []*schema.Node {
	switch {
	case list == nil || list.Kind == schema.Null:
		return nil
	case list.Kind == schema.Array:
		return list.Elements
	default:
		return []*schema.Node{list}
	}
}

// nameIn returns the name that an object has, or nothing.
func nameIn(object *schema.Node, key string) []*schema.Node {
	if name := object.Get(key); name != nil && name.Kind == schema.String {
		return []*schema.Node{name}
	}
	return nil
}

// namesOf returns the names of the objects for which isOther reports true.
func namesOf(objects []*schema.Node, isOther func(*schema.Node) bool) []string {
	var names []string
	for _, object := range objects {
		if name := object.GetString("name"); name != "" && isOther(object) {
			names = append(names, name)
		}
	}
	return names
}
