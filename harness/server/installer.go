package server

import (
	"path/filepath"
	"slices"
	"strings"
)

// installers are the programs that may download or build a server before they start it.
var installers = []string{
	"npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "deno", // JavaScript
	"uvx", "uv", "pipx", "hatch", // Python
	"docker", "podman", "nerdctl", "container", // images
	"go", "cargo", "dotnet", "dnx", "jbang", "mvn", "gradle", "nix", "nix-shell", // the rest
}

// Installs reports whether a command may install a server before it starts the server. It
// also looks at the words of an argument, which may be a line for a shell.
func Installs(command ...string) bool {
	for _, argument := range command {
		for word := range strings.FieldsSeq(argument) {
			name := strings.ToLower(filepath.Base(filepath.ToSlash(word)))
			if slices.Contains(installers, strings.TrimSuffix(strings.TrimSuffix(name, ".exe"), ".cmd")) {
				return true
			}
		}
	}
	return false
}
