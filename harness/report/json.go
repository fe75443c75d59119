package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"toolproof/harness/verdict"
	"toolproof/schema"
)

// JSON writes results as JSON Lines, as docs/schema/result.schema.json says.
type JSON struct {
	out  io.Writer
	line []byte // room for one
}

// NewJSON returns a writer of result lines.
func NewJSON(out io.Writer) *JSON { return &JSON{out: out} }

// Result writes one result.
func (j *JSON) Result(result verdict.Result) error {
	j.line = append(appendResult(j.line[:0], &result), '\n')
	if _, err := j.out.Write(j.line); err != nil {
		return fmt.Errorf("writing a result: %w", err)
	}
	const usual = 1 << 20 // bytes; what a large tool took is not kept
	if cap(j.line) > usual {
		j.line = nil
	}
	return nil
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

// newEncoder returns an encoder that leaves < and > alone: a line is no part of a page.
func newEncoder(out io.Writer) *json.Encoder {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder
}

// appendResult appends what encoding/json makes of a result, which takes several times
// as long: the lines of a large file are most of what a check writes. A test holds the
// two against each other.
func appendResult(line []byte, result *verdict.Result) []byte {
	line = append(line, `{"version":`...)
	line = strconv.AppendInt(line, int64(result.Version), 10)
	line = appendText(line, `,"id":`, result.ID)
	line = appendText(line, `,"tool":`, result.Tool)
	line = appendText(line, `,"source":`, result.Source)
	line = appendInt(line, `,"line":`, result.Line)
	line = appendText(line, `,"target":`, result.Target)
	line = appendText(line, `,"dialect":`, result.Dialect)
	line = appendSome(line, `,"fixture":`, result.Fixture)
	line = appendSome(line, `,"side":`, result.Side)
	line = appendSome(line, `,"normalizer":`, result.Normalizer)
	if result.Raw != nil {
		line = append(line, `,"raw":{`...)
		line = append(appendAnswer(line, result.Raw), '}')
	}
	if result.Normalized != nil {
		line = append(line, `,"normalized":{`...)
		line = append(appendNormalized(line, result.Normalized), '}')
	}
	line = appendText(line, `,"status":`, result.Status.String())
	line = appendText(line, `,"error":`, result.Error)
	if result.Together != 0 {
		line = appendInt(line, `,"together":`, result.Together)
	}
	if len(result.Advice) > 0 {
		line = append(appendFindings(append(line, `,"advice":[`...), result.Advice), ']')
	}
	if result.Tokens != 0 {
		line = appendInt(line, `,"tokens":`, result.Tokens)
	}
	line = appendNode(line, `,"understood":`, result.Understood)
	return append(line, '}')
}

func appendAnswer(line []byte, answer *verdict.Answer) []byte {
	line = appendText(line, `"verdict":`, string(answer.Verdict))
	line = appendText(line, `,"evidence":`, answer.Evidence.String())
	if answer.Findings == nil {
		line = append(line, `,"findings":null`...)
	} else {
		line = append(appendFindings(append(line, `,"findings":[`...), answer.Findings), ']')
	}
	if len(answer.Ignored) > 0 {
		line = append(appendFindings(append(line, `,"ignored":[`...), answer.Ignored), ']')
	}
	if answer.Seen != nil {
		line = append(appendSeen(line, answer.Seen), '}')
	}
	return appendNode(line, `,"request":`, answer.Request)
}

func appendSeen(line []byte, seen *verdict.Seen) []byte {
	line = appendInt(line, `,"seen":{"constructs":`, seen.Constructs)
	line = appendInt(line, `,"accepted":`, seen.Accepted)
	if len(seen.Unseen) == 0 {
		return line
	}
	line = append(line, `,"unseen":[`...)
	for i, text := range seen.Unseen {
		line = schema.AppendQuoted(appendComma(line, i), text)
	}
	return append(line, ']')
}

func appendFindings(line []byte, findings []verdict.Finding) []byte {
	for i := range findings {
		line = appendFinding(appendComma(line, i), &findings[i])
	}
	return line
}

func appendFinding(line []byte, finding *verdict.Finding) []byte {
	line = appendText(line, `{"rule":`, finding.Rule)
	line = appendText(line, `,"severity":`, finding.Severity)
	line = appendText(line, `,"message":`, finding.Message)
	line = appendText(line, `,"at":`, string(finding.At))
	line = appendInt(line, `,"line":`, finding.Line)
	line = appendInt(line, `,"col":`, finding.Column)
	line = appendSome(line, `,"surface":`, finding.Surface)
	if finding.Lost > 0 {
		line = appendInt(line, `,"lost":`, finding.Lost)
	}
	line = appendSome(line, `,"level":`, finding.Level)
	if finding.Waived != nil {
		line = appendText(line, `,"waived":{"reason":`, finding.Waived.Reason)
		line = append(appendText(line, `,"until":`, finding.Waived.Until), '}')
	}
	return append(line, '}')
}

func appendNormalized(line []byte, normalized *verdict.Normalized) []byte {
	line = appendAnswer(line, &normalized.Answer)
	line = append(line, `,"tool":`...)
	if normalized.Tool == nil {
		line = append(line, "null"...)
	} else {
		line = normalized.Tool.AppendJSON(line)
	}
	line = append(line, `,"strict":`...)
	line = strconv.AppendBool(line, normalized.Strict)
	line = appendText(line, `,"fallback":`, normalized.Fallback)
	line = appendText(line, `,"loss":`, normalized.Loss.String())
	if normalized.Changes == nil {
		return append(line, `,"changes":null`...)
	}
	line = append(line, `,"changes":[`...)
	for i := range normalized.Changes {
		line = appendChange(appendComma(line, i), &normalized.Changes[i])
	}
	return append(line, ']')
}

func appendChange(line []byte, change *verdict.Change) []byte {
	line = appendText(line, `{"rule":`, change.Rule)
	line = appendText(line, `,"from":`, string(change.From))
	line = appendText(line, `,"at":`, string(change.At))
	line = appendText(line, `,"loss":`, change.Loss.String())
	line = append(line, `,"restored":`...)
	line = strconv.AppendBool(line, change.Restored)
	if change.Remains != 0 {
		line = appendText(line, `,"remains":`, change.Remains.String())
	}
	line = appendNode(line, `,"before":`, change.Before.Node())
	line = appendNode(line, `,"after":`, change.After.Node())
	return append(line, '}')
}

func appendComma(line []byte, i int) []byte {
	if i > 0 {
		line = append(line, ',')
	}
	return line
}

func appendText(line []byte, before, text string) []byte {
	return schema.AppendQuoted(append(line, before...), text)
}

// appendSome appends nothing for an empty text.
func appendSome(line []byte, before, text string) []byte {
	if text == "" {
		return line
	}
	return appendText(line, before, text)
}

func appendInt(line []byte, before string, number int) []byte {
	return strconv.AppendInt(append(line, before...), int64(number), 10)
}

// appendNode appends nothing for nil.
func appendNode(line []byte, before string, node *schema.Node) []byte {
	if node == nil {
		return line
	}
	return node.AppendJSON(append(line, before...))
}
