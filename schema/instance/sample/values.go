package sample

import (
	"math/big"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"toolproof/schema"
)

// properties holds, for each of several schemas, its declared properties by name.
type properties []map[string]*schema.Node

func (s *sampler) propertiesOf(flat []*schema.Node) properties {
	found := make(properties, len(flat))
	for i, node := range flat {
		declared := node.Get("properties")
		if declared == nil || len(declared.Members) == 0 {
			continue
		}
		s.charge(len(declared.Members))
		found[i] = make(map[string]*schema.Node, len(declared.Members))
		for _, member := range declared.Members {
			found[i][member.Key] = member.Value
		}
	}
	return found
}

// object makes an object with all required members and, down to a certain depth, each other one
// with a probability of one half. It returns nil if it fails, as array, number and text do.
func (s *sampler) object(flat []*schema.Node, depth int) *schema.Node {
	var declared, required []string
	for _, node := range flat {
		declared = append(declared, node.Get("properties").Keys()...)
		required = append(required, node.Get("required").Strings()...)
	}
	s.charge(len(declared) + len(required))
	known, isRequired := s.propertiesOf(flat), schema.Among(required)
	least, most := limit(flat, "minProperties", 0), limit(flat, "maxProperties", 1<<30)
	object, isMade := schema.NewObject(), map[string]bool{}
	add := func(name string) bool {
		if isMade[name] {
			return true
		}
		value := s.solve(problem{pending: s.schemasOf(flat, known, name), depth: depth + 1})
		if value != nil {
			isMade[name] = true
			object.Members = append(object.Members, schema.Member{Key: name, Value: value})
		}
		return value != nil
	}
	for _, name := range declared {
		wanted := depth <= deep && s.random.IntN(2) == 0 && len(object.Members)+len(required) < most
		if isRequired(name) && !add(name) {
			return nil
		} else if wanted {
			add(name)
		}
	}
	for _, name := range slices.Concat(required, s.dependents(flat, object)) {
		if !add(name) {
			return nil
		}
	}
	for _, name := range declared {
		if len(object.Members) < least {
			add(name)
		}
	}
	for i := 0; len(object.Members) < least; i++ {
		if s.steps--; s.steps < 0 {
			return nil
		}
		if name := s.name(flat, i); name == "" || !add(name) {
			return nil
		}
	}
	if len(object.Members) > most {
		return nil
	}
	return object
}

// dependents returns the names that the members of an object make required.
func (s *sampler) dependents(flat []*schema.Node, object *schema.Node) []string {
	var names []string
	for _, node := range flat {
		for _, dependencies := range []*schema.Node{node.Get("dependentRequired"), node.Get("dependencies")} {
			for _, dependency := range members(dependencies) {
				if s.charge(len(object.Members)); s.steps < 0 {
					return names
				}
				if object.Has(dependency.Key) {
					names = append(names, dependency.Value.Strings()...)
				}
			}
		}
	}
	return names
}

// schemasOf returns the schemas that the member called name has to satisfy.
func (s *sampler) schemasOf(flat []*schema.Node, known properties, name string) []*schema.Node {
	var schemas []*schema.Node
	for i, node := range flat {
		property := known[i][name]
		found := property != nil
		if found {
			schemas = append(schemas, property)
		}
		for _, pattern := range members(node.Get("patternProperties")) {
			if s.matches(pattern.Key, name) {
				schemas, found = append(schemas, pattern.Value), true
			}
		}
		for _, rest := range []string{"additionalProperties", "unevaluatedProperties"} {
			if others := node.Get(rest); others != nil && !found {
				schemas = append(schemas, others)
			}
		}
	}
	return schemas
}

func members(node *schema.Node) []schema.Member {
	if node == nil {
		return nil
	}
	return node.Members
}

// name makes a name for a member that no schema declares. It returns "" if it finds none.
func (s *sampler) name(flat []*schema.Node, i int) string {
	for _, node := range flat {
		if names := node.Get("propertyNames"); names != nil {
			if name := s.solve(problem{pending: []*schema.Node{names}}); name != nil {
				return name.Text
			}
			return ""
		}
		if patterns := members(node.Get("patternProperties")); len(patterns) > 0 {
			return s.matching(patterns[i%len(patterns)].Key, 0)
		}
	}
	return "key" + strconv.Itoa(i+1)
}

