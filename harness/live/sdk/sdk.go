// Package sdk has the providers' official clients. It is separate from package live
// because it links four SDKs.
package sdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"toolproof/harness/live"
	"toolproof/harness/provider"
)

// Clients are the official clients, in this process.
type Clients struct {
	// Transport is used by each client; nil means one of the client's own.
	Transport http.RoundTripper
}

// Open returns the client of an account.
func (c Clients) Open(ctx context.Context, account live.Account) (live.Caller, error) {
	if account.BaseURL == "" {
		return nil, errors.New("an account needs a base URL")
	}
	below := c.Transport
	if below == nil {
		below = &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: account.Connections}
	}
	client := &http.Client{
		Transport: exact{private{below, account.Insecure}},
		// Keys travel in headers, which would be sent on to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	switch account.API {
	case provider.GenerateContent:
		return google(ctx, account, client)
	case provider.ChatCompletions:
		return chat(account, client), nil
	case provider.Responses:
		return responsesOf(account, client), nil
	case provider.Messages:
		return messages(account, client), nil
	case provider.OllamaChat:
		return ollama(account, client), nil
	default:
		return nil, fmt.Errorf("no client speaks the API %q", account.API)
	}
}

// caller is one official client.
type caller struct {
	// post makes the client send the exchange in the context.
	post func(ctx context.Context, body []byte) error
	// isAnswer reports whether an error is the client's own for an answer of the
	// provider, rather than one on the way.
	isAnswer func(error) bool
}

// Post sends the body.
func (c caller) Post(ctx context.Context, body []byte) (live.Reply, error) {
	x := &exchange{sent: body}
	err := c.post(x.in(ctx), body)
	if x.status == 0 {
		if err == nil {
			err = errors.New("the client saw an answer where there was none")
		}
		return live.Reply{}, err
	}
	reply := live.Reply{Status: x.status, Header: x.header, Body: x.answer, Read: live.ReadGarbage}
	switch {
	case err == nil:
		reply.Read = live.ReadSuccess
	case c.isAnswer(err):
		reply.Read = live.ReadRefusal
	}
	return reply, nil
}
