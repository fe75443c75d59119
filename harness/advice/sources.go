package advice

import (
	"cmp"
	"slices"
	"strings"

	"toolproof/schema"
)

// source is a tool of a list from which a model learns identifiers: it finds the things, or makes what they stand for.
type source struct {
	tool *declaration
	// qualifiers are the stems of the words before the noun, such as those of release in list_release_pipelines.
	qualifiers []string
	rank       int  // of the verb, the best first
	isMany     bool // the noun is a plural
}

// finding are verbs in names of tools that find things, in the order in which a model would try them, and opening
// those of tools that begin what later calls name.
var (
	finding = []string{"list", "search", "find", "searcher", "query", "browse", "lookup", "discover", "finder", "all", "get", "fetch", "read", "show", "retrieve", "describe", "view"}
	opening = []string{"start", "launch", "open"}
)

// hollow are words in names of tools that say nothing of what they find, and joints words before what they only relate to.
var (
	hollow = []string{"a", "current", "multiple", "info", "details", "data", "ids"}
	joints = []string{"for", "by", "of", "in", "with", "to", "on", "using", "or"}
)

// sourcesOf returns the sources of the tools of a list, by the stem of the noun of what they find. Those that only a text
// names are among them, because a client may offer a part of what a server has.
func sourcesOf(tools []*declaration, byName map[string]*declaration) map[string][]source {
	sources := map[string][]source{}
	brand := brandOf(tools)
	for _, tool := range tools {
		if noun, found := sourceOf(tool, brand); found.tool != nil && (noun != "" || found.rank <= slices.Index(finding, "find") && len(tools) <= small) {
			sources[noun] = append(sources[noun], found)
		}
		for _, name := range named(tool.text) {
			other := &declaration{Tool: schema.Tool{Name: name}, named: words(name)}
			noun, found := sourceOf(other, brand)
			isKnown := byName[strings.ToLower(name)] != nil || slices.ContainsFunc(sources[noun], func(known source) bool { return known.tool.Name == name })
			if found.isMany && !isKnown {
				sources[noun] = append(sources[noun], found)
			}
		}
	}
	return sources
}

// sourceOf returns the noun of what a tool finds, "" for whatever its list is about, and the source that it is.
func sourceOf(tool *declaration, brand string) (noun string, found source) {
	rank, object := objectOf(tool.named)
	object = slices.DeleteFunc(object, func(word string) bool { return word == brand })
	if rank < 0 {
		return "", source{}
	}
	found = source{tool: tool, rank: rank}
	if last := len(object) - 1; last >= 0 {
		noun = stem(object[last])
		found.isMany = noun != object[last] && abbreviations[object[last]] == ""
		for _, word := range object[:last] {
			found.qualifiers = append(found.qualifiers, stem(word))
		}
	}
	return noun, found
}

// named returns the words of a text that are names of tools which list things, such as get_projects.
func named(text string) []string {
	var names []string
	for _, verb := range []string{"get_", "list_", "search_", "get-", "list-", "search-"} {
		for rest := text; ; {
			at := strings.Index(rest, verb)
			if at < 0 {
				break
			}
			first, last := at, at+len(verb)
			for first > 0 && (isWordByte(rest[first-1]) || rest[first-1] == '-') {
				first--
			}
			for last < len(rest) && (isWordByte(rest[last]) || rest[last] == '-') {
				last++
			}
			names = append(names, rest[first:last])
			rest = rest[last:]
		}
	}
	return names
}

// small is the largest number of tools of a list in which a search without a noun finds them all.
const small = 40

// brandOf returns the word that begins the names of most tools of a list, or "".
func brandOf(tools []*declaration) string {
	count := map[string]int{}
	for _, tool := range tools {
		if len(tool.named) > 1 {
			if count[tool.named[0]]++; 2*count[tool.named[0]] > len(tools) {
				return tool.named[0]
			}
		}
	}
	return ""
}

// objectOf returns the words for what a tool finds by the words of its name, and the rank of the verb; -1 if it finds
// nothing.
func objectOf(named []string) (rank int, object []string) {
	rank = -1
	for _, word := range named {
		at := slices.Index(finding, word)
		if at < 0 {
			if at = slices.Index(opening, word); at >= 0 {
				at += len(finding)
			}
		}
		switch {
		case at >= 0 && (rank < 0 || word == "all"):
			rank = at
			if word == "all" {
				rank = 0
			}
		case slices.Contains(joints, word) && len(object) > 0 && rank >= 0:
			return rank, object
		case slices.Contains(hollow, word), isVersion(word):
		default:
			object = append(object, word)
		}
	}
	return rank, object
}

// isVersion reports whether a word is a version, such as v2.
func isVersion(word string) bool {
	return len(word) == 2 && word[0] == 'v' && '0' <= word[1] && word[1] <= '9'
}

// abbreviations are short words in names, and what they stand for.
var abbreviations = map[string]string{
	"app": "application", "doc": "document", "repo": "repository", "env": "environment", "org": "organization", "db": "database", "msg": "message", "dir": "directory", "people": "person", "organisation": "organization", "config": "configuration", "children": "child",
}

// stem returns a noun in the singular, and the long form of an abbreviation.
func stem(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > len("ties"):
		word = strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"), strings.HasSuffix(word, "uses"):
		word = strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		word = strings.TrimSuffix(word, "s")
	}
	return cmp.Or(abbreviations[word], word)
}

// stems returns the stems of words.
func stems(words []string) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = stem(word)
	}
	return all
}

// finder returns the name of another tool that finds the things of a noun, or "". The words of a noun are stems, the
// last of them its head.
func (p *pass) finder(tool *declaration, noun []string) string {
	if len(noun) == 0 {
		return ""
	}
	var best source
	for _, found := range slices.Concat(p.sources[noun[len(noun)-1]], p.sources[""]) {
		if found.tool != tool && (best.tool == nil || found.compare(best, noun) < 0) && found.fits(tool, noun) && !found.asks(noun) {
			best = found
		}
	}
	if best.tool == nil {
		return ""
	}
	return best.tool.Name
}

// asks reports whether a source needs an identifier of what it finds.
func (s source) asks(noun []string) bool {
	return slices.ContainsFunc(s.tool.params, func(param *parameter) bool {
		if !param.isRequired || param.depth > 1 || param.isClosed() {
			return false
		}
		isHandle := slices.Contains(ids, param.last()) || slices.Contains([]string{"name", "names", "uri", "url", "ref"}, param.last()) || len(param.words) == 1
		return isHandle && (len(param.words) == 1 && slices.Contains(ids, param.last()) || slices.ContainsFunc(param.words, func(word string) bool { return stem(word) == noun[len(noun)-1] }))
	})
}

// fits reports whether what a source finds is what a noun of a tool means: each word before it is one of the noun, or of
// the tool.
func (s source) fits(tool *declaration, noun []string) bool {
	return !slices.ContainsFunc(s.qualifiers, func(word string) bool {
		return !slices.Contains(noun, word) && !slices.ContainsFunc(tool.named, func(own string) bool { return stem(own) == word })
	})
}

// compare orders sources of a noun, the better first.
func (s source) compare(other source, noun []string) int {
	missing := func(s source) (count int) {
		for _, word := range noun[:len(noun)-1] {
			if !slices.Contains(s.qualifiers, word) {
				count++
			}
		}
		return count
	}
	return cmp.Or(cmp.Compare(missing(s), missing(other)), cmp.Compare(s.rank, other.rank))
}
