package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"toolproof/harness/provider"
	"toolproof/internal/escape"
)

// Servers counts servers of the Model Context Protocol.
type Servers struct {
	// Asked counts the servers that are not disabled, and Answered those that returned their
	// tools.
	Asked    int `json:"asked"`
	Answered int `json:"answered"`
	Disabled int `json:"disabled"`
	// Agents are what becomes of the tools of all servers together with each client.
	Agents []Agent `json:"agents,omitempty"`
	// Changing are the servers that did not list the same when they were started again.
	Changing []Changing `json:"changing,omitempty"`
	// Lists are those of the servers, and AsOf is the day whose rules judge them; only in the summary of a part.
	Lists []List        `json:"lists,omitempty"`
	AsOf  provider.Date `json:"as_of,omitempty"`

	rows []Server
}

// Changing is a server whose list is another one when it is started again.
type Changing struct {
	// Place is that of the server in the configuration.
	Place  int    `json:"place"`
	Server string `json:"server"`
	// Change is order if the tools are the same in another order, tools if there are others, and texts if tools
	// of the same names differ.
	Change string `json:"change"`
	Says   string `json:"says"`
}

// Server is what a run counted of one server.
type Server struct {
	Name string
	// Clients are the names of the clients that start the server.
	Clients     string
	IsDisabled  bool
	HasAnswered bool
	Tools       int
	Took        time.Duration // until it answered
	// Before and After are the counts of each target before and after the server was judged.
	Before, After []Counts
}

// CountServers makes the summary count servers, and returns their counts.
func (s *Summary) CountServers() *Servers {
	s.Servers = &Servers{}
	return s.Servers
}

// Add counts a server.
func (s *Servers) Add(server Server) {
	switch {
	case server.IsDisabled:
		s.Disabled++
	case server.HasAnswered:
		s.Asked, s.Answered = s.Asked+1, s.Answered+1
	default:
		s.Asked++
	}
	s.rows = append(s.rows, server)
}

// ServerSink is a sink that shows servers and targets as a table above the findings.
type ServerSink interface {
	Sink

	// BeginServers says that the following results are from servers.
	BeginServers()
	// EndServers says that all servers were judged.
	EndServers(servers *Servers) error
}

// servers writes a table of servers, each with what the targets make of its tools.
func (t *Terminal) servers(servers *Servers, targets []string, asGiven bool) {
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "server\tclient\ttools\ttime\t")
	for _, server := range servers.rows {
		fmt.Fprintln(columns, strings.Join(append([]string{escape.Line(server.Name), server.Clients}, server.cells()...), "\t"))
	}
	_ = columns.Flush() // a strings.Builder takes everything
	for i, row := range strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n") {
		if i == 0 {
			t.printf("%sresult\n", row)
			continue
		}
		t.hang(row, strings.Repeat(" ", columnsIn(row)), servers.rows[i-1].result(targets, asGiven))
	}
	t.printf("%s asked, %d answered, %d disabled\n\n", Count(servers.Asked, "server"), servers.Answered, servers.Disabled)
	if len(servers.Agents) > 0 {
		t.agents(servers.Agents)
	}
}

// cells returns the number of tools and the time as cells.
func (s Server) cells() []string {
	switch {
	case s.IsDisabled:
		return []string{"disabled", "-", ""}
	case s.HasAnswered:
		return []string{strconv.Itoa(s.Tools), fmt.Sprintf("%.1fs", s.Took.Seconds()), ""}
	default:
		return []string{"-", fmt.Sprintf("%.1fs", s.Took.Seconds()), ""}
	}
}

// result says what the targets make of the tools of a server. Targets that make the same of them are named
// together, and not at all if all do; those that take all tools come last, without their names.
func (s Server) result(targets []string, asGiven bool) string {
	var cells []string
	named := map[string][]string{} // targets, by cell
	for i := range s.After {
		cell := serverCell(s.Before[i], s.After[i], asGiven)
		if named[cell] == nil {
			cells = append(cells, cell)
		}
		named[cell] = append(named[cell], nameOfTarget(targets[i]))
	}
	switch {
	case s.IsDisabled || len(cells) == 0:
		return "-"
	case len(cells) == 1:
		return cells[0]
	}
	const fine = "ok"
	slices.SortStableFunc(cells, func(a, b string) int { return compareBool(a == fine, b == fine) })
	for i, cell := range cells {
		if cell == fine {
			named[cell] = []string{"the others"}
		}
		cells[i] = strings.Join(named[cell], ", ") + ": " + cell
	}
	return strings.Join(cells, "; ")
}

// serverCell says what a target makes of the tools of one server, given its counts before and
// after. asGiven says which side had to be accepted.
func serverCell(before, after Counts, asGiven bool) string {
	switch {
	case after.Errors > before.Errors:
		return fmt.Sprintf("%d error", after.Errors-before.Errors)
	case after.Failed > before.Failed:
		return fmt.Sprintf("%d fail", after.Failed-before.Failed)
	case after.Inconclusive > before.Inconclusive:
		return "?"
	case after == before:
		return "-"
	case asGiven && after.RawIgnored > before.RawIgnored:
		return fmt.Sprintf("ok, %d ignored in part", after.RawIgnored-before.RawIgnored)
	case !asGiven && after.Ignored > before.Ignored:
		return fmt.Sprintf("ok, %d ignored in part", after.Ignored-before.Ignored)
	default:
		return "ok"
	}
}
