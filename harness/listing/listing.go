// Package listing judges the server.json with which a server is published to the official registry of the Model Context
// Protocol: what mcp-publisher and the registry refuse, in their words, and what is dropped in silence. It looks nothing
// up: whether a package belongs to the publisher is not known.
package listing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"toolproof/schema"
)

// Stage is a step of a publication. A step that refuses the server ends it: nothing is reported of later ones.
type Stage int

// The steps, in order. What Remark reports is published all the same.
const (
	Reading    Stage = iota // mcp-publisher reads the file
	Request                 // the API of the registry reads the request
	Validation              // the registry validates the server
	Packages                // the registry looks at the packages
	Remark
)

// Rule is one thing that a publication refuses or drops.
type Rule struct {
	Name string // snake_case, unique
	Doc  string // a title, a blank line, and what is known
	// Since is the first day of which the rule is known, as YYYY-MM-DD, and Source where it is from.
	Since, Source string
	Stage         Stage
	Instead       string // what to write

	check func(*reading) []fault
}

// fault is a place that a rule is about, with the words of the registry.
type fault struct {
	at      schema.Pointer
	message string
	instead string // in place of the rule's; empty for that
}

// Finding is what a rule found in a server.json.
type Finding struct {
	Rule    *Rule
	At      schema.Pointer // members have the registry's spelling
	Message string
	Instead string
	// IsBehind means that the registry does not report this yet: an earlier step refuses the server.
	IsBehind bool
}

// Rules are the rules, in the order in which they report.
var Rules = slices.Concat(
	[]*Rule{wrongType}, requestRules,
	[]*Rule{schemaVersion, serverName, notOneVersion, titleBlank, repositoryForm, websiteURL, iconSource, spacedIdentifier, argumentForm, packageTransport, remoteTransport},
	[]*Rule{extensionSize, packageForm},
	[]*Rule{memberDropped, schemaOld, schemaRefuses},
)

// Judge returns what the rules find in a server.json. A place that an earlier step refuses is not reported again.
func Judge(server *schema.Node, rules []*Rule) []Finding {
	reading := read(server)
	var findings []Finding
	first := Remark
	refused := map[schema.Pointer]Stage{}
	for _, rule := range rules {
		for _, found := range rule.check(reading) {
			stage, isRefused := refused[found.at]
			if isRefused && stage < rule.Stage {
				continue
			}
			first, refused[found.at] = min(first, rule.Stage), rule.Stage
			findings = append(findings, Finding{
				Rule: rule, At: found.at, Message: found.message, Instead: cmp.Or(found.instead, rule.Instead), IsBehind: rule.Stage > first && rule.Stage < Remark,
			})
		}
	}
	return findings
}

// Unknown says in sentences what the registry looks up before it publishes a server that nothing refuses.
func Unknown(server *schema.Node) []string {
	reading := read(server)
	name := text(reading.sent, "name")
	namespace, _, _ := strings.Cut(name, "/")
	unknown := []string{fmt.Sprintf("not asked: whether %s is yours", namespace)}
	for _, of := range elements(reading.sent, "packages") {
		if proof := proofs[text(of, "registryType")]; proof != "" {
			unknown = append(unknown, fmt.Sprintf("not asked: whether the %s package %s %s", text(of, "registryType"), text(of, "identifier"), strings.ReplaceAll(proof, "NAME", name)))
		}
	}
	if version, isNewer := newerSchema(reading.sent); isNewer {
		unknown = append(unknown, fmt.Sprintf("not known: the schema of %s, which is newer than what this judges by", version))
	}
	return unknown
}

// proofs are how a package of each registry shows whose it is.
var proofs = map[string]string{
	"npm":   "has the member mcpName with the value NAME in its package.json",
	"pypi":  "has the text mcp-name: NAME in its README",
	"nuget": "has the text mcp-name: NAME in its README",
	"cargo": "has the text mcp-name: NAME in its README",
	"oci":   "has the label io.modelcontextprotocol.server.name with the value NAME",
	"mcpb":  "can be downloaded",
}

// text returns a member that is a string; empty if there is none.
func text(node *schema.Node, name string) string { return node.GetString(name) }

// elements returns the elements of a member that is a list.
func elements(node *schema.Node, name string) []*schema.Node {
	if list := node.Get(name); list != nil {
		return list.Elements
	}
	return nil
}
