package measure

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"toolproof/harness/peers"
)

// document is docs/peers.json.
type document struct {
	Date string `json:"date"`
	Sets []size `json:"sets"`
	Rows []*row `json:"rows"`
	// Programs holds the agents and gateways.
	Programs []*program `json:"programs"`
	// Checkers holds the answers of schema checkers, and of the models, to the evidence.
	Checkers []*checked `json:"checkers,omitempty"`
}

// size is the number of tools in a set.
type size struct {
	Name  string `json:"name"`
	Tools int    `json:"tools"`
}

// write prints the rows.
func (d document) write(out io.Writer) error {
	var text strings.Builder
	d.tables(&text)
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("writing the rows: %w", err)
	}
	return nil
}

// load reads the document that save wrote.
func load(folder string) (document, error) {
	var read document
	text, err := os.ReadFile(filepath.Join(folder, "peers.json")) //nolint:gosec // a document of the project
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		return read, fmt.Errorf("reading peers.json: %w", err)
	}
	return read, nil
}

// save writes the documents, with the measurements of agents and gateways.
func (d document) save(folder string) error {
	running, err := agents(folder)
	if err != nil {
		return err
	}
	passing, err := gateways(folder)
	if err != nil {
		return err
	}
	d.Programs = slices.Concat(running, passing)
	text, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		err = writeFile(filepath.Join(folder, "peers.json"), string(text)+"\n")
	}
	if err != nil {
		return fmt.Errorf("writing peers.json: %w", err)
	}
	if len(d.Checkers) == 0 {
		return nil
	}
	return d.saveCheckers(filepath.Join(folder, "checkers.md"))
}

// Page returns the page about normalizers of others, made from peers.json in a folder.
func Page(folder string) (string, error) {
	table, err := load(folder)
	if err != nil {
		return "", err
	}
	return table.page(), nil
}

func (d document) page() string {
	var page strings.Builder
	fmt.Fprintf(&page, head, d.Date, d.sizes())
	d.tables(&page)
	d.programTable(&page)
	page.WriteString(d.behind())
	return page.String()
}

