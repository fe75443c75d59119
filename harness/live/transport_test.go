package live

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// Replay is a Transport that answers an official client from recordings of a surface and
// opens no connection. For a request that is not recorded, it returns an error that shows
// the nearest recording and how it differs.
type Replay struct {
	Store   *recording.Store
	Dialect *provider.Dialect
}

// RoundTrip answers the request.
func (r Replay) RoundTrip(request *http.Request) (*http.Response, error) {
	defer request.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, fmt.Errorf("replaying: %w", err)
	}
	body, err := schema.ParseWire(text)
	if err != nil {
		return nil, fmt.Errorf("replaying: %w", err)
	}
	if !strings.HasSuffix(request.URL.Path, string(r.Dialect.API)) {
		return nil, fmt.Errorf("replaying: %s is not asked at %s", r.Dialect.Name, request.URL.Path)
	}
	asked := wire.Read(r.Dialect.API, []*provider.Dialect{r.Dialect}, body)
	if len(asked) != 1 {
		return nil, fmt.Errorf("replaying: the request is for %d dialects", len(asked))
	}
	answers := r.Store.Of(asked[0])
	if len(answers) == 0 {
		return nil, fmt.Errorf("replaying: %w\n%s", recording.ErrNotRecorded, r.nearest(asked[0]))
	}
	answer := answers[0].Response
	if answer.Fragment != "" {
		return nil, fmt.Errorf("replaying: of the answer %s only a part is known", answers[0].Name())
	}
	if len(answer.Body) == 0 { // only the status is known
		answer.Body = []byte("{}")
	}
	if answers[0].Accepted() && (answers[0].Partial || len(answers[0].Response.Body) == 0) {
		if answer.Body, err = completed(answer.Body, apis[r.Dialect.API].members[0]); err != nil {
			return nil, fmt.Errorf("replaying %s: %w", answers[0].Name(), err)
		}
	}
	return &http.Response{
		Status: http.StatusText(answer.Status), StatusCode: answer.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: request,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(answer.Body)), ContentLength: int64(len(answer.Body)),
	}, nil
}

// completed returns the answer of a partial recording, with the member that no success of
// the API lacks.
func completed(answer []byte, member string) ([]byte, error) {
	body, err := schema.ParseWire(answer)
	if err != nil {
		return nil, err
	}
	if !body.Has(member) {
		body.Set(member, schema.NewArray())
	}
	return body.JSON(), nil
}

// nearest shows the recording whose declarations are most similar to a request's.
func (r Replay) nearest(request provider.Request) string {
	asked := schema.NewArray(request.Declarations...)
	var found *recording.Recording
	most := -1
	for _, other := range r.Store.All {
		if other.Dialect != request.Dialect {
			continue
		}
		if alike := alike(asked.JSON(), schema.NewArray(other.Request.Declarations...).JSON()); alike > most {
			most, found = alike, other
		}
	}
	if found == nil {
		return "there is no recording of " + request.Dialect
	}
	recorded := schema.NewArray(found.Request.Declarations...)
	return "the nearest recording is " + found.Name() + "\n" + string(diff.Diff("recorded", lines(recorded), "asked", lines(asked)))
}

func lines(node *schema.Node) []byte { return append(node.Indented(), '\n') }

// alike counts the bytes that two texts share at their beginning and end.
func alike(a, b []byte) int {
	count := 0
	for count < min(len(a), len(b)) && a[count] == b[count] {
		count++
	}
	for end := 1; end <= min(len(a), len(b))-count && a[len(a)-end] == b[len(b)-end]; end++ {
		count++
	}
	return count
}
