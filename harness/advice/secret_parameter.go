package advice

import (
	"slices"
	"strings"
)

// secretParameter finds parameters that take secrets.
var secretParameter = &Rule{
	Name: "secret_parameter",
	Doc: `a parameter takes a secret

What a model writes into an argument stands in the conversation, in its logs and often with a
provider. Let the server read keys and passwords from its environment, or ask the user in another
way. A tool that gives a thing its password has to take it.`,
	Source: Source{
		"MCP: servers must not ask for sensitive information by elicitation; arguments pass through the model besides.",
		"https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation", "2025-06-18",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"api_key": {"type": "string", "description": "The key of your account at example.org."}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		if slices.ContainsFunc(tool.named, func(word string) bool {
			return slices.Contains([]string{"decode", "decrypt", "encrypt", "hash", "verify", "validate", "generate"}, word)
		}) {
			return
		}
		var found []*parameter
		isAside := true // all of them are for the case that the server has none, or what the tool is there for
		for _, param := range tool.params {
			if param.isA("string") && !param.isClosed() && isSecret(strings.Join(param.words, "_")) && !hasAny(param.lower, noSecret...) && !tool.handles(param) {
				found = append(found, param)
				isAside = isAside && (hasAny(param.lower, spares...) || tool.gives(param) && !param.isHeader() || param.words[0] == "connection")
			}
		}
		before := len(p.found)
		p.reportAll(found, "takes a secret, which then stands in the conversation: let the server read it from its environment", "take secrets, which then stand in the conversation: let the server read them from its environment")
		if isAside {
			p.note(before)
		}
	},
}

// noSecret are parts of texts about a token that is none, or that the user is asked for in another way.
var noSecret = []string{
	"pagina", "next page", "hash", "contract", "address", "csrf", "page token", "previous", "cursor", "token of the", "arbitrary", "public",
	"requested from the user", "be prompted",
}

// spares are parts of texts about a secret that the server has, too.
var spares = []string{"environment variable", "env var", "environment default", "uses default"}

// handles reports whether a tool is there for the very secret that it takes, such as one that exchanges a token.
func (t *declaration) handles(secret *parameter) bool {
	return slices.Contains(singular(t.named), secret.last()) && t.isNamed([]string{"exchange", "check", "reset", "revoke", "introspect", "refresh", "rotate", "redeem", "get", "update", "delete"})
}

// gives reports whether a tool gives another thing a secret, or makes requests to anybody.
func (t *declaration) gives(secret *parameter) bool {
	return t.isNamed(setting) && !slices.Contains(singular(t.named), secret.last()) || t.param("url") != nil
}

// setting are verbs in names of tools that give a thing its secret.
var setting = []string{"save", "set", "create", "add", "register", "put", "update", "patch", "configure", "connect", "store"}

// isSecret reports whether a name in snake case is that of a secret.
func isSecret(name string) bool {
	for _, end := range []string{"password", "passwd", "passphrase", "api_key", "apikey", "secret_key", "private_key", "access_token", "auth_token", "bearer_token", "refresh_token", "api_token", "client_secret", "secret_access_key", "ssh_key", "mnemonic", "api_secret", "webhook_secret", "access_key", "secret_value", "connection_string"} {
		if name == end || strings.HasSuffix(name, "_"+end) || end == "connection_string" && strings.HasPrefix(name, end) {
			return true
		}
	}
	return name == "authorization" || name == "token" || name == "secret" || name == "credentials"
}
