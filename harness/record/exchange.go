package record

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"toolproof/harness/provider"
	"toolproof/harness/provider/wire"
	"toolproof/harness/recording"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// discard takes what the reverse proxy says of broken connections, of which clients hear.
var discard = log.New(io.Discard, "", 0) //nolint:forbidigo // it logs nothing

// exchange is a request that may declare something, and its answer.
type exchange struct {
	request, answer tee
	api             provider.API
	base            Base
	url             *url.URL
	header          http.Header // of the request
	status          int
	response        http.Header
}

// key is that of the exchange in the context of a request.
type key struct{}

func (e *exchange) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, e)
}

// begin returns the exchange of a request to a method that takes declarations, or nil.
func (r *Recorder) begin(request *http.Request, base Base) *exchange {
	api := apiOf(request.URL.Path)
	if request.Method != http.MethodPost || api == "" {
		return nil
	}
	begun := &exchange{api: api, base: base, url: request.URL, header: request.Header.Clone()}
	begun.request.held, begun.request.most = &r.held, mostRequest
	begun.answer.held, begun.answer.most = &r.held, mostAnswer
	return begun
}

// apiOf returns the API of a method that takes declarations, or "".
func apiOf(path string) provider.API {
	switch path = strings.TrimSuffix(path, "/"); {
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return provider.GenerateContent
	case strings.HasSuffix(path, "/chat/completions"):
		return provider.ChatCompletions
	case strings.HasSuffix(path, "/responses"):
		return provider.Responses
	case strings.HasSuffix(path, "/messages"):
		return provider.Messages
	case strings.HasSuffix(path, "/api/chat"):
		return provider.OllamaChat
	default:
		return ""
	}
}

// watch keeps the answer while it passes, and reads the exchange when it has passed.
func (r *Recorder) watch(response *http.Response) {
	begun, _ := response.Request.Context().Value(key{}).(*exchange)
	if begun == nil || response.StatusCode == http.StatusSwitchingProtocols {
		r.count(func(summary *Summary) { summary.Requests++; summary.Silent++ })
		return
	}
	begun.status, begun.response = response.StatusCode, response.Header.Clone()
	r.pending.Add(1)
	read := func() {
		go func() { // the client has its answer, and does not wait
			defer r.pending.Done()
			defer r.release(begun)
			r.read(begun)
		}()
	}
	if response.Body == nil || response.Body == http.NoBody {
		read()
		return
	}
	response.Body = begun.answer.wrap(response.Body, read)
}

// release gives back the memory of an exchange.
func (r *Recorder) release(read *exchange) {
	read.request.take()
	read.answer.take()
	r.held.Add(-int64(read.request.kept.Len() + read.answer.kept.Len()))
}

// read records an exchange.
func (r *Recorder) read(begun *exchange) {
	r.count(func(summary *Summary) { summary.Requests++ })
	made, err := r.recordings(context.Background(), begun)
	switch {
	case errors.Is(err, errSilent):
		r.count(func(summary *Summary) { summary.Silent++ })
		return
	case err != nil:
		r.pass(err.Error())
		return
	}
	for _, recorded := range made {
		isNew, err := r.Keep(recorded)
		if err != nil {
			r.pass("not written: " + withoutAddress(err))
			continue
		}
		r.count(func(summary *Summary) {
			if isNew {
				summary.New++
			}
			if recorded.Accepted() {
				summary.Accepted++
			} else {
				summary.Refused++
			}
			switch host := begun.base.URL.Hostname(); {
			case recorded.Grade == recording.Emulated:
				summary.Emulated = true
			case recorded.Grade == recording.Relayed && !slices.Contains(summary.Elsewhere, host):
				summary.Elsewhere = append(summary.Elsewhere, host)
			}
		})
	}
}

// errSilent is the error of a request that declares nothing.
var errSilent = errors.New("nothing is declared")

// recordings returns the reduced recordings of an exchange. Its errors tell nothing that was
// sent, and no more of the answer than Words leaves.
func (r *Recorder) recordings(ctx context.Context, begun *exchange) ([]*recording.Recording, error) {
	sent, isWhole := begun.request.take()
	received, _ := begun.answer.take()
	if !isWhole {
		return nil, errors.New("the request is too large")
	}
	text, err := decoded(begun.header.Get("Content-Encoding"), sent, mostRequest)
	if err != nil {
		return nil, fmt.Errorf("the request: %w", err)
	}
	body, err := schema.ParseWire(text)
	if err != nil {
		return nil, errors.New("the request is not JSON")
	}
	surfaces, isProvider := r.surfaces(begun)
	requests := wire.Read(begun.api, surfaces, body)
	switch {
	case len(requests) == 0:
		return nil, errSilent
	case !slices.ContainsFunc(requests, func(request provider.Request) bool { return named(surfaces, request.Dialect) != nil }):
		return nil, errors.New("no model of the surface is known")
	}
	reply, err := decoded(begun.response.Get("Content-Encoding"), received, mostAnswer)
	answer := Answer{
		Status: begun.status, Grade: recording.Relayed, Source: "verify record, " + begun.base.URL.Hostname(), Date: provider.Today(), Model: modelOf(begun.url.Path, body),
		Foreign: begun.foreign(body),
	}
	switch {
	case begun.response.Get(provider.EmulatorHeader) != "":
		answer.Grade = recording.Emulated
	case isProvider:
		answer.Grade = recording.Recorded
	}
	const accepted = 2
	if begun.status/100 == accepted {
		if hasError(reply) {
			return nil, fmt.Errorf("an error inside an answer of status %d", begun.status)
		}
		return Recordings(ctx, surfaces, requests, answer)
	}
	if err != nil {
		return nil, fmt.Errorf("an answer of status %d: %w", begun.status, err)
	}
	for _, request := range requests {
		if dialect := named(surfaces, request.Dialect); dialect != nil {
			if answer.Response, err = dialect.Classify(begun.status, reply); err == nil && answer.Response.Verdict == provider.Rejected {
				return Recordings(ctx, surfaces, requests, answer)
			}
		}
	}
	return nil, fmt.Errorf("an answer of status %d that is not about a declaration", begun.status)
}

