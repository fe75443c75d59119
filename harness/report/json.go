package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"toolproof/harness/verdict"
	"toolproof/schema"
)

// JSON writes results as JSON Lines, as docs/schema/result.schema.json describes them. No line is
// longer than Read takes: of a list with too much text only the first elements are written, with the
// number of the others.
type JSON struct {
	out     io.Writer
	line    []byte      // the part of a line that is not written yet
	written int         // bytes of the line that are written
	err     error       // of the first failed write of the line
	isLarge func() bool // of the Options
}

// NewJSON returns a JSON that writes to out.
func NewJSON(out io.Writer) *JSON {
	return newJSON(Options{Out: out})
}

func newJSON(options Options) *JSON {
	if options.IsLarge == nil {
		options.IsLarge = func() bool { return false }
	}
	return &JSON{out: options.Out, isLarge: options.IsLarge}
}

// MostAnswered is the number of tools up to which lines say what to write in the source, which takes longer than to
// judge the tools. It is about all that are judged and not about those before a line, so that a line does not
// depend on its place.
const MostAnswered = 1000

// Brief leaves out of all lines what to write in the source.
func (j *JSON) Brief() { j.isLarge = func() bool { return true } }

// Where the parts of a line end at the latest, and how long they are at most, in bytes.
const (
	longText    = maxLine / 256 // the length of a text of the line itself, such as its error
	maxFindings = maxLine / 8   // the length of a list of findings, of which there are four
	endRequest  = maxLine / 2
	endChanges  = maxLine * 7 / 8 // also of the tool
	endLast     = maxLine * 15 / 16
)

// Result writes the line of one result, in several parts if it is long. A recording has no line;
// only the summary counts it.
func (j *JSON) Result(result verdict.Result) error {
	if result.IsRecording() {
		return nil
	}
	j.line, j.written, j.err = j.line[:0], 0, nil
	if !j.isLarge() {
		result = result.Answered()
	}
	line := verdict.LineOf(result)
	j.result(&line)
	j.line = append(j.line, '\n')
	j.write()
	if j.err != nil {
		return fmt.Errorf("writing a result: %w", j.err)
	}
	return nil
}

// part is the number of bytes after which a part of a line is written.
const part = 1 << 16

// end is called where a part of a line may end.
func (j *JSON) end() {
	if len(j.line) >= part {
		j.write()
	}
}

// write writes the part of a line that is there, and frees an unusually large buffer.
func (j *JSON) write() {
	j.written += len(j.line)
	if j.err == nil {
		_, j.err = j.out.Write(j.line)
	}
	const usual = 1 << 20 // bytes
	if j.line = j.line[:0]; cap(j.line) > usual {
		j.line = nil
	}
}

// size returns the number of bytes of the line so far.
func (j *JSON) size() int { return j.written + len(j.line) }

// list writes the elements of a list, and returns how many are left out because the line would be
// longer than most.
func (j *JSON) list(count, most int, element func(i int)) (more int) {
	for i := range count {
		start := len(j.line)
		j.comma(i)
		if element(i); j.size() > most {
			j.line = j.line[:start]
			return count - i
		}
		j.end()
	}
	return 0
}

