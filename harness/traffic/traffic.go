// Package traffic reads recorded requests to providers with their answers: HARs, cassettes of many
// projects, and logs of the emulator, of gateways and of batches. Of what it reads it keeps the bodies, the
// address without its query, the status and the date; no headers, no keys.
package traffic

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"toolproof/internal/bounded"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// maxUnpacked bounds the size of all compressed bodies of a file together, in bytes after decompression.
const maxUnpacked = 64 << 20

// Exchange is one request with its answer.
type Exchange struct {
	Number int             // in the file, counted from 1
	At     schema.Position // of the exchange in its file; zero if the format has no lines
	Host   string          // without the port; empty if it is not known
	Path   string          // of the URL, without the query; empty if it is not known
	Model  string          // that the file names beside the request; often empty
	Status int             // of HTTP; 0 if there is no answer
	Answer []byte          // body; nil if the file does not have it
	Date   string          // of the answer, as YYYY-MM-DD; empty if the file has none
	// Emulated is set if no provider gave the answer, but the emulator.
	Emulated bool

	load func() *schema.Node
}

// Body returns the body of the request, or nil if it is not JSON. It is read anew at each call. Its positions
// are those of the file if the file has the body as JSON, and the position of the text if it has it as a text.
func (e *Exchange) Body() *schema.Node { return e.load() }

// ErrUnknown means that a file has none of the formats.
var ErrUnknown = errors.New("not a cassette of vcrpy, Ruby VCR, go-vcr, httprr, HAR, Polly or nock, and no log")

// Read reads the exchanges of a file. The error of a part that cannot be read says its place; other parts are
// read nevertheless. If the file has none of the formats, the error is ErrUnknown.
func Read(data []byte) ([]*Exchange, error) {
	unpacker := &unpacker{left: maxUnpacked}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	var exchanges []*Exchange
	var err error
	switch {
	case bytes.HasPrefix(data, []byte(httprrHeader)):
		exchanges, err = unpacker.readHTTPRR(data)
	case len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '['):
		exchanges, err = unpacker.readJSON(data, len(data)-len(trimmed))
	case vcr.Match(data[:min(len(data), 1<<16)]):
		exchanges, err = unpacker.readYAML(data)
	default:
		err = ErrUnknown
	}
	for i, exchange := range exchanges {
		exchange.Number = i + 1
	}
	return exchanges, errors.Join(err, unpacker.err)
}

// vcr matches the member that has the interactions of a cassette in YAML.
var vcr = lazy.Compile(`(?m)^(http_)?interactions:`)

// entry is what the formats have in common, whatever their form.
type entry struct {
	url      string
	model    string
	body     *schema.Node // JSON, or a text that holds JSON
	unzipped []byte       // the body, if it was decoded from something else
	status   int
	response []byte
	date     string
	emulated bool
}

// exchange makes an exchange of an entry. read reads the entry again.
func (e entry) exchange(at schema.Position, read func() entry) *Exchange {
	made := &Exchange{At: at, Model: e.model, Status: e.status, Answer: e.response, Date: Day(e.date), Emulated: e.emulated}
	if address, err := url.Parse(e.url); err == nil {
		made.Host, made.Path = address.Hostname(), address.Path
	}
	made.load = func() *schema.Node { return read().parsed() }
	return made
}

// parsed returns the body of the request, or nil if it is not JSON.
func (e entry) parsed() *schema.Node {
	text := e.unzipped
	switch {
	case text != nil:
	case e.body == nil:
		return nil
	case e.body.Kind != schema.String:
		return e.body
	default:
		text = []byte(e.body.Text)
	}
	node, err := schema.ParseWire(text)
	if err != nil {
		return nil
	}
	if e.body != nil {
		Place(node, e.body.Position)
	}
	return node
}

// Place gives a tree the position of the text that holds it.
func Place(node *schema.Node, at schema.Position) {
	node.Position = at
	for i := range node.Members {
		node.Members[i].Position = at
		Place(node.Members[i].Value, at)
	}
	for _, element := range node.Elements {
		Place(element, at)
	}
}

// readYAML reads a cassette of VCR in YAML.
func (u *unpacker) readYAML(data []byte) ([]*Exchange, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading YAML: %w", err)
	}
	nodes := 0
	root, err := fromYAML(&document, 0, &nodes)
	if err != nil {
		return nil, err
	}
	var exchanges []*Exchange
	for _, node := range elements(root.First("http_interactions", "interactions")) {
		again := func() entry { return (&unpacker{left: maxUnpacked}).vcrEntry(node) }
		exchanges = append(exchanges, u.vcrEntry(node).exchange(node.Position, again))
	}
	return exchanges, nil
}

func elements(list *schema.Node) []*schema.Node {
	if list == nil {
		return nil
	}
	return list.Elements
}

// Day returns the day of a date in one of the forms of mails and of logs, or "" if it cannot be parsed.
func Day(date string) string {
	if at, err := mail.ParseDate(date); err == nil {
		return at.UTC().Format(time.DateOnly)
	}
	if len(date) >= len(time.DateOnly) {
		if at, err := time.Parse(time.DateOnly, date[:len(time.DateOnly)]); err == nil {
			return at.Format(time.DateOnly)
		}
	}
	return ""
}

// unpacker decompresses the bodies of one file.
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
		u.err = fmt.Errorf("reading a cassette: %w: its bodies have more than %s after decompression: split it", bounded.ErrTooLarge, bounded.Size(maxUnpacked))
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
