package harness_test

import (
	"encoding/json"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"toolproof/normalizers"
	"toolproof/normalizers/rewrite"
	"toolproof/schema"
)

// portableCosts is where it is published what portable loses, and how much longer it is.
const portableCosts = "../docs/portable.json"

// portableCost is what a pipeline makes of all tools of the corpus.
type portableCost struct {
	Pipeline string `json:"pipeline"`
	Tools    int    `json:"tools"`
	Exact    int    `json:"exact"`
	Widens   int    `json:"widens"`
	Narrows  int    `json:"narrows"`
	Both     int    `json:"both"`
	// Unions are the tools that have one, and Renamed those of another name.
	Unions  int `json:"unions"`
	Renamed int `json:"renamed"`
	// Bytes are those of all tools, and Descriptions those of their descriptions.
	Bytes        int `json:"bytes"`
	Descriptions int `json:"descriptions"`
	// Said are the bytes that say_constraints adds to descriptions.
	Said int `json:"said"`
}

// TestPortableCosts measures all tools of the corpus: what portable loses, and how long its
// descriptions are, with unions and without. The page is to say the same. UPDATE=1 writes it.
func TestPortableCosts(t *testing.T) {
	t.Parallel()
	if !*whole {
		t.Skip("the costs are those of all tools of the corpus: -args -whole asks for them")
	}
	tools := corpusTools(t)
	costs := []portableCost{costOf(t, normalizers.Portable, tools), costOf(t, normalizers.PortableUnions, tools)}
	if os.Getenv("UPDATE") != "" {
		text, err := json.MarshalIndent(costs, "", "  ")
		if err == nil {
			err = os.WriteFile(portableCosts, append(text, '\n'), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	var published []portableCost
	text, err := os.ReadFile(portableCosts)
	if err == nil {
		err = json.Unmarshal(text, &published)
	}
	if err != nil {
		t.Fatal(err)
	}
	if difference := cmp.Diff(published, costs); difference != "" {
		t.Errorf("%s\nUPDATE=1 writes the page", difference)
	}
}

// costOf normalizes tools and counts.
func costOf(t *testing.T, pipeline *normalizers.Pipeline, tools []schema.Tool) portableCost {
	t.Helper()
	cost := portableCost{Pipeline: pipeline.Name(), Tools: len(tools)}
	silent := pipeline.Without("say_constraints")
	var counting sync.Mutex
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for _, tool := range tools {
		work.Go(func() error {
			result, err := pipeline.Normalize(t.Context(), tool)
			if err != nil {
				return err
			}
			unsaid, err := silent.Normalize(t.Context(), tool)
			if err != nil {
				return err
			}
			counting.Lock()
			defer counting.Unlock()
			cost.add(result)
			cost.Said += describedBytes(result.Tool) - describedBytes(unsaid.Tool)
			return nil
		})
	}
	if err := work.Wait(); err != nil {
		t.Fatal(err)
	}
	return cost
}

// add counts one tool.
func (c *portableCost) add(result normalizers.Result) {
	switch result.Loss() {
	case rewrite.Exact:
		c.Exact++
	case rewrite.Widens:
		c.Widens++
	case rewrite.Narrows, rewrite.Closes:
		c.Narrows++
	case rewrite.Both, rewrite.Widens | rewrite.Closes:
		c.Both++
	}
	hasUnion := false
	result.Tool.Parameters.Each(func(node *schema.Node) bool {
		hasUnion = hasUnion || node.Has("anyOf")
		return true
	})
	if hasUnion {
		c.Unions++
	}
	if result.Tool.Name != result.Given.Name {
		c.Renamed++
	}
	c.Bytes += len(result.Tool.Whole().JSON())
	c.Descriptions += describedBytes(result.Tool)
}

// describedBytes returns how many bytes the descriptions of a tool have.
func describedBytes(tool schema.Tool) int {
	count := len(tool.Node().GetString("description"))
	tool.Parameters.Each(func(node *schema.Node) bool {
		count += len(node.GetString("description"))
		return true
	})
	return count
}
