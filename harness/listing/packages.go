package listing

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// mostExtension is the most bytes of what the publisher adds.
const mostExtension = 4 << 10

// extension is the only member of _meta that the registry keeps.
const extension = "io.modelcontextprotocol.registry/publisher-provided"

var extensionSize = &Rule{
	Name: "extension_size", Stage: Packages, Since: "2026-03-06",
	Doc:     "what the publisher adds in _meta has at most 4 KB\n\nThe bytes are those of its JSON without spaces, in which <, > and & have six each.",
	Source:  sourceValid + ", validatePublisherExtensions; the same in v1.5.0 (2026-03-06)",
	Instead: "leave out what a client does not need",
	check: func(r *reading) []fault {
		added := r.sent.Get("_meta").Get(extension)
		if added == nil {
			return nil
		}
		text := added.String()
		size := len(text)
		for _, escaped := range []string{"<", ">", "&", "\u2028", "\u2029"} {
			size += strings.Count(text, escaped) * (len(`\u0026`) - len(escaped))
		}
		if size <= mostExtension {
			return nil
		}
		return []fault{{at: schema.Pointer("/_meta").Child(extension), message: fmt.Sprintf("_meta.%s extension exceeds 4KB limit (%d bytes)", extension, size)}}
	},
}

var packageForm = &Rule{
	Name: "package", Stage: Packages, Since: "2026-03-06",
	Doc: `a package is one of npm, PyPI, NuGet, Cargo, OCI or MCPB, with the members of its kind

A package of npm, PyPI, NuGet and Cargo has a version and no fileSha256, and of registryBaseUrl only the address of that registry. An image (oci) has
its version in the identifier, and is in one of the known registries. A bundle (mcpb) has a fileSha256, and is an asset of a release on GitHub or GitLab. Cargo is taken
since v1.8.1 (2026-08-06) at the latest, and quay.io since v1.7.9 (2026-05-12).`,
	Source: sourceChecks + "; github.com/modelcontextprotocol/registry/docs/reference/server-json/official-registry-requirements.md: " +
		"\"Only trusted public registries are supported. Private registries and alternative mirrors are not allowed.\"",
	Instead: "write the members that a package of its kind has",
	check: func(r *reading) []fault {
		var faults []fault
		for i, of := range elements(r.sent, "packages") {
			member, message := packageFault(of)
			if message == "" {
				continue
			}
			faults = append(faults, fault{
				at:      schema.Pointer("/packages").Element(i).Child(member),
				message: fmt.Sprintf("registry validation failed for package %d (%s): %s", i, text(of, "identifier"), message),
				instead: insteadOf(of, member),
			})
		}
		return faults
	},
}

// insteadOf says what to write in place of a member of a package.
func insteadOf(of *schema.Node, member string) string {
	switch {
	case member == "registryType":
		return "write npm, pypi, nuget, cargo, oci or mcpb"
	case member == "identifier":
		return "name a package in a public registry, or an asset of a release"
	case text(of, member) == "":
		return "write a " + member
	default:
		return "leave out the " + member
	}
}

// plainPackages are the kinds of packages with a name and a version, and the registry's words about each.
var plainPackages = map[string]struct{ called, base, aboutHash string }{
	"npm":   {"NPM", "https://registry.npmjs.org", "NPM packages must not have 'fileSha256' field"},
	"pypi":  {"PyPI", "https://pypi.org", "PyPI packages must not have 'fileSha256' field - this is only for MCPB packages"},
	"nuget": {"NuGet", "https://api.nuget.org/v3/index.json", "NuGet packages must not have 'fileSha256' field - this is only for MCPB packages"},
	"cargo": {"Cargo", "https://crates.io", "cargo packages must not have 'fileSha256' field - this is only for MCPB packages"},
}

// packageFault returns the member of a package that the registry refuses, and its words.
func packageFault(of *schema.Node) (member, message string) {
	kind := text(of, "registryType")
	plain, isPlain := plainPackages[kind]
	switch {
	case kind == "oci":
		return imageFault(of)
	case kind == "mcpb":
		return bundleFault(of)
	case !isPlain:
		return "registryType", "unsupported registry type: " + kind
	}
	without := func() (string, string) {
		return "version", "package version is required for " + plain.called + " packages"
	}
	base := text(of, "registryBaseUrl")
	switch {
	case text(of, "version") == "" && kind != "nuget":
		return without()
	case text(of, "fileSha256") != "":
		return "fileSha256", plain.aboutHash
	case base != "" && base != plain.base:
		return "registryBaseUrl", fmt.Sprintf("registry type and base URL do not match: '%s' is not valid for registry type '%s'. Expected: %s", base, kind, plain.base)
	case text(of, "version") == "":
		return without()
	default:
		return "", ""
	}
}

