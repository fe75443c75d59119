package clientconfig

import "strings"

// otherClient is any client with the usual form in a file of another name: it takes the members
// and the variables of all.
var otherClient = &Client{
	Name: "other", Title: "another client",
	servers: []string{"mcpServers"},
	variables: func(s *scope, text string) string {
		return dollarBraces.ReplaceAllStringFunc(text, func(found string) string {
			name := found[2 : len(found)-1]
			kind, _, _ := strings.Cut(name, ":")
			switch kind {
			case "env", "input", "workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator", "/":
				return editorVariables(s, found)
			default:
				return shellVariables(s, found)
			}
		})
	},
	form: form{env: "env", address: []string{"httpUrl", "serverUrl", "url"}, headers: "headers"},
}
