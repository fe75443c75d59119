package facts

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"toolproof/harness/provider"
	"toolproof/packages/data"
	"toolproof/schema"
)

// probe counts something in tools.
type probe struct {
	of string
	// most is the largest count that is tried.
	most int
	// tools makes tools with the count. Their objects list all their properties as required.
	tools func(count int) []schema.Tool
}

// probes are what limits may be of.
var probes = []probe{
	{"tools in a request", 1024, func(count int) []schema.Tool {
		tools := make([]schema.Tool, count)
		for i := range tools {
			tools[i] = schema.Tool{Name: fmt.Sprintf("f%d", i), Description: schema.NewString("d"), Parameters: object(1, stringSchema)}
		}
		return tools
	}},
	{"characters in the name of a tool", 512, func(count int) []schema.Tool {
		return []schema.Tool{{Name: strings.Repeat("f", count), Description: schema.NewString("d"), Parameters: object(1, stringSchema)}}
	}},
	{"characters in the description of a tool", 1 << 16, func(count int) []schema.Tool {
		return []schema.Tool{{Name: "f", Description: schema.NewString(strings.Repeat("d", count)), Parameters: object(1, stringSchema)}}
	}},
	{"characters in the name of a property", 512, func(count int) []schema.Tool {
		parameters := closed(schema.NewObject(schema.Member{Key: strings.Repeat("a", count), Value: stringSchema()}))
		return []schema.Tool{{Name: "f", Description: schema.NewString("d"), Parameters: parameters}}
	}},
	{"properties of an object", 6000, func(count int) []schema.Tool {
		return []schema.Tool{{Name: "f", Description: schema.NewString("d"), Parameters: object(count, stringSchema)}}
	}},
	{"values of an enum", 3000, func(count int) []schema.Tool {
		values := make([]string, count)
		for i := range values {
			values[i] = fmt.Sprintf("v%d", i)
		}
		listed := stringSchema()
		listed.Set("enum", schema.NewStrings(values...))
		return []schema.Tool{{Name: "f", Description: schema.NewString("d"), Parameters: object(1, func() *schema.Node { return listed })}}
	}},
	{"levels of objects", 64, func(count int) []schema.Tool {
		nested := stringSchema()
		for range count {
			nested = object(1, func() *schema.Node { return nested })
		}
		return []schema.Tool{{Name: "f", Description: schema.NewString("d"), Parameters: nested}}
	}},
	{"optional properties of an object", 512, func(count int) []schema.Tool {
		parameters := object(count, stringSchema)
		parameters.Set("required", schema.NewStrings())
		return []schema.Tool{{Name: "f", Description: schema.NewString("d"), Parameters: parameters}}
	}},
	{"unions in the parameters", 512, func(count int) []schema.Tool {
		union := func() *schema.Node {
			number := schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("number")})
			return schema.NewObject(schema.Member{Key: "anyOf", Value: schema.NewArray(stringSchema(), number)})
		}
		return []schema.Tool{{Name: "f", Description: schema.NewString("d"), Parameters: object(count, union)}}
	}},
}

func stringSchema() *schema.Node {
	return schema.NewObject(schema.Member{Key: "type", Value: schema.NewString("string")})
}

// object returns a closed object with a count of required properties.
func object(count int, property func() *schema.Node) *schema.Node {
	properties := schema.NewObject()
	for i := range count {
		properties.Members = append(properties.Members, schema.Member{Key: fmt.Sprintf("a%d", i), Value: property()})
	}
	return closed(properties)
}

func closed(properties *schema.Node) *schema.Node {
	names := make([]string, len(properties.Members))
	for i, member := range properties.Members {
		names[i] = member.Key
	}
	return schema.NewObject(
		schema.Member{Key: "type", Value: schema.NewString("object")}, schema.Member{Key: "properties", Value: properties},
		schema.Member{Key: "required", Value: schema.NewStrings(names...)}, schema.Member{Key: "additionalProperties", Value: schema.NewBool(false)},
	)
}

// Limits returns how much a surface takes today, as its model says: of each probe that the model takes once, and refuses
// at a greater count.
func Limits(ctx context.Context, dialect *provider.Dialect) ([]data.Limit, error) {
	limits := []data.Limit{}
	for _, probe := range probes {
		if dialect.Subject != provider.Arguments && strings.Contains(probe.of, " tool") {
			continue // an answer has none
		}
		limit, err := probe.ask(ctx, provider.Model{Dialect: dialect})
		if err != nil {
			return nil, err
		}
		if limit != nil {
			limits = append(limits, *limit)
		}
	}
	return limits, nil
}

// ask returns the limit of a model, or nil if none is found.
func (p probe) ask(ctx context.Context, model provider.Model) (*data.Limit, error) {
	for _, isOpen := range []bool{false, true} {
		var failed error
		send := func(count int) provider.Response {
			tools := p.tools(count)
			if isOpen {
				for _, tool := range tools {
					tool.Parameters.Each(func(subschema *schema.Node) bool {
						subschema.Delete("additionalProperties")
						return true
					})
				}
			}
			answer, err := model.Send(ctx, model.Dialect.Encode(tools))
			if err != nil {
				failed = err
			}
			return answer
		}
		if one := send(1); failed == nil && one.Verdict != provider.Accepted {
			continue
		}
		if all := send(p.most); failed != nil || all.Verdict == provider.Accepted {
			return nil, failed
		}
		most := sort.Search(p.most, func(i int) bool { return i > 0 && send(i+1).Verdict != provider.Accepted })
		if failed != nil {
			return nil, failed
		}
		refusal := send(most + 1)
		return &data.Limit{Of: p.of, Most: most, Rule: refusal.Findings[0].Rule.Name, Words: refusal.Message}, nil
	}
	return nil, nil //nolint:nilnil // no limit is no error
}
