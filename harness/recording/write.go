package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/harness/provider"
	"toolproof/internal/bounded"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// Folder is a folder to write recordings to.
type Folder struct {
	Path string
	// Secrets are values that no file may contain, such as the key of the account. Values
	// shorter than ShortestKey are ignored.
	Secrets []string
}

// Answered is a provider's answer to a request, to be recorded.
type Answered struct {
	Request provider.Request
	Renamed map[string]string // as in Recording
	Grade   Grade             // Recorded or Emulated
	Source  string
	Date    provider.Date
	Model   string
	// Parameters are as in Recording.
	Parameters *schema.Node
	Status     int
	Body       []byte
	Headers    map[string][]string // only a few are kept
}

// keptHeaders say which version of an API answered. Others identify accounts.
var keptHeaders = []string{"Content-Type", "Openai-Version"}

// Write writes a recording of an answer, completely or not at all, and returns the name
// of its file below the folder. It replaces an older recording of the same answer by the
// same model, and leaves recordings of other answers. If the recording would contain a
// secret it returns ErrSecret and writes nothing.
func (f Folder) Write(answered Answered) (string, error) {
	recorded := &Recording{
		Version: Version, Dialect: answered.Request.Dialect, Digest: answered.Request.Digest(), Grade: answered.Grade,
		Source: answered.Source, Date: answered.Date, Model: answered.Model,
	}
	recorded.Request.Path, recorded.Request.Declarations = answered.Request.Path, answered.Request.Declarations
	recorded.Request.Parameters, recorded.Request.Renamed = answered.Parameters, answered.Renamed
	if len(secretsIn(answered.Body, f.Secrets)) > 0 { // even in parts that are not kept
		return "", refused(recorded)
	}
	body, err := redact(answered.Body)
	if err != nil {
		return "", fmt.Errorf("redacting the answer to %s: %w", recorded.Name(), err)
	}
	recorded.Response.Status, recorded.Response.Body = answered.Status, body
	for _, name := range keptHeaders {
		if values := answered.Headers[name]; len(values) > 0 {
			if recorded.Response.Headers == nil {
				recorded.Response.Headers = map[string]string{}
			}
			recorded.Response.Headers[name] = values[0]
		}
	}
	if recorded.File, err = f.place(recorded); err != nil {
		return "", err
	}
	text, err := recorded.Text()
	if err != nil {
		return "", err
	}
	if _, err := Parse(recorded.File, text); err != nil {
		return "", fmt.Errorf("making a recording: %w", err)
	}
	if len(secretsIn(text, f.Secrets)) > 0 {
		return "", refused(recorded)
	}
	return recorded.File, f.replace(recorded.File, text)
}

// place returns the name of the file for a recording. It is the file of an existing recording with
// the same answer, or else a new one with a digest of the answer in its name, so that independent
// runs with different answers write different files.
func (f Folder) place(recorded *Recording) (string, error) {
	digits := strings.TrimPrefix(recorded.Digest, "sha256:")
	others, err := fs.Glob(os.DirFS(f.Path), recorded.Dialect+"/"+digits+"*.json")
	if err != nil {
		return "", fmt.Errorf("looking for recordings: %w", err)
	}
	for _, name := range others {
		others, err := read(os.DirFS(f.Path), name, true)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if others[0].answer() == recorded.answer() {
			return name, nil
		}
	}
	return fmt.Sprintf("%s/%s.%s.json", recorded.Dialect, digits, recorded.answer()), nil
}

// answer identifies the answer of a model to given declarations. All acceptances are the
// same answer, whatever the model writes.
func (r *Recording) answer() string {
	text := fmt.Sprintf("%s %s %d ", r.Grade, r.Model, r.Response.Status)
	if !r.Accepted() {
		text += string(compact(r.Response.Body)) + r.Response.Fragment
	}
	const bytes = 4
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:bytes])
}

// unfinished is the suffix of a file that is being written.
const unfinished = ".unfinished"

// Try reports whether recordings can be written to the folder, which it makes if
// necessary.
func (f Folder) Try() error {
	const folders = 0o755
	if err := os.MkdirAll(f.Path, folders); err != nil {
		return err
	}
	file, err := os.CreateTemp(f.Path, "try.*"+unfinished) //nolint:forbidigo // its close is reported
	if err != nil {
		return err
	}
	_, err = file.WriteString("{}")
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

// replace writes a file atomically: a reader sees the old or the new content, even if the
// program is killed or another one writes the same file.
func (f Folder) replace(name string, text []byte) error {
	whole := filepath.Join(f.Path, filepath.FromSlash(name))
	const folders, readable = 0o755, 0o644
	if err := os.MkdirAll(filepath.Dir(whole), folders); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(whole), filepath.Base(whole)+".*"+unfinished) //nolint:forbidigo // its close is reported
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(readable), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), whole)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// Text returns the recording as its file has it, with one declaration per line.
func (r *Recording) Text() ([]byte, error) {
	var declarations, text bytes.Buffer
	for i, declaration := range r.Request.Declarations {
		if i > 0 {
			declarations.WriteString(",")
		}
		declarations.WriteString("\n      ")
		declarations.Write(declaration.JSON())
	}
	// The declarations and the body keep their exact text; the rest is indented around
	// these placeholders.
	const stand, body = `"\u0000declarations"`, `"\u0000body"`
	frame := *r
	frame.Request.Declarations = []*schema.Node{}
	frame.Response.Body = json.RawMessage(body)
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(&frame); err != nil {
		return nil, fmt.Errorf("writing a recording: %w", err)
	}
	whole := bytes.Replace(text.Bytes(), []byte(`"declarations": []`), slices.Concat([]byte(`"declarations": [`), declarations.Bytes(), []byte("\n    ]")), 1)
	return bytes.Replace(whole, []byte(body), compact(r.Response.Body), 1), nil
}

