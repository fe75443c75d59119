package emulator

import (
	"bytes"
	_ "embed" // for the template of the page
	"encoding/json"
	"html/template"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"toolproof/internal/style"
)

// PagePath is the path of a page that shows the kept requests with their answers. Browsers get
// it at /, too.
const PagePath = "/_/"

// The bounds of the page. LogPath serves everything that is kept.
const (
	mostShown = 200       // requests, the newest ones
	mostText  = 16 * 1024 // bytes of a body
)

//go:embed page.html
var pageText string

// pageTemplate parses the page on first use.
var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// pageEntry is a request as the page shows it.
type pageEntry struct {
	*Entry

	Request, Reply string
}

// State returns the CSS class of the status.
func (e pageEntry) State() string {
	if e.Status >= http.StatusBadRequest {
		return "bad"
	}
	return "good"
}

// isBrowserAtRoot reports whether a browser asks for the page at /.
func (s *Server) isBrowserAtRoot(request *http.Request) bool {
	return request.Method == http.MethodGet && request.URL.Path == "/" && s.options.Engine != "ollama" && // Ollama has a text there
		strings.Contains(request.Header.Get("Accept"), "text/html")
}

// localOnly refuses requests under a public host name. A hostile page could rebind its own name
// to this machine's address and so read the kept requests.
func localOnly(handler http.HandlerFunc) http.HandlerFunc {
	return func(writer http.ResponseWriter, request *http.Request) {
		name := request.Host
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		isPublic := strings.Contains(name, ".") && net.ParseIP(name) == nil
		for _, ending := range []string{".localhost", ".local", ".internal"} {
			isPublic = isPublic && !strings.HasSuffix(name, ending)
		}
		if isPublic {
			http.Error(writer, "the requests are shown under an address, localhost, or a name without a dot", http.StatusForbidden)
			return
		}
		handler(writer, request)
	}
}

// servePage answers requests at PagePath.
func (s *Server) servePage(writer http.ResponseWriter, _ *http.Request) {
	entries := s.Requests()
	slices.Reverse(entries)
	view := struct {
		Style      template.CSS
		IsKept     bool
		Entries    []pageEntry
		More       int
		Log, Place string
	}{IsKept: s.options.Keep > 0, More: max(len(entries)-mostShown, 0), Log: LogPath, Place: PagePath}
	view.Style = template.CSS(style.Sheet) //nolint:gosec // a file of the program
	for _, entry := range entries[:len(entries)-view.More] {
		view.Entries = append(view.Entries, pageEntry{entry, readable(entry.Body), readable(entry.Answer)})
	}
	var text bytes.Buffer
	if err := pageTemplate().Execute(&text, view); err != nil {
		http.Error(writer, err.Error(), http.StatusInternalServerError)
		return
	}
	header := writer.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src "+style.Source(style.Sheet)+"; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	_, _ = writer.Write(text.Bytes()) // an error means that the browser is gone
}

// readable returns a body indented, and cut to mostText bytes.
func readable(body json.RawMessage) string {
	var text string
	if json.Unmarshal(body, &text) != nil { // it is JSON other than a string
		var lines bytes.Buffer
		if json.Indent(&lines, body, "", "  ") != nil {
			return string(body)
		}
		text = lines.String()
	}
	if len(text) > mostText {
		return strings.ToValidUTF8(text[:mostText], "") + "\n..."
	}
	return text
}
