package calibrate

import (
	"encoding/json"
	"fmt"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"

	"toolproof/harness/provider"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Cases returns the cases of a row. A recorded request that was accepted is one case for each
// surface on which it declares something. A row that teaches nothing about a declaration has no
// case, and aside is its class. The dialects are those with models.
func (r *Row) Cases(dialects []*provider.Dialect) (cases []Case, aside string) {
	if len(r.Request) > 0 {
		return r.recorded(dialects)
	}
	if len(r.ReqStrict) > 0 {
		return r.echoed(dialects)
	}
	dialect := dialectNamed(dialects, r.Dialect(dialects))
	if dialect == nil {
		return nil, NoModelOfSurface
	}
	declarations := r.declarations(dialect)
	if strict := strictOf(dialects, dialect); strict != nil && slices.ContainsFunc(declarations, isStrict) {
		dialect = strict
	}
	if len(declarations) == 0 {
		return nil, NoSchema
	}
	published := Case{
		Name: r.Name(), Parts: []Part{{Dialect: dialect.Name, Declarations: declarations}}, Date: known(r.Date), First: firstDay(r.Date), Model: r.Model,
		Verdict: provider.Rejected,
		Message: r.Message, Whole: r.Completeness == "complete" || r.Evidence == "live-probed" && r.Message != "", Param: r.Param,
	}
	if r.Accepted != "" || r.Verdict == string(provider.Accepted) {
		published.Verdict = provider.Accepted
	}
	return []Case{published}, ""
}

// strictOf returns the dialect of strict functions of the same API of the service, or nil.
func strictOf(dialects []*provider.Dialect, dialect *provider.Dialect) *provider.Dialect {
	for _, other := range dialects {
		if other.Strict && !dialect.Strict && other.Service() == dialect.Service() && other.API == dialect.API && other.Subject == dialect.Subject {
			return other
		}
	}
	return nil
}

// isStrict reports whether a declaration declares a strict function.
func isStrict(declaration *schema.Node) bool {
	return functionOf(declaration).Get("strict").IsTrue()
}

// functionOf returns the part of a declaration that has the name.
func functionOf(declaration *schema.Node) *schema.Node {
	if wrapped := declaration.First("function", "toolSpec"); wrapped != nil {
		return wrapped
	}
	return declaration
}

func dialectNamed(dialects []*provider.Dialect, name string) *provider.Dialect {
	for _, dialect := range dialects {
		if dialect.Name == name {
			return dialect
		}
	}
	return nil
}

// Dialect returns the name of the dialect that a published row is about. Rows use the dialects'
// aliases, too.
func (r *Row) Dialect(dialects []*provider.Dialect) string {
	path := r.Path + r.Surface // a row has only one of them
	name := strings.Replace(path, ".", "/", 1)
	for _, dialect := range dialects {
		if slices.Contains(dialect.Aliases, path) {
			name = dialect.Name
		}
	}
	dialect := dialectNamed(dialects, name)
	if dialect == nil {
		return name
	}
	for _, other := range dialects {
		switch {
		case other.Kin != "" && nameAtService(other) == nameAtService(dialect) && other.Service() == r.Provider && r.Provider != dialect.Service():
			dialect = other // rows name a provider with another one's validator beside the names of that one
		case other.Service() == dialect.Service() && other.API == dialect.API && dialect.Subject == provider.Arguments &&
			other.Subject == provider.Answer && r.Param == "response_format":
			dialect = other // the provider names the part of the request
		}
	}
	return dialect.Name
}

// nameAtService returns the name of a dialect without that of its service.
func nameAtService(dialect *provider.Dialect) string {
	return strings.TrimPrefix(dialect.Name, dialect.Service())
}

var (
	// OpenAI, Vertex AI and the Gemini API name a function differently.
	namedInMessage = lazy.Compile(`for (?:function|response_format):? '([^']*)'|\x60([^\x60]+)\x60 functionDeclaration|FunctionDeclaration '([^']*)'|for tool ([^ ,]+), tools\[`)
	// Google counts the declarations of a tool; OpenAI, Anthropic and Bedrock count the tools.
	declarationInMessage = lazy.Compile(`declarations\[(\d+)\]`)
	toolInMessage        = lazy.Compile(`tools(?:\[|\.|/)(\d+)(?:\]|\.custom\b|[./]toolSpec\b)`)
)

// declarations returns what the request declared: the row's schema as a declaration with the
// name, and at the index, in the message.
func (r *Row) declarations(dialect *provider.Dialect) []*schema.Node {
	name := "f"
	if found := namedInMessage.FindStringSubmatch(r.Message); found != nil {
		name = found[1] + found[2] + found[3] + found[4] // only one matches
	}
	var declared []*schema.Node
	switch {
	case isPresent(r.Declarations):
		if node := parse(r.Declarations); node != nil {
			declared = node.Elements
		}
	case isPresent(r.Declaration):
		declared = []*schema.Node{asDeclared(dialect, parse(r.Declaration))}
	case isPresent(r.Schema):
		declared = []*schema.Node{r.inMember(dialect.Declare(schema.Tool{Name: name, Parameters: parse(r.Schema)}))}
	default:
		if text := constructed(r.Construct); text != "" {
			declared = []*schema.Node{dialect.Declare(schema.Tool{Name: name, Parameters: parse([]byte(text))})}
		}
	}
	if len(declared) == 0 || declared[0] == nil {
		return nil
	}
	text := r.Message + " " + r.Param
	found := declarationInMessage.FindStringSubmatch(text)
	if found == nil {
		found = toolInMessage.FindStringSubmatch(text)
	}
	index := 0
	if found != nil {
		index, _ = strconv.Atoi(found[1])
	}
	before := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`
	if dialect.Strict {
		before = before[:len(before)-1] + `,"additionalProperties":false}`
	}
	declarations := make([]*schema.Node, 0, index+len(declared))
	for i := range index {
		declarations = append(declarations, dialect.Declare(schema.Tool{Name: "before" + strconv.Itoa(i), Parameters: parse([]byte(before))}))
	}
	return append(declarations, declared...)
}

// asDeclared returns a declaration in the form of a surface. A row may have only the function,
// where the surface wraps it.
func asDeclared(dialect *provider.Dialect, bare *schema.Node) *schema.Node {
	if dialect.SchemaOf(bare) != nil || !bare.Has("parameters") {
		return bare
	}
	declared := dialect.Declare(schema.Tool{Name: bare.GetString("name"), Description: bare.Get("description"), Parameters: bare.Get("parameters")})
	function := functionOf(declared)
	for _, member := range bare.Members {
		if !function.Has(member.Key) && member.Key != "parameters" { // parameters may have another name there
			function.Set(member.Key, member.Value)
		}
	}
	return declared
}

// inMember wraps an output format of Anthropic in the member of the request that the message
// names, since the words depend on the member.
func (r *Row) inMember(format *schema.Node) *schema.Node {
	switch {
	case strings.HasPrefix(r.Message, "output_format."):
		return schema.NewObject(schema.Member{Key: "output_format", Value: format})
	case strings.HasPrefix(r.Message, "output_config.format."):
		return schema.NewObject(schema.Member{Key: "output_config", Value: schema.NewObject(schema.Member{Key: "format", Value: format})})
	default:
		return format
	}
}

func isPresent(text json.RawMessage) bool { return len(text) > 0 && string(text) != "null" }

// parse returns nil for text that is not JSON.
func parse(text []byte) *schema.Node {
	node, err := schema.ParseWire(text)
	if err != nil {
		return nil
	}
	return node
}

// constructed returns the schema of a probe that is described in words, of nesting or of the
// size of an enum, or "".
func constructed(words string) string {
	const closed = `{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`
	const most = 1000
	var levels, values, characters int
	if n, _ := fmt.Sscanf(words, "object nesting %d levels", &levels); n == 1 && levels > 0 && levels <= most {
		text := fmt.Sprintf(closed, "", "")
		for range levels - 1 {
			text = fmt.Sprintf(closed, `"a":`+text, `"a"`)
		}
		return text
	}
	if n, _ := fmt.Sscanf(words, "one enum of %d values x %d chars", &values, &characters); n == 2 && values > 0 && characters > 0 && values*characters <= most*most {
		enum := make([]string, values)
		for i := range enum {
			enum[i] = fmt.Sprintf(`"%0*d"`, characters, i)
		}
		return fmt.Sprintf(closed, `"a":{"type":"string","enum":[`+strings.Join(enum, ",")+`]}`, `"a"`)
	}
	return ""
}

// parseDate parses a date of evidence: what provider.ParseDate accepts, a time, or the Date
// header of an HTTP answer.
func parseDate(text string) (provider.Date, error) {
	if day, err := provider.ParseDate(text); err == nil {
		return day, nil
	}
	if at, err := mail.ParseDate(text); err == nil {
		return provider.Date(at.UTC().Format(time.DateOnly)), nil
	}
	return provider.ParseDate(text[:min(len(text), len(time.DateOnly))])
}

// firstDay returns the first day of a month, a year or a range of years, and "" for any other date.
func firstDay(text string) provider.Date {
	switch years, isMonth := text[:min(len(text), len("2006"))], len(text) == len("2006-01"); {
	case isMonth:
		return provider.Date(text + "-01")
	case len(text) == len("2006") || len(text) == len("2006-2007"):
		return provider.Date(years + "-01-01")
	default:
		return ""
	}
}
