package toanthropic

import (
	"github.com/anthropics/anthropic-sdk-go/option"

	"toolproof/normalizers"
	"toolproof/normalizers/transport"
)

// Normalize is an option of a client or of a request, with which the tools of requests to Messages are
// normalized by the pipeline, and the calls in the answers are calls of the tools as the program gives
// them. Package transport says what passes as it is, and what problem is called with. The pipeline is one
// that Tool takes.
func Normalize(pipeline *normalizers.Pipeline, problem func(error)) option.RequestOption {
	return option.WithMiddleware((&transport.Transport{Pipeline: pipeline, Problem: problem}).Do)
}
