package advice

import (
	"maps"
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// measured are last words of names for something measured in a unit.
var measured = []string{"timeout", "duration", "interval", "delay", "ttl", "wait", "age", "expiry", "radius", "distance", "period", "rate", "margin", "retention", "width", "height", "opacity", "confidence", "similarity", "quality", "threshold", "spacing", "padding"}

// kindsOf are suffixes and names of units by the last word of a name.
var kindsOf = map[string][2]string{
	"timeout": {"ms", "seconds or milliseconds"}, "radius": {"meters", "meters or miles"}, "width": {"px", "pixels"}, "spot": {"px", "pixels or points, and from which corner"}, "size": {"bytes", "bytes or megabytes"}, "share": {"percent", "0 to 1 or 0 to 100"}, "rate": {"percent", "percent (5) or a fraction (0.05)"},
	"length": {"chars", "characters, bytes or tokens"}, "timestamp": {"ms", "seconds or milliseconds since 1970"}, "price": {"cents", "cents or whole units, and of which currency"},
}

// prices are last words of names for sums of money.
var prices = []string{"amount", "price", "cost", "fee", "budget", "revenue", "salary", "payout"}

// isMoment reports whether a number is an instant by its name or text.
func isMoment(param *parameter) bool {
	return (param.last() == "timestamp" || slices.Contains(moments, strings.Join(param.words, "_")) || param.prose.Has(instants...)) && !param.prose.Has(serials...)
}

// moments are names of instants, instants phrases about one, and serials those about a number that only counts.
var (
	moments  = []string{"since", "until", "created_after", "created_before", "updated_after", "updated_before", "expires_at"}
	instants = prose.Phrases("timestamp")
	serials  = prose.Phrases("id", "ids", "identifier")
)

// isPrice reports whether a number is a sum of money whose currency no parameter and no text names.
func isPrice(tool *declaration, param *parameter) bool {
	return slices.Contains(prices, param.last()) && !hasAny(param.lower, "cent", "currenc", "usd", "eur", "dollar", "$", "€", "£", "¥", "minor", "smallest", "decimal", "%", "token", "wei", "sats", "unit", "credit", "coin", "number of", "e.g", "example") &&
		!hasAny(tool.lower, "currenc", "cents", "usd", "$", "€", "token", "coin", "crypto", "wei") && !slices.ContainsFunc(tool.params, func(other *parameter) bool { return other.hasNameOf("currency", "token", "coin", "asset") })
}

// shares are words in names of rates that are shares of a whole.
var shares = []string{"growth", "churn", "interest", "tax", "discount", "sampling", "sample", "conversion", "commission", "error", "success", "bounce", "dropout", "return", "inflation", "vat"}

// shared are words in names of thresholds that are shares of a whole.
var shared = []string{"warning", "alert", "score", "similarity", "confidence", "match", "relevance"}

// unitOf returns the name in kindsOf that has the units of a parameter.
func unitOf(param *parameter) string {
	switch param.last() {
	case "amount", "price", "cost", "fee", "budget", "revenue", "salary", "payout":
		return "price"
	case "radius", "distance":
		return "radius"
	case "width", "height", "spacing", "padding":
		return "width"
	case "x", "y":
		return "spot"
	case "rate", "margin":
		return "rate"
	case "opacity", "confidence", "similarity", "quality", "threshold":
		return "share"
	case "size":
		return "size"
	case "length", "index":
		return "length"
	default:
		if isMoment(param) {
			return "timestamp"
		}
		return "timeout"
	}
}

// noUnit finds numbers without a unit.
var noUnit = &Rule{
	Name: "no_unit",
	Doc: `a duration, an instant, a length, a rate or a price has no unit

A model has to guess whether a timeout or a timestamp is in seconds or in milliseconds, whether a
rate of a half is 50 or 0.5, and whether a price of a dollar is 1 or 100.`,
	Source: Source{
		"Anthropic asks for unambiguous parameters and for what an expert would know, such as units, in writing.",
		"https://www.anthropic.com/engineering/writing-tools-for-agents", "2025-09-11",
	},
	Bad:  `[{"name": "run", "description": "Run a program and return its output.", "parameters": {"type": "object", "properties": {"timeout": {"type": "integer", "description": "How long it may run."}}}}]`,
	Good: `[{"name": "run", "description": "Run a program and return its output.", "parameters": {"type": "object", "properties": {"timeout": {"type": "integer", "default": 30, "description": "How long it may run, in seconds."}}}}]`,
	check: func(p *pass, tool *declaration) {
		found := map[string][]*parameter{} // by a name with the same units
		for _, param := range tool.params {
			if !param.isA("integer", "number") || param.isClosed() {
				continue
			}
			name := param.words
			if len(name) == 0 || !slices.Contains(measured, name[len(name)-1]) && !isMoment(param) && !isPrice(tool, param) && !(param.last() == "time" && param.hasNameOf("expiration", "expiry", "wait", "processing", "response", "cache", "idle")) && !isOfBytes(param) && !isSpot(tool, param) && !isOfText(tool, param) {
				continue
			}
			if len(name) > 1 && name[len(name)-1] == "age" && name[len(name)-2] != "max" && name[len(name)-2] != "min" || len(name) == 1 && name[0] == "age" {
				continue // of a person, in years
			}
			last := name[len(name)-1]
			if last == "rate" && !param.hasNameOf(shares...) || last == "threshold" && !param.hasNameOf(shared...) {
				continue // a price, or a frequency, or a count
			}
			if isLength := last == "radius" || last == "distance"; isLength && !hasAny(tool.lower+param.lower, "latitude", "location", "nearby", "coordinates", "geo", "places", "address") || slices.ContainsFunc(name, isOfDrawing) || isRatio(param) || unitOf(param) == "share" && param.schema.Has("minimum") && param.schema.Has("maximum") || len(param.prose.Bounds()) > 1 || hasUnitBeside(tool, param) {
				continue
			}
			if isForeign(param.text) || param.prose.HasUnit() || prose.Read(param.schema.GetString("title")).HasUnit() || sentenceHasUnit(tool.prose, param.name) {
				continue
			}
			kind := unitOf(param)
			found[kind] = append(found[kind], param)
		}
		p.signs(tool)
		for _, kind := range slices.Sorted(maps.Keys(found)) {
			last := len(p.found)
			params := found[kind]
			answer := ": say it in the text, such as " + kindsOf[kind][1] + ", or in the name, such as " + withSuffix(params[0].name, kindsOf[kind][0])
			p.reportAll(params, "is a number without a unit"+answer, "are numbers without a unit"+answer)
			if kind == "width" || kind == "price" || kind == "spot" { // pixels, and whole units of a currency, are what models take
				p.note(last)
			}
		}
	},
}

// signs reports sums of a transaction that may be spent or received, of which no text says which one is negative.
func (p *pass) signs(tool *declaration) {
	var found []*parameter
	for _, param := range tool.params {
		if param.last() == "amount" && param.isA("integer", "number") && slices.Contains(singular(tool.named), "transaction") && !hasAny(tool.lower+param.lower, "negative", "positive", "sign", "outflow", "absolute") && !param.schema.Has("minimum") {
			found = append(found, param)
		}
	}
	p.reportAll(found, "does not say whether what is spent is negative: say which sign it has", "do not say whether what is spent is negative: say which sign it has")
}

// isSpot reports whether a number is a coordinate on a screen.
func isSpot(tool *declaration, param *parameter) bool {
	return (param.last() == "x" || param.last() == "y") && hasAny(param.lower, "coordinate", "position", "offset") && !hasAny(tool.lower+param.lower, "pixel", "point", "viewport", "normalized", "canvas", "0-1000", "tile", "parent")
}

// isOfText reports whether a number is the length of a text, or the place where a part of it begins.
func isOfText(tool *declaration, param *parameter) bool {
	hasLength := func(other *parameter) bool { return slices.Equal(other.words, []string{"max", "length"}) }
	return hasLength(param) || slices.Equal(param.words, []string{"start", "index"}) && !hasAny(param.lower, "character", "byte", "token") && slices.ContainsFunc(tool.params, hasLength)
}

// isOfBytes reports whether a number is the size of a file.
func isOfBytes(param *parameter) bool {
	return param.last() == "size" && param.hasNameOf("max", "file", "chunk", "disk") && !param.hasNameOf("batch", "page", "pool", "queue", "font") && !strings.Contains(param.lower, "number of")
}

// isOfDrawing reports whether a word in a name shows that a length is on a screen, or
// that an age is in transactions.
func isOfDrawing(word string) bool {
	return slices.Contains([]string{"border", "corner", "blur", "inner", "outer", "shadow", "freeze", "multixact"}, word)
}

// isRatio reports whether a number is a fraction of 1.
func isRatio(param *parameter) bool {
	maximum := param.schema.Get("maximum")
	return maximum != nil && (maximum.Text == "1" || maximum.Text == "1.0") || hasAny(param.lower, "between 0 and 1", "0-1", "0 to 1", "fraction", "multiplier") || hasWord(param.lower, "ratio")
}

// hasUnitBeside reports whether another parameter, or the text, gives the unit.
func hasUnitBeside(tool *declaration, param *parameter) bool {
	return strings.Contains(param.lower, "unit") || slices.ContainsFunc(tool.params, func(other *parameter) bool {
		return other.holder == param.holder && (other.last() == "unit" || other.last() == "units")
	})
}

func sentenceHasUnit(text *prose.Text, name string) bool {
	return slices.ContainsFunc(text.Sentences, func(sentence prose.Sentence) bool {
		return sentence.Has(prose.Phrases(strings.ToLower(name))...) && sentence.HasUnit()
	})
}

// withSuffix adds a word to a name, in the style of the name.
func withSuffix(name, word string) string {
	if strings.Contains(name, "_") || strings.ToLower(name) == name {
		return name + "_" + word
	}
	return name + strings.ToUpper(word[:1]) + word[1:]
}
