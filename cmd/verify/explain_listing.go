package main

import (
	"fmt"
	"strings"

	"toolproof/harness/listing"
	"toolproof/harness/provider/mcp"
)

// explainListing explains a rule about server.json files.
func (s *session) explainListing(rule *listing.Rule) {
	effect := [...]string{
		listing.Reading: "refused by mcp-publisher", listing.Request: "refused by the API of the registry", listing.Validation: "refused by the registry",
		listing.Packages: "refused by the registry, which looks at packages last", listing.Remark: "published all the same",
	}[rule.Stage]
	fmt.Fprintf(s.Out, "%s/%s\n\n%s\n\n%s\nsince: %s\nsource: %s\ninstead: %s\n", mcp.Registry.Name, rule.Name, rule.Doc, effect, rule.Since, rule.Source, rule.Instead)
}

// listingNamed returns the rule about server.json files with a name, or nil.
func listingNamed(name string) *listing.Rule {
	for _, rule := range listing.Rules {
		if mcp.Registry.Name+"/"+rule.Name == name {
			return rule
		}
	}
	return nil
}

// explainRegistry lists the rules about server.json files.
func (s *session) explainRegistry() {
	fmt.Fprintf(s.Out, "%s\n\n%s\n\n", mcp.Registry.Name, mcp.Registry.Doc)
	for _, rule := range listing.Rules {
		title, _, _ := strings.Cut(rule.Doc, "\n")
		fmt.Fprintf(s.Out, "%s: %s\n", rule.Name, title)
	}
}
