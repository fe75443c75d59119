package judge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/conversation"
	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/harness/recording"
	"toolproof/harness/refusal"
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
	// Recorded is the provider's answer; nil if it is not known.
	Recorded *Recorded
	// Surfaces are the known surfaces, which tell a refusal of the declarations apart.
	Surfaces []*provider.Dialect
	// IsForged reports whether a signature of thinking is not one that the service gave; nil if nobody
	// can tell.
	IsForged func(signature string) bool
}

// Recorded is a provider's recorded answer to a request.
type Recorded struct {
	Status int // of HTTP
	Body   []byte
	Date   provider.Date // empty if it is not known
}

// Conversation judges a request by what the service of a target is known to refuse in requests, which is
// everything but the schemas of the declarations: Tool and Request judge those. A recorded answer outweighs
// the rules of its day, and the result says where they differ. The request is not applicable to a target
// whose service has no rule for the API, unless there is an answer.
func (j Judge) Conversation(ctx context.Context, subject Conversation, target Target) verdict.Result {
	if subject.API == provider.Publish {
		return j.listing(subject, target)
	}
	request := j.conversed(subject, target)
	result := verdict.Result{
		Source: subject.Source, Line: subject.Line, Target: target.Name(), Dialect: target.Dialect.Service() + "/conversation",
	}
	judged := &verdict.Conversation{API: subject.API, Turns: turns(subject.Body)}
	result.Kind = judged
	said, aside := subject.said(target)
	isKnown := !subject.isElsewhere() && (subject.isDecoded() || slices.ContainsFunc(slices.Concat(conversation.Rules, conversation.Ignoring), func(rule *conversation.Rule) bool {
		return rule.API == subject.API && slices.Contains(rule.Services, request.Service)
	}))
	if !isKnown && said == nil {
		result.Status = verdict.NotApplicable
		if subject.isElsewhere() {
			judged.Unknown = []string{"nothing is known of the service at " + subject.Host}
		}
		return result
	}
	switch {
	case !isKnown:
		judged.Answer = subject.answered(*said)
	case said == nil:
		judged.Answer = subject.predicted(ctx, request)
		if aside != "" {
			judged.Differs = fmt.Sprintf("the recorded answer (status %d) is about %s, and says nothing about the rest", subject.Recorded.Status, aside.Doc())
		}
	default:
		judged.Answer = subject.predicted(ctx, request)
		then := *request
		then.Day = cmp.Or(subject.Recorded.Date, request.Day)
		subject.outweigh(ctx, judged, *said, &then)
	}
	if isKnown && judged.Verdict == provider.Accepted && judged.Evidence == provider.Predicted {
		judged.Unknown = conversation.Unknown(request)
	}
	if j.Requests {
		judged.Request = subject.Body
	}
	switch result.Status = verdict.Pass; {
	case judged.Evidence < j.Required:
		result.Status, result.Error = verdict.Inconclusive, fmt.Sprintf("the answer is only %s, and %s is required", judged.Evidence, j.Required)
	case judged.Verdict == provider.Rejected:
		result.Status = verdict.Fail
	}
	return result
}

// isDecoded reports whether the service decodes the whole request into a message whose fields are known.
func (c Conversation) isDecoded() bool {
	return c.API == provider.GenerateContent || c.API == provider.CodeAssist
}

// undecodable returns what the front end of a service cannot decode of a request besides its declarations, which
// Tool judges.
func (c Conversation) undecodable(ctx context.Context, request *conversation.Request) []verdict.Finding {
	findings := []verdict.Finding{}
	surfaces := provider.OfService(c.Surfaces, request.Service)
	if !c.isDecoded() || len(surfaces) == 0 {
		return findings
	}
	declared := map[*schema.Node]bool{}
	for _, part := range wire.Read(c.API, surfaces, c.Body) {
		for _, declaration := range part.Declarations {
			declared[declaration] = true
		}
	}
	model := provider.Model{Dialect: surfaces[0], AsOf: request.Day, ModelName: request.Model}
	response, err := model.Send(ctx, provider.Request{Dialect: surfaces[0].Name, Body: c.Body})
	if err != nil {
		return findings
	}
	for _, found := range response.Findings {
		isDeclared, node := false, c.Body
		for i, token := range found.At.Tokens() {
			node = node.Step(token)
			isDeclared = isDeclared || declared[node] || c.API == provider.CodeAssist && i == 1 && token == "tools"
		}
		if !isDeclared {
			finding := verdict.Finding{Rule: found.Rule.Name, Severity: found.Severity(), Message: found.Message, At: found.At}
			c.place(&finding)
			findings = append(findings, finding)
		}
	}
	return findings
}

