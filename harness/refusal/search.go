package refusal

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/schema"
)

// search is the search for the meaning of one pasted text.
type search struct {
	Locator

	paste *paste
	tools []schema.Tool
	found []*reading
	// isOfRequest means that a rule about requests has the words, so that few tools can be meant.
	isOfRequest bool
	// known has the violations of the tools by surface.
	known map[*provider.Dialect][]provider.Finding
	// places has what alone returns.
	places map[where][]provider.Place
}

// where is a location that a surface reads out of the text.
type where struct {
	dialect  *provider.Dialect
	location string
}

// reading is what a text means if it comes from a surface.
type reading struct {
	dialect *provider.Dialect
	places  []Place
	missing []provider.Place // understood, without a place in the tools
	// ofBody is a rule about members of the body beside the tools that has the words; nil if there
	// is none.
	ofBody *provider.Rule
	// covered is how many letters of the text a rule's messages are.
	covered int
	// exactness is the sum of the grades of these messages, the more the closer.
	exactness int
	// current is the number of these messages whose rules hold on the day that is asked about.
	current int
	// isRead means that the surface's Locate understands the text.
	isRead bool
}

// compare orders readings by how well they explain the text.
func (r *reading) compare(other *reading) int {
	return cmp.Or(
		cmp.Compare(r.covered, other.covered),
		cmp.Compare(r.exactness, other.exactness),
		compareBool(len(r.places) > 0, len(other.places) > 0),
		compareBool(r.isRead, other.isRead),
		cmp.Compare(r.current, other.current),
		cmp.Compare(r.named(), other.named()),
		cmp.Compare(len(r.places), len(other.places)),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// named counts the places that the message names.
func (r *reading) named() int {
	count := 0
	for i := range r.places {
		if r.places[i].Location != "" {
			count++
		}
	}
	for i := range r.missing {
		if r.missing[i].Location != "" {
			count++
		}
	}
	return count
}

// all asks the surfaces that understand the text. If no rule of theirs explains it, it asks the
// others, and then whether the text has a part of what a rule says. A tool that the text names and
// that is not among the tools is looked for nowhere else.
func (s *search) all(ctx context.Context) error {
	read := make([][]provider.Place, len(s.Dialects))
	isNamed, isPlaced := false, false
	for i, dialect := range s.Dialects {
		read[i] = s.read(dialect)
		for _, place := range read[i] {
			isNamed = isNamed || place.Name != ""
			isPlaced = isPlaced || place.Name != "" && isInTools(place)
		}
	}
	for _, step := range []struct {
		find      func(*words) (match, bool) // nil compares places instead of words
		isOfOther bool                       // ask the surfaces that do not understand the text, too
	}{{s.whole, false}, {s.whole, true}, {s.inPart, true}, {s.inEnd, true}, {nil, false}} {
		s.found = nil
		isExplained := false
		for i, dialect := range s.Dialects {
			if len(read[i]) == 0 && !step.isOfOther {
				continue
			}
			reading, err := s.judge(ctx, dialect, read[i], step.find)
			if err != nil {
				return err
			}
			isExplained = isExplained || reading.covered > 0
			if len(reading.places)+len(reading.missing) > 0 {
				s.found = append(s.found, reading)
			}
		}
		if isExplained || isNamed && !isPlaced || s.isOfRequest {
			return nil
		}
	}
	return nil
}

// mostPlaces bounds the places that are read out of a text; no provider reports so many.
const mostPlaces = 100

// read returns the places that a surface reads out of the text. A reading in which the tools have
// the places is preferred.
func (s *search) read(dialect *provider.Dialect) []provider.Place {
	if dialect.Locate == nil {
		return nil
	}
	var best []provider.Place
	declarations := dialect.Declared(s.tools).Declarations
	for _, refusal := range s.paste.refusals {
		places := dialect.Locate(refusal, declarations)
		places = places[:min(len(places), mostPlaces)]
		if slices.ContainsFunc(places, isInTools) {
			return places
		}
		if len(best) == 0 {
			best = places
		}
	}
	return best
}

func isInTools(place provider.Place) bool { return place.Declaration >= 0 }

// claim is a message of a rule that the text has.
type claim struct {
	match
	provider.Finding

	// isOfOther means that the text names a model for which the rule does not hold.
	isOfOther bool
}

// judge compares the text with what a surface's rules say of the tools, and with the places that
// the surface reads out of it.
func (s *search) judge(ctx context.Context, dialect *provider.Dialect, read []provider.Place, find func(*words) (match, bool)) (*reading, error) {
	tools := s.renamed(read)
	violations, err := s.violations(ctx, dialect, tools)
	if err != nil {
		return nil, err
	}
	claims := strongest(s.claims(dialect, violations, find), read)
	result := &reading{dialect: dialect, isRead: len(read) > 0}
	for i, claim := range claims {
		if i == 0 || claim.start != claims[i-1].start {
			result.covered += claim.end - claim.start
			result.exactness += grades - claim.grade
			if claim.Rule.InForce(cmp.Or(s.AsOf, provider.Today()), s.ModelName) {
				result.current++
			}
		}
		place := provider.Place{Declaration: claim.Declaration, At: claim.At, Location: claim.Location, Message: strings.TrimSpace(claim.Message)}
		if claim.Declaration < 0 {
			place.Declaration = provider.Elsewhere
			place.Location = cmp.Or(place.Location, "tools")
			result.missing = append(result.missing, place)
			if isOfBody(dialect, claim.Finding) {
				result.ofBody = cmp.Or(result.ofBody, claim.Rule)
			}
		} else {
			result.places = append(result.places, Place{place, claim.Rule})
		}
	}
	for _, place := range read {
		if s.isClaimed(place, claims) {
			continue
		}
		if find == nil {
			if guilty, ok := s.guilty(dialect, place, violations); ok {
				result.places = append(result.places, guilty)
				result.covered++
				continue
			}
		}
		if trusted, ok := s.trusted(dialect, place); ok {
			result.places = append(result.places, Place{trusted, nil})
		} else {
			result.missing = append(result.missing, place)
		}
	}
	return result, nil
}

// renamed returns the tools with the names that the message has for them: clients put the name of
// a server before that of a tool, and a bare schema has none.
func (s *search) renamed(read []provider.Place) []schema.Tool {
	tools := s.tools
	for _, place := range read {
		if place.Declaration < 0 || place.Name == "" || place.Name == s.tools[place.Declaration].Name {
			continue
		}
		tools = slices.Clone(tools)
		for i := range tools {
			if s.tools[i].Name == s.tools[place.Declaration].Name {
				tools[i].Name = place.Name
			}
		}
	}
	return tools
}

// violations returns what the surface's rules refuse in the tools.
func (s *search) violations(ctx context.Context, dialect *provider.Dialect, tools []schema.Tool) ([]provider.Finding, error) {
	if s.known == nil {
		s.known = map[*provider.Dialect][]provider.Finding{}
	}
	if known, ok := s.known[dialect]; ok {
		return known, nil
	}
	model := provider.Model{Dialect: dialect, AsOf: s.AsOf, ModelName: s.ModelName}
	step := max(1, len(tools))
	if dialect.Subject == provider.Answer {
		step = 1 // a request has one schema for an answer
	}
	var all []provider.Finding
	for at := 0; at < len(tools); at += step {
		findings, err := model.Violations(ctx, dialect.Declared(tools[at:at+step]))
		if err != nil {
			return nil, err
		}
		for i := range findings {
			switch {
			case findings[i].Declaration >= 0:
				findings[i].Declaration += at
			case step == 1 && !isOfBody(dialect, findings[i]):
				findings[i].Declaration, findings[i].At = at, cmp.Or(findings[i].At, "/parameters")
			}
		}
		all = append(all, findings...)
	}
	all, err := aloneToo(ctx, model, tools, all)
	if err != nil {
		return nil, err
	}
	s.known[dialect] = all
	return all, nil
}

// aloneToo replaces findings about all tools together by those about single tools that are refused
// for the same alone.
func aloneToo(ctx context.Context, model provider.Model, tools []schema.Tool, findings []provider.Finding) ([]provider.Finding, error) {
	isTogether := func(finding provider.Finding) bool {
		return finding.Declaration < 0 && !isOfBody(model.Dialect, finding)
	}
	if !slices.ContainsFunc(findings, isTogether) {
		return findings, nil
	}
	replaced := map[*provider.Rule]bool{}
	for i := range tools {
		alone, err := model.Violations(ctx, model.Dialect.Declared(tools[i:i+1]))
		if err != nil {
			return nil, err
		}
		for _, finding := range alone {
			if isTogether(finding) {
				finding.Declaration, finding.At = i, cmp.Or(finding.At, "/parameters")
				replaced[finding.Rule] = true
				findings = append(findings, finding)
			}
		}
	}
	return slices.DeleteFunc(findings, func(finding provider.Finding) bool { return isTogether(finding) && replaced[finding.Rule] }), nil
}

// isOfBody reports whether a finding is about a member of the body beside the tools.
func isOfBody(dialect *provider.Dialect, finding provider.Finding) bool {
	return dialect.Parameters != nil && dialect.Parameters.Has(finding.Location)
}

// claims returns the findings whose messages the text has, or has in another order if the
// provider's words vary.
func (s *search) claims(dialect *provider.Dialect, findings []provider.Finding, find func(*words) (match, bool)) []claim {
	if find == nil {
		return nil
	}
	var varied []words
	if dialect.Canonical != nil {
		for _, refusal := range s.paste.refusals {
			varied = append(varied, wordsOf(dialect.Canonical(refusal.Message)))
		}
	}
	type finds struct {
		match

		ok bool
	}
	known := map[string]finds{}
	var claims []claim
	for _, finding := range findings {
		text, model := s.paste.named(prefaced(finding, cmp.Or(s.AsOf, provider.Today())))
		result, isKnown := known[text]
		if !isKnown {
			message := wordsOf(text)
			result.match, result.ok = find(&message)
			for i := 0; i < len(varied) && !result.ok; i++ {
				message = wordsOf(dialect.Canonical(text))
				result.match, result.ok = varied[i].find(&message)
			}
			known[text] = result
		}
		if result.ok {
			claims = append(claims, claim{result.match, finding, model != "" && !finding.Rule.InForce(finding.Rule.Since, model)})
		}
	}
	return claims
}

// prefaced returns the message of a finding. If the message is too short to be found, what stands
// before it is included, as on the day nearest to the given one on which the rule holds.
func prefaced(finding provider.Finding, day provider.Date) string {
	text := strings.TrimSpace(finding.Message)
	if preface := finding.Rule.Stage.Preface; preface != nil && len(letters(text)) < fewest {
		text = preface(finding.Rule.DayNear(day), finding) + text
	}
	return text
}

// guilty returns the place in the only tool that a rule of the surface refuses there, in other words
// about the same location. It reports false if there is no such tool or several.
func (s *search) guilty(dialect *provider.Dialect, place provider.Place, violations []provider.Finding) (found Place, ok bool) {
	location := wordsOf(place.Location)
	for _, alone := range s.alone(dialect, place) {
		at := slices.IndexFunc(violations, func(finding provider.Finding) bool {
			message := wordsOf(finding.Message)
			return finding.Declaration == alone.Declaration && finding.At == alone.At && strings.Contains(message[uncounted], location[uncounted])
		})
		switch {
		case at < 0:
		case ok:
			return Place{}, false
		default:
			found, ok = Place{alone, violations[at].Rule}, true
		}
	}
	return found, ok
}

// alone returns the place in each tool that has it if the message is about that tool, whatever
// number the message gives.
func (s *search) alone(dialect *provider.Dialect, place provider.Place) []provider.Place {
	if dialect.Locate == nil || place.Name != "" || place.Location == "" || place.Declaration == provider.Elsewhere {
		return nil
	}
	key := where{dialect, place.Location}
	if known, ok := s.places[key]; ok {
		return known
	}
	var places []provider.Place
	for i := range s.tools {
		declaration := dialect.Declared(s.tools[i : i+1]).Declarations
		for _, refusal := range s.paste.refusals {
			read := dialect.Locate(refusal, declaration)
			at := slices.IndexFunc(read, func(alone provider.Place) bool { return isInTools(alone) && alone.Location == place.Location })
			if at >= 0 {
				read[at].Declaration = i
				places = append(places, read[at])
				break
			}
		}
	}
	if s.places == nil {
		s.places = map[where][]provider.Place{}
	}
	s.places[key] = places
	return places
}

// whole finds a message that is in the text.
func (s *search) whole(message *words) (match, bool) { return s.paste.text.find(message) }

// inPart finds a message whose end, or whose parts, the text lacks.
func (s *search) inPart(message *words) (match, bool) {
	if found, ok := s.paste.text.findCut(message); ok {
		return found, true
	}
	for _, parts := range s.paste.parts {
		if found, ok := findParts(parts, message); ok {
			return found, true
		}
	}
	return match{}, false
}

// inEnd finds a message of which the text has the end, after another place.
func (s *search) inEnd(message *words) (match, bool) {
	for _, tail := range s.paste.tails {
		if found, ok := findParts([]words{tail}, message); ok {
			return found, true
		}
	}
	return match{}, false
}

// strongest returns the claims that count, in the order of the text: of those about the same words
// the closest, and of these the ones that are at a place that was read. A claim within the words of
// another does not count.
func strongest(claims []claim, read []provider.Place) []claim {
	slices.SortStableFunc(claims, func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(a.grade, b.grade), compareBool(a.isOfOther, b.isOfOther))
	})
	var kept []claim
	for end := 0; len(claims) > 0; {
		same := claims[:1]
		for len(same) < len(claims) && claims[len(same)].match == same[0].match {
			same = claims[:len(same)+1]
		}
		if same[0].end > end {
			end = same[0].end
			kept = append(kept, meant(same, read)...)
		}
		claims = claims[len(same):]
	}
	return kept
}

