// Package cassette reads recorded HTTP traffic in the formats of other projects. It takes only
// declarations and answers: no headers, no keys, no prompts.
package cassette

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/bounded"
	"toolproof/schema"
)

// maxSize bounds the size of a cassette after decompression, and of all its compressed bodies
// together, in bytes.
const maxSize = 64 << 20

// exchange is one request with its answer, whatever the format of the cassette.
type exchange struct {
	url      string
	request  *schema.Node // body; nil if it is not JSON
	status   int
	response []byte // body
	date     string // as in the cassette; "" if it has none
}

// Read reads a cassette of vcrpy, Ruby VCR, Betamax, go-vcr, httprr, HAR, Polly or nock. It
// returns the interactions that declare something to a provider, and the number of others. The
// name becomes part of their source. The surfaces tell the hosts of the providers.
func Read(name string, reader io.Reader, surfaces []*provider.Dialect) (interactions []Interaction, others int, err error) {
	data, err := readAll(reader)
	if err != nil {
		return nil, 0, err
	}
	unpacker := &unpacker{left: maxSize}
	exchanges, err := unpacker.exchangesOf(data)
	if err = errors.Join(err, unpacker.err); err != nil {
		return nil, 0, err
	}
	for i, exchange := range exchanges {
		interaction, ok := exchange.interaction(surfaces)
		if !ok {
			others++
			continue
		}
		interaction.Source = fmt.Sprintf("%s#%d", name, i+1)
		interactions = append(interactions, interaction)
	}
	return interactions, others, nil
}

// ErrUnknown means that a file has none of the formats of a cassette.
var ErrUnknown = errors.New("not a cassette of vcrpy, Ruby VCR, go-vcr, httprr, HAR, Polly or nock")

func (u *unpacker) exchangesOf(data []byte) ([]exchange, error) {
	if bytes.HasPrefix(data, []byte(httprrHeader)) {
		return u.readHTTPRR(data)
	}
	root, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	switch {
	case root.Get("log").Has("entries"):
		return u.harExchanges(root.Get("log").Get("entries").Elements), nil
	case isArray(root.Get("http_interactions")):
		return u.vcrExchanges(root.Get("http_interactions").Elements), nil
	case isArray(root.Get("interactions")):
		return u.vcrExchanges(root.Get("interactions").Elements), nil
	case root.Kind == schema.Object && len(root.Members) > 0 && root.Has("interactions"):
		return nil, nil // an empty cassette
	case isArray(root) && (len(root.Elements) == 0 || root.Elements[0].Has("scope")):
		return u.nockExchanges(root.Elements), nil
	default:
		return nil, ErrUnknown
	}
}

func isArray(node *schema.Node) bool { return node != nil && node.Kind == schema.Array }

func readAll(reader io.Reader) ([]byte, error) {
	data, err := bounded.All(reader, maxSize)
	if err != nil {
		return nil, fmt.Errorf("reading a cassette: %w", err)
	}
	return data, nil
}

// unpacker decompresses the bodies of one cassette.
type unpacker struct {
	left int64 // bytes that its bodies may still have together
	err  error // ErrTooLarge once they have more
}

// unzipped returns gzip data decompressed, and any other data as it is.
func (u *unpacker) unzipped(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data
	}
	whole, err := bounded.All(bytes.NewReader(data), u.left)
	switch {
	case errors.Is(err, bounded.ErrTooLarge):
		u.left = 0
		u.err = fmt.Errorf("reading a cassette: %w: its bodies have more than %s after decompression: split it", bounded.ErrTooLarge, bounded.Size(maxSize))
		return nil
	case err != nil && len(whole) == 0:
		return data
	}
	u.left -= int64(len(whole))
	return whole
}

// fromBase64 decodes a text, or returns it as it is if it is not base64.
func fromBase64(text string) []byte {
	compact := strings.Map(func(letter rune) rune {
		if letter == '\n' || letter == '\r' || letter == ' ' {
			return -1
		}
		return letter
	}, text)
	decoded, err := base64.StdEncoding.DecodeString(compact)
	if err != nil {
		return []byte(text)
	}
	return decoded
}
