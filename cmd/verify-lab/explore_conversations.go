package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"toolproof/cmd/internal/ask"
	"toolproof/cmd/internal/cli"
	"toolproof/harness/conversation"
	"toolproof/harness/live"
	"toolproof/harness/provider"
	"toolproof/harness/report"
	"toolproof/internal/escape"
	"toolproof/schema"
)

// conversing is a request that some service refuses, with what the rules say of it for the service that is asked.
type conversing struct {
	rule      *conversation.Rule // whose example the request is
	body      *schema.Node
	predicted *conversation.Refusal // nil if it is to be accepted
}

// conversations sends the accounts the examples of the rules about requests, and says where the answers differ from
// the rules, or where nothing was known.
func (r *explorer) conversations(ctx context.Context) error {
	finds, unknown := 0, 0
	for _, account := range r.Accounts {
		asked := map[provider.API]bool{}
		for _, dialect := range r.explored(account) {
			if asked[dialect.API] || dialect.Subject != provider.Arguments {
				continue
			}
			asked[dialect.API] = true
			questions := conversingWith(dialect, account.Model)
			fmt.Fprintf(r.Out, "%s/conversation, %s: %s\n", dialect.Service(), account.Model, report.Count(len(questions), "request"))
			if r.Flags.DryRun {
				continue
			}
			found, missing, err := r.converse(ctx, account, dialect, questions)
			if finds, unknown = finds+found, unknown+missing; err != nil {
				return err
			}
		}
	}
	if r.Emulated {
		r.Warnf("the emulator answered: this is no evidence of what a provider does")
	}
	switch {
	case ctx.Err() != nil:
		return cli.Interrupted(ctx)
	case finds > 0:
		return cli.Exit(cli.CodeFails)
	case unknown > 0:
		return cli.Exit(cli.CodeInconclusive)
	default:
		return nil
	}
}

// conversingWith returns the refused examples of all services that have the API, for a model.
func conversingWith(dialect *provider.Dialect, model string) []conversing {
	var questions []conversing
	seen := map[string]bool{}
	for _, rule := range conversation.Rules {
		body, err := schema.ParseWire([]byte(rule.Refused))
		if rule.API != dialect.API || err != nil || body.Get("stream").IsTrue() {
			continue
		}
		if body.Has("model") {
			body.Set("model", schema.NewString(model))
		}
		if text := body.String(); !seen[text] {
			seen[text] = true
			request := &conversation.Request{API: rule.API, Service: dialect.Service(), Model: model, Body: body, Day: provider.Today()}
			predicted := conversation.Judge(request, conversation.Rules)
			if predicted == nil { // a signature in an example is not the service's
				request.IsForged = func(string) bool { return true }
				predicted = conversation.Judge(request, []*conversation.Rule{rule})
			}
			questions = append(questions, conversing{rule, body, predicted})
		}
	}
	return questions
}

// converse asks a service. It returns the number of answers that differ from the rules, and of questions without an
// answer.
func (r *explorer) converse(ctx context.Context, account *ask.Account, dialect *provider.Dialect, questions []conversing) (finds, unknown int, err error) {
	if account.Missing != nil {
		fmt.Fprintf(r.Out, "    unknown: %s\n", escape.Line(account.Missing.Error()))
		return 0, len(questions), nil //nolint:nilerr // it is said above
	}
	client, err := account.Service.Client(dialect)
	if err != nil {
		return 0, 0, err
	}
	client = client.Whole()
	for i, question := range questions {
		response, err := client.Send(ctx, provider.Request{Dialect: dialect.Name, Body: question.body})
		if errors.Is(err, live.ErrBudget) || ctx.Err() != nil {
			fmt.Fprintf(r.Out, "    unknown: %s were not asked\n", report.Count(len(questions)-i, "request"))
			return finds, unknown + len(questions) - i, nil //nolint:nilerr // it is said above
		}
		r.Emulated = r.Emulated || response.Evidence == provider.Predicted
		said, words := question.compared(response, err)
		switch {
		case words == "" && err != nil:
			unknown++
			said = "unknown: " + err.Error()
		case said != "":
			finds++
		default:
			continue
		}
		fmt.Fprintf(r.Out, "    %s: %s\n", question.rule.Name, escape.Line(said))
	}
	return finds, unknown, nil
}

// compared returns how an answer differs from the rules, "" if it does not, and the words of a refusal.
func (q conversing) compared(response provider.Response, err error) (said, words string) {
	if failure, ok := errors.AsType[*live.NoVerdictError](err); ok && slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity}, failure.Status) {
		words = failure.Error()
	} else if err == nil && response.Verdict == provider.Rejected {
		words = response.Message
	}
	switch {
	case words == "" && err == nil && q.predicted != nil:
		return "accepted, and the rule " + q.predicted.Rule.Name + " refuses it", ""
	case words != "" && q.predicted == nil:
		return "refused, which no rule predicts: " + words, words
	case words != "" && !strings.Contains(words, q.predicted.Message):
		return "refused in other words than the rule " + q.predicted.Rule.Name + " has: " + words, words
	default:
		return "", words
	}
}
