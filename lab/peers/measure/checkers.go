package measure

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"toolproof/harness"
	"toolproof/harness/provider"
	"toolproof/lab/calibrate"
	"toolproof/lab/corpus"
	"toolproof/normalizers"
	"toolproof/schema"
)

// checked counts the answers of one checker to the evidence of a surface.
type checked struct {
	Name          string `json:"name"`
	Version       string `json:"version"`
	Surface       string `json:"surface"`
	Accepted      int    `json:"accepted"`
	FalseRefusals int    `json:"false_refusals"`
	Refused       int    `json:"refused"`
	Found         int    `json:"found"`
}

// checker reports whether it would accept a declaration on a surface.
type checker func(ctx context.Context, dialect *provider.Dialect, evidence calibrate.Case, part calibrate.Part) (bool, error)

// checkers judges the same cases of the evidence beside the corpus with the adapters that check
// schemas and with the models. It returns nil if there is no evidence.
func (r *Run) checkers(ctx context.Context, adapters []adapter) ([]*checked, error) {
	cases, err := evidence(filepath.Join(corpus.Folder(), "..", "evidence"))
	if err != nil || len(cases) == 0 {
		return nil, err
	}
	var all []*checked
	for _, adapter := range adapters {
		if !adapter.Checks {
			continue
		}
		command := &normalizers.Command{Args: append(slices.Clone(adapter.command), "--check"), Timeout: time.Minute}
		theirs, err := check(ctx, adapter.Name, adapter.Version, adapter.Surfaces, cases, foreign(command))
		command.Close()
		if err != nil {
			return nil, err
		}
		own, err := check(ctx, ours, "this commit", adapter.Surfaces, cases, model)
		if err != nil {
			return nil, err
		}
		all = append(all, append(own, theirs...)...)
	}
	slices.SortStableFunc(all, func(a, b *checked) int { return cmp.Compare(order(a.Surface), order(b.Surface)) })
	return all, nil
}

// check counts the answers of a checker to the cases that declare something on exactly one
// surface.
func check(ctx context.Context, name, version string, surfaces []string, cases []calibrate.Case, says checker) ([]*checked, error) {
	counts := map[string]*checked{}
	var list []*checked
	for _, surface := range surfaces {
		counts[surface] = &checked{Name: name, Version: version, Surface: surface}
		list = append(list, counts[surface])
	}
	for _, evidence := range cases {
		if len(evidence.Parts) != 1 || counts[evidence.Parts[0].Dialect] == nil || evidence.Echo != nil {
			continue
		}
		part := evidence.Parts[0]
		dialect, err := harness.DialectNamed(part.Dialect)
		if err != nil {
			return nil, err
		}
		isAccepted, err := says(ctx, dialect, evidence, part)
		if err != nil {
			return nil, fmt.Errorf("%s about %s: %w", name, evidence.Name, err)
		}
		count := counts[part.Dialect]
		total, refused := &count.Refused, &count.Found
		if evidence.Verdict == provider.Accepted {
			total, refused = &count.Accepted, &count.FalseRefusals
		}
		*total++
		if !isAccepted {
			*refused++
		}
	}
	return list, nil
}

// model is the checker that asks the surface's model, as of the day of the case.
func model(ctx context.Context, dialect *provider.Dialect, evidence calibrate.Case, part calibrate.Part) (bool, error) {
	request := dialect.Request(part.Declarations)
	request.Indices = part.Indices
	response, err := (&provider.Model{Dialect: dialect, AsOf: evidence.Date, ModelName: evidence.Model, Parameters: dialect.ParametersOf(part.Body)}).Send(ctx, request)
	return response.Verdict == provider.Accepted, err
}

// foreign returns the checker that asks a program about the schema of each declaration, with
// types in lower case, as the programs require.
func foreign(command *normalizers.Command) checker {
	return func(ctx context.Context, dialect *provider.Dialect, _ calibrate.Case, part calibrate.Part) (bool, error) {
		command.Surface = dialect.Name
		for _, declaration := range part.Declarations {
			parameters := dialect.SchemaOf(declaration)
			if parameters == nil {
				continue
			}
			_, err := command.Normalize(ctx, schema.Tool{Name: "f", Parameters: lowerTypes(parameters)})
			if errors.Is(err, normalizers.ErrUnsupported) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
		}
		return true, nil
	}
}

func lowerTypes(root *schema.Node) *schema.Node {
	clone := root.Clone()
	clone.Each(func(subschema *schema.Node) bool {
		if name := subschema.GetString("type"); name != "" {
			subschema.Set("type", schema.NewString(strings.ToLower(name)))
		}
		return true
	})
	return clone
}

// evidence reads the cases in all files of a folder.
func evidence(folder string) ([]calibrate.Case, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl*"))
	if err != nil {
		return nil, fmt.Errorf("looking for evidence: %w", err)
	}
	var cases []calibrate.Case
	for _, name := range names {
		rows, err := evidenceOf(name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		for _, row := range rows {
			found, _ := row.Cases(harness.Dialects)
			cases = append(cases, found...)
		}
	}
	return cases, nil
}

func evidenceOf(name string) ([]*calibrate.Row, error) {
	file, err := os.Open(name) //nolint:gosec // a file of the folder that the user names
	if err != nil {
		return nil, err
	}
	defer file.Close() // opened for reading
	var in io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			return nil, err //nolint:wrapcheck // the caller names the file
		}
	}
	return calibrate.Read(in)
}

// The marks in checkers.md around the table.
const begin, end = "<!-- make peers -->\n", "<!-- end -->\n"

// saveCheckers replaces the table in checkers.md between its marks.
func (d document) saveCheckers(name string) error {
	text, err := os.ReadFile(name) //nolint:gosec // a document of the project
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	before, rest, hasBegin := strings.Cut(string(text), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		return fmt.Errorf("%s lacks the marks %q and %q", name, begin, end)
	}
	var table strings.Builder
	table.WriteString("| surface | checker | false refusals | found |\n|---|---|---|---|\n")
	for _, row := range d.Checkers {
		if row.Accepted+row.Refused > 0 {
			fmt.Fprintf(&table, "| %s | %s %s | %d of %d | %d of %d |\n", row.Surface, row.Name, row.Version, row.FalseRefusals, row.Accepted, row.Found, row.Refused)
		}
	}
	return writeFile(name, before+begin+table.String()+end+after)
}
