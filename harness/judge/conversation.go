package judge

import (
	"cmp"
	"slices"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/harness/verdict"
	"toolproof/schema"
)

// Conversation is a whole request: its messages, results, parameters and tools.
type Conversation struct {
	Source string // the file that the request is from
	Line   int    // on which the request begins, counted from 1; 0 without a file
	API    provider.API
	// Host is the host to which the request was sent; empty if that is not known.
	Host string
	// Model is the provider's model; empty means the one that the body names.
	Model string
	Body  *schema.Node
	// IsForged reports whether a signature of thinking is not one that the service gave; nil if nobody
	// can tell.
	IsForged func(signature string) bool
}

// Conversation judges a request by what the service of a target is known to refuse in requests, which is
// everything but the schemas of the declarations: Tool and Request judge those. The request is not
// applicable to a target whose service has no such rule for the API.
func (j Judge) Conversation(subject Conversation, target Target) verdict.Result {
	request := j.conversed(subject, target)
	result := verdict.Result{
		Source: subject.Source, Line: subject.Line, Target: target.Name(), Dialect: target.Dialect.Service() + "/conversation",
	}
	judged := &verdict.Conversation{API: subject.API, Turns: turns(subject.Body)}
	result.Kind = judged
	if !slices.ContainsFunc(conversation.Rules, func(rule *conversation.Rule) bool {
		return rule.API == subject.API && slices.Contains(rule.Services, request.Service)
	}) {
		result.Status = verdict.NotApplicable
		return result
	}
	judged.Answer = verdict.Answer{Verdict: provider.Accepted, Evidence: provider.Predicted, Findings: []verdict.Finding{}}
	for rules := conversation.Rules; ; {
		refusal := conversation.Judge(request, rules)
		if refusal == nil {
			break
		}
		judged.Verdict = provider.Rejected
		finding := subject.finding(refusal)
		finding.IsBehind = len(judged.Findings) > 0
		judged.Findings = append(judged.Findings, finding)
		rules = rules[slices.Index(rules, refusal.Rule)+1:]
	}
	judged.Unknown = conversation.Unknown(request)
	result.Status = verdict.Pass
	switch {
	case j.Required > judged.Evidence:
		result.Status, result.Error = verdict.Inconclusive, "the request was not answered by the provider: "+j.Required.String()+" evidence is required"
	case judged.Verdict == provider.Rejected:
		result.Status = verdict.Fail
	}
	return result
}

// conversed returns the request as the rules of a target's service read it.
func (j Judge) conversed(subject Conversation, target Target) *conversation.Request {
	return &conversation.Request{
		API: subject.API, Service: target.Dialect.Service(), Model: cmp.Or(j.ModelName, subject.Model, subject.Body.GetString("model")),
		Body: subject.Body, Day: cmp.Or(j.AsOf, provider.Today()), IsForged: subject.IsForged,
	}
}

// finding returns a refusal as a finding, with its place in the source.
func (c Conversation) finding(refusal *conversation.Refusal) verdict.Finding {
	finding := verdict.Finding{Rule: refusal.Rule.Name, Severity: provider.Finding{}.Severity(), Message: refusal.Message, At: refusal.At}
	if guilty := c.Body.Find(refusal.At); guilty != nil && c.Line > 0 {
		finding.Line, finding.Column = int(guilty.Position.Line), int(guilty.Position.Column)
	}
	return finding
}

// turns counts the messages of a request.
func turns(body *schema.Node) int {
	messages := body.First("messages", "contents", "input")
	if messages == nil || messages.Kind != schema.Array {
		return 1
	}
	return len(messages.Elements)
}
