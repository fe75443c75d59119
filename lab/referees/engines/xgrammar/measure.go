package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"toolproof/schema"
	"toolproof/schema/instance"
	"toolproof/schema/instance/sample"
)

// The kinds of valid instances that are made for a tool. Every other kind breaks a keyword and has its
// name.
const (
	inOrder  = "valid, members in the declared order"
	reversed = "valid, members in the opposite order"
	oneMore  = "valid, with a property that is not declared"
	breaks   = "breaks "
)

// sampled is an instance of a kind.
type sampled struct {
	kind string
	text string
}

// constraints are the keywords that invalid instances break.
var constraints = []string{
	"required", "enum", "const", "type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
	"pattern", "minItems", "maxItems", "uniqueItems", "contains", "minProperties", "maxProperties", "propertyNames", "patternProperties",
	"additionalProperties", "not", "if", "allOf", "anyOf", "oneOf", "dependentRequired", "dependencies",
}

// measure asks the engine which instances its grammars accept, and prints a count for each kind. For
// instances that break a keyword it also counts those that are accepted although the model reports
// nothing as ignored.
func measure(ctx context.Context, folder string, roots []*schema.Node, seed uint64, verbose bool, out io.Writer) error {
	luck := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same in every run
	var schemas []*schema.Node
	var samples [][]sampled
	for _, element := range roots {
		if instances := instancesOf(element, luck); len(instances) > 0 {
			schemas, samples = append(schemas, element), append(samples, instances)
		}
	}
	total, taken, surprising := map[string]int{}, map[string]int{}, map[string]int{}
	err := ask(ctx, folder, len(schemas), func(i int) question {
		texts := make([]string, len(samples[i]))
		for j, sample := range samples[i] {
			texts[j] = sample.text
		}
		return question{Schema: schemas[i].String(), Instances: texts}
	}, func(i int, said answer) error {
		predicted, err := predict(ctx, schemas[i])
		if err != nil {
			return err
		}
		for j, takes := range said.Accepts {
			kind := samples[i][j].kind
			total[kind]++
			if takes {
				taken[kind]++
			}
			if takes && len(predicted.Ignored) == 0 && strings.HasPrefix(kind, breaks) {
				surprising[kind]++
				if verbose {
					fmt.Fprintf(os.Stderr, "%s: %s\n  takes %s\n", kind, schemas[i], samples[i][j].text)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(total) == 0 {
		return fmt.Errorf("the engine judged no instances of %d schemas", len(roots))
	}
	fmt.Fprintf(out, "| instance | made | accepted by the grammar | of these, where the model reports nothing as ignored |\n|---|---|---|---|\n")
	kinds := slices.DeleteFunc(slices.Sorted(maps.Keys(total)), func(kind string) bool { return slices.Contains([]string{inOrder, reversed, oneMore}, kind) })
	for _, kind := range slices.Concat([]string{inOrder, reversed, oneMore}, kinds) {
		if total[kind] > 0 {
			unexplained := ""
			if strings.HasPrefix(kind, breaks) {
				unexplained = strconv.Itoa(surprising[kind])
			}
			fmt.Fprintf(out, "| %s | %d | %d (%d %%) | %s |\n", kind, total[kind], taken[kind], 100*taken[kind]/total[kind], unexplained)
		}
	}
	return nil
}

// instancesOf returns instances that the schema accepts, and instances that break one keyword each.
func instancesOf(root *schema.Node, luck *rand.Rand) []sampled {
	judge, err := instance.Compile(root)
	if err != nil {
		return nil
	}
	var all []sampled
	valid := sample.Value(root, luck, root)
	if valid == nil || !judge.Accepts(valid) {
		return nil
	}
	valid = ordered(valid, root)
	all = append(all, sampled{inOrder, valid.String()})
	if backwards := reverse(valid); backwards.String() != valid.String() {
		all = append(all, sampled{reversed, backwards.String()})
	}
	if valid.Kind == schema.Object {
		more := valid.Clone()
		more.Set("not_declared", schema.NewInt(1))
		if judge.Accepts(more) {
			all = append(all, sampled{oneMore, more.String()})
		}
	}
	for _, keyword := range constraints {
		relaxed, found := without(root, keyword)
		if !found {
			continue
		}
		const tries = 12
		for range tries {
			if broken := sample.Value(relaxed, luck, relaxed); broken != nil && !judge.Accepts(broken) {
				all = append(all, sampled{breaks + keyword, ordered(broken, root).String()})
				break
			}
		}
	}
	return all
}

// without returns a copy of a schema whose subschemas lack a keyword, and whether any had it.
func without(root *schema.Node, keyword string) (relaxed *schema.Node, found bool) {
	relaxed = root.Clone()
	relaxed.Each(func(subschema *schema.Node) bool {
		found = subschema.Delete(keyword) != nil || found
		return true
	})
	return relaxed, found
}

// ordered returns a value whose members are in the order in which a schema declares them.
func ordered(value, of *schema.Node) *schema.Node {
	clone := *value
	clone.Elements, clone.Members = slices.Clone(value.Elements), slices.Clone(value.Members)
	for i, element := range clone.Elements {
		clone.Elements[i] = ordered(element, of.Get("items"))
	}
	properties := of.Get("properties")
	for i, member := range clone.Members {
		clone.Members[i].Value = ordered(member.Value, properties.Get(member.Key))
	}
	slices.SortStableFunc(clone.Members, func(a, b schema.Member) int {
		return place(properties, a.Key) - place(properties, b.Key)
	})
	return &clone
}

// place returns the position of a property, which for undeclared ones is behind all others.
func place(properties *schema.Node, name string) int {
	if i := properties.Index(name); i >= 0 {
		return i
	}
	return 1 << 20
}

// reverse returns a value whose members are in the opposite order, at every depth.
func reverse(value *schema.Node) *schema.Node {
	clone := *value
	clone.Elements, clone.Members = slices.Clone(value.Elements), slices.Clone(value.Members)
	for i, element := range clone.Elements {
		clone.Elements[i] = reverse(element)
	}
	for i, member := range clone.Members {
		clone.Members[i].Value = reverse(member.Value)
	}
	slices.Reverse(clone.Members)
	return &clone
}
