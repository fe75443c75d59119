package main

import (
	"cmp"
	"errors"
	"slices"

	"toolproof/harness"
	"toolproof/harness/conversation"
	"toolproof/harness/judge"
	"toolproof/harness/provider"
	"toolproof/harness/refusal"
	engine "toolproof/harness/run"
	"toolproof/harness/toolfile"
	"toolproof/harness/verdict"
	"toolproof/internal/escape"
)

// converse lets the requests of documents be judged as wholes. A request without tools is then no file of
// another kind.
func (r *checkRun) converse(documents []engine.Document) {
	if r.flags.advice.alone {
		return
	}
	r.Conversing = r.conversing
	for i := range documents {
		document := &documents[i]
		isMeant := func(subject engine.Conversation) bool { return len(r.conversing(subject)) > 0 }
		if slices.ContainsFunc(document.Conversations, isMeant) {
			problems := slices.DeleteFunc(slices.Clone(document.Problems()), func(problem error) bool {
				_, isForeign := errors.AsType[*toolfile.ForeignError](problem)
				return isForeign
			})
			document.Err = errors.Join(problems...)
		}
		isOther := func(subject engine.Conversation) bool { return !isMeant(subject) }
		if other := slices.IndexFunc(document.Conversations, isOther); other >= 0 && len(document.Tools) > 0 {
			subject := document.Conversations[other]
			r.Warnf("%s:%d: a request of %s, which none of the targets takes: only its tools are judged", escape.Line(document.Source), subject.Line, subject.API)
		}
	}
}

// conversing returns the targets for which a request is judged as a whole: one for each service of the
// chosen targets that has the API of the request, or those that the request means.
func (r *checkRun) conversing(subject engine.Conversation) []judge.Target {
	if len(r.flags.targets) == 0 {
		return harness.Conversing(subject.API, subject.Host, subject.Model)
	}
	var targets []judge.Target
	for _, target := range slices.Concat(r.Targets, r.Responses) {
		isKnown := func(other judge.Target) bool { return other.Dialect.Service() == target.Dialect.Service() }
		if target.Dialect.API == subject.API && !slices.ContainsFunc(targets, isKnown) {
			targets = append(targets, target)
		}
	}
	return targets
}

// haveConversations reports whether documents have requests.
func haveConversations(documents []engine.Document) bool {
	return slices.ContainsFunc(documents, func(document engine.Document) bool { return len(document.Conversations) > 0 })
}

// inConversations returns the places in the requests of documents that a refusal means which is not about their
// tools. located and err are what was found out about the tools.
func (r *checkRun) inConversations(documents []engine.Document, text string, located refusal.Located, err error) []verdict.Result {
	var rule *conversation.Rule
	message := cmp.Or(located.Message, provider.ParsePasted(text).Message)
	switch known, isKnown := errors.AsType[*refusal.RequestError](err); {
	case isKnown && known.Conversation == nil:
		return nil // a rule of a surface
	case isKnown:
		rule = known.Conversation
	}
	var results []verdict.Result
	for _, document := range documents {
		for _, subject := range document.Conversations {
			targets := r.conversing(subject)
			if len(targets) == 0 {
				continue
			}
			if subject.Body = subject.Load(); subject.Body == nil {
				continue
			}
			if result, isThere := judge.RefusedConversation(subject.Conversation, targets[0], message, rule); isThere {
				results = append(results, result)
			}
		}
	}
	return results
}