// predicted returns what the rules say to a request.
func (c Conversation) predicted(ctx context.Context, request *conversation.Request) verdict.Answer {
	answer := verdict.Answer{Verdict: provider.Accepted, Evidence: provider.Predicted, Findings: c.undecodable(ctx, request)}
	if len(answer.Findings) > 0 {
		answer.Verdict = provider.Rejected
	}
	for _, ignored := range conversation.Ignored(request) {
		finding := c.finding(ignored)
		finding.Severity = provider.Finding{Rule: &provider.Rule{Effect: provider.Ignores}}.Severity()
		answer.Ignored = append(answer.Ignored, finding)
	}
	for rules := conversation.Rules; ; {
		found := conversation.Judge(request, rules)
		if found == nil {
			return answer
		}
		finding := c.finding(found)
		finding.IsBehind = answer.Verdict == provider.Rejected
		answer.Verdict, answer.Findings = provider.Rejected, append(answer.Findings, finding)
		rules = rules[slices.Index(rules, found.Rule)+1:]
	}
}

// outweigh lets a recorded answer outweigh what the rules say, and says how they differ.
func (c Conversation) outweigh(ctx context.Context, judged *verdict.Conversation, said provider.Response, then *conversation.Request) {
	past := c.predicted(ctx, then)
	switch {
	case said.Verdict == provider.Accepted && past.Verdict == provider.Rejected:
		judged.Differs = fmt.Sprintf("the recorded answer accepts it (status %d), and the rule %s refuses it: %s", said.Status, past.Findings[0].Rule, past.Findings[0].Message)
		judged.Verdict, judged.Evidence, judged.Findings = provider.Accepted, provider.Recorded, []verdict.Finding{}
	case said.Verdict == provider.Accepted && judged.Verdict == provider.Accepted:
		judged.Evidence = provider.Recorded
	case said.Verdict == provider.Accepted:
		judged.Differs = fmt.Sprintf("the recorded answer of %s accepts it (status %d), as the rules of that day do", then.Day, said.Status)
	case past.Verdict == provider.Rejected && isSaid(past.Findings[0].Message, said.Message):
		if judged.Verdict == provider.Rejected {
			judged.Evidence = provider.Recorded
			return
		}
		judged.Differs = fmt.Sprintf("the recorded answer of %s refuses it, which no rule of today does: %s", then.Day, said.Message)
	default:
		if !c.isOfTools(ctx, said, then) {
			judged.Differs = "the recorded answer refuses it, in words that no rule predicts"
		}
		for i := range past.Findings {
			past.Findings[i].IsBehind = true
		}
		judged.Answer = c.answered(said)
		judged.Findings = append(judged.Findings, past.Findings...)
	}
}

// answered returns a recorded answer as that of a surface, without the rules.
func (c Conversation) answered(said provider.Response) verdict.Answer {
	answer := verdict.Answer{Verdict: said.Verdict, Evidence: provider.Recorded, Findings: []verdict.Finding{}}
	if said.Verdict == provider.Accepted {
		return answer
	}
	finding := verdict.Finding{
		Severity: provider.Finding{}.Severity(), Message: said.Message, At: conversation.PlaceIn(said.Message+" "+said.Param, c.Body),
	}
	c.place(&finding)
	answer.Findings = append(answer.Findings, finding)
	return answer
}

// isElsewhere reports whether the host of a request belongs to no known service, so that the rules of none
// apply. A host on the loopback can stand in front of any service.
func (c Conversation) isElsewhere() bool {
	isLoopback := c.Host == "localhost" || strings.HasPrefix(c.Host, "127.") || c.Host == "::1"
	return c.Host != "" && !isLoopback && !c.names(func(*provider.Dialect) bool { return true })
}

// names reports whether one of the surfaces of a kind has the host of the request.
func (c Conversation) names(isMeant func(*provider.Dialect) bool) bool {
	return slices.ContainsFunc(c.Surfaces, func(surface *provider.Dialect) bool { return surface.Traffic.Names(c.Host) && isMeant(surface) })
}

// isSaid reports whether the words of a rule and those of an answer are the same, or one of them has only a
// part of the other.
func isSaid(predicted, said string) bool {
	predicted, said = strings.TrimSpace(predicted), strings.TrimSpace(said)
	return said != "" && (strings.Contains(predicted, said) || strings.Contains(said, predicted))
}

