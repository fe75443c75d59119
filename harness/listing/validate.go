package listing

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"toolproof/internal/lazy"
	"toolproof/schema"
)

// current is the version of the registry's schema, and currentURL its address.
const (
	current    = "2025-12-11"
	currentURL = "https://static.modelcontextprotocol.io/schemas/" + current + "/server.schema.json"
)

// versions are those of the schema that the registry has.
var versions = []string{"2025-07-09", "2025-09-16", "2025-09-29", "2025-10-11", "2025-10-17", current}

// readOn is the day of the registry that the rules are read from. It may have newer schemas since.
const readOn = "2026-11-10"

var (
	schemaURL     = lazy.Compile(`/schemas/([A-Za-z0-9_~.-]+)/server\.schema\.json`)
	schemaOfADate = lazy.Compile(`^\d{4}-\d\d-\d\d$`)
)

// versionOf returns the version in $schema; empty if there is none.
func versionOf(server *schema.Node) string {
	if match := schemaURL.FindStringSubmatch(text(server, "$schema")); match != nil {
		return match[1]
	}
	return ""
}

// newerSchema returns the version of a schema that may be newer than the rules.
func newerSchema(server *schema.Node) (version string, isNewer bool) {
	version = versionOf(server)
	return version, schemaOfADate.MatchString(version) && version > readOn
}

var schemaVersion = &Rule{
	Name: "schema_version", Stage: Validation, Since: "2026-03-06",
	Doc: `$schema names a schema that the registry has

The registry has those of ` + strings.Join(versions, ", ") + `. It takes the older ones, and has no draft. Whether it has a newer one is not
known.`,
	Source:  source + "internal/validators/schema.go and the folder schemas beside it; the same in v1.5.0 (2026-03-06)",
	Instead: "write " + currentURL,
	check: func(r *reading) []fault {
		version := versionOf(r.sent)
		_, isNewer := newerSchema(r.sent)
		switch {
		case slices.Contains(versions, version), isNewer:
			return nil
		case version == "":
			return []fault{{at: "/$schema", message: "failed to extract schema version from URL: invalid schema URL format: " + text(r.sent, "$schema")}}
		default:
			return []fault{{at: "/$schema", message: fmt.Sprintf(
				"schema version %s not available: schema version %[1]s not found in embedded schemas: open schemas/%[1]s.json: file does not exist", version,
			)}}
		}
	},
}

var (
	namespace = lazy.Compile(`^[a-zA-Z0-9][a-zA-Z0-9.-]*[a-zA-Z0-9]$`)
	namePart  = lazy.Compile(`^[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$`)
)

var serverName = &Rule{
	Name: "server_name", Stage: Validation, Since: "2026-03-06",
	Doc: `both parts of the name begin and end with a letter or a digit

Each has two characters at least. The rule pattern has the characters between.`,
	Source:  sourceValid + ", parseServerName; the same in v1.5.0 (2026-03-06)",
	Instead: "write a name such as io.github.user/weather",
	check: func(r *reading) []fault {
		space, name, _ := strings.Cut(text(r.sent, "name"), "/")
		switch {
		case !namespace.MatchString(space):
			return []fault{{at: "/name", message: "server name format is invalid: namespace '" + space +
				"' is invalid. Namespace must start and end with alphanumeric characters, and may contain dots and hyphens in the middle"}}
		case !namePart.MatchString(name):
			return []fault{{at: "/name", message: "server name format is invalid: name '" + name +
				"' is invalid. Name must start and end with alphanumeric characters, and may contain dots, underscores, and hyphens in the middle"}}
		default:
			return nil
		}
	},
}

var (
	comparators = lazy.Compile(`^\s*(?:\^|~|>=|<=|>|<|=)\s*v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?\s*$`)
	hyphen      = lazy.Compile(`^\s*v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?\s-\s*v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?\s*$`)
	alternates  = lazy.Compile(`^\s*(?:v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?\s*)(?:\|\|\s*v?\d+(?:\.\d+){0,3}(?:-[0-9A-Za-z.-]+)?\s*)+$`)
	dotted      = lazy.Compile(`^\s*(?:v?\d+|x|X|\*)(?:\.(?:\d+|x|X|\*)){1,2}(?:-[0-9A-Za-z.-]+)?\s*$`)
)

// isRange reports whether a version is several, such as ^1.2.3 and 1.x, as the registry tells it.
func isRange(version string) bool {
	version = strings.TrimSpace(version)
	return comparators.MatchString(version) || hyphen.MatchString(version) || alternates.MatchString(version) ||
		dotted.MatchString(version) && strings.ContainsAny(version, "xX*")
}