// imageRegistries are those whose images the registry takes, besides those of Google and Azure.
var imageRegistries = []string{"docker.io", "registry-1.docker.io", "index.docker.io", "ghcr.io", "quay.io", "mcr.microsoft.com"}

// image matches the reference of an image: its groups are the host and the rest.
var image = lazy.Compile(`^(?:(localhost|[^/]*[.:][^/]*)/)?([a-z0-9_./-]{1,255})(?::[A-Za-z0-9_.-]{1,128})?(?:@sha(?:256:[0-9a-f]{64}|384:[0-9a-f]{96}|512:[0-9a-f]{128}))?$`)

func imageFault(of *schema.Node) (member, message string) {
	for _, other := range []struct{ name, instead string }{
		{"registryBaseUrl", " - use canonical reference in 'identifier' instead (e.g., 'docker.io/owner/image:1.0.0')"},
		{"version", " - include version in 'identifier' instead (e.g., 'docker.io/owner/image:1.0.0')"},
		{"fileSha256", ""},
	} {
		if text(of, other.name) != "" {
			return other.name, "OCI packages must not have '" + other.name + "' field" + other.instead
		}
	}
	identifier := text(of, "identifier")
	match := image.FindStringSubmatch(identifier)
	switch {
	case strings.HasPrefix(identifier, "http://") || strings.HasPrefix(identifier, "https://"):
		return "identifier", "invalid OCI reference: image reference must not contain a URL scheme (http:// or https://): " + identifier +
			"; to connect to a registry over plain HTTP, use name.Insecure"
	case match == nil:
		return "identifier", "invalid OCI reference: could not parse reference: " + identifier
	case match[1] == "" || slices.Contains(imageRegistries, match[1]) || strings.HasSuffix(match[1], ".pkg.dev") || strings.HasSuffix(match[1], ".azurecr.io"):
		return "", ""
	default:
		return "identifier", "unsupported OCI registry: " + match[1]
	}
}

// releases are the paths of assets of releases, by host.
var releases = map[string]struct {
	words string
	path  *lazy.Regexp
}{
	"github.com": {
		"GitHub MCPB packages must be release assets following the pattern '/owner/repo/releases/download/tag/filename'",
		lazy.Compile(`^/([a-zA-Z0-9]([a-zA-Z0-9\-]{0,37}[a-zA-Z0-9])?)/([a-zA-Z0-9._\-]+)/releases/download/([^/]+)/([^/]+)$`),
	},
	"gitlab.com": {
		"GitLab MCPB packages must be release assets following patterns '/owner/repo/-/releases/tag/downloads/filename' or '/owner/repo/-/package_files/id/download'",
		lazy.Compile(`^/([a-zA-Z0-9._\-]+(?:/[a-zA-Z0-9._\-]+)*)/-/(?:releases/([^/]+)/downloads/([^/]+)|package_files/([0-9]+)/download)$`),
	},
}

func bundleFault(of *schema.Node) (member, message string) {
	identifier := text(of, "identifier")
	address, err := url.Parse(identifier)
	switch {
	case text(of, "fileSha256") == "":
		return "fileSha256", "must include a fileSha256 hash for integrity verification"
	case text(of, "registryBaseUrl") != "":
		return "registryBaseUrl", "MCPB packages must not have 'registryBaseUrl' field - use the full download URL in 'identifier' instead"
	case err != nil:
		return "identifier", fmt.Sprintf("invalid MCPB package URL: %v", err)
	}
	host := strings.ToLower(address.Host)
	release, isKnown := releases[strings.TrimPrefix(host, "www.")]
	switch {
	case !isKnown:
		return "identifier", "MCPB packages must be hosted on allowlisted providers (GitHub or GitLab). Host '" + host + "' is not allowed"
	case !release.path.MatchString(address.Path):
		return "identifier", release.words
	case address.Scheme != "https":
		return "identifier", "invalid MCPB package URL, must use HTTPS: " + identifier
	case !strings.Contains(strings.ToLower(identifier), "mcp"):
		return "identifier", "MCPB package URL must contain 'mcp': " + identifier
	default:
		return "", ""
	}
}