// said returns the recorded answer; nil if there is none, or if it is about something aside from the request.
func (c Conversation) said(target Target) (*provider.Response, refusal.Aside) {
	isOfTarget := func(surface *provider.Dialect) bool { return surface.Service() == target.Dialect.Service() }
	switch {
	case c.Recorded == nil:
		return nil, ""
	case c.Host != "" && !c.isElsewhere() && !c.names(isOfTarget):
		return nil, "" // another service gave the answer
	case c.Recorded.Status >= 200 && c.Recorded.Status < 300:
		return &provider.Response{Verdict: provider.Accepted, Status: c.Recorded.Status}, ""
	}
	response, err := target.Dialect.Classify(c.Recorded.Status, c.Recorded.Body)
	if err != nil || response.Message == "" {
		response = provider.ParsePasted(string(c.Recorded.Body[:min(len(c.Recorded.Body), longestAnswer)]))
	}
	switch aside := refusal.AsideOf(c.Recorded.Status, response.Message); aside {
	case refusal.Auth, refusal.NoSuchModel, refusal.Quota, refusal.Billing, refusal.Server:
		return nil, aside
	default:
	}
	message := strings.ToValidUTF8(response.Message[:min(len(response.Message), longestWords)], "")
	message = recording.SecretPattern().ReplaceAllString(message, "KEY")
	return &provider.Response{Verdict: provider.Rejected, Status: c.Recorded.Status, Message: message, Param: response.Param}, ""
}

// The longest refusal that is read, and the longest words of one that are shown, in bytes.
const (
	longestAnswer = 1 << 16
	longestWords  = 2000
)

// isOfTools reports whether the rules about the declarations of a request explain its recorded refusal.
func (c Conversation) isOfTools(ctx context.Context, said provider.Response, then *conversation.Request) bool {
	surfaces := provider.OfService(c.Surfaces, then.Service)
	for _, request := range wire.Read(c.API, surfaces, c.Body) {
		at := slices.IndexFunc(surfaces, func(surface *provider.Dialect) bool { return surface.Name == request.Dialect })
		if at < 0 {
			continue
		}
		model := provider.Model{Dialect: surfaces[at], AsOf: then.Day, ModelName: then.Model}
		predicted, err := model.Send(ctx, request)
		if err == nil && predicted.Verdict == provider.Rejected && (surfaces[at].Says(predicted, said.Message, true) || refusal.AsideOf(said.Status, said.Message) == "") {
			return true
		}
	}
	return false
}

// conversed returns the request as the rules of a target's service read it.
func (j Judge) conversed(subject Conversation, target Target) *conversation.Request {
	return &conversation.Request{
		API: subject.API, Service: target.Dialect.Service(), Model: cmp.Or(j.ModelName, subject.Model, subject.Body.GetString("model")),
		Body: subject.Body, Day: cmp.Or(j.AsOf, provider.Today()), IsForged: subject.IsForged,
	}
}

// finding returns a refusal as a finding, with its place in the source.
func (c Conversation) finding(found *conversation.Refusal) verdict.Finding {
	finding := verdict.Finding{Rule: found.Rule.Name, Severity: provider.Finding{}.Severity(), Message: found.Message, At: found.At, Instead: found.Instead}
	c.place(&finding)
	return finding
}

// place gives a finding its line and column.
func (c Conversation) place(finding *verdict.Finding) {
	if guilty := c.Body.Find(finding.At); guilty != nil && c.Line > 0 {
		finding.Line, finding.Column = int(guilty.Position.Line), int(guilty.Position.Column)
	}
}

// turns counts the messages of a request.
func turns(body *schema.Node) int {
	messages := body.First("messages", "contents", "input")
	if messages == nil || messages.Kind != schema.Array {
		return 1
	}
	return len(messages.Elements)
}

// RefusedConversation returns the result of a request that a provider refused in the words of a message: with
// the place that the rule finds or, without a rule, that the words name. It returns false if the request has
// no such place.
func RefusedConversation(subject Conversation, target Target, message string, rule *conversation.Rule) (verdict.Result, bool) {
	finding := verdict.Finding{Severity: provider.Finding{}.Severity(), Message: message}
	if rule == nil {
		if finding.At = conversation.PlaceIn(message, subject.Body); finding.At == "" {
			return verdict.Result{}, false
		}
	} else {
		found := rule.Refuses(&conversation.Request{
			API: rule.API, Service: rule.Services[0], Model: subject.Body.GetString("model"), Body: subject.Body, Day: provider.Today(),
		})
		if rule.API != subject.API || found == nil {
			return verdict.Result{}, false
		}
		finding.Rule, finding.At, finding.Instead = rule.Name, found.At, found.Instead
		finding.About = about(&provider.Rule{Name: rule.Name, Doc: rule.Doc, Since: rule.Since, Until: rule.Until, Models: rule.Models})
	}
	subject.place(&finding)
	return verdict.Result{
		Source: subject.Source, Line: subject.Line, Target: target.Name(), Dialect: target.Dialect.Service() + "/conversation", Status: verdict.NotApplicable,
		Kind: &verdict.Conversation{
			Answer: verdict.Answer{Verdict: provider.Rejected, Evidence: provider.Reported, Findings: []verdict.Finding{finding}},
			API:    subject.API, Turns: turns(subject.Body),
		},
	}, true
}