var notOneVersion = &Rule{
	Name: "not_one_version", Stage: Validation, Since: "2026-03-06",
	Doc: `a version is a single one

It is neither latest nor a range, such as ^1.2.3, >=1.0.0, 1.x or 1.2 - 1.4. This holds of the server and of packages.`,
	Source:  sourceValid + ", validateVersion; the same in v1.5.0 (2026-03-06)",
	Instead: "write the version that was released, such as 1.0.2",
	check: func(r *reading) []fault {
		var faults []fault
		judge := func(of *schema.Node, at schema.Pointer) {
			switch version := text(of, "version"); {
			case version == "latest":
				faults = append(faults, fault{at: at, message: "version string 'latest' is reserved and cannot be used"})
			case isRange(version):
				faults = append(faults, fault{at: at, message: fmt.Sprintf("version must be a specific version, not a range: %q", version)})
			}
		}
		judge(r.sent, "/version")
		for i, of := range elements(r.sent, "packages") {
			judge(of, schema.Pointer("/packages").Element(i)+"/version")
		}
		return faults
	},
}

var titleBlank = &Rule{
	Name: "title_blank", Stage: Validation, Since: "2026-03-06",
	Doc:     "a title is more than white space\n\nAn empty one is not sent.",
	Source:  sourceValid + ", validateTitle; the same in v1.5.0 (2026-03-06)",
	Instead: "write a title, or leave it out",
	check: func(r *reading) []fault {
		if title := text(r.sent, "title"); title == "" || strings.TrimSpace(title) != "" {
			return nil
		}
		return []fault{{at: "/title", message: "title cannot be only whitespace"}}
	},
}

// repositories are the addresses of the two services that the registry knows.
var repositories = map[string]*lazy.Regexp{
	"github": lazy.Compile(`^https?://(www\.)?github\.com/[\w.-]+/[\w.-]+/?$`),
	"gitlab": lazy.Compile(`^https?://(www\.)?gitlab\.com/[\w.-]+(/[\w.-]+)+/?$`),
}

var repositoryForm = &Rule{
	Name: "repository", Stage: Validation, Since: "2026-03-06",
	Doc: `a repository is one of GitHub or GitLab

It has an address and a source, github or gitlab; since v1.8.8 (2026-11-06) both are required. No other service is taken, and no address below that
of the repository. subfolder is a relative path.`,
	Source:  sourceValid + ", validateRepository",
	Instead: `write {"url": "https://github.com/USER/REPOSITORY", "source": "github"}, or leave the repository out`,
	check: func(r *reading) []fault {
		of := r.sent.Get("repository")
		if of == nil {
			return nil
		}
		var faults []fault
		for _, name := range []string{"url", "source"} {
			if text(of, name) == "" {
				faults = append(faults, fault{at: schema.Pointer("/repository/" + name), message: "repository " + name + " is required when repository is provided"})
			}
		}
		if faults != nil {
			return faults
		}
		address := text(of, "url")
		known := repositories[text(of, "source")]
		if known == nil || !known.MatchString(address) || text(of, "source") == "gitlab" && strings.Contains(address+"/", "/-/") {
			faults = append(faults, fault{at: "/repository/url", message: "invalid repository URL: " + address})
		}
		if folder := text(of, "subfolder"); folder != "" && !isFolder(folder) {
			faults = append(faults, fault{at: "/repository/subfolder", message: "invalid subfolder path: " + folder, instead: "write a path such as packages/server"})
		}
		return faults
	},
}

var folderLetters = lazy.Compile(`^[a-zA-Z0-9\-_./]+$`)

// isFolder reports whether the registry takes a path below a repository.
func isFolder(path string) bool {
	isOther := func(part string) bool { return part == "" || part == "." || part == ".." }
	return folderLetters.MatchString(path) && !slices.ContainsFunc(strings.Split(path, "/"), isOther)
}

