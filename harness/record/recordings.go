package record

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/harness/recording"
	"toolproof/schema"
)

// Answer is a provider's answer to a request.
type Answer struct {
	Status int
	// Response is the refusal as its surface reads it; the zero value for an acceptance.
	Response provider.Response
	Grade    recording.Grade
	Source   string
	License  string // as in Recording
	Date     provider.Date
	Model    string
	// Foreign are texts that no recording may have: those of the request, and what its
	// headers and its query hold.
	Foreign []string
}

// ErrUnknownWords means that no surface is known to refuse a declaration in these words.
var ErrUnknownWords = errors.New("no model knows the words of the refusal")

// Recordings returns the reduced recordings of what a request declared and of its answer: one
// for each declaration that was accepted, or one for all that were refused together. The
// requests are the parts of one body, by surface.
func Recordings(ctx context.Context, dialects []*provider.Dialect, requests []provider.Request, answer Answer) ([]*recording.Recording, error) {
	const accepted = 2
	if answer.Status/100 != accepted {
		return refused(ctx, dialects, requests, answer)
	}
	var all []*recording.Recording
	for _, request := range requests {
		dialect := named(dialects, request.Dialect)
		if dialect == nil {
			continue // no surface takes it, and there is no model
		}
		for _, declaration := range request.Declarations {
			reduced := Reduce(dialect, []*schema.Node{declaration})
			all = append(all, answer.recording(dialect, reduced.Declarations, parametersOf(dialect, request)))
		}
	}
	return all, nil
}

func named(dialects []*provider.Dialect, name string) *provider.Dialect {
	i := slices.IndexFunc(dialects, func(dialect *provider.Dialect) bool { return dialect.Name == name })
	if i < 0 {
		return nil
	}
	return dialects[i]
}

// parametersOf returns the members of a request that rules read and whose values are plain words,
// or nil if there are none.
func parametersOf(dialect *provider.Dialect, request provider.Request) *schema.Node {
	parameters := dialect.ParametersOf(request.Body)
	if parameters == nil {
		return nil
	}
	plain := slices.DeleteFunc(slices.Clone(parameters.Members), func(member schema.Member) bool { return plainWord(member.Value.Text) == "" })
	if len(plain) == 0 {
		return nil
	}
	return schema.NewObject(plain...)
}

// recording returns a recording of declarations, without the words of a refusal.
func (a Answer) recording(dialect *provider.Dialect, declarations []*schema.Node, parameters *schema.Node) *recording.Recording {
	recorded := &recording.Recording{
		Version: recording.Version, Dialect: dialect.Name, Digest: dialect.Request(declarations).Digest(), Grade: a.Grade, Source: a.Source, License: a.License,
		Date: a.Date, Model: a.Model, Reduced: true,
	}
	recorded.Request.Declarations, recorded.Request.Parameters, recorded.Response.Status = declarations, parameters, a.Status
	return recorded
}

// refused returns a recording of the declarations that a refusal is about. Where the model
// predicts its words, they are those that the model has for the reduced declarations.
func refused(ctx context.Context, dialects []*provider.Dialect, requests []provider.Request, answer Answer) ([]*recording.Recording, error) {
	for _, exactly := range []bool{true, false} {
		for _, request := range requests {
			dialect := named(dialects, request.Dialect)
			if dialect == nil {
				continue
			}
			reduced := Reduce(dialect, request.Declarations)
			response := answer.Response
			if exactly {
				told, err := answer.predicted(ctx, dialect, request, reduced)
				if err != nil {
					return nil, err
				}
				if told.Verdict != provider.Rejected {
					continue
				}
				response = told
			} else {
				if dialect.Locate == nil || len(dialect.Locate(response, request.Declarations)) == 0 {
					continue
				}
				response.Message, response.Param = reduced.Words(response.Message, answer.Foreign), reduced.Words(response.Param, answer.Foreign)
				response.Code = plainWord(response.Code)
			}
			recorded := answer.recording(dialect, reduced.Declarations, parametersOf(dialect, request))
			recorded.Response.Body = dialect.Render(response)
			return []*recording.Recording{recorded}, nil
		}
	}
	var whole Reduction
	return nil, fmt.Errorf("%w: %s", ErrUnknownWords, whole.Words(answer.Response.Message, answer.Foreign))
}

// predicted returns what the model says to the reduced declarations, if it says the words of
// the refusal to the original ones, and the zero Response if it does not.
func (a Answer) predicted(ctx context.Context, dialect *provider.Dialect, request provider.Request, reduced Reduction) (provider.Response, error) {
	model := &provider.Model{Dialect: dialect, AsOf: a.Date, ModelName: a.Model, Parameters: parametersOf(dialect, request)}
	request.Body = dialect.Envelope(request.Declarations)
	said, err := model.Send(ctx, request)
	if err != nil || said.Verdict != provider.Rejected || !dialect.Says(said, a.Response.Message, false) {
		return provider.Response{}, ctx.Err() // what is too large for the model says nothing
	}
	told, err := model.Send(ctx, dialect.Request(reduced.Declarations))
	if err != nil {
		return provider.Response{}, ctx.Err()
	}
	told.Status = a.Status
	return told, nil
}

// plainWord returns a text of at most 40 small letters and underscores, such as the code of an
// error, and "" for any other text.
func plainWord(text string) string {
	const longest = 40
	if len(text) > longest || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return text
}