// surfaces returns those of the service that a request goes to, by its host and path, and
// whether the host is known to be the service's. If not, the variable tells the service.
func (r *Recorder) surfaces(begun *exchange) ([]*provider.Dialect, bool) {
	host, path, best := begun.base.URL.Hostname(), begun.url.Path, (*provider.Dialect)(nil)
	for _, dialect := range r.Dialects {
		isOne := dialect.API == begun.api && dialect.Traffic.Names(host) && strings.Contains(path, dialect.Traffic.Path)
		if isOne && (best == nil || len(dialect.Traffic.Path) > len(best.Traffic.Path)) {
			best = dialect
		}
	}
	if best != nil {
		return provider.OfService(r.Dialects, best.Service()), true
	}
	service := begun.base.Service
	if service == "gemini" && strings.Contains(path, "/publishers/google/") {
		service = "vertex"
	}
	return provider.OfService(r.Dialects, service), false
}

// foreign returns the texts that no recording may have: the strings in the body that are no
// words of the API, and what the headers and the query hold.
func (e *exchange) foreign(body *schema.Node) []string {
	var foreign []string
	for _, values := range e.header {
		for _, value := range values {
			foreign = append(append(foreign, value), strings.Fields(value)...)
		}
	}
	for _, values := range e.url.Query() {
		foreign = append(foreign, values...)
	}
	for _, text := range textsIn(body) {
		const word = 16
		if len(text) > word || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") != "" {
			foreign = append(foreign, text)
		}
	}
	return foreign
}

var (
	inPath = lazy.Compile(`/models?/([^/:]+)`)
	// modelName is what names of models consist of.
	modelName = lazy.Compile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}$`)
)

// modelOf returns the name of the model that a request names. Of a model that somebody has
// tuned it is the model that was tuned, since the rest names the owner.
func modelOf(path string, body *schema.Node) string {
	name := strings.TrimPrefix(body.GetString("model"), "models/")
	if found := inPath.FindStringSubmatch(path); found != nil && name == "" {
		name = found[1]
	}
	if tuned, ok := strings.CutPrefix(name, "ft:"); ok {
		name, _, _ = strings.Cut(tuned, ":")
	}
	if !modelName.MatchString(name) {
		return ""
	}
	return name
}

// errTooLong is the error of a body that is larger than the limit when it is decoded.
var errTooLong = errors.New("it is too large")

// decoded returns a body without its coding.
func decoded(coding string, body []byte, most int64) ([]byte, error) {
	var reader io.Reader
	var err error
	switch coding {
	case "", "identity":
		return body, nil
	case "gzip":
		reader, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		reader, err = zlib.NewReader(bytes.NewReader(body))
	case "br":
		reader = brotli.NewReader(bytes.NewReader(body))
	case "zstd":
		var decoder *zstd.Decoder
		decoder, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(most))) //nolint:gosec // a positive constant
		if err == nil {
			defer decoder.Close()
			reader = decoder
		}
	default:
		return nil, errors.New("its coding is not known")
	}
	if err != nil {
		return nil, errors.New("its coding is broken")
	}
	text, err := io.ReadAll(io.LimitReader(reader, most+1))
	switch {
	case int64(len(text)) > most:
		return text[:most], errTooLong
	case err != nil: // an answer that was cut off
		return text, errors.New("its coding is broken")
	}
	return text, nil
}

// failure matches the events of a stream that end it with an error.
var failure = lazy.Compile(`(?m)^(?:event: ?(?:error|response\.failed)\b|data: ?\{"(?:error"|type": ?"(?:error|response\.failed)"))`)

// hasError reports whether an answer of status 200 has an error, as gateways send it.
func hasError(body []byte) bool {
	if node, err := schema.ParseWire(body); err == nil {
		if node.Kind == schema.Array && len(node.Elements) > 0 {
			node = node.Elements[0]
		}
		found := node.Get("error")
		return found != nil && found.Kind != schema.Null
	}
	return failure.Match(body)
}