var websiteURL = &Rule{
	Name: "website_url", Stage: Validation, Since: "2026-03-06",
	Doc: `websiteUrl begins with https://

Since v1.7.9 (2026-05-12) it has neither quotes nor angle brackets nor white space.`,
	Source:  sourceValid + ", validateWebsiteURL",
	Instead: "write an address that begins with https://, percent-encoded",
	check: func(r *reading) []fault {
		address := text(r.sent, "websiteUrl")
		parsed, err := url.Parse(address)
		if address == "" || err != nil { // the rule address reports it
			return nil
		}
		about := ""
		switch at := strings.IndexAny(address, "\"'<> \t\n\r"); {
		case !parsed.IsAbs():
			about = "websiteUrl must be absolute (include scheme): " + address
		case parsed.Scheme != "https":
			about = "websiteUrl must use https scheme: " + address
		case at >= 0:
			about = fmt.Sprintf("websiteUrl contains an invalid character %q at position %d: %s", address[at], at, address)
		default:
			return nil
		}
		return []fault{{at: "/websiteUrl", message: about}}
	},
}

var iconSource = &Rule{
	Name: "icon_source", Stage: Validation, Since: "2026-03-06",
	Doc:     "the src of an icon begins with https://\n\nIt is no data: address and no file of the repository.",
	Source:  sourceValid + ", validateIcon; the same in v1.5.0 (2026-03-06)",
	Instead: "publish the image at an address that begins with https://",
	check: func(r *reading) []fault {
		var faults []fault
		for i, icon := range elements(r.sent, "icons") {
			address := text(icon, "src")
			parsed, err := url.Parse(address)
			if err != nil || parsed.Scheme == "https" { // the rule address reports the error
				continue
			}
			message := fmt.Sprintf("icon src must use https scheme (got %s): %s", parsed.Scheme, address)
			if !parsed.IsAbs() {
				message = "icon src must be an absolute URL (include scheme): " + address
			}
			faults = append(faults, fault{at: schema.Pointer("/icons").Element(i) + "/src", message: message})
		}
		return faults
	},
}

var spacedIdentifier = &Rule{
	Name: "spaced_identifier", Stage: Validation, Since: "2026-03-06",
	Doc:     "the identifier of a package has no space\n\nArguments have members of their own.",
	Source:  sourceValid + ", validatePackageField; the same in v1.5.0 (2026-03-06)",
	Instead: "write the name of the package alone, and arguments to packageArguments",
	check: func(r *reading) []fault {
		var faults []fault
		for i, of := range elements(r.sent, "packages") {
			if strings.Contains(text(of, "identifier"), " ") {
				faults = append(faults, fault{at: schema.Pointer("/packages").Element(i) + "/identifier", message: "package name cannot contain spaces"})
			}
		}
		return faults
	},
}

var argumentForm = &Rule{
	Name: "argument", Stage: Validation, Since: "2026-03-06",
	Doc: `an argument is named and has a name, or positional and has a value or a valueHint

Since v1.8.8 (2026-11-06) no other type is taken, and a positional one says what it is. The name has no space and none of < > $, and the value
does not begin with it.`,
	Source:  sourceValid + ", validateArgument",
	Instead: `write {"type": "named", "name": "--port", "value": "{port}"} or {"type": "positional", "valueHint": "path"}`,
	check: func(r *reading) []fault {
		var faults []fault
		for i, of := range elements(r.sent, "packages") {
			for _, list := range []string{"runtimeArguments", "packageArguments"} {
				for j, argument := range elements(of, list) {
					at := schema.Pointer("/packages").Element(i).Child(list).Element(j)
					faults = append(faults, argumentFaults(argument, at)...)
				}
			}
		}
		return faults
	},
}

func argumentFaults(argument *schema.Node, at schema.Pointer) []fault {
	name := text(argument, "name")
	switch kind := text(argument, "type"); kind {
	case "positional":
		if !argument.Has("value") && !argument.Has("valueHint") {
			return []fault{{at: at, message: "positional argument must provide a value or a valueHint"}}
		}
		return nil
	case "named":
	default:
		return []fault{{at: at + "/type", message: fmt.Sprintf("argument type must be 'positional' or 'named': %q", kind)}}
	}
	var faults []fault
	switch {
	case name == "": // with which every value begins
		faults = append(faults, fault{at: at + "/name", message: "named argument name is required"})
	case strings.ContainsAny(name, "<> $"):
		faults = append(faults, fault{at: at + "/name", message: "invalid named argument name format: " + name})
	}
	for _, member := range []string{"value", "default"} {
		if value := text(argument, member); value != "" && strings.HasPrefix(value, name) {
			faults = append(faults, fault{at: at.Child(member), message: fmt.Sprintf(
				"argument %s cannot start with the argument name: %[1]s starts with argument name '%s': %s", member, name, value,
			)})
		}
	}
	return faults
}
