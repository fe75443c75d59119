package explore

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/construct"
	"toolproof/schema"
)

// Used is a construct with the number of tools that use it.
type Used struct {
	construct.Construct

	Tools int
}

// Count returns the constructs in parameters, the most used first.
func Count(all []*schema.Node) []Used {
	counts := map[construct.Construct]int{}
	var found []Used
	for _, parameters := range all {
		for _, used := range construct.Of(parameters) {
			if counts[used]++; counts[used] == 1 {
				found = append(found, Used{Construct: used})
			}
		}
	}
	for i := range found {
		found[i].Tools = counts[found[i].Construct]
	}
	slices.SortStableFunc(found, func(a, b Used) int { return b.Tools - a.Tools })
	return found
}

// corpus holds the constructs in real tools, as TestCorpus counts them.
//
//go:embed corpus.tsv
var corpus string

// Corpus returns the constructs that real tools use, the most used first.
func Corpus() []Used {
	var all []Used
	for line := range strings.Lines(corpus) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		tools, err := strconv.Atoi(fields[0])
		if err != nil {
			panic(err) // the file is generated
		}
		all = append(all, Used{construct.Construct{Keyword: fields[1], Form: fields[2], Types: construct.TypesNamed(fields[3]), Position: fields[4]}, tools})
	}
	return all
}

// written returns constructs in the format of the corpus file.
func written(all []Used) string {
	var text strings.Builder
	for _, used := range all {
		fmt.Fprintf(&text, "%d\t%s\t%s\t%s\t%s\n", used.Tools, used.Keyword, used.Form, used.Types, used.Position)
	}
	return text.String()
}
