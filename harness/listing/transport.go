package listing

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

var packageTransport = &Rule{
	Name: "package_transport", Stage: Validation, Since: "2026-03-06",
	Doc: `a package is reached by stdio, or by streamable-http or sse at an address

The address begins with http:// or https://. Its variables, such as {port}, are names of environment variables, names of arguments, or a valueHint of
the package.`,
	Source:  sourceValid + ", validatePackageTransport; the same in v1.5.0 (2026-03-06)",
	Instead: `write {"type": "stdio"}`,
	check: func(r *reading) []fault {
		var faults []fault
		for i, of := range elements(r.sent, "packages") {
			at := schema.Pointer("/packages").Element(i) + "/transport"
			faults = append(faults, transportFaults(of.Get("transport"), at, variablesOf(of))...)
		}
		return faults
	},
}

// variablesOf returns the names that an address of a package may have as variables.
func variablesOf(of *schema.Node) []string {
	var names []string
	for _, variable := range elements(of, "environmentVariables") {
		names = append(names, text(variable, "name"))
	}
	for _, list := range []string{"runtimeArguments", "packageArguments"} {
		for _, argument := range elements(of, list) {
			for _, name := range []string{text(argument, "name"), text(argument, "valueHint")} {
				if name != "" {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func transportFaults(transport *schema.Node, at schema.Pointer, variables []string) []fault {
	kind, address := text(transport, "type"), text(transport, "url")
	switch {
	case kind == "stdio" && address == "":
		return nil
	case kind == "stdio":
		return []fault{{at: at + "/url", message: "url must be empty for stdio transport type, got: " + address, instead: "leave out the url"}}
	case kind != "streamable-http" && kind != "sse":
		return []fault{{at: at + "/type", message: "unsupported transport type: " + kind}}
	case address == "":
		return []fault{{at: at + "/url", message: "url is required for " + kind + " transport type", instead: "write the address at which the package listens"}}
	default:
		return addressFault("invalid package transport URL", address, at+"/url", variables)
	}
}

// addressFault reports an address that is none, or that has unknown variables.
func addressFault(about, address string, at schema.Pointer, variables []string) []fault {
	used := variable.FindAllStringSubmatch(address, -1)
	isUnknown := func(match []string) bool { return !slices.Contains(variables, match[1]) }
	switch {
	case isAddress(address) && !slices.ContainsFunc(used, isUnknown):
		return nil
	case len(used) > 0:
		return []fault{{at: at, instead: "define each variable of the address", message: fmt.Sprintf(
			"%s: template variables in URL %s reference undefined variables. Available variables: %v", about, address, variables,
		)}}
	default:
		return []fault{{at: at, instead: "write an address that begins with https://", message: about + ": " + address}}
	}
}

var (
	variable = lazy.Compile(`\{([^}]+)\}`)
	port     = lazy.Compile(`:(\{[^}]+\})(/|$)`)
)

// filled returns an address with values in place of its variables.
var filled = strings.NewReplacer("{host}", "example.com", "{port}", "8080", "{path}", "api", "{protocol}", "http", "{scheme}", "http")

// parsed returns an address as the registry parses it, with values in place of its variables; nil if it is none.
func parsed(address string) *url.URL {
	address = port.ReplaceAllString(filled.Replace(address), ":8080$2")
	found, err := url.Parse(variable.ReplaceAllString(address, "placeholder"))
	if err != nil || found.Host == "" || found.Scheme != "http" && found.Scheme != "https" {
		return nil
	}
	return found
}

func isAddress(address string) bool { return parsed(address) != nil }

var remoteTransport = &Rule{
	Name: "remote_transport", Stage: Validation, Since: "2026-03-06",
	Doc: `a remote is streamable-http or sse at an address that begins with https://

The address is not of this machine. Its variables, such as {tenant}, are members of variables.`,
	Source:  sourceValid + ", validateRemoteTransport; the same in v1.5.0 (2026-03-06)",
	Instead: `write {"type": "streamable-http", "url": "https://example.com/mcp"}`,
	check: func(r *reading) []fault {
		var faults []fault
		for i, remote := range elements(r.sent, "remotes") {
			at := schema.Pointer("/remotes").Element(i)
			kind, address := text(remote, "type"), text(remote, "url")
			switch {
			case kind != "streamable-http" && kind != "sse":
				faults = append(faults, fault{at: at + "/type", message: "unsupported transport type for remotes: " + kind + " (only streamable-http and sse are supported)"})
			case address == "":
				faults = append(faults, fault{at: at + "/url", message: "url is required for " + kind + " transport type"})
			case !isPublic(address):
				faults = append(faults, fault{at: at + "/url", message: "invalid remote URL: " + address})
			default:
				faults = append(faults, addressFault("invalid remote URL", address, at+"/url", remote.Get("variables").Keys())...)
			}
		}
		return faults
	},
}

// isPublic reports whether the registry takes the address of a remote.
func isPublic(address string) bool {
	found := parsed(address)
	if found == nil || found.Scheme != "https" {
		return false
	}
	host := found.Hostname()
	return host != "localhost" && host != "127.0.0.1" && !strings.HasSuffix(host, ".localhost")
}
