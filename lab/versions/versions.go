// Package versions measures versions of programs that others wrote, and appends what it finds to the history. What to
// measure is in subjects.json. A version that the history has is not measured again.
package versions

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"toolproof/harness/history"
	"toolproof/harness/provider"
	"toolproof/internal/version"
)

// Run measures versions.
type Run struct {
	Folder     string   // the history: one file for each kind
	Adapters   string   // the adapters in JavaScript
	GoAdapters string   // the module of the adapters in Go
	Engines    string   // the referees of engines
	Verify     string   // the command verify, which runs agents
	Servers    string   // the list of MCP servers
	Tools      string   // the tools on which SDKs, normalizers and engines are measured
	Only       []string // measure only these packages, and versions as PACKAGE@VERSION even if the history has them; empty for all
	Parallel   int      // the number of versions measured at a time
	Environ    []string // the environment of servers and agents
	Path       string   // where programs are, as in PATH

	Errs io.Writer // one line for each version

	appending sync.Mutex
	records   []history.Record // what the history has
}

// subject is a package of npm, or a module of Go, with the versions to measure.
type subject struct {
	Kind    string `json:"kind"`
	Package string `json:"package"`
	// Language is go for a module, and empty for a package.
	Language string `json:"language,omitempty"`
	// Adapter is the name of the adapter or referee: its file without .js, or for a module its folder. As is the name
	// under which it imports the package; empty for the package's own.
	Adapter string `json:"adapter,omitempty"`
	As      string `json:"as,omitempty"`
	// Type is the type of the adapter's module; empty for module.
	Type string `json:"type,omitempty"`
	// Rebuild is set if the package's own scripts have to put its program in place.
	Rebuild bool `json:"rebuild,omitempty"`
	// With are packages that are installed beside it; the version "same" is that of the package.
	With     map[string]string `json:"with,omitempty"`
	Versions []string          `json:"versions"`
	// Arguments and Env are those of a server.
	Arguments []string          `json:"arguments,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
}

//go:embed subjects.json
var subjects []byte

// measured is what measuring one version finds at one place.
type measured struct {
	place      string
	facts      map[string]string
	unmeasured string
}

// errSlow says that something took too long or found no network, which may be the fault of the machine and not of the
// version.
var errSlow = errors.New("the time is over, or there is no network")

// All measures the versions that the history lacks, and appends each as it comes.
func (r *Run) All(ctx context.Context) error {
	all, err := r.subjects()
	if err != nil {
		return err
	}
	for _, name := range r.Only {
		if !slices.ContainsFunc(all, func(subject subject) bool { return subject.isNamed(name) }) {
			return fmt.Errorf("no package %q is listed", name)
		}
	}
	if r.records, err = history.Read(os.DirFS(r.Folder)); err != nil {
		return err
	}
	known := map[[3]string]bool{}
	for _, record := range r.records {
		known[[3]string{record.Kind, record.Subject, record.Version}] = true
	}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(r.Parallel)
	for _, subject := range all {
		missing := slices.DeleteFunc(slices.Clone(subject.Versions), func(version string) bool {
			isWanted := len(r.Only) == 0 || slices.Contains(r.Only, subject.Package)
			isAgain := slices.Contains(r.Only, subject.Package+"@"+version)
			return !isAgain && (!isWanted || known[[3]string{subject.Kind, subject.Package, version}])
		})
		if len(missing) == 0 {
			continue
		}
		days, err := subject.published(ctx, missing)
		if err != nil {
			return err
		}
		for _, version := range missing {
			work.Go(func() error { return r.one(ctx, subject, version, days[version]) })
		}
	}
	return work.Wait() //nolint:wrapcheck // errors of one are wrapped
}

// subjects returns the packages of subjects.json, and the servers of the list.
func (r *Run) subjects() ([]subject, error) {
	var all, servers []subject
	if err := json.Unmarshal(subjects, &all); err != nil {
		return nil, fmt.Errorf("reading subjects.json: %w", err)
	}
	text, err := os.ReadFile(r.Servers)
	if err != nil {
		return nil, fmt.Errorf("reading the servers: %w", err)
	}
	if err := json.Unmarshal(text, &servers); err != nil {
		return nil, fmt.Errorf("reading the servers of %s: %w", r.Servers, err)
	}
	for _, server := range servers {
		server.Kind = "server"
		all = append(all, server)
	}
	return all, nil
}

// isNamed reports whether a name is that of the package, or of one of the versions as PACKAGE@VERSION.
func (s subject) isNamed(name string) bool {
	version, isVersion := strings.CutPrefix(name, s.Package+"@")
	return name == s.Package || isVersion && slices.Contains(s.Versions, version)
}

// one measures one version in a folder of its own.
func (r *Run) one(ctx context.Context, subject subject, version string, published provider.Date) error {
	folder, err := os.MkdirTemp("", "version")
	if err != nil {
		return fmt.Errorf("making a folder for %s: %w", subject.Package, err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // of temporary files
	places, environment, err := r.measure(ctx, folder, subject, version)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, errSlow) {
		fmt.Fprintf(r.Errs, "%s@%s is not kept, and can be measured again: %s\n", subject.Package, version, oneLine(err.Error()))
		return nil
	}
	if err != nil {
		places = []measured{{unmeasured: oneLine(err.Error())}}
	}
	var records []history.Record
	for _, place := range places {
		records = append(records, history.Record{
			Kind: subject.Kind, Subject: subject.Package, Version: version, Published: published,
			Environment: environment, Place: place.place, Facts: place.facts, Unmeasured: place.unmeasured,
		})
	}
	fmt.Fprintf(r.Errs, "%s@%s: %d places %s\n", subject.Package, version, len(places), places[0].unmeasured)
	return r.append(records...)
}

// append adds records of today to the history.
func (r *Run) append(records ...history.Record) error {
	r.appending.Lock()
	defer r.appending.Unlock()
	for _, record := range records {
		record.Format = history.Format
		record.Date = cmp.Or(record.Date, provider.Today())
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(history.Shorten(record, r.records)); err != nil {
			return fmt.Errorf("writing %s: %w", record.Subject, err)
		}
		if err := appendTo(filepath.Join(r.Folder, record.Kind+".jsonl"), line.Bytes()); err != nil {
			return err
		}
		r.records = append(r.records, record)
	}
	return nil
}

func appendTo(name string, line []byte) error {
	const readable = 0o644
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, readable) //nolint:gosec,forbidigo // appends to a document, and closes it below
	if err != nil {
		return fmt.Errorf("opening the history: %w", err)
	}
	_, err = file.Write(line)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing the history: %w", err)
	}
	return nil
}

// measure measures a version in an empty folder, and says in what environment.
func (r *Run) measure(ctx context.Context, folder string, subject subject, version string) ([]measured, string, error) {
	environment := []string{runtime.GOOS + "/" + runtime.GOARCH}
	switch {
	case subject.Language == goLanguage:
		version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
		if err != nil {
			return nil, "", fmt.Errorf("asking for the version of Go: %w", err)
		}
		environment = append(environment, "go "+strings.TrimPrefix(strings.TrimSpace(string(version)), "go"))
	case subject.Kind != "agent" && subject.Kind != "gateway": // which run on the Node that is installed with them
		node, err := exec.CommandContext(ctx, "node", "--version").Output()
		if err != nil {
			return nil, "", fmt.Errorf("asking for the version of Node: %w", err)
		}
		environment = append(environment, "node "+strings.TrimPrefix(strings.TrimSpace(string(node)), "v"))
	}
	for _, name := range sortedNames(subject.With) {
		environment = append(environment, name+" "+strings.TrimPrefix(withVersion(subject.With[name], version), "npm:"))
	}
	measure := map[string]func(context.Context, string, subjectVersion) ([]measured, error){
		"sdk": r.adapter, "normalizer": r.adapter, "engine": r.engine, "server": r.server, "agent": r.agent, "gateway": r.gateway,
		"mcp-client": r.mcpClient,
	}[subject.Kind]
	if measure == nil {
		return nil, "", fmt.Errorf("nothing measures the kind %q", subject.Kind)
	}
	found, err := measure(ctx, folder, subjectVersion{subject, version})
	return found, strings.Join(environment, ", "), err
}

type subjectVersion struct {
	subject

	version string
}

func withVersion(with, version string) string {
	if with == "same" {
		return version
	}
	return with
}

// install installs the version and what it needs into a folder.
func (s subjectVersion) install(ctx context.Context, folder string) error {
	wanted := map[string]string{s.Package: s.version}
	if s.As != "" {
		wanted = map[string]string{s.As: "npm:" + s.Package + "@" + s.version}
	}
	for name, version := range s.With {
		wanted[name] = withVersion(version, s.version)
	}
	manifest, err := json.Marshal(map[string]any{"private": true, "type": cmp.Or(s.Type, "module"), "dependencies": wanted})
	if err != nil {
		return fmt.Errorf("writing package.json: %w", err)
	}
	const own = 0o600
	if err := os.WriteFile(filepath.Join(folder, "package.json"), manifest, own); err != nil {
		return fmt.Errorf("writing package.json: %w", err)
	}
	const patience = 5 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	command := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	command.Dir = folder
	said, err := command.CombinedOutput()
	switch {
	case ctx.Err() != nil, bytes.Contains(said, []byte("npm error network")):
		return fmt.Errorf("npm install: %w", errSlow)
	case err != nil:
		return fmt.Errorf("npm install: %w\n%s", err, said)
	default:
		return nil
	}
}

// published returns for each version a day on which it was there, or for a module the day of the commit.
func (s subject) published(ctx context.Context, versions []string) (map[string]provider.Date, error) {
	if s.Language == goLanguage {
		return committed(ctx, s.Package, versions)
	}
	return published(ctx, s.Package)
}

// published returns for each version of a package a day by which it was published. A registry may have taken a version
// later than it was published, but no later than the versions that follow it: of each version and those of the same
// major that follow, the earliest day counts.
func published(ctx context.Context, name string) (map[string]provider.Date, error) {
	text, err := exec.CommandContext(ctx, "npm", "view", name, "time", "--json").Output() //nolint:gosec // a package of subjects.json
	if err != nil {
		return nil, fmt.Errorf("asking when the versions of %s were published: %w", name, err)
	}
	var times map[string]string
	if err := json.Unmarshal(text, &times); err != nil {
		return nil, fmt.Errorf("reading when the versions of %s were published: %w", name, err)
	}
	return bounds(times), nil
}

// isVersion matches the versions that are published in order.
var isVersion = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// bounds lowers the day of each version to that of the versions that follow it in its major. Other words that a registry
// has a time for stay as they are.
func bounds(times map[string]string) map[string]provider.Date {
	var versions []string
	days := map[string]provider.Date{}
	for version, time := range times {
		day, _, _ := strings.Cut(time, "T")
		days[version] = provider.Date(day)
		if isVersion.MatchString(version) {
			versions = append(versions, version)
		}
	}
	slices.SortFunc(versions, func(a, b string) int { return version.Compare(b, a) }) // the last one first
	earliest := map[string]provider.Date{}
	for _, version := range versions {
		major, _, _ := strings.Cut(version, ".")
		if day := earliest[major]; day != "" && day < days[version] {
			days[version] = day
		}
		earliest[major] = days[version]
	}
	for version, day := range days {
		release, _, _ := strings.Cut(version, "-")
		if released := days[release]; released != "" && released < day {
			days[version] = released // a candidate comes before the release
		}
	}
	return days
}

// oneLine shortens a text to one line, and leaves out the folders of this machine.
func oneLine(text string) string {
	const longest = 240
	text = strings.Join(strings.Fields(isPath.ReplaceAllString(text, "…/")), " ")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

var isPath = regexp.MustCompile(`(file://)?/(tmp|root|home|var)/\S*/`)
