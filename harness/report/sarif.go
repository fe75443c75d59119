package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"codeberg.org/chavacava/garif"

	"toolproof/harness/verdict"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// sarifLog collects what fails as the results of a SARIF 2.1.0 log: each finding on each
// surface is one, and so is each tool without a verdict.
type sarifLog struct {
	options Options
	results []*garif.Result
	rules   []*garif.ReportingDescriptor
	known   map[string]bool // of the rules
	more    int
	last    string // the problem of a document that was added last
}

func newSARIF(options Options) *sarifLog {
	return &sarifLog{options: options, results: []*garif.Result{}, known: map[string]bool{}}
}

// maxSARIF is how many results a log has: GitHub takes 25,000.
const maxSARIF = 25_000

// sarifSchema is where the form of the log is published.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Result adds what one result fails for, what is ignored of its tool, and the advice on it.
func (s *sarifLog) Result(result verdict.Result) error {
	isFinding := result.Status == verdict.Fail || result.Status == verdict.KnownFailure || s.options.Located && result.Status == verdict.Pass
	side := s.options.required(result)
	refused, ignored := side.refused(), side.ignored(result)
	var advised []verdict.Finding
	if advice := result.Advice(); advice != nil {
		advised = advice.Findings
	}
	switch {
	case result.Status == verdict.NotApplicable, result.Status == verdict.Pass && !s.options.Located:
	case isFinding && result.Fixture() == nil:
		if len(refused)+len(ignored)+len(advised) == 0 {
			s.outcome(result)
		}
		s.findings(result, side, refused)
	default:
		s.outcome(result)
	}
	s.findings(result, side, ignored)
	s.findings(result, side, advised)
	return nil
}

// findings adds findings of a side of a tool, with the changes that answer them.
func (s *sarifLog) findings(result verdict.Result, side required, findings []verdict.Finding) {
	changes := side.answering(findings)
	for _, finding := range findings {
		dialect := finding.On(side.dialect)
		title, text, _ := strings.Cut(s.doc(dialect, finding.Rule), "\n\n")
		rule := dialect
		if finding.Rule != "" {
			rule += "/" + finding.Rule
		}
		place := placeOfFinding(result, finding)
		message := strings.Join(strings.Fields(wordsOf(finding)), " ")
		if answers := answering(finding, changesAt(changes, finding.At)); len(answers) > 0 {
			message += "\n" + answers[0].Rule + " answers it: " + proposal(answers[0])
		}
		level := levels[finding.Severity]
		switch {
		case finding.Level == verdict.Warning:
			level = garif.ResultLevel_Warning
		case result.Status == verdict.Fail && (result.Advice() != nil || side.answer.Loses()): // as nothing may be lost
			level = garif.ResultLevel_Error
		}
		added := s.add(place, level, rule, title, text, message)
		if added == nil {
			continue
		}
		identity := []string{result.Source, result.ID, result.Tool, result.Target, finding.Rule}
		if finding.Surface != "" {
			identity = append(identity, finding.Surface)
		}
		// What is the same when the tool moves in its file, or the words of the message differ.
		added.PartialFingerprints = map[string]string{
			"finding/v1": fingerprint(append(identity, string(finding.At))...),
		}
		added.Properties = &garif.PropertyBag{"target": escape.Line(result.Target), "tool": escape.Line(result.Tool)}
		if finding.Waived != nil {
			added.Suppressions = suppressed(finding.Waived.Reason + " (until " + finding.Waived.Until + ")")
		}
		switch {
		case s.options.Baseline != nil && s.options.Baseline.Has(result, finding), result.Status == verdict.KnownFailure && !isExcused(result):
			added.BaselineState = "unchanged"
		case s.options.Baseline != nil:
			added.BaselineState = "new"
		}
	}
}

// levels are those of SARIF, by the severity of a finding.
var levels = map[string]garif.ResultLevel{
	"critical": garif.ResultLevel_Error, "medium": garif.ResultLevel_Warning, "low": garif.ResultLevel_Note, verdict.AdviceTarget: garif.ResultLevel_Note,
}

func (s *sarifLog) doc(dialect, rule string) string {
	if s.options.Doc == nil {
		return ""
	}
	return s.options.Doc(dialect, rule)
}

// outcomes say what a result without findings is about.
var outcomes = map[verdict.Status]struct {
	level       garif.ResultLevel
	title, text string
}{
	verdict.Error:        {garif.ResultLevel_Error, "No verdict", "Something could not be read or run."},
	verdict.Fail:         {garif.ResultLevel_Error, "Not as expected", "The answer is not the expected one."},
	verdict.Inconclusive: {garif.ResultLevel_Warning, "Nothing was learnt", "The evidence does not suffice for a verdict."},
	verdict.KnownFailure: {garif.ResultLevel_Note, "A known failure", "It fails as a known entry says."},
	verdict.Pass:         {garif.ResultLevel_Note, "Accepted", "The tool is accepted."},
}

