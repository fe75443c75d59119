package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"toolproof/harness/report"
	"toolproof/harness/toolfile"
	"toolproof/internal/escape"
)

// Folders, and patterns with **, are searched: files with tools are read, and other files are
// counted.

// ToolFiles is the pattern of files in a folder that can have tools.
const ToolFiles = "**/*.{json,jsonc,jsonl,ndjson,yaml,yml,json.gz,jsonl.gz,ndjson.gz}"

// The limits of a search: maxFound is the number of files read, maxEntries the number of files
// and folders visited, and maxFileSize the size of a file in bytes.
const (
	maxFound    = 10_000
	maxEntries  = 500_000
	maxFileSize = 64 << 20
)

// Search is one search with counts of what it skipped.
type Search struct {
	Root    string // the folder
	Pattern string // pattern of files below Root

	Found   []string
	folders []string // skipped
	seen    int

	read                                 int
	without, schemas, large, notReadable []string
}

// SearchOf returns the search that an argument asks for, or nil if it names a file or is a
// pattern without **.
func SearchOf(argument string) *Search {
	if info, err := os.Stat(argument); err == nil {
		if info.IsDir() {
			return &Search{Root: filepath.Clean(argument), Pattern: ToolFiles}
		}
		return nil
	}
	if !strings.Contains(argument, "**") {
		return nil
	}
	root, pattern := doublestar.SplitPattern(filepath.ToSlash(argument))
	return &Search{Root: filepath.Clean(root), Pattern: pattern}
}

// Find finds the files. It does not follow links to folders.
func (s *Search) Find(ctx context.Context) error {
	if !doublestar.ValidatePattern(s.Pattern) {
		return Usage("the pattern %q is not one: * is any name, ** any folders, [ab] and {a,b} are choices", s.Pattern)
	}
	err := filepath.WalkDir(s.Root, func(name string, entry fs.DirEntry, err error) error {
		switch s.seen++; {
		case ctx.Err() != nil:
			return ctx.Err()
		case s.seen > maxEntries:
			return fmt.Errorf("there are more than %d files: name a smaller folder", maxEntries)
		case err == nil:
			return s.visit(name, entry)
		case name == s.Root:
			return WithoutPath(err)
		default:
			s.notReadable = append(s.notReadable, name)
			return nil
		}
	})
	if ctx.Err() != nil {
		return Interrupted(ctx)
	}
	if err != nil {
		return Broken(fmt.Errorf("%s: %w", escape.Line(s.Root), err))
	}
	return nil
}

// visit adds a file or skips a folder.
func (s *Search) visit(name string, entry fs.DirEntry) error {
	if entry.IsDir() {
		if name != s.Root && isSkipped(entry.Name()) {
			s.folders = append(s.folders, name)
			return fs.SkipDir
		}
		return nil
	}
	below := strings.TrimPrefix(strings.TrimPrefix(name, s.Root), string(filepath.Separator))
	if s.Root == "." {
		below = name
	}
	if !entry.Type().IsRegular() || !doublestar.MatchUnvalidated(s.Pattern, filepath.ToSlash(below)) {
		return nil
	}
	if info, err := entry.Info(); err == nil && info.Size() > maxFileSize {
		s.large = append(s.large, name)
		return nil
	}
	if s.Found = append(s.Found, name); len(s.Found) > maxFound {
		return fmt.Errorf("more than %d files could have tools: name a smaller folder", maxFound)
	}
	return nil
}

// isSkipped reports whether a folder holds third-party code, such as packages, or the data of a
// program.
func isSkipped(name string) bool {
	return name == "node_modules" || name == "vendor" || name == "site-packages" || strings.HasPrefix(name, ".")
}

// Take reports whether a file that was found has tools, and counts it.
func (s *Search) Take(name string, tools []toolfile.Tool, err error) bool {
	isTool := func(tool toolfile.Tool) bool {
		return tool.Err == nil && !tool.IsBare() || tool.Err != nil && tool.Request > 0
	}
	_, isForeign := errors.AsType[*toolfile.ForeignError](err)
	isBroken := func(tool toolfile.Tool) bool { return tool.Err != nil }
	switch {
	case slices.ContainsFunc(tools, isTool):
		s.read++
		return true
	case isForeign, len(tools) == 0 && err == nil:
		s.without = append(s.without, name)
	case err != nil, slices.ContainsFunc(tools, isBroken):
		s.notReadable = append(s.notReadable, name)
	default:
		s.schemas = append(s.schemas, name)
	}
	return false
}

// String tells how many files were read and skipped.
func (s *Search) String() string {
	var skipped []string
	for _, part := range []struct {
		names []string
		what  string
	}{
		{s.without, "without tools"},
		{s.schemas, "with a schema alone, to be named where it is a tool"},
		{s.large, "too large"},
		{s.notReadable, "not readable"},
		{s.folders, "as a folder of others"},
	} {
		if len(part.names) > 0 {
			skipped = append(skipped, fmt.Sprintf("%d %s (%s)", len(part.names), part.what, sample(part.names)))
		}
	}
	text := escape.Line(filepath.Join(s.Root, s.Pattern))
	if s.Pattern == ToolFiles {
		text = escape.Line(s.Root)
	}
	text += ": " + report.Count(s.read, "file") + " with tools"
	if len(skipped) > 0 {
		text += "; skipped " + strings.Join(skipped, ", ")
	}
	return text
}

// sample lists the first names.
func sample(names []string) string {
	const shown = 2
	var first []string
	for _, name := range names[:min(shown, len(names))] {
		first = append(first, escape.Line(name))
	}
	if len(names) > shown {
		first = append(first, "...")
	}
	return strings.Join(first, ", ")
}
