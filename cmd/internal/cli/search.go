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

// A folder, and a pattern with **, are searched: the files that have tools are read, and
// the others are counted.

// ToolFiles are the files of a folder that can have tools.
const ToolFiles = "**/*.{json,jsonc,jsonl,ndjson,yaml,yml,json.gz,jsonl.gz,ndjson.gz}"

// What a search looks at, at most. maxFound is how many files are read, and maxFileSize
// how large one may be, in bytes; maxEntries is how many files and folders are seen.
const (
	maxFound    = 10_000
	maxEntries  = 500_000
	maxFileSize = 64 << 20
)

// Search is one search, and what it passed over.
type Search struct {
	Root    string // the folder
	Pattern string // of the files below it

	Found   []string
	folders []string // that were passed over
	seen    int

	read                                 int
	without, schemas, large, notReadable []string
}

// SearchOf returns the search that an argument asks for, or nil where it names a file or
// is a simple pattern.
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

// Find finds the files. Links to folders are not followed.
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

// visit notes a file or folder.
func (s *Search) visit(name string, entry fs.DirEntry) error {
	if entry.IsDir() {
		if name != s.Root && isPassedOver(entry.Name()) {
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

// isPassedOver reports whether a folder has what others wrote: packages, and what tools
// keep for themselves.
func isPassedOver(name string) bool {
	return name == "node_modules" || name == "vendor" || name == "site-packages" || strings.HasPrefix(name, ".")
}

// Take reports whether a file that was found has tools. What has none is counted.
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

// String says what was found and what was passed over.
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
			skipped = append(skipped, fmt.Sprintf("%d %s (%s)", len(part.names), part.what, some(part.names)))
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

// some names the first of some files.
func some(names []string) string {
	const shown = 2
	var some []string
	for _, name := range names[:min(shown, len(names))] {
		some = append(some, escape.Line(name))
	}
	if len(names) > shown {
		some = append(some, "...")
	}
	return strings.Join(some, ", ")
}
