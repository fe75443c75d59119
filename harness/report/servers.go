package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"toolproof/internal/escape"
)

// Servers counts servers of the Model Context Protocol.
type Servers struct {
	// Asked counts the servers that are not disabled, and Answered those that returned their
	// tools.
	Asked    int `json:"asked"`
	Answered int `json:"answered"`
	Disabled int `json:"disabled"`

	rows []Server
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

// servers writes the table of servers and targets.
func (t *Terminal) servers(servers *Servers, targets []string, asGiven bool) {
	var table strings.Builder
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, strings.Join(append([]string{"server", "client", "tools", "time"}, targets...), "\t"))
	for _, server := range servers.rows {
		fmt.Fprintln(columns, strings.Join(append([]string{escape.Line(server.Name), server.Clients}, server.cells(len(targets), asGiven)...), "\t"))
	}
	_ = columns.Flush() // a strings.Builder takes everything
	t.printf("%s%s asked, %d answered, %d disabled\n\n", table.String(), Count(servers.Asked, "server"), servers.Answered, servers.Disabled)
}

// cells returns the cells of a server: number of tools, time, and one for each target.
func (s Server) cells(targets int, asGiven bool) []string {
	if s.IsDisabled {
		return append([]string{"disabled", "-"}, slices.Repeat([]string{"-"}, targets)...)
	}
	cells := []string{"-", fmt.Sprintf("%.1fs", s.Took.Seconds())}
	if s.HasAnswered {
		cells[0] = strconv.Itoa(s.Tools)
	}
	for i := range s.After {
		cells = append(cells, serverCell(s.Before[i], s.After[i], asGiven))
	}
	return cells
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
