package config

import (
	"path/filepath"
	"strings"

	"toolproof/harness/agent/client"
	"toolproof/internal/lazy"
	"toolproof/schema"
)

// text returns a value as text, with its variables resolved.
func (e *entry) text(node *schema.Node) string {
	text := plain(node)
	switch e.client.Configuration.Variables {
	case client.ShellVariables:
		return e.shell(text)
	case client.DollarVariables:
		return e.dollar(text)
	case client.EditorVariables:
		return e.editor(text)
	case client.BraceVariables:
		return e.brace(text)
	case client.AnyVariables:
		return e.any(text)
	default:
		return text
	}
}

// variable returns a variable of the environment, whose value is a secret, or a default.
func (e *entry) variable(name, otherwise string, hasOtherwise bool) string {
	value, ok := e.Lookup(name)
	if !ok || value == "" && hasOtherwise {
		if !hasOtherwise {
			e.lacks("the environment variable " + name)
		}
		return otherwise
	}
	e.server.Secrets[value] = name
	return value
}

var (
	dollarBraces = lazy.Compile(`\$\{([^{}]*)\}`)
	dollar       = lazy.Compile(`\$\{([^{}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)
	braces       = lazy.Compile(`\{(env|file):([^{}]*)\}`)
)

// shell resolves ${NAME} and ${NAME:-default}.
func (e *entry) shell(text string) string {
	return dollarBraces.ReplaceAllStringFunc(text, func(found string) string {
		name, otherwise, has := strings.Cut(found[2:len(found)-1], ":-")
		return e.variable(name, otherwise, has)
	})
}

// dollar resolves $NAME, and what shell resolves.
func (e *entry) dollar(text string) string {
	return dollar.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "${") {
			return e.shell(found)
		}
		return e.variable(found[1:], "", false)
	})
}

// editor resolves the variables of VS Code and of the editors derived from it.
func (e *entry) editor(text string) string {
	return dollarBraces.ReplaceAllStringFunc(text, func(found string) string {
		kind, name, _ := strings.Cut(found[2:len(found)-1], ":")
		switch kind {
		case "env":
			return e.variable(name, "", false)
		case "input":
			return e.input(name)
		case "workspaceFolder":
			return e.project
		case "workspaceFolderBasename":
			return filepath.Base(e.project)
		case "userHome":
			return e.places("HOME")
		case "pathSeparator", "/":
			return string(filepath.Separator)
		default:
			e.lacks("the variable " + found)
			return ""
		}
	})
}

// input returns the default of an input, which the client would ask the user for.
func (e *entry) input(id string) string {
	if inputs := e.root.Get("inputs"); inputs != nil {
		for _, input := range inputs.Elements {
			if preset := input.Get("default"); input.GetString("id") == id && preset != nil {
				return plain(preset)
			}
		}
	}
	e.lacks("the input " + id + ", which the client asks for")
	return ""
}

// brace resolves {env:NAME}.
func (e *entry) brace(text string) string {
	return braces.ReplaceAllStringFunc(text, func(found string) string {
		kind, name, _ := strings.Cut(found[1:len(found)-1], ":")
		if kind == "file" {
			e.lacks("the file of " + found + ", which is not read here")
			return ""
		}
		return e.variable(name, "", false)
	})
}

// any resolves what editor knows, and treats everything else as shell does.
func (e *entry) any(text string) string {
	return dollarBraces.ReplaceAllStringFunc(text, func(found string) string {
		kind, _, _ := strings.Cut(found[2:len(found)-1], ":")
		switch kind {
		case "env", "input", "workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "/":
			return e.editor(found)
		default:
			return e.shell(found)
		}
	})
}