// meant returns those of equal claims that a place that was read confirms, or all.
func meant(claims []claim, read []provider.Place) []claim {
	for _, isSame := range []func(claim, provider.Place) bool{
		func(c claim, p provider.Place) bool { return c.Declaration == p.Declaration && c.At == p.At },
		func(c claim, p provider.Place) bool { return c.Declaration == p.Declaration && c.At.Under(p.At) },
		func(c claim, p provider.Place) bool { return c.Declaration == p.Declaration && p.Name != "" },
	} {
		var confirmed []claim
		for _, claim := range claims {
			if slices.ContainsFunc(read, func(place provider.Place) bool { return isSame(claim, place) }) {
				confirmed = append(confirmed, claim)
			}
		}
		if len(confirmed) > 0 {
			return onceEach(confirmed)
		}
	}
	return onceEach(claims)
}

// onceEach returns the first claim about each place.
func onceEach(claims []claim) []claim {
	var once []claim
	for _, candidate := range claims {
		isKnown := slices.ContainsFunc(once, func(known claim) bool {
			return known.Declaration == candidate.Declaration && known.At == candidate.At
		})
		if !isKnown {
			once = append(once, candidate)
		}
	}
	return once
}

// isClaimed reports whether a place that was read is about the words of a claim.
func (s *search) isClaimed(place provider.Place, claims []claim) bool {
	if len(claims) == 0 {
		return false
	}
	message := wordsOf(place.Message)
	found, ok := s.paste.text.find(&message)
	return slices.ContainsFunc(claims, func(claim claim) bool {
		return claim.Declaration == place.Declaration && claim.At == place.At || ok && claim.start < found.end && found.start < claim.end
	})
}

// trusted returns a place that no rule confirms, if it is beyond doubt which tool it is in: the
// message names the tool, or properties that only one tool has. A single tool is meant whatever its
// number is, because people paste the tool that was refused rather than the whole request.
func (s *search) trusted(dialect *provider.Dialect, place provider.Place) (provider.Place, bool) {
	if !isInTools(place) {
		return place, false
	}
	if place.Name != "" || len(s.tools) == 1 {
		return place, true
	}
	most, isOnly, found := 0, false, place
	for _, alone := range s.alone(dialect, place) {
		switch depth := namedDepth(alone); {
		case depth > most:
			most, isOnly, found = depth, true, alone
		case depth == most:
			isOnly = false
		}
	}
	if !isOnly {
		return place, false
	}
	return found, true
}

// namedDepth returns how many properties on the way to a place the message names.
func namedDepth(place provider.Place) int {
	names := strings.FieldsFunc(place.Location, func(letter rune) bool { return strings.ContainsRune(" .,:()[]/'\"`", letter) })
	depth, tokens := 0, place.At.Tokens()
	for i, token := range tokens {
		if i > 0 && tokens[i-1] == "properties" && slices.Contains(names, token) {
			depth++
		}
	}
	return depth
}
