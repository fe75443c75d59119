package clientconfig

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// scope is where one entry is read: what its variables mean, and what it lacks.
type scope struct {
	Environment

	client  *Client
	root    *schema.Node // of the file
	project string       // its folder
	server  *Server
	missing []string
	wrong   error
}

// lacks remembers what the entry needs and does not have, once.
func (s *scope) lacks(what string) {
	if !slices.Contains(s.missing, what) {
		s.missing = append(s.missing, what)
	}
}

// err returns why the server cannot be asked, or nil.
func (s *scope) err() error {
	switch {
	case s.wrong != nil:
		return s.wrong
	case len(s.missing) > 0:
		return fmt.Errorf("the configuration needs %s", strings.Join(s.missing, ", "))
	case len(s.server.Command) == 0 && s.server.Address == "":
		return errors.New("the configuration has neither a command nor an address")
	default:
		return nil
	}
}

// membersOf returns the members of an object, and nothing for what is none.
func membersOf(node *schema.Node) []schema.Member {
	if node == nil || node.Kind != schema.Object {
		return nil
	}
	return node.Members
}

// text returns a value with its variables resolved. Numbers and true are as they are
// spelled.
func (s *scope) text(node *schema.Node) string {
	if node == nil || s.client.variables == nil {
		return plain(node)
	}
	return s.client.variables(s, plain(node))
}

// plain returns the text of a value that is one word.
func plain(node *schema.Node) string {
	if node == nil || node.Kind == schema.Null {
		return ""
	}
	return node.Text
}

// command reads the command of an entry: a text with arguments, a list, or an object that
// has both, as Zed wrote it before 2025-07.
func (s *scope) command(entry *schema.Node) {
	command, arguments := entry.Get("command"), entry.Get("args")
	if command == nil {
		return
	}
	words := []*schema.Node{command}
	switch command.Kind {
	case schema.Array:
		words = command.Elements
	case schema.Object:
		words, arguments = []*schema.Node{command.Get("path")}, command.Get("args")
		for _, member := range membersOf(command.Get("env")) {
			s.server.Env = append(s.server.Env, member.Key+"="+s.text(member.Value))
		}
	default:
	}
	if arguments != nil && arguments.Kind == schema.Array {
		words = append(slices.Clip(words), arguments.Elements...)
	}
	for _, word := range words {
		s.server.Command = append(s.server.Command, s.text(word))
	}
	if len(s.server.Command) > 0 && s.server.Command[0] == "" {
		s.server.Command = nil
	}
}

// address reads the address of an entry that has no command, and how it is spoken to.
func (s *scope) address(entry *schema.Node) {
	if len(s.server.Command) > 0 {
		return
	}
	s.server.Address = s.text(entry.First(s.client.form.address...))
	if events := entry.Get(s.client.form.events); events != nil && s.server.Address == "" {
		s.server.Address, s.server.IsSSE = s.text(events), true
	}
	switch kind := plain(entry.First("type", "transport")); kind {
	case "sse":
		s.server.IsSSE = true
	case "http", "streamable-http", "streamableHttp":
		s.server.IsSSE = false
	case "", "remote", "stdio", "local":
	default:
		s.wrong = fmt.Errorf("servers of the type %q are not asked", kind)
	}
}

// variable returns a variable of the environment, which is shown to nobody.
func (s *scope) variable(name, otherwise string, hasOtherwise bool) string {
	value, ok := s.Lookup(name)
	if !ok || value == "" && hasOtherwise {
		if !hasOtherwise {
			s.lacks("the environment variable " + name)
		}
		return otherwise
	}
	s.server.Secrets[value] = name
	return value
}

var (
	dollarBraces = lazy.Compile(`\$\{([^{}]*)\}`)
	dollar       = lazy.Compile(`\$\{([^{}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`)
	braces       = lazy.Compile(`\{(env|file):([^{}]*)\}`)
)

// shellVariables resolves ${NAME} and ${NAME:-otherwise}.
func shellVariables(s *scope, text string) string {
	return dollarBraces.ReplaceAllStringFunc(text, func(found string) string {
		name, otherwise, has := strings.Cut(found[2:len(found)-1], ":-")
		return s.variable(name, otherwise, has)
	})
}

// dollarVariables resolves $NAME beside what shellVariables resolves.
func dollarVariables(s *scope, text string) string {
	return dollar.ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "${") {
			return shellVariables(s, found)
		}
		return s.variable(found[1:], "", false)
	})
}

// editorVariables resolves the variables of VS Code and of the editors made of it.
func editorVariables(s *scope, text string) string {
	return dollarBraces.ReplaceAllStringFunc(text, func(found string) string {
		kind, name, _ := strings.Cut(found[2:len(found)-1], ":")
		switch kind {
		case "env":
			return s.variable(name, "", false)
		case "input":
			return s.input(name)
		case "workspaceFolder":
			return s.project
		case "workspaceFolderBasename":
			return filepath.Base(s.project)
		case "userHome":
			return s.places("HOME")
		case "pathSeparator", "/":
			return string(filepath.Separator)
		default:
			s.lacks("the variable " + found)
			return ""
		}
	})
}

// input returns what an input has without asking anybody: its default.
func (s *scope) input(id string) string {
	if inputs := s.root.Get("inputs"); inputs != nil {
		for _, input := range inputs.Elements {
			if preset := input.Get("default"); input.GetString("id") == id && preset != nil {
				return plain(preset)
			}
		}
	}
	s.lacks("the input " + id + ", which the client asks for")
	return ""
}

// braceVariables resolves {env:NAME}, which is empty where there is none.
func braceVariables(s *scope, text string) string {
	return braces.ReplaceAllStringFunc(text, func(found string) string {
		kind, name, _ := strings.Cut(found[1:len(found)-1], ":")
		if kind == "file" {
			s.lacks("the file of " + found + ", which is not read here")
			return ""
		}
		return s.variable(name, "", false)
	})
}