func compact(text []byte) []byte {
	var short bytes.Buffer
	if json.Compact(&short, text) != nil {
		return text
	}
	return short.Bytes()
}

// ErrSecret means that a text contains a key or something that looks like one.
var ErrSecret = errors.New("there is a key, or what looks like one")

func refused(recorded *Recording) error {
	return fmt.Errorf("recording the answer to %s: %w\nhint: it was not written; look at what was sent and answered", recorded.Name(), ErrSecret)
}

// secretsIn returns the numbers of the lines with secrets, as they are or escaped as in strings of
// JSON, which may be in strings themselves.
func secretsIn(text []byte, secrets []string) []int {
	var lines []int
	for number, line := range bytes.Split(text, []byte("\n")) {
		const depth = 4
		for range depth {
			if hasSecret(line, secrets) {
				lines = append(lines, number+1)
				break
			}
			decoded := unescaped(line)
			if len(decoded) == len(line) {
				break
			}
			line = decoded
		}
	}
	return lines
}

func hasSecret(text []byte, secrets []string) bool {
	return SecretPattern().Match(text) || slices.ContainsFunc(secrets, func(secret string) bool {
		return len(secret) >= ShortestKey && (bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte(url.QueryEscape(secret))))
	})
}

// escapes matches the escapes of a string of JSON.
var escapes = lazy.Compile(`\\(?:u[0-9a-fA-F]{4}|[^u])`)

// unescaped returns a text with the characters that its escapes mean.
func unescaped(text []byte) []byte {
	return []byte(escapes.ReplaceAllStringFunc(string(text), func(escape string) string {
		var decoded string
		if json.Unmarshal([]byte(`"`+escape+`"`), &decoded) != nil {
			return escape[1:]
		}
		return decoded
	}))
}

// Leak is a line of a file that contains a secret.
type Leak struct {
	File string
	Line int
}

// Scan looks for secrets in all files: the given values, and what looks like a key.
func Scan(files fs.FS, secrets []string) ([]Leak, error) {
	var leaks []Leak
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		const most = 64 << 20 // bytes per file
		text, err := bounded.File(files, name, most)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, line := range secretsIn(text, secrets) {
			leaks = append(leaks, Leak{name, line})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for secrets: %w", err)
	}
	return leaks, nil
}

// Members of an answer that identify a request or an account, and are not about
// declarations.
var personal = []string{
	"id", "responseId", "request_id", "created", "created_at", "completed_at", "createTime", "system_fingerprint", "user", "safety_identifier",
	"prompt_cache_key", "thoughtSignature", "encrypted_content", "consumer", "project", "organization",
}

// accounts matches identifiers of accounts and people inside strings.
var accounts = lazy.Compile(`\b(?:org|proj|user|req|resp|msg|chatcmpl)[-_][A-Za-z0-9]{12,}|\bprojects/[a-z0-9-]+|[\w.+-]+@[\w-]+\.[\w.]+`)

// Redacted returns words of a provider without what identifies an account or a request, and
// without keys.
func Redacted(words string) string {
	return SecretPattern().ReplaceAllString(accounts.ReplaceAllString(words, "redacted"), "redacted")
}

// redact removes from an answer what identifies an account or a request.
func redact(body []byte) (json.RawMessage, error) {
	root, err := schema.ParseWire(body)
	if err != nil {
		return nil, err
	}
	redactNode(root)
	return root.JSON(), nil
}

func redactNode(node *schema.Node) {
	for i := range node.Members {
		member := &node.Members[i]
		switch {
		case member.Key == "tools": // the declarations as the provider understood them
		case slices.Contains(personal, member.Key) && member.Value.Kind == schema.String:
			member.Value = schema.NewString("redacted")
		case slices.Contains(personal, member.Key) && member.Value.Kind == schema.Number:
			member.Value = schema.NewInt(0)
		default:
			redactNode(member.Value)
		}
	}
	for _, element := range node.Elements {
		redactNode(element)
	}
	if node.Kind == schema.String {
		node.Text = accounts.ReplaceAllString(node.Text, "redacted")
	}
}

// Unfinished returns files that were being written when a program was killed.
func Unfinished(files fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path.Ext(name) == unfinished {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("looking for unfinished recordings: %w", err)
	}
	return names, nil
}
