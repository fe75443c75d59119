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
way.`,
	Source: Source{
		"MCP: servers must not ask for sensitive information by elicitation; arguments pass through the model besides.",
		"https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation", "2025-06-18",
	},
	Bad:  `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {"api_key": {"type": "string", "description": "The key of your account at example.org."}}}}]`,
	Good: `[{"name": "list", "description": "List the orders of a customer.", "parameters": {"type": "object", "properties": {}}}]`,
	check: func(p *pass, tool *declaration) {
		if slices.ContainsFunc(tool.named, func(word string) bool {
			return slices.Contains([]string{"decode", "decrypt", "encrypt", "hash", "verify", "validate", "generate", "type", "fill", "delete", "confirm"}, word)
		}) {
			return
		}
		var found []*parameter
		for _, param := range tool.params {
			if param.isA("string") && !param.isClosed() && isSecret(strings.Join(param.words, "_")) && !hasAny(param.lower, noSecret...) && !tool.handles(param) {
				found = append(found, param)
			}
		}
		p.reportAll(found, "takes a secret, which then stands in the conversation: let the server read it from its environment", "take secrets, which then stand in the conversation: let the server read them from its environment")
	},
}

// noSecret are parts of texts about a token that is none, or that say another way to pass it.
var noSecret = []string{
	"pagina", "next page", "name of the", "hash", "contract", "address", "csrf", "page token", "confirmation", "previous", "cursor", "returned", "token of the", "to identify", "arbitrary", "public", "from login",
	"environment variable", "env var", "environment default", "uses default", "requested from the user", "be prompted",
}

// handles reports whether a tool is there for the very secret that it takes, such as one that exchanges a token.
func (t *declaration) handles(secret *parameter) bool {
	return slices.Contains(singular(t.named), secret.last()) && slices.ContainsFunc(t.named, func(word string) bool {
		return slices.Contains([]string{"exchange", "check", "reset", "revoke", "introspect", "refresh", "rotate", "redeem", "get", "update"}, word)
	})
}

// isSecret reports whether a name in snake case is that of a secret.
func isSecret(name string) bool {
	for _, end := range []string{"password", "passwd", "passphrase", "api_key", "apikey", "secret_key", "private_key", "access_token", "auth_token", "bearer_token", "refresh_token", "api_token", "client_secret", "secret_access_key", "ssh_key", "mnemonic", "api_secret", "webhook_secret", "access_key"} {
		if name == end || strings.HasSuffix(name, "_"+end) {
			return true
		}
	}
	return name == "token" || name == "secret" || name == "credentials"
}
