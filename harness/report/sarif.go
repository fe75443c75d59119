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

// sarifLog collects the results of a SARIF 2.1.0 log: one for each finding on each surface, and one
// for each tool without a verdict.
type sarifLog struct {
	options Options
	results []*garif.Result
	rules   []*garif.ReportingDescriptor
	known   map[string]bool // rules that are in the log
	more    int             // number of results that are left out
	fixed   int             // number of fixes
	last    string          // latest problem of a document
}

func newSARIF(options Options) *sarifLog {
	return &sarifLog{options: options, results: []*garif.Result{}, known: map[string]bool{}}
}

// maxSARIF is the number of results in a log: GitHub accepts 25,000.
const maxSARIF = 25_000

// sarifSchema is the address of the schema of SARIF 2.1.0.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Result adds the findings that make a result fail, what is ignored of its tool, and advice.
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

// findings adds findings of one side of a tool, with the changes that answer them.
func (s *sarifLog) findings(result verdict.Result, side required, findings []verdict.Finding) {
	for _, finding := range findings {
		dialect := finding.On(side.dialect)
		title, text, _ := strings.Cut(s.doc(dialect, finding.Rule), "\n\n")
		rule := dialect
		if finding.Rule != "" {
			rule += "/" + finding.Rule
		}
		place := placeOfFinding(result, finding)
		message := strings.Join(strings.Fields(wordsOf(finding)), " ")
		cure := s.options.cure(result, finding)
		if proposal := Proposal(cure); proposal != "" {
			message += "\nTo do: " + proposal
		}
		level := levels[finding.Severity]
		switch {
		case finding.Level == verdict.Warning:
			level = garif.ResultLevel_Warning
		case result.Status == verdict.Fail && finding.Severity != verdict.Note && (result.Advice() != nil || side.answer.Loses()): // because nothing may be lost
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
		added.Fixes = s.fixes(result, place, cure)
		// The fingerprint stays the same if the tool moves in its file or the message is reworded.
		added.PartialFingerprints = map[string]string{
			"finding/v1": fingerprint(append(identity, string(finding.At))...),
		}
		added.Properties = &garif.PropertyBag{"target": escape.Line(result.Target), "tool": escape.Line(result.Tool)}
		if finding.IsBehind {
			(*added.Properties)["behind"] = true
		}
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

// mostFixed bounds the fixes of a log.
const mostFixed = 5_000

// fixes returns the edit of a finding as what it replaces in the file.
func (s *sarifLog) fixes(result verdict.Result, place place, cure verdict.Cure) []*garif.Fix {
	if s.options.Replaced == nil || place.file() == "" || len(cure.Edits) == 0 || s.fixed == mostFixed {
		return nil
	}
	replaced := s.options.Replaced(result, cure.Edits[0])
	if len(replaced) == 0 {
		return nil
	}
	s.fixed++
	artifact := garif.NewArtifactLocation()
	artifact.Uri = uriOf(place.file())
	change := &garif.ArtifactChange{ArtifactLocation: artifact}
	for _, part := range replaced {
		region := garif.NewRegion()
		region.StartLine, region.StartColumn, region.EndLine, region.EndColumn = part.StartLine, part.StartColumn, part.EndLine, part.EndColumn
		change.Replacements = append(change.Replacements, &garif.Replacement{DeletedRegion: region, InsertedContent: &garif.ArtifactContent{Text: part.Text}})
	}
	return []*garif.Fix{{Description: garif.NewMessageFromText(plain(EditOf(cure.Edits[0]))), ArtifactChanges: []*garif.ArtifactChange{change}}}
}

// levels are the SARIF levels by the severity of a finding.
var levels = map[string]garif.ResultLevel{
	"critical": garif.ResultLevel_Error, "medium": garif.ResultLevel_Warning, "low": garif.ResultLevel_Note,
	verdict.AdviceTarget: garif.ResultLevel_Note, verdict.Note: garif.ResultLevel_Note,
}

func (s *sarifLog) doc(dialect, rule string) string {
	if s.options.Doc == nil {
		return ""
	}
	return s.options.Doc(dialect, rule)
}

// outcomes describe the SARIF results for verdicts without findings.
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

// outcome adds a result that its error explains: one of a fixture, or one without a verdict. A
// problem of a document is added once, and not for every target.
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

// suppressed returns the suppression of a result that the project or a fixture excuses.
func suppressed(why string) []*garif.Suppression {
	suppression := garif.NewSuppression("external")
	suppression.Status, suppression.Justification = "accepted", escape.Line(why)
	return []*garif.Suppression{suppression}
}

// add adds a result and, if it is new, its rule. It returns nil if the log is full.
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

// locationOf returns the region in the file, and the tool with the JSON Pointer. For standard input
// and servers only the latter exists.
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
	case place.whole != "":
		logical.Name, logical.Kind = place.whole, "object"
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

// uriOf returns the URI reference of a file, which is relative unless the name is absolute.
func uriOf(name string) string {
	address := url.URL{Path: filepath.ToSlash(name)}
	if strings.HasPrefix(address.Path, "/") {
		address.Scheme = "file"
	}
	return address.String()
}

// plain returns a text as a SARIF message. It escapes brackets that SARIF viewers could take for a
// link.
func plain(text string) string {
	text = escape.Lines(text, "")
	if strings.Contains(text, "](") {
		text = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(text)
	}
	return text
}

// fingerprint returns a digest of a list of texts.
func fingerprint(texts ...string) string {
	var all []byte
	for _, text := range texts {
		all = schema.AppendQuoted(all, text) // quotes keep different lists apart
	}
	digest := sha256.Sum256(all)
	return hex.EncodeToString(digest[:16])
}

// sarifFile is a log that begins with its version. sarifRun is a run that writes its results even
// if the list is empty: a missing list means that nothing was examined, and GitHub refuses it.
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