// Summary writes the last line.
func (j *JSON) Summary(summary *Summary) error {
	line := struct {
		Version int      `json:"version"`
		Summary *Summary `json:"summary"`
	}{verdict.Version, summary}
	if err := newEncoder(j.out).Encode(line); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

// newEncoder returns an encoder that does not escape < and >, because a line is not part of a page.
func newEncoder(out io.Writer) *json.Encoder {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder
}

// result appends a line exactly as encoding/json writes it, which a test ensures. With
// encoding/json, a check that prints all results takes 60 % longer.
func (j *JSON) result(result *verdict.Line) {
	j.raw(`{"version":`)
	j.line = strconv.AppendInt(j.line, int64(result.Version), 10)
	j.text(`,"id":`, shortened(result.ID))
	j.text(`,"tool":`, shortened(result.Tool))
	j.text(`,"source":`, shortened(result.Source))
	j.number(`,"line":`, result.Line)
	j.text(`,"target":`, result.Target)
	j.text(`,"dialect":`, result.Dialect)
	j.some(`,"fixture":`, result.Fixture)
	j.some(`,"side":`, result.Side)
	j.some(`,"normalizer":`, result.Normalizer)
	j.some(`,"subject":`, result.Subject)
	j.some(`,"judged":`, result.Judged)
	if result.Raw != nil {
		j.raw(`,"raw":{`)
		j.answer(result.Raw)
		j.raw(`}`)
	}
	if result.Normalized != nil {
		j.raw(`,"normalized":{`)
		j.normalized(result.Normalized)
		j.raw(`}`)
	}
	j.some(`,"as_given":`, shortened(result.AsGiven))
	j.text(`,"status":`, result.Status.String())
	j.text(`,"error":`, shortened(result.Error))
	if result.Together != 0 {
		j.number(`,"together":`, result.Together)
	}
	if len(result.Advice) > 0 {
		j.findings(`,"advice":`, result.Advice)
	}
	if result.Tokens != 0 {
		j.number(`,"tokens":`, result.Tokens)
	}
	j.node(`,"understood":`, result.Understood, endLast)
	j.some(`,"api":`, string(result.API))
	if result.Turns != 0 {
		j.number(`,"turns":`, result.Turns)
	}
	j.some(`,"differs":`, shortened(result.Differs))
	j.some(`,"arguments":`, shortened(result.Arguments))
	j.some(`,"how":`, result.How)
	if result.Took != 0 {
		j.number(`,"took_ms":`, int(result.Took))
	}
	if len(result.Unknown) > 0 {
		j.raw(`,"unknown":[`)
		j.list(len(result.Unknown), j.size()+longText, func(i int) { j.text("", result.Unknown[i]) })
		j.raw(`]`)
	}
	j.raw(`}`)
}

func (j *JSON) answer(answer *verdict.Answer) {
	j.text(`"verdict":`, string(answer.Verdict))
	j.text(`,"evidence":`, answer.Evidence.String())
	if answer.Findings == nil {
		j.raw(`,"findings":null`)
	} else {
		j.findings(`,"findings":`, answer.Findings)
	}
	if len(answer.Ignored) > 0 {
		j.findings(`,"ignored":`, answer.Ignored)
	}
	if answer.Seen != nil {
		j.seen(answer.Seen)
	}
	j.node(`,"request":`, answer.Request, endRequest)
}

func (j *JSON) seen(seen *verdict.Seen) {
	j.number(`,"seen":{"constructs":`, seen.Constructs)
	j.number(`,"accepted":`, seen.Accepted)
	if len(seen.Unseen) > 0 {
		j.raw(`,"unseen":[`)
		j.list(len(seen.Unseen), j.size()+longText, func(i int) { j.text("", seen.Unseen[i]) })
		j.raw(`]`)
	}
	j.raw(`}`)
}

// findings writes a list of findings. If some are left out, the last one says how many.
func (j *JSON) findings(before string, findings []verdict.Finding) {
	j.raw(before)
	j.raw(`[`)
	if more := j.list(len(findings), j.size()+maxFindings, func(i int) { j.finding(&findings[i]) }); more > 0 {
		first := len(findings) - more
		j.comma(first)
		j.finding(&verdict.Finding{Severity: findings[first].Severity, Message: "and " + Count(more, "more finding")})
	}
	j.raw(`]`)
}

func (j *JSON) finding(finding *verdict.Finding) {
	j.text(`{"rule":`, finding.Rule)
	j.text(`,"severity":`, finding.Severity)
	j.text(`,"message":`, finding.Message)
	j.text(`,"at":`, string(finding.At))
	j.number(`,"line":`, finding.Line)
	j.number(`,"col":`, finding.Column)
	if len(finding.Also) > 0 {
		j.raw(`,"also":[`)
		for i, at := range finding.Also {
			j.comma(i)
			j.text("", string(at))
		}
		j.raw(`]`)
	}
	if finding.IsGrave {
		j.raw(`,"grave":true`)
	}
	j.some(`,"surface":`, finding.Surface)
	if finding.IsBehind {
		j.raw(`,"behind":true`)
	}
	if finding.Lost > 0 {
		j.number(`,"lost":`, finding.Lost)
	}
	j.some(`,"until":`, finding.Until)
	j.some(`,"about":`, finding.About)
	if len(finding.Answers) > 0 {
		j.raw(`,"answers":[`)
		for i := range finding.Answers {
			j.comma(i)
			j.change(&finding.Answers[i])
		}
		j.raw(`]`)
	}
	j.some(`,"sent_as":`, finding.SentAs)
	j.some(`,"rewritten_for":`, finding.RewrittenFor)
	j.some(`,"not_strict":`, finding.NotStrict)
	j.some(`,"instead":`, finding.Instead)
	j.some(`,"level":`, finding.Level)
	if finding.Waived != nil {
		j.text(`,"waived":{"reason":`, finding.Waived.Reason)
		j.text(`,"until":`, finding.Waived.Until)
		j.raw(`}`)
	}
	j.raw(`}`)
}

func (j *JSON) normalized(normalized *verdict.Normalized) {
	j.answer(&normalized.Answer)
	switch {
	case normalized.Tool == nil:
		j.raw(`,"tool":null`)
	case !j.node(`,"tool":`, normalized.Tool, endChanges):
		j.text(`,"tool":{"name":`, shortened(normalized.Tool.GetString("name")))
		j.raw(`},"cut":true`)
	}
	j.raw(`,"strict":`)
	j.line = strconv.AppendBool(j.line, normalized.Strict)
	j.text(`,"fallback":`, shortened(normalized.Fallback))
	j.text(`,"loss":`, normalized.Loss.String())
	if normalized.Changes == nil {
		j.raw(`,"changes":null`)
		return
	}
	j.raw(`,"changes":[`)
	more := j.list(len(normalized.Changes), endChanges, func(i int) { j.change(&normalized.Changes[i]) })
	j.raw(`]`)
	if more += normalized.More; more > 0 {
		j.number(`,"more":`, more)
	}
}

func (j *JSON) change(change *verdict.Change) {
	j.text(`{"rule":`, change.Rule)
	j.text(`,"from":`, string(change.From))
	j.text(`,"at":`, string(change.At))
	j.text(`,"loss":`, change.Loss.String())
	j.raw(`,"restored":`)
	j.line = strconv.AppendBool(j.line, change.Restored)
	if change.Remains != 0 {
		j.text(`,"remains":`, change.Remains.String())
	}
	j.value(`,"before":`, change.Before.Node())
	j.value(`,"after":`, change.After.Node())
	j.some(`,"loses":`, change.Loses)
	j.some(`,"generator":`, change.Generator)
	if change.Then {
		j.raw(`,"then":true`)
	}
	j.raw(`}`)
}

// raw appends text that is JSON already.
func (j *JSON) raw(text string) { j.line = append(j.line, text...) }

func (j *JSON) comma(i int) {
	if i > 0 {
		j.raw(`,`)
	}
}

func (j *JSON) text(before, text string) {
	j.raw(before)
	j.line = schema.AppendQuoted(j.line, text)
}

// some appends a text unless it is empty.
func (j *JSON) some(before, text string) {
	if text != "" {
		j.text(before, text)
	}
}

func (j *JSON) number(before string, number int) {
	j.raw(before)
	j.line = strconv.AppendInt(j.line, int64(number), 10)
}

// node appends a value unless it is nil. If the line would be longer than most, it appends nothing and
// returns false.
func (j *JSON) node(before string, node *schema.Node, most int) bool {
	start := len(j.line)
	j.value(before, node)
	if j.size() > most {
		j.line = j.line[:start]
		return false
	}
	j.end()
	return true
}

// value appends a value unless it is nil. It may stop when the line is longer than any value may make
// it.
func (j *JSON) value(before string, node *schema.Node) {
	if node == nil || j.size() > endLast {
		return
	}
	j.raw(before)
	switch node.Kind {
	case schema.Object:
		j.raw(`{`)
		for i := range node.Members {
			j.comma(i)
			j.text("", node.Members[i].Key)
			j.value(`:`, node.Members[i].Value)
		}
		j.raw(`}`)
	case schema.Array:
		j.raw(`[`)
		for i, element := range node.Elements {
			j.comma(i)
			j.value("", element)
		}
		j.raw(`]`)
	default:
		j.line = node.AppendJSON(j.line)
	}
}

// shortened returns the start of a text that is too long for its part of a line.
func shortened(text string) string {
	if len(text) <= longText {
		return text
	}
	return strings.ToValidUTF8(text[:longText], "") + " ..."
}
