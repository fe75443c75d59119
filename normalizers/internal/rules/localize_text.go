package rules

import (
	"strings"

	"toolproof/internal/lazy"
	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// LocalizeText serves every provider: each takes a text as one string.
var LocalizeText = &engine.Rule{
	Name: "localize_text",
	Doc: `a text in several languages becomes one string

A description or title that is an object of language tags becomes one text, at every depth
and in the tool's own description. The requested languages come first, each with its base
language, then the default language, English, and any other. A property called description keeps
its schema. A target may name other keywords for texts. Source: docs/seeds.md#seed-003.`,
	Before:     `{"type": "string", "description": {"en": "The search query", "de": "Die Suchanfrage"}}`,
	After:      `{"type": "string", "description": "The search query"}`,
	Loss:       rewrite.Exact,
	Everywhere: true,
	On:         []string{"description", "title", "name"},
	Tool:       func(p *engine.Pass) { localize(p, "description") },
	Rewrite: func(p *engine.Pass) {
		texts := engine.LimitsOf[Texts](p.Target)
		if texts == nil {
			texts = []string{"description", "title"}
		}
		for _, keyword := range texts {
			localize(p, keyword)
		}
	},
}

// Texts are the keywords whose text may be given in several languages; nil means description
// and title.
type Texts []string

func localize(p *engine.Pass, keyword string) {
	texts := textsByLanguage(p.Schema.Get(keyword))
	if len(texts) == 0 {
		return
	}
	options := p.Options()
	for _, language := range append(strings.Split(options.Language, ","), options.DefaultLanguage, "en") {
		if text := textIn(texts, strings.TrimSpace(language)); text != nil {
			p.Set(keyword, text, rewrite.Exact)
			return
		}
	}
	p.Set(keyword, texts[0].Value, rewrite.Exact)
}

var languageTag = lazy.Compile(`^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$`)

// textsByLanguage returns the texts of an object whose names are language tags. If it has other
// names too, only languages of two letters count, as in docs/seeds.md#seed-003.
func textsByLanguage(node *schema.Node) []schema.Member {
	if node == nil || node.Kind != schema.Object {
		return nil
	}
	isTag := func(member schema.Member) bool { return languageTag.MatchString(member.Key) }
	isMixed := !every(node.Members, isTag)
	var texts []schema.Member
	for _, member := range node.Members {
		// Among other names, a name of three letters may not be a language.
		if isTag(member) && member.Value.Kind == schema.String && (!isMixed || len(baseLanguage(member.Key)) == 2) {
			texts = append(texts, member)
		}
	}
	return texts
}

// textIn returns the text in a language, in its base language, or in another regional form, in
// that order; nil if there is none.
func textIn(texts []schema.Member, language string) *schema.Node {
	if language == "" {
		return nil
	}
	for _, matches := range []func(tag string) bool{
		func(tag string) bool { return sameTag(tag, language) },
		func(tag string) bool { return sameTag(tag, baseLanguage(language)) },
		func(tag string) bool { return sameTag(baseLanguage(tag), baseLanguage(language)) },
	} {
		for _, text := range texts {
			if matches(text.Key) {
				return text.Value
			}
		}
	}
	return nil
}

func sameTag(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", "-"), strings.ReplaceAll(b, "_", "-"))
}

func baseLanguage(tag string) string {
	if i := strings.IndexAny(tag, "-_"); i >= 0 {
		return tag[:i]
	}
	return tag
}
