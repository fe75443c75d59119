package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"toolproof/harness/verdict"
	"toolproof/schema"
)

// JSON writes results as JSON Lines, as docs/schema/result.schema.json describes them.
type JSON struct {
	out  io.Writer
	line []byte // the part of a line that is not written yet
	err  error  // of the first failed write of the line
}

// NewJSON returns a JSON that writes to out.
func NewJSON(out io.Writer) *JSON { return &JSON{out: out} }

// Result writes the line of one result, in several parts if it is long. A recording has no line;
// only the summary counts it.
func (j *JSON) Result(result verdict.Result) error {
	if result.IsRecording() {
		return nil
	}
	j.line, j.err = j.line[:0], nil
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
	if j.err == nil {
		_, j.err = j.out.Write(j.line)
	}
	const usual = 1 << 20 // bytes
	if j.line = j.line[:0]; cap(j.line) > usual {
		j.line = nil
	}
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
	j.text(`,"id":`, result.ID)
	j.text(`,"tool":`, result.Tool)
	j.text(`,"source":`, result.Source)
	j.number(`,"line":`, result.Line)
	j.text(`,"target":`, result.Target)
	j.text(`,"dialect":`, result.Dialect)
	j.some(`,"fixture":`, result.Fixture)
	j.some(`,"side":`, result.Side)
	j.some(`,"normalizer":`, result.Normalizer)
	j.some(`,"subject":`, result.Subject)
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
	j.some(`,"as_given":`, result.AsGiven)
	j.text(`,"status":`, result.Status.String())
	j.text(`,"error":`, result.Error)
	if result.Together != 0 {
		j.number(`,"together":`, result.Together)
	}
	if len(result.Advice) > 0 {
		j.findings(`,"advice":`, result.Advice)
	}
	if result.Tokens != 0 {
		j.number(`,"tokens":`, result.Tokens)
	}
	j.node(`,"understood":`, result.Understood)
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
	j.node(`,"request":`, answer.Request)
}

func (j *JSON) seen(seen *verdict.Seen) {
	j.number(`,"seen":{"constructs":`, seen.Constructs)
	j.number(`,"accepted":`, seen.Accepted)
	if len(seen.Unseen) > 0 {
		j.raw(`,"unseen":[`)
		for i, text := range seen.Unseen {
			j.comma(i)
			j.text("", text)
		}
		j.raw(`]`)
	}
	j.raw(`}`)
}

func (j *JSON) findings(before string, findings []verdict.Finding) {
	j.raw(before)
	j.raw(`[`)
	for i := range findings {
		j.comma(i)
		j.finding(&findings[i])
		j.end()
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
	j.some(`,"surface":`, finding.Surface)
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
	if normalized.Tool == nil {
		j.raw(`,"tool":null`)
	} else {
		j.node(`,"tool":`, normalized.Tool)
	}
	j.raw(`,"strict":`)
	j.line = strconv.AppendBool(j.line, normalized.Strict)
	j.text(`,"fallback":`, normalized.Fallback)
	j.text(`,"loss":`, normalized.Loss.String())
	if normalized.Changes == nil {
		j.raw(`,"changes":null`)
		return
	}
	j.raw(`,"changes":[`)
	for i := range normalized.Changes {
		j.comma(i)
		j.change(&normalized.Changes[i])
		j.end()
	}
	j.raw(`]`)
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
	j.node(`,"before":`, change.Before.Node())
	j.node(`,"after":`, change.After.Node())
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

// node appends a value unless it is nil.
func (j *JSON) node(before string, node *schema.Node) {
	if node != nil {
		j.raw(before)
		j.value(node)
	}
}

// value appends a value, in several parts if it is large.
func (j *JSON) value(node *schema.Node) {
	switch node.Kind {
	case schema.Object:
		j.raw(`{`)
		for i := range node.Members {
			j.comma(i)
			j.text("", node.Members[i].Key)
			j.raw(`:`)
			j.value(node.Members[i].Value)
		}
		j.raw(`}`)
	case schema.Array:
		j.raw(`[`)
		for i, element := range node.Elements {
			j.comma(i)
			j.value(element)
		}
		j.raw(`]`)
	default:
		j.line = node.AppendJSON(j.line)
		j.end()
	}
}