func writeFile(name, text string) error {
	const readable = 0o644
	if err := os.WriteFile(name, []byte(text), readable); err != nil { //nolint:gosec // a document
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// head is the page up to its tables.
const head = `# The normalizers that people ship, by one judge

` + "`make peers`" + ` measured these packages on %s with the adapters in [lab/adapters](../../lab/adapters). Each row is a package and a
surface for which it makes declarations. All rows had the same tools:

%s
Each tool has one outcome:

* **kept**: the model of the surface accepts the declaration, and no instance shows a loss. Instances are made from the schemas before and after, and validated against both.
* **said**: accepted, with a loss that the normalizer reports, or that a description at that place says.
* **silent**: accepted, with a loss that is said nowhere.
* **unjudged**: accepted, but the tool as given has no valid JSON Schema, so that its meaning is unknown.
* **refused**: the model of the surface refuses the declaration.
* **declined**: the normalizer refuses the tool with an error of its own, which its user sees.
* **crashed**: the normalizer failed, for example with a TypeError, or the request was sent without the tool.

Accepted is the sum of kept, said, silent and unjudged. The three numbers in a cell are those of the three sets, in their order. *Not strict* counts tools
that a strict row sent as not strict. A null for an optional property counts as its absence in every row.
Members that a tool neither declares nor forbids are not tested, because many surfaces require closed objects.
Adapters in JavaScript read numbers as JavaScript does, and lose precision in large ones.
µs is the median time for a tool, measured by the adapter; if the adapter asks a client for its request, it includes making the request.
MB is the peak memory of the process. The rows *(as given)* have no normalizer.

No provider was asked: this project's models judge, which rest on dated evidence ([evidence.md](evidence.md)).
One command prints the outcome of each tool in a row:

` + "```sh\nmake peers ROW='openai zod helpers on openai/chat-strict'\n```\n"

// tables writes a table for each surface.
func (d document) tables(out *strings.Builder) {
	surface := ""
	for _, row := range d.Rows {
		if row.Surface != surface {
			surface = row.Surface
			fmt.Fprintf(out, "\n## %s\n\n", surface)
			out.WriteString("| normalizer | accepted | kept | said | silent | unjudged | refused | declined | crashed | not strict | µs | MB |\n")
			out.WriteString(strings.Repeat("|---", 12) + "|\n") // the columns
		}
		memory := "-"
		if row.Megabytes > 0 {
			memory = strconv.FormatInt(row.Megabytes, 10)
		}
		name := row.Name
		if row.Version != "" && row.Name != ours {
			name += " " + row.Version
		}
		if row.Name == ours {
			name = "**" + name + "**"
		}
		fmt.Fprintf(out, "| %s | %s | %.0f | %s |\n", name, strings.Join(counts(d.Sets, row.Sets), " | "), row.Microseconds, memory)
	}
}

// counts returns the cells of a row, each with one number for each set.
func counts(sets []size, of map[string]peers.Count) []string {
	fields := []func(peers.Count) int{
		func(c peers.Count) int { return c.Accepted }, func(c peers.Count) int { return c.Kept },
		func(c peers.Count) int { return c.Said }, func(c peers.Count) int { return c.Silent }, func(c peers.Count) int { return c.Unjudged },
		func(c peers.Count) int { return c.Refused }, func(c peers.Count) int { return c.Declined }, func(c peers.Count) int { return c.Crashed },
		func(c peers.Count) int { return c.FellBack },
	}
	cells := make([]string, len(fields))
	for i, field := range fields {
		numbers := make([]string, len(sets))
		sum := 0
		for j, set := range sets {
			numbers[j] = strconv.Itoa(field(of[set.Name]))
			sum += field(of[set.Name])
		}
		if cells[i] = strings.Join(numbers, "&nbsp;/&nbsp;"); sum == 0 {
			cells[i] = "0"
		}
	}
	return cells
}

// sizes describes the sets.
func (d document) sizes() string {
	words := map[string]string{
		"fixtures": "fixtures of this project, which are cases that broke something",
		"npm":      "tools of MCP servers on npm, one of ten",
		"suite":    "schemas of the JSON Schema suite, draft 2020-12: as a property, or as the root where there are references",
	}
	var named strings.Builder
	for _, set := range d.Sets {
		fmt.Fprintf(&named, "* %d %s;\n", set.Tools, words[set.Name])
	}
	return named.String()
}

// reasons tell why a row is ahead, as far as that is known.
var reasons = map[string]string{
	"@anthropic-ai/sdk on anthropic/output_format": noOutputFormat,
	"anthropic-sdk-go on anthropic/output_format":  noOutputFormat,
	"@mastra/schema-compat on openai/response_format": "It closes maps and requires optional properties, both in silence. " +
		"This project declines such a tool.",
	"openai zod helpers on openai/response_format": "This project has no target for the surface, and sends what strict functions take. " +
		"Those refuse a schema without a type, and the surface takes it.",
	"@openai/agents on openai/responses-strict": "It sends minLength. OpenAI documents pattern and format of strings in strict mode, and no lengths, and chat refuses them. " +
		"No answer of Responses is known, so that the model takes them. This project sends what is documented, and says the length in the description.",
}

const noOutputFormat = "This project has no target for the surface, and sends what strict tools take. It declines a tool where the package loses a part in silence."

// behind lists the rows that are ahead of this project's, and the notes on the others.
func (d document) behind() string {
	var page strings.Builder
	page.WriteString("\n## Where this project is not ahead\n\n")
	own := map[string]*row{}
	for _, row := range d.Rows {
		if row.Name == ours {
			own[row.Surface] = row
		}
	}
	isAhead := true
	for _, row := range d.Rows {
		for _, set := range d.Sets {
			mine, theirs := own[row.Surface].Sets[set.Name], row.Sets[set.Name]
			if theirs.Accepted > mine.Accepted || theirs.Kept > mine.Kept {
				isAhead = false
				fmt.Fprintf(&page, "* %s, %s: %d accepted and %d kept, against %d and %d. %s\n",
					row.id(), set.Name, theirs.Accepted, theirs.Kept, mine.Accepted, mine.Kept, reasons[row.id()])
			}
		}
	}
	if isAhead {
		page.WriteString("Nowhere: no row has more accepted, or more kept, in any set.\n")
	}
	page.WriteString("\n## Notes\n\n")
	noted := map[string]bool{}
	for _, row := range d.Rows {
		if row.Note != "" && !noted[row.Name] {
			noted[row.Name] = true
			fmt.Fprintf(&page, "* %s: %s.\n", row.Name, row.Note)
		}
	}
	return page.String()
}
