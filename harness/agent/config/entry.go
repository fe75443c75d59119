package config

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"toolproof/harness/agent/client"
	"toolproof/schema"
)

// entry is the entry of one server while it is read.
type entry struct {
	Environment

	client  *client.Row
	root    *schema.Node // of the file
	project string       // its folder
	server  Server
	missing []string // what the entry refers to and does not exist
	wrong   error    // why the entry can never be used
}

// read reads the entry, a member of the object of servers.
func (e *entry) read(file File, member schema.Member) Server {
	node, configuration := member.Value, e.client.Configuration
	e.server = Server{
		Clients: []string{e.client.Name}, Name: member.Key, File: file.Path, Dir: file.Root, Headers: map[string]string{}, Secrets: map[string]string{},
		IsDisabled: node.Get("disabled").IsTrue() || node.Get("enabled").IsFalse() || e.isExcluded(member.Key),
	}
	e.command(node)
	for _, member := range membersOf(node.Get(cmp.Or(configuration.Entry.Env, "env"))) {
		value := e.text(member.Value)
		e.server.Env = append(e.server.Env, member.Key+"="+value)
		e.server.Secrets[value] = member.Key
	}
	for _, member := range membersOf(node.Get(cmp.Or(configuration.Entry.Headers, "headers"))) {
		e.server.Headers[member.Key] = e.text(member.Value)
		e.server.Secrets[e.server.Headers[member.Key]] = member.Key
	}
	e.address(node)
	if dir := e.text(node.Get("cwd")); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(file.Root, dir)
		}
		e.server.Dir = dir
	}
	if node.Has("envFile") {
		e.lacks("the envFile, which is not read here")
	}
	for _, member := range membersOf(memberOf(node, configuration.Entry.HeaderVariables)) {
		e.server.Headers[member.Key] = e.variable(plain(member.Value), "", false)
	}
	if bearer := memberOf(node, configuration.Entry.Bearer); bearer != nil && bearer.Kind == schema.String && bearer.Text != "" {
		e.server.Headers["Authorization"] = "Bearer " + e.variable(bearer.Text, "", false)
	}
	isNowhere := len(e.server.Command) == 0 && e.server.Address == ""
	if configuration.HasExtensions && isNowhere && (node.GetString("source") == "extension" || node.Has("settings")) {
		e.wrong = fmt.Errorf("an extension of %s starts the server: the configuration has no command", e.client.Title)
	}
	e.server.Err = e.err()
	return e.server
}

// isExcluded reports whether the lists beside the servers keep the client from starting the named
// server.
func (e *entry) isExcluded(name string) bool {
	lists := memberOf(e.root, e.client.Configuration.Lists)
	allowed := lists.Get("allowed").Strings()
	return slices.Contains(lists.Get("excluded").Strings(), name) || len(allowed) > 0 && !slices.Contains(allowed, name)
}

// lacks records something that the entry refers to and that does not exist.
func (e *entry) lacks(what string) {
	if !slices.Contains(e.missing, what) {
		e.missing = append(e.missing, what)
	}
}

// err returns why the server cannot be asked, or nil.
func (e *entry) err() error {
	switch {
	case e.wrong != nil:
		return e.wrong
	case len(e.missing) > 0:
		return fmt.Errorf("the configuration needs %s", strings.Join(e.missing, ", "))
	case len(e.server.Command) == 0 && e.server.Address == "":
		return errors.New("the configuration has neither a command nor an address")
	default:
		return nil
	}
}

// membersOf returns the members of an object, and nil for any other value.
func membersOf(node *schema.Node) []schema.Member {
	if node == nil || node.Kind != schema.Object {
		return nil
	}
	return node.Members
}

// memberOf returns the member with a name that a row may leave empty; nil if there is none.
func memberOf(node *schema.Node, name string) *schema.Node {
	if name == "" {
		return nil
	}
	return node.Get(name)
}

// plain returns the text of a string, and the spelling of a number, true or false.
func plain(node *schema.Node) string {
	if node == nil || node.Kind == schema.Null {
		return ""
	}
	return node.Text
}

// command reads the command of the entry: a string with arguments beside it, a list, or an
// object that has both, as Zed wrote it before 2025-07.
func (e *entry) command(node *schema.Node) {
	command, arguments := node.Get("command"), node.Get("args")
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
			e.server.Env = append(e.server.Env, member.Key+"="+e.text(member.Value))
		}
	default:
	}
	if arguments != nil && arguments.Kind == schema.Array {
		words = append(slices.Clip(words), arguments.Elements...)
	}
	for _, word := range words {
		e.server.Command = append(e.server.Command, e.text(word))
	}
	if len(e.server.Command) > 0 && e.server.Command[0] == "" {
		e.server.Command = nil
	}
}

// address reads the address of an entry without a command, and which protocol it speaks.
func (e *entry) address(node *schema.Node) {
	if len(e.server.Command) > 0 {
		return
	}
	form := e.client.Configuration.Entry
	addresses := form.Address
	if addresses == nil {
		addresses = []string{"url"}
	}
	e.server.Address = e.text(node.First(addresses...))
	if events := memberOf(node, form.Events); events != nil && e.server.Address == "" {
		e.server.Address, e.server.IsSSE = e.text(events), true
	}
	switch kind := plain(node.First("type", "transport")); kind {
	case "sse":
		e.server.IsSSE = true
	case "http", "streamable-http", "streamableHttp":
		e.server.IsSSE = false
	case "", "remote", "stdio", "local":
	default:
		e.wrong = fmt.Errorf("servers of the type %q are not asked", kind)
	}
}