// array makes an array of the elements that it must have, and of at least one down to a certain
// depth.
func (s *sampler) array(flat []*schema.Node, depth int) *schema.Node {
	least, most := limit(flat, "minItems", 0), limit(flat, "maxItems", 1<<30)
	isUnique := slices.ContainsFunc(flat, func(node *schema.Node) bool { return node.Get("uniqueItems").IsTrue() })
	count := least
	if depth <= deep {
		count = min(max(least, tuple(flat), 1+s.random.IntN(2)), most)
	}
	array := schema.NewArray()
	for _, node := range flat {
		if wanted := node.Get("contains"); wanted != nil {
			for range limit(flat, "minContains", 1) {
				value := s.solve(problem{pending: append(itemsAt(flat, len(array.Elements)), wanted), depth: depth + 1})
				if value == nil {
					return nil
				}
				array.Elements = append(array.Elements, value)
			}
		}
	}
	for tries := 0; len(array.Elements) < count && s.steps >= 0; tries++ {
		value := s.solve(problem{pending: itemsAt(flat, len(array.Elements)), depth: depth + 1})
		if isUnique {
			s.charge(len(array.Elements))
		}
		isTwice := isUnique && slices.ContainsFunc(array.Elements, func(other *schema.Node) bool { return schema.Equal(value, other) })
		if value == nil || isTwice && tries > 20*count {
			break
		}
		if !isTwice {
			array.Elements = append(array.Elements, value)
		}
	}
	if len(array.Elements) < least || len(array.Elements) > most {
		return nil
	}
	return array
}

// tuple returns the number of elements that have schemas of their own.
func tuple(flat []*schema.Node) int {
	count := 0
	for _, node := range flat {
		count = max(count, len(elements(node.Get("prefixItems"))))
		if items := node.Get("items"); items != nil && items.Kind == schema.Array {
			count = max(count, len(items.Elements))
		}
	}
	return count
}

// itemsAt returns the schemas that the element at index has to satisfy.
func itemsAt(flat []*schema.Node, index int) []*schema.Node {
	var schemas []*schema.Node
	for _, node := range flat {
		first, rest := elements(node.Get("prefixItems")), node.Get("items")
		if rest != nil && rest.Kind == schema.Array { // as in drafts before 2020-12
			first, rest = rest.Elements, node.Get("additionalItems")
		}
		if rest == nil {
			rest = node.Get("unevaluatedItems")
		}
		if index < len(first) {
			schemas = append(schemas, first[index])
		} else if rest != nil {
			schemas = append(schemas, rest)
		}
	}
	return schemas
}

// number makes a number within the bounds: the nearest to the lower bound, or to the upper one
// if there is no lower bound, or one of the hundred multiples beyond that.
func (s *sampler) number(flat []*schema.Node, isInteger bool) *schema.Node {
	var low, high bound
	step := big.NewRat(1, 1)
	isStepped := isInteger
	for _, node := range flat {
		low = low.stricter(boundOf(node, "minimum", "exclusiveMinimum", 1), 1)
		high = high.stricter(boundOf(node, "maximum", "exclusiveMaximum", -1), -1)
		if multiple := rational(node.Get("multipleOf")); multiple != nil && multiple.Sign() > 0 {
			step, isStepped = multiple, true
			if isInteger { // the least common multiple with 1
				step = new(big.Rat).SetInt(multiple.Num())
			}
		}
	}
	value := s.multiple(step, low, high)
	if value == nil && !isStepped {
		value = between(low, high)
	}
	if value == nil {
		return nil
	}
	digits, isExact := value.FloatPrec()
	if !isExact {
		return nil
	}
	return schema.NewNumber(value.FloatString(digits))
}

// bound is a least or greatest value. The zero bound is no bound.
type bound struct {
	value    *big.Rat
	excluded bool
}

func boundOf(node *schema.Node, inclusive, exclusive string, sign int) bound {
	found := bound{value: rational(node.Get(inclusive)), excluded: node.Get(exclusive).IsTrue()} // as in draft 4
	return found.stricter(bound{value: rational(node.Get(exclusive)), excluded: true}, sign)
}

// stricter returns the larger of two bounds, or the smaller if sign is -1.
func (b bound) stricter(other bound, sign int) bound {
	if b.value == nil || other.value != nil && (other.value.Cmp(b.value)*sign > 0 || other.value.Cmp(b.value) == 0 && other.excluded) {
		return other
	}
	return b
}

// allows reports whether the value lies on the right side of the bound.
func (b bound) allows(value *big.Rat, sign int) bool {
	if b.value == nil {
		return true
	}
	side := value.Cmp(b.value) * sign
	return side > 0 || side == 0 && !b.excluded
}

// multiple returns a multiple of the step between the bounds, or nil.
func (s *sampler) multiple(step *big.Rat, low, high bound) *big.Rat {
	at := func(count *big.Int) *big.Rat { return new(big.Rat).Mul(step, new(big.Rat).SetInt(count)) }
	count, direction := new(big.Int), int64(1)
	switch {
	case low.value != nil:
		count = floor(new(big.Rat).Quo(low.value, step))
		if !low.allows(at(count), 1) {
			count.Add(count, big.NewInt(1))
		}
	case high.value != nil:
		direction = -1
		count = floor(new(big.Rat).Quo(high.value, step))
		if !high.allows(at(count), -1) {
			count.Sub(count, big.NewInt(1))
		}
	}
	if first := at(count); !low.allows(first, 1) || !high.allows(first, -1) {
		return nil
	}
	const wide = 100
	for range 8 {
		other := at(new(big.Int).Add(count, big.NewInt(direction*s.random.Int64N(wide))))
		if low.allows(other, 1) && high.allows(other, -1) {
			return other
		}
	}
	return at(count)
}

