package traffic

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// vcrEntry reads an interaction of vcrpy, Ruby VCR, Betamax and all versions of go-vcr, which differ only
// in names.
func (u *unpacker) vcrEntry(interaction *schema.Node) entry {
	request, response := interaction.Get("request"), interaction.Get("response")
	found := entry{
		url:      text(request.First("uri", "url")),
		status:   number(response.Get("status").First("code"), response.Get("code"), response.Get("status_code"), response.Get("status")),
		response: u.bodyOf(response),
		date:     header(response.Get("headers"), "date"),
	}
	found.body = request.First("parsed_body", "body", "content")
	if inner := found.body.Get("string"); inner != nil && !found.body.Has("base64_string") {
		found.body = inner
	}
	if found.body == nil || found.body.Kind == schema.String || found.body.Has("base64_string") || found.body.Has("encoding") {
		found.unzipped = u.bodyOf(request)
	}
	if recorded := text(interaction.Get("recorded_at")); recorded != "" {
		found.date = recorded
	}
	return found
}

// bodyOf returns the body of a message: a text, an object with a text under string or
// base64_string, or a body that was stored parsed.
func (u *unpacker) bodyOf(message *schema.Node) []byte {
	if parsed := message.First("parsed_body"); parsed != nil {
		return parsed.JSON()
	}
	body := message.First("body", "content")
	switch {
	case body == nil:
		return nil
	case body.Kind == schema.String:
		return u.unzipped([]byte(body.Text))
	case body.Kind != schema.Object:
		return body.JSON()
	}
	if encoded := text(body.Get("base64_string")); encoded != "" {
		return u.unzipped(fromBase64(encoded))
	}
	if inner := body.First("string"); inner != nil && inner.Kind == schema.String {
		return u.unzipped([]byte(inner.Text))
	}
	if body.Has("string") || body.Has("encoding") {
		return nil
	}
	return body.JSON()
}

// harEntry reads an entry of a HAR, which Polly writes, too.
func (u *unpacker) harEntry(har *schema.Node) entry {
	request, response := har.Get("request"), har.Get("response")
	content := response.Get("content")
	body := []byte(text(content.Get("text")))
	if content.Get("encoding").Is("base64") {
		body = u.unzipped(fromBase64(string(body)))
	}
	return entry{
		url: text(request.Get("url")), body: request.Get("postData").Get("text"), status: number(response.Get("status")),
		response: body, date: text(har.Get("startedDateTime")),
	}
}

// nockEntry reads a definition that nock records.
func (u *unpacker) nockEntry(definition *schema.Node) entry {
	return entry{
		url:  text(definition.Get("scope")) + text(definition.Get("path")),
		body: definition.Get("body"), status: number(definition.Get("status")), response: u.nockBody(definition.Get("response")),
		date: header(definition.First("rawHeaders", "headers"), "date"),
	}
}

// logEntry reads an entry of the emulator's log, of a gateway's log, of a batch, or of published evidence: an
// object with the body of a request in one of several members. It reports false for any other value.
func logEntry(line *schema.Node) (found entry, ok bool) {
	if line.Get("method").Is("sampling/createMessage") {
		return entry{}, false // a message of the Model Context Protocol
	}
	request, response := line.Get("request"), line.First("response", "answer")
	for _, body := range []*schema.Node{request.Get("body"), line.Get("body"), request, line.Get("params")} {
		if inner := body.Get("request"); body.Has("model") && inner.Has("contents") {
			body = inner // of a batch of Vertex AI
		}
		if isRequest(body) {
			found.body = body
			break
		}
	}
	if found.body == nil {
		return entry{}, false
	}
	found.url = text(firstOf(request.Get("url"), request.Get("path"), line.Get("url"), line.Get("path"), line.Get("endpoint")))
	if host := text(line.Get("host")); host != "" && !strings.Contains(found.url, "://") {
		found.url = "https://" + host + found.url
	}
	found.model = text(line.Get("model"))
	found.status = number(line.Get("status"), response.Get("status"), response.Get("status_code"), line.Get("status_code"))
	if answer := firstOf(response.Get("body"), line.Get("answer"), line.Get("response_body"), line.Get("response"), line.Get("response_error")); answer != nil {
		found.response = []byte(answer.Text)
		if answer.Kind != schema.String {
			found.response = answer.JSON()
		}
	}
	found.date = text(firstOf(line.Get("date"), line.Get("recorded_at"), line.Get("timestamp"), line.Get("created_at"), line.Get("committed_at")))
	found.emulated = line.Has("number") && line.Has("method") && line.Has("header")
	return found, true
}

// isRequest reports whether a body, or a text that holds one, can be a request to a model.
func isRequest(body *schema.Node) bool {
	if body != nil && body.Kind == schema.String && strings.HasPrefix(strings.TrimLeft(body.Text, " \t\r\n"), "{") {
		body, _ = schema.ParseWire([]byte(body.Text))
	}
	isList := func(key string) bool { return isArray(body.Get(key)) }
	return body != nil && body.Kind == schema.Object && (isList("messages") || isList("contents") || body.Has("input") && body.Has("model"))
}

// firstOf returns the first node that is neither nil nor null.
func firstOf(nodes ...*schema.Node) *schema.Node {
	for _, node := range nodes {
		if node != nil && node.Kind != schema.Null {
			return node
		}
	}
	return nil
}

