package advice

import (
	"slices"
	"strings"

	"toolproof/harness/advice/prose"
)

// paths are names for a path in a file system.
var paths = []string{
	"file_path", "filepath", "file_paths", "output_path", "input_path", "directory_path", "dir_path", "folder_path", "output_dir", "output_directory", "image_path", "save_path", "source_path", "destination_path", "target_path",
	"local_path", "project_path", "repo_path", "workspace_path",
}

// noBase finds paths without a base.
var noBase = &Rule{
	Name: "no_base",
	Doc: `a path does not say where it begins

A model that works in a folder writes relative paths, which a server started elsewhere does not
find. Say that the path is absolute, or what it is relative to, or show an example.`,
	Source: Source{
		"Anthropic made a tool demand absolute paths, after a model had gone wrong with relative ones.",
		"https://www.anthropic.com/engineering/building-effective-agents", "2024-12-19",
	},
	Bad:  `[{"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {"file_path": {"type": "string", "description": "The file to read."}}}}]`,
	Good: `[{"name": "read", "description": "Read a file.", "parameters": {"type": "object", "properties": {"file_path": {"type": "string", "description": "The absolute path of the file to read."}}}}]`,
	check: func(p *pass, tool *declaration) {
		var found, loose []*parameter
		for _, param := range tool.params {
			if isPathName(param) && param.prose.Has(anyBase...) && isOfFiles(tool, param) && !hasAny(tool.lower+param.lower, "relative to", "working directory") && !strings.Contains(param.lower, " from ") {
				loose = append(loose, param)
				continue
			}
			if !param.isA("string") || param.isClosed() || !slices.Contains(paths, strings.Join(param.words, "_")) && !isLocal(tool, param) || param.schema.Has("examples") || param.schema.Has("pattern") {
				continue
			}
			if isForeign(param.text) || hasAny(param.lower, "absolute", "relative", "full path", "complete path", "e.g", "example", "such as", "/", `\`, "root", "within", "inside", "under", "working directory", "current", "'", `"`, "`", "url", "workspace", "repo", "branch", "instance", "storage", "from ") ||
				hasAny(tool.lower, "absolute", "relative", "full path", "working directory", "project root", "repository root") {
				continue
			}
			found = append(found, param)
		}
		last := len(p.found)
		p.reportAll(loose, "does not say what a relative path is relative to: say it, or ask for an absolute one", "do not say what relative paths are relative to: say it, or ask for absolute ones")
		p.note(last) // an absolute one is right
		p.reportAll(found, "does not say where the path begins: say absolute, or relative to what, and give an example",
			"do not say where the paths begin: say absolute, or relative to what, and give an example")
	},
}

// isLocal reports whether a parameter is the path of a file by its name and its text.
func isLocal(tool *declaration, param *parameter) bool {
	isPath := isPathName(param) || slices.Contains([]string{"file", "folder", "local", "input", "output", "destination", "source", "scene"}, param.last()) && param.prose.Has(pathways...)
	return isPath && param.prose.Has(located...) && isOfFiles(tool, param)
}

// isOfFiles reports whether a tool has nothing else than files in which the path of a parameter may be.
func isOfFiles(tool *declaration, param *parameter) bool {
	return !slices.ContainsFunc(tool.params, func(other *parameter) bool {
		return other != param && !isPathName(other) && other.hasNameOf("repo", "repository", "owner", "branch", "bucket", "server", "host", "project", "container", "sandbox")
	})
}

// isPathName reports whether a parameter is a path by its name.
func isPathName(param *parameter) bool {
	return slices.Contains([]string{"path", "paths", "dir", "directory"}, param.last())
}

// anyBase are phrases of texts that leave open whether a path is relative.
var anyBase = prose.Phrases("absolute or relative", "relative or absolute", "relative path")

// located are words of texts about files, and pathways those about where one is.
var (
	located  = prose.Phrases("file", "files", "directory", "directories", "folder", "dir", "local", "audio", "image", "video", "pdf", "document", "csv", "scene", "computer")
	pathways = prose.Phrases("path", "directory", "local", "save", "saved")
)
