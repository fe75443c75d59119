package rules

import (
	"math"
	"strconv"
	"strings"

	"toolproof/normalizers/internal/engine"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// WholeCounts serves engines that read a count as a C++ int.
var WholeCounts = &engine.Rule{
	Name: "whole_counts",
	Doc: `a count is written as a whole number

llama.cpp has refused 2.0 as minItems, maxItems, minLength or maxLength since October 2026, and a
count that 32 bits have no room for. The latter goes into the description. A count that an engine
ignores stays as it is, such as beside a union. Source: common_schema of
https://github.com/ggml-org/llama.cpp/pull/28736.`,
	Before: `{"type": "object", "properties": {"a": {"type": "string", "minLength": 2.0, "maxLength": 3000000000}}}`,
	After:  `{"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "description": "{maxLength: 3000000000}"}}}`,
	Loss:   rewrite.Widens,
	On:     []string{"minItems", "maxItems", "minLength", "maxLength"},
	Rewrite: func(p *engine.Pass) {
		if !engine.Has[IntCounts](p.Target) {
			return
		}
		for _, keyword := range []string{"minItems", "maxItems", "minLength", "maxLength"} {
			value := p.Schema.Get(keyword)
			isRead := isReadFirst(p, keyword) || strings.HasSuffix(keyword, "Length") && isReadFirst(p, "pattern")
			if value == nil || value.Kind != schema.Number || !isRead {
				continue
			}
			count, ok := value.Int64()
			if !ok || count < 0 || count > math.MaxInt32 {
				p.SpillAway(keyword, lossIn(p, rewrite.Widens))
			} else if text := strconv.FormatInt(count, 10); text != value.Text {
				p.Set(keyword, schema.NewNumber(text), rewrite.Exact)
			}
		}
	},
}

// IntCounts marks a target whose counts are whole numbers of 31 bits, written as such.
type IntCounts struct{}