// outcome adds a result that its error explains: of a fixture, or without a verdict. What
// is wrong with a document is added once, and not for every target.
func (s *sarifLog) outcome(result verdict.Result) {
	outcome := outcomes[result.Status]
	place, message := s.options.placeOfOutcome(result)
	if message == "" {
		message = outcome.text
	}
	last := fmt.Sprint(place, message)
	if last == s.last {
		return
	}
	s.last = last
	added := s.add(place, outcome.level, "verify/"+result.Status.String(), outcome.title, outcome.text, message)
	if added == nil {
		return
	}
	line := verdict.LineOf(result)
	added.PartialFingerprints = map[string]string{
		"finding/v1": fingerprint(line.Source, line.ID, line.Tool, line.Fixture, line.Side, line.Dialect, result.Status.String(), message),
	}
	if result.Status == verdict.KnownFailure {
		added.Suppressions = suppressed(message)
	}
}

// suppressed says why a result does not fail: as somebody wrote down beside the tool.
func suppressed(why string) []*garif.Suppression {
	suppression := garif.NewSuppression("external")
	suppression.Status, suppression.Justification = "accepted", escape.Line(why)
	return []*garif.Suppression{suppression}
}

// add adds a result at a place, and its rule; nil where the log is full.
func (s *sarifLog) add(place place, level garif.ResultLevel, rule, title, text, message string) *garif.Result {
	if len(s.results) == maxSARIF {
		s.more++
		return nil
	}
	rule = escape.Line(rule)
	if !s.known[rule] {
		s.known[rule] = true
		described := garif.NewRule(rule)
		if title != "" {
			described.ShortDescription = garif.NewMultiformatMessageString(title)
			described.Help = garif.NewMultiformatMessageString(strings.TrimSpace(title + "\n\n" + text))
		}
		s.rules = append(s.rules, described)
	}
	result := garif.NewResult(garif.NewMessageFromText(plain(message)))
	result.RuleId, result.Level = rule, level
	result.Locations = []*garif.Location{locationOf(place)}
	s.results = append(s.results, result)
	return result
}

// locationOf returns the region of a file, and the tool and JSON Pointer in it. Standard
// input and a server have these alone.
func locationOf(place place) *garif.Location {
	location := garif.NewLocation()
	if file := place.file(); file != "" {
		artifact := garif.NewArtifactLocation()
		artifact.Uri = uriOf(file)
		region := garif.NewRegion()
		region.StartLine, region.StartColumn = place.line, place.column
		location.PhysicalLocation = garif.NewPhysicalLocation()
		location.PhysicalLocation.ArtifactLocation, location.PhysicalLocation.Region = artifact, region
	}
	logical := garif.NewLogicalLocation()
	switch {
	case place.together > 0:
		logical.Name, logical.Kind = "the request of "+Count(place.together, "tool"), "object"
	case place.tool == "":
		logical.Name, logical.Kind = escape.Line(place.source), "module"
	default:
		logical.Name, logical.Kind = escape.Line(place.tool), "function"
	}
	logical.FullyQualifiedName = logical.Name
	if place.at != "" {
		logical.FullyQualifiedName += "#" + escape.Line(string(place.at))
	}
	location.LogicalLocations = []*garif.LogicalLocation{logical}
	return location
}

// uriOf returns the URI reference of a file: relative, unless the name is absolute.
func uriOf(name string) string {
	address := url.URL{Path: filepath.ToSlash(name)}
	if strings.HasPrefix(address.Path, "/") {
		address.Scheme = "file"
	}
	return address.String()
}

// plain returns a text as a message of SARIF shows it. A pair of brackets and parentheses
// would be a link; where there could be one the brackets are escaped.
func plain(text string) string {
	text = escape.Lines(text, "")
	if strings.Contains(text, "](") {
		text = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(text)
	}
	return text
}

// fingerprint returns a digest of texts.
func fingerprint(texts ...string) string {
	var all []byte
	for _, text := range texts {
		all = schema.AppendQuoted(all, text) // so that no two lists are alike
	}
	digest := sha256.Sum256(all)
	return hex.EncodeToString(digest[:16])
}

// sarifFile is a log with its version first, and sarifRun a run that has its results also
// where there are none: without the list nothing was looked at, and GitHub refuses it.
type (
	sarifFile struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		*garif.Run

		Results []*garif.Result `json:"results"`
	}
)

// Summary writes the log.
func (s *sarifLog) Summary(summary *Summary) error {
	driver := garif.NewToolComponent("Toolproof")
	driver.Version, driver.Rules = s.options.Version, s.rules
	invocation := garif.NewInvocation(summary.Worst() != verdict.Error)
	if s.more > 0 {
		left := garif.NewNotification(garif.NewMessageFromText(Count(s.more, "further result") + " left out"))
		left.Level = garif.ResultLevel_Warning
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, left)
	}
	for _, ignore := range summary.Ignores {
		needs := garif.NewNotification(garif.NewMessageFromText(plain(ignore.String())))
		needs.Level = garif.ResultLevel_Warning
		needs.Locations = []*garif.Location{locationOf(place{source: ignore.File, line: ignore.Line, column: 1, at: ignore.At})}
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, needs)
	}
	run := garif.NewRun(garif.NewTool(driver))
	run.Invocations = []*garif.Invocation{invocation}
	log := sarifFile{sarifSchema, "2.1.0", []sarifRun{{run, s.results}}}
	if err := newEncoder(s.options.Out).Encode(log); err != nil {
		return fmt.Errorf("writing SARIF: %w", err)
	}
	return nil
}
