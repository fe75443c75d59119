package server

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The revisions of the protocol with which a sentence came.
const (
	withNames   = "2025-11-25" // of what names of tools consist
	withCaching = "2026-07-28" // of what a list has beside the tools
)

// note remarks what the list of a server does not keep of the revision that it speaks.
func (s *Server) note(revision string, list *page) {
	if lacks := list.lacks(); revision >= withCaching && len(lacks) > 0 {
		s.remarks.add("its list has no valid " + strings.Join(lacks, " and no valid ") + ": the TypeScript client 2.x refuses the whole list where both speak " + withCaching + " " +
			`(specification of 2026-07-28, basic: "The result MUST include a resultType field to indicate the type of the result"; ` +
			"ttlMs and cacheScope are required by its schema, CacheableResult)")
	}
	if odd := list.oddNames(); revision >= withNames && len(odd) > 0 {
		const shown = 3
		more := ""
		if len(odd) > shown {
			more = fmt.Sprintf(" and %d more", len(odd)-shown)
		}
		s.remarks.add("it names tools as the protocol advises against: " + strings.Join(odd[:min(len(odd), shown)], ", ") + more + " " +
			`(specification since 2025-11-25, server/tools: names "SHOULD be between 1 and 128 characters in length", and letters A-Z and a-z, digits, _, - and . ` +
			`"SHOULD be the only allowed characters")`)
	}
}

// lacks returns the members that a list of 2026-07-28 has to have and does not have, or not with a right value.
func (p *page) lacks() []string {
	var names []string
	if kind := p.members["resultType"]; kind != `"complete"` {
		names = append(names, "resultType")
	}
	if age, err := strconv.ParseFloat(p.members["ttlMs"], 64); err != nil || age < 0 || age != float64(int64(age)) {
		names = append(names, "ttlMs")
	}
	if !slices.Contains([]string{`"public"`, `"private"`}, p.members["cacheScope"]) {
		names = append(names, "cacheScope")
	}
	return names
}

var advisedName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// oddNames returns the names of tools that are not as the protocol advises, cut and quoted.
func (p *page) oddNames() []string {
	var odd []string
	for _, tool := range p.tools {
		var named struct {
			Name *string `json:"name"`
		}
		if err := json.Unmarshal(tool, &named); err == nil && named.Name != nil && !advisedName.MatchString(*named.Name) {
			odd = append(odd, fmt.Sprintf("%.40q", *named.Name))
		}
	}
	return odd
}