// nockBody returns the body of a response: JSON, a text, or the hexadecimal pieces of a
// compressed one.
func (u *unpacker) nockBody(response *schema.Node) []byte {
	if response == nil {
		return nil
	}
	pieces := []string{response.Text}
	for _, piece := range response.Elements {
		if piece.Kind != schema.String {
			return response.JSON()
		}
		pieces = append(pieces, piece.Text)
	}
	joined := strings.Join(pieces, "")
	if response.Kind == schema.Object || joined == "" {
		return response.JSON()
	}
	if decoded, err := hex.DecodeString(joined); err == nil {
		return u.unzipped(decoded)
	}
	return []byte(joined)
}

const httprrHeader = "httprr trace v1\n"

// readHTTPRR reads a trace of httprr: a line with the sizes of request and response, followed
// by both in wire format. If version control has changed the line ends, the sizes are wrong,
// and entries are found by how they begin.
func (u *unpacker) readHTTPRR(data []byte) ([]*Exchange, error) {
	wires, err := sized(data[len(httprrHeader):])
	if err != nil {
		if wires = found(data[len(httprrHeader):]); len(wires) == 0 {
			return nil, err
		}
	}
	exchanges := make([]*Exchange, len(wires))
	for i, wire := range wires {
		found, err := u.wireEntry(wire.request, wire.response)
		if err != nil {
			return nil, fmt.Errorf("reading httprr: entry %d: %w", i+1, err)
		}
		exchanges[i] = found.exchange(schema.Position{}, func() entry { return found })
	}
	return exchanges, nil
}

// wire is a request and a response in wire format.
type wire struct{ request, response []byte }

// sized splits a trace by its sizes.
func sized(rest []byte) ([]wire, error) {
	var wires []wire
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		before, behind, _ := strings.Cut(string(line), " ")
		request, notSize := strconv.Atoi(before)
		response, notSizeEither := strconv.Atoi(behind)
		if err := errors.Join(notSize, notSizeEither); err != nil || request < 0 || response < 0 {
			return nil, fmt.Errorf("reading httprr: entry %d has no sizes", len(wires)+1)
		}
		if request > len(after) || response > len(after)-request {
			return nil, fmt.Errorf("reading httprr: entry %d is cut short", len(wires)+1)
		}
		wires = append(wires, wire{after[:request], after[request : request+response]})
		rest = after[request+response:]
	}
	return wires, nil
}

var (
	entryStart    = lazy.Compile(`\d+ \d+\r?\n(?:GET|POST|PUT|PATCH|DELETE|HEAD) \S+ HTTP/1`)
	responseStart = lazy.Compile(`HTTP/\d(?:\.\d)? \d{3}[ \r\n]`)
)

// found splits a trace where requests and responses begin.
func found(trace []byte) []wire {
	var wires []wire
	starts := entryStart.FindAllIndex(trace, -1)
	for i, start := range starts {
		end := len(trace)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		_, entry, _ := bytes.Cut(trace[start[0]:end], []byte{'\n'})
		head, _ := splitWire(entry)
		if at := responseStart.FindIndex(entry[head:]); at != nil {
			wires = append(wires, wire{entry[:head+at[0]], entry[head+at[0]:]})
		}
	}
	return wires
}

// splitWire returns the length of a message's head, and its body.
func splitWire(message []byte) (head int, body []byte) {
	head = len(message)
	for _, blank := range []string{"\r\n\r\n", "\n\n"} {
		if i := bytes.Index(message, []byte(blank)); i >= 0 && i+len(blank) < head {
			head = i + len(blank)
		}
	}
	return head, message[head:]
}

func (u *unpacker) wireEntry(sent, answered []byte) (entry, error) {
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(sent)))
	if err != nil {
		return entry{}, fmt.Errorf("reading the request: %w", err)
	}
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(answered)), request)
	if err != nil {
		return entry{}, fmt.Errorf("reading the response: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // reads from a slice
	url := *request.URL
	if url.Host == "" {
		url.Scheme, url.Host = "https", request.Host
	}
	return entry{
		url: url.String(), unzipped: u.unzipped(wireBody(sent, request.Body, request.TransferEncoding)), status: response.StatusCode,
		response: u.unzipped(wireBody(answered, response.Body, response.TransferEncoding)), date: response.Header.Get("Date"),
	}, nil
}

// wireBody returns the body of a message. It ignores Content-Length, which is wrong in traces
// from which secrets were cut.
func wireBody(message []byte, body io.Reader, encoding []string) []byte {
	if len(encoding) > 0 {
		whole, _ := io.ReadAll(body) // an error only means a shorter body
		return whole
	}
	_, whole := splitWire(message)
	return whole
}

func text(node *schema.Node) string {
	if node == nil || node.Kind != schema.String {
		return ""
	}
	return node.Text
}

// number returns the first node that is a number or begins with one, as "400 Bad Request" does,
// or 0.
func number(nodes ...*schema.Node) int {
	for _, node := range nodes {
		if node == nil || node.Kind != schema.Number && node.Kind != schema.String {
			continue
		}
		digits, _, _ := strings.Cut(node.Text, " ")
		if value, err := strconv.Atoi(digits); err == nil {
			return value
		}
	}
	return 0
}

// header returns the value of a header from an object of strings or lists, or from a list that
// alternates names and values.
func header(headers *schema.Node, name string) string {
	if headers == nil {
		return ""
	}
	for _, member := range headers.Members {
		if !strings.EqualFold(member.Key, name) {
			continue
		}
		if isArray(member.Value) && len(member.Value.Elements) > 0 {
			return text(member.Value.Elements[0])
		}
		return text(member.Value)
	}
	for i := 0; i+1 < len(headers.Elements); i += 2 {
		if strings.EqualFold(text(headers.Elements[i]), name) {
			return text(headers.Elements[i+1])
		}
	}
	return ""
}

func isArray(node *schema.Node) bool { return node != nil && node.Kind == schema.Array }
