// Package cassette reads recorded HTTP traffic in the formats of other projects. It takes only
// declarations and answers: no headers, no keys, no prompts.
package cassette

import (
	"fmt"
	"io"

	"toolproof/harness/provider"
	"toolproof/harness/traffic"
	"toolproof/internal/bounded"
)

// maxSize bounds the size of a cassette after decompression, in bytes.
const maxSize = 64 << 20

// Read reads a cassette of vcrpy, Ruby VCR, Betamax, go-vcr, httprr, HAR, Polly or nock. It
// returns the interactions that declare something to a provider, and the number of others. The
// name becomes part of their source. The surfaces tell the hosts of the providers.
func Read(name string, reader io.Reader, surfaces []*provider.Dialect) (interactions []Interaction, others int, err error) {
	data, err := readAll(reader)
	if err != nil {
		return nil, 0, err
	}
	exchanges, err := traffic.Read(data)
	if err != nil {
		return nil, 0, err
	}
	for i, exchange := range exchanges {
		interaction, ok := interactionOf(exchange, surfaces)
		if !ok {
			others++
			continue
		}
		interaction.Source = fmt.Sprintf("%s#%d", name, i+1)
		interactions = append(interactions, interaction)
	}
	return interactions, others, nil
}

func readAll(reader io.Reader) ([]byte, error) {
	data, err := bounded.All(reader, maxSize)
	if err != nil {
		return nil, fmt.Errorf("reading a cassette: %w", err)
	}
	return data, nil
}