func floor(value *big.Rat) *big.Int {
	return new(big.Int).Div(value.Num(), value.Denom()) // Euclidean division rounds down, because the denominator is positive
}

// between returns the middle of two bounds, or nil if a bound is missing or nothing lies between
// them.
func between(low, high bound) *big.Rat {
	if low.value == nil || high.value == nil {
		return nil
	}
	middle := new(big.Rat).Mul(new(big.Rat).Add(low.value, high.value), big.NewRat(1, 2))
	if low.allows(middle, 1) && high.allows(middle, -1) {
		return middle
	}
	return nil
}

// formats maps formats that JSON Schema names to an example.
var formats = map[string]string{
	"date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "duration": "PT1H",
	"email": "ada@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uri": "https://example.com/", "url": "https://example.com/", "uri-reference": "/a", "iri": "https://example.com/",
	"uuid": "123e4567-e89b-42d3-a456-426614174000", "json-pointer": "/a", "regex": "^a$", "byte": "YQ==", "binary": "YQ==",
}

var texts = []string{"amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron"}

// text makes a string. It gives up on patterns that Go cannot read.
func (s *sampler) text(flat []*schema.Node) *schema.Node {
	least, most := limit(flat, "minLength", 0), limit(flat, "maxLength", maxText)
	if least > maxText || least > most {
		return nil
	}
	var patterns []string
	var candidates []string
	for _, node := range flat {
		if pattern := node.GetString("pattern"); pattern != "" {
			patterns = append(patterns, pattern)
		}
		if format := formats[node.GetString("format")]; format != "" {
			candidates = append(candidates, format)
		}
	}
	for _, pattern := range patterns {
		candidates = append(candidates, s.matching(pattern, 0))
		for try := range 40 { // repetitions are only a part of the length
			candidates = append(candidates, s.matching(pattern, max(0, least-try/4)))
		}
	}
	if len(patterns) == 0 {
		text := texts[s.random.IntN(len(texts))]
		text = strings.Repeat(text, 1+least/len(text))
		candidates = append(candidates, text[:min(max(least, len(texts[0])), most)])
	}
	for _, candidate := range candidates {
		if s.steps < 0 {
			return nil
		}
		if length := utf8.RuneCountInString(candidate); length < least || length > most {
			continue
		}
		if !slices.ContainsFunc(patterns, func(pattern string) bool { return !s.matches(pattern, candidate) }) {
			return schema.NewString(candidate)
		}
	}
	return nil
}

// matches reports whether Go can read the pattern and it matches the text.
func (s *sampler) matches(pattern, text string) bool {
	if s.charge(100 + len(pattern) + len(text)); s.steps < 0 { // compiling is expensive
		return false
	}
	expression, err := regexp.Compile(schema.GoPattern(pattern))
	return err == nil && expression.MatchString(text)
}

// matching makes a text for a pattern, in which each unbounded part is repeated at least repeat
// times. It returns "" for a pattern that Go cannot read.
func (s *sampler) matching(pattern string, repeat int) string {
	parsed, err := syntax.Parse(schema.GoPattern(pattern), syntax.Perl)
	if err != nil {
		return ""
	}
	var text strings.Builder
	s.match(&text, parsed, repeat)
	return text.String()
}

func (s *sampler) match(text *strings.Builder, expression *syntax.Regexp, repeat int) {
	if s.steps--; s.steps < 0 || text.Len() > maxText {
		return
	}
	least, most := 1, 1
	switch expression.Op {
	case syntax.OpLiteral:
		text.WriteString(string(expression.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		text.WriteByte("abcdefgh"[s.random.IntN(8)])
	case syntax.OpCharClass:
		s.character(text, expression.Rune)
	case syntax.OpAlternate:
		s.match(text, expression.Sub[s.random.IntN(len(expression.Sub))], repeat)
		return
	case syntax.OpStar:
		least, most = repeat, repeat+2
	case syntax.OpPlus:
		least, most = max(repeat, 1), repeat+3
	case syntax.OpQuest:
		least = 0
	case syntax.OpRepeat:
		least, most = expression.Min, expression.Max
		if most < 0 {
			most = least + repeat + 2
		}
		least, most = max(least, min(repeat, most)), min(most, max(least, repeat)+2)
	default: // captures and concatenations; assertions take no text
	}
	for range least + s.random.IntN(most-least+1) {
		for _, part := range expression.Sub {
			s.match(text, part, repeat)
		}
	}
}

// character writes one of the characters in the ranges, a printable ASCII one if possible.
func (s *sampler) character(text *strings.Builder, ranges []rune) {
	var plain []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for letter := max(ranges[i], '!'); letter <= min(ranges[i+1], '~'); letter++ {
			plain = append(plain, letter)
		}
	}
	if len(plain) > 0 {
		text.WriteRune(plain[s.random.IntN(len(plain))])
	} else if len(ranges) > 0 {
		text.WriteRune(ranges[0])
	}
}
