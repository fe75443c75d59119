package togenai

import (
	"net/http"

	"toolproof/normalizers"
	"toolproof/normalizers/transport"
)

// Client returns a copy of an HTTP client, for the field HTTPClient of genai.ClientConfig, with which the
// tools of requests to generateContent are normalized by the pipeline, and the calls in the answers are
// calls of the tools as the program gives them. Package transport says what passes as it is, and what
// problem is called with. The pipeline is one that FunctionDeclaration or FunctionDeclarationJSON takes;
// it decides whether a schema is sent as parameters or as parametersJsonSchema.
//
// A nil client means an empty one. With the credentials of Google Cloud, give the client that has them,
// such as the one in the ClientConfig of a genai.Client that was made without HTTPClient.
func Client(client *http.Client, pipeline *normalizers.Pipeline, problem func(error)) *http.Client {
	normalizing := &http.Client{}
	if client != nil {
		*normalizing = *client
	}
	normalizing.Transport = &transport.Transport{Pipeline: pipeline, Base: normalizing.Transport, Problem: problem}
	return normalizing
}
